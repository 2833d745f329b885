/* SPDX-License-Identifier: MIT */
/* layout: the rows hold together, debug offsets are believed once checked. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "debug_offsets.h"

#define RUNTIME 0x1000

struct image {
	struct mem mem;
	uint8_t bytes[OFFSETS_ROOM];
	size_t len;
};

static int image_read(const struct mem *m, uint64_t addr, void *buf, size_t len)
{
	const struct image *i = (const struct image *)m;

	if (addr < RUNTIME || addr - RUNTIME > i->len ||
	    len > i->len - (addr - RUNTIME))
		return -EFAULT;
	memcpy(buf, i->bytes + (addr - RUNTIME), len);
	return 0;
}

static void put(struct image *i, uint16_t at, int64_t v)
{
	offsets_put(i->bytes, at, v);
}

static void image_of(struct image *i, const struct debug_slots *s)
{
	i->mem.read = image_read;
	i->len = s->size;
	offsets_make(i->bytes, s);
}

static int ask(struct image *i, struct pt_layout *l, struct err *e)
{
	return layout_from_debug_offsets(&i->mem, RUNTIME, l, NULL, e);
}

static void each_minor_has_a_sane_row(void **state)
{
	struct err e = { 0 };
	unsigned int v;

	(void)state;
	for (v = LAYOUT_OLDEST; v <= LAYOUT_NEWEST; v++) {
		assert_non_null(layout_for((uint16_t)v));
		assert_int_equal(layout_for((uint16_t)v)->version, v);
		if (layout_check(layout_for((uint16_t)v), &e))
			fail_msg("%#x: %s", v, e.text);
	}
	assert_null(layout_for(LAYOUT_OLDEST - 1));
	assert_null(layout_for(LAYOUT_NEWEST + 1));
	assert_null(layout_for(0x0207));
	assert_int_equal(ARRAY_LEN(layout_rows),
			 LAYOUT_NEWEST - LAYOUT_OLDEST + 1);
}

static void debug_offsets_are_preferred(void **state)
{
	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(debug_slot_rows); n++) {
		const struct debug_slots *s = &debug_slot_rows[n];
		const struct pt_layout *row = layout_for(s->version);
		struct pt_layout l = { 0 };
		struct err e = { 0 };
		struct image i;
		uint32_t hex = 0;

		image_of(&i, s);
		if (ask(&i, &l, &e))
			fail_msg("%#x: %s", s->version, e.text);
		assert_memory_equal(&l, row, sizeof(l));
		/* a patch release that has moved something */
		put(&i, s->ts_frame, row->ts_frame + 160);
		put(&i, s->fr_owner, 77);
		put(&i, s->is_gc, 4000);
		assert_int_equal(layout_from_debug_offsets(&i.mem, RUNTIME, &l,
							   &hex, &e), 0);
		assert_int_equal(hex, (uint32_t)s->version << 16 | 0x01f0);
		assert_int_equal(l.ts_frame, row->ts_frame + 160);
		assert_int_equal(l.ts_status, PT_NONE);
		assert_int_equal(l.fr_owner, 77);
		assert_int_equal(l.is_collecting, 4060);
		assert_int_equal(l.fr_size, 78);
		assert_int_equal(l.rt_key, row->rt_key);
	}
}

static void hostile_offsets_are_refused(void **state)
{
	static const int64_t bad[] = { -1, INT64_MIN, (1 << 24) + 8, 0xffffffff,
				       (int64_t)1 << 32, INT64_MAX };
	struct debug_slots s = debug_slot_rows[0];
	const uint16_t slots[] = { s.rt_interpreters, s.is_next, s.is_threads,
		s.ts_next, s.ts_interp, s.ts_thread_id, s.ts_frame, s.fr_code,
		s.fr_back, s.fr_lasti, s.fr_owner, s.co_firstlineno,
		s.co_filename, s.co_name, s.co_qualname, s.co_linetable,
		s.co_code, s.ob_type, s.ob_size, s.bytes_data, s.str_state,
		s.str_length, s.str_ascii, s.rt_size, s.is_size, s.ts_size,
		s.fr_size, s.co_size, s.ob_size_of, s.bytes_size, s.str_size,
		s.is_gc, s.gc_size, s.gc_collecting };
	struct pt_layout l;
	struct image i;

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(slots); n++)
		for (size_t b = 0; b < ARRAY_LEN(bad); b++) {
			struct err e = { 0 };

			image_of(&i, &s);
			put(&i, slots[n], bad[b]);
			memset(&l, 0x55, sizeof(l));
			assert_int_equal(ask(&i, &l, &e), -EBADMSG);
			assert_int_equal(e.kind, ERR_UNSUPPORTED);
			assert_int_equal(l.version, 0x5555);
		}
}

static void offsets_that_contradict_are_refused(void **state)
{
	const struct debug_slots *s = &debug_slot_rows[0];
	struct err e = { 0 };
	struct pt_layout l;
	struct image i;

	(void)state;
	image_of(&i, s);
	put(&i, s->fr_back, layout_for(s->version)->fr_code);
	assert_int_equal(ask(&i, &l, &e), -EBADMSG);
	assert_string_equal(e.text, "offsets fr_code and fr_back overlap");
	image_of(&i, s);
	put(&i, s->co_name, 117);	/* not aligned */
	assert_int_equal(ask(&i, &l, &e), -EBADMSG);
	image_of(&i, s);
	put(&i, s->str_ascii, 48);
	assert_int_equal(ask(&i, &l, &e), -EBADMSG);
}

static void other_builds_are_refused_by_name(void **state)
{
	static const struct {
		const char *what;
		int64_t hex, free_threaded;
		const char *text;
	} cases[] = {
		{ "to come", 0x031000f0, 0,
		  "CPython 3.16.0: its layout is not known" },
		{ "too old to have them", 0x030c01f0, 0,
		  "CPython 3.12.1: its layout is not known" },
		{ "beta", 0x030f00b4, 0, "CPython 3.15.0b4: a pre-release, "
		  "whose layout may differ from the release's" },
		{ "candidate", 0x030e00c1, 0, "CPython 3.14.0rc1: a "
		  "pre-release, whose layout may differ from the release's" },
		{ "no GIL", 0x030e02f0, 1,
		  "CPython 3.14.2: a free-threaded build" },
	};
	struct pt_layout l;
	struct image i;

	(void)state;
	for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
		struct err e = { 0 };

		image_of(&i, &debug_slot_rows[1]);
		put(&i, 8, cases[n].hex);
		put(&i, 16, cases[n].free_threaded);
		assert_int_equal(ask(&i, &l, &e), -ENOTSUP);
		assert_string_equal(e.text, cases[n].text);
		assert_int_equal(e.kind, ERR_UNSUPPORTED);
	}
}

static void absent_offsets_are_absent(void **state)
{
	struct err e = { 0 };
	struct pt_layout l;
	struct image i;

	(void)state;
	image_of(&i, &debug_slot_rows[0]);
	i.bytes[7] = 'z';
	assert_int_equal(ask(&i, &l, &e), -ENOENT);
	for (size_t len = 0; len < debug_slot_rows[0].size; len += 8) {
		image_of(&i, &debug_slot_rows[0]);
		i.len = len;
		assert_int_equal(ask(&i, &l, &e), -EFAULT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_minor_has_a_sane_row),
		cmocka_unit_test(debug_offsets_are_preferred),
		cmocka_unit_test(hostile_offsets_are_refused),
		cmocka_unit_test(offsets_that_contradict_are_refused),
		cmocka_unit_test(other_builds_are_refused_by_name),
		cmocka_unit_test(absent_offsets_are_absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
