/* SPDX-License-Identifier: MIT */
/*
 * debug_offsets: the struct _Py_DebugOffsets of an interpreter that says of
 * itself what the row of its version says, as 3.N.1.
 */
#ifndef PT_TEST_DEBUG_OFFSETS_H
#define PT_TEST_DEBUG_OFFSETS_H

#include "base/compiler.h"
#include "python/layout.h"
#include "python/layout_rows.h"

#define OFFSETS_ROOM 1024

static inline void offsets_put(uint8_t bytes[OFFSETS_ROOM], uint16_t at,
			       int64_t v)
{
	if (at > OFFSETS_ROOM - sizeof(v))
		abort();
	memcpy(bytes + at, &v, sizeof(v));
}

static inline void offsets_make(uint8_t bytes[OFFSETS_ROOM],
				const struct debug_slots *s)
{
	const struct pt_layout *l = layout_for(s->version);

	if (!l)
		abort();
	memset(bytes, 0, OFFSETS_ROOM);
	memcpy(bytes, "xdebugpy", 8);
	offsets_put(bytes, 8, (int64_t)s->version << 16 | 0x01f0);
#define PUT(f) offsets_put(bytes, s->f, l->f)
	PUT(rt_interpreters);
	PUT(is_next); PUT(is_threads); PUT(is_gil);
	PUT(ts_next); PUT(ts_interp); PUT(ts_thread_id); PUT(ts_frame);
	PUT(fr_code); PUT(fr_back); PUT(fr_lasti); PUT(fr_owner);
	PUT(co_firstlineno); PUT(co_filename); PUT(co_name); PUT(co_qualname);
	PUT(co_linetable); PUT(co_code);
	PUT(ob_type); PUT(ob_size); PUT(bytes_data);
	PUT(str_state); PUT(str_length); PUT(str_ascii);
	/* the flag is 60 bytes into the collector's state */
	offsets_put(bytes, s->is_gc, l->is_collecting - 60);
	offsets_put(bytes, s->gc_collecting, 60);
	offsets_put(bytes, s->gc_size, 200);
#undef PUT
	offsets_put(bytes, s->rt_size, 300000);
	offsets_put(bytes, s->is_size, 200000);
	offsets_put(bytes, s->ts_size, 900);
	offsets_put(bytes, s->fr_size, 88);
	offsets_put(bytes, s->co_size, 216);
	offsets_put(bytes, s->ob_size_of, 16);
	offsets_put(bytes, s->bytes_size, 40);
	offsets_put(bytes, s->str_size, 64);
}

#endif /* PT_TEST_DEBUG_OFFSETS_H */
