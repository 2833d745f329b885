/* SPDX-License-Identifier: MIT */
/* layout: where CPython keeps what a walk of its frames needs. */
#include "python/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "python/layout_rows.h"

/* Largest struct believed in; each is at least 3 times what CPython has. */
#define MAX_RUNTIME	(16 << 20)	/* 3.12's is 450 KiB: static objects */
#define MAX_INTERP	(4 << 20)
#define MAX_THREAD	4096
#define MAX_FRAME	256
#define MAX_CODE	1024
#define MAX_OBJECT	256

#define NO_SLOT 0xff

/*
 * A number of struct pt_layout, the struct of CPython's it points into, and
 * where struct debug_slots says how to find it.  `group`s are those structs.
 */
enum group { RUNTIME, INTERP, THREAD, CFRAME, FRAME, CODE, OBJECT, STR,
	     NR_GROUPS };

struct field {
	const char *name;
	uint8_t group;
	uint8_t width;		/* bytes of the field itself */
	uint8_t at;		/* in struct pt_layout */
	uint8_t slot;		/* in struct debug_slots, or NO_SLOT */
	uint8_t size_slot;	/* of the struct's size */
};

#define AT(f) offsetof(struct pt_layout, f)
#define SLOT(f) offsetof(struct debug_slots, f)
#define SAME(f) AT(f), SLOT(f)

static const struct field fields[] = {
	{ "rt_key", RUNTIME, 4, AT(rt_key), NO_SLOT, 0 },
	{ "rt_current", RUNTIME, 8, AT(rt_current), NO_SLOT, 0 },
	{ "rt_interpreters", RUNTIME, 8, SAME(rt_interpreters), SLOT(rt_size) },
	{ "is_next", INTERP, 8, SAME(is_next), SLOT(is_size) },
	{ "is_threads", INTERP, 8, SAME(is_threads), SLOT(is_size) },
	{ "ts_next", THREAD, 8, SAME(ts_next), SLOT(ts_size) },
	{ "ts_interp", THREAD, 8, SAME(ts_interp), SLOT(ts_size) },
	{ "ts_thread_id", THREAD, 8, SAME(ts_thread_id), SLOT(ts_size) },
	{ "ts_frame", THREAD, 8, SAME(ts_frame), SLOT(ts_size) },
	{ "ts_status", THREAD, 4, AT(ts_status), NO_SLOT, 0 },
	{ "ts_raised", THREAD, 8, AT(ts_raised), NO_SLOT, 0 },
	{ "cf_current", CFRAME, 8, AT(cf_current), NO_SLOT, 0 },
	{ "fr_code", FRAME, 8, SAME(fr_code), SLOT(fr_size) },
	{ "fr_back", FRAME, 8, SAME(fr_back), SLOT(fr_size) },
	{ "fr_lasti", FRAME, 8, SAME(fr_lasti), SLOT(fr_size) },
	{ "fr_owner", FRAME, 1, SAME(fr_owner), SLOT(fr_size) },
	{ "fr_gen", FRAME, 8, AT(fr_gen), NO_SLOT, 0 },
	{ "fr_state", FRAME, 8, AT(fr_state), NO_SLOT, 0 },
	{ "co_flags", CODE, 4, AT(co_flags), NO_SLOT, 0 },
	{ "co_firstlineno", CODE, 4, SAME(co_firstlineno), SLOT(co_size) },
	{ "co_filename", CODE, 8, SAME(co_filename), SLOT(co_size) },
	{ "co_name", CODE, 8, SAME(co_name), SLOT(co_size) },
	{ "co_qualname", CODE, 8, SAME(co_qualname), SLOT(co_size) },
	{ "co_linetable", CODE, 8, SAME(co_linetable), SLOT(co_size) },
	{ "co_code", CODE, 2, SAME(co_code), SLOT(co_size) },
	{ "ob_type", OBJECT, 8, SAME(ob_type), SLOT(ob_size_of) },
	{ "ob_size", OBJECT, 8, SAME(ob_size), SLOT(bytes_size) },
	{ "bytes_data", OBJECT, 1, SAME(bytes_data), SLOT(bytes_size) },
	{ "str_length", STR, 8, SAME(str_length), SLOT(str_size) },
	{ "str_state", STR, 4, SAME(str_state), SLOT(str_size) },
	{ "str_ascii", STR, 1, SAME(str_ascii), SLOT(str_size) },
	{ "str_compact", STR, 1, AT(str_compact), NO_SLOT, 0 },
	{ "str_data", STR, 1, AT(str_data), NO_SLOT, 0 },
	{ "rt_collecting", RUNTIME, 4, AT(rt_collecting), NO_SLOT, 0 },
	/* its slots are two: take_collecting() */
	{ "is_collecting", INTERP, 4, AT(is_collecting), NO_SLOT, 0 },
	{ "rt_gil", RUNTIME, 8, AT(rt_gil), NO_SLOT, 0 },
	{ "is_gil", INTERP, 8, SAME(is_gil), SLOT(is_size) },
};

static const struct group_limits {
	uint32_t max_size;
	bool optional;		/* a field of it may be PT_NONE */
} limits[NR_GROUPS] = {
	[RUNTIME] = { MAX_RUNTIME, true },
	[INTERP] = { MAX_INTERP, false },
	[THREAD] = { MAX_THREAD, false },
	[CFRAME] = { MAX_OBJECT, true },
	[FRAME] = { MAX_FRAME, false },
	[CODE] = { MAX_CODE, false },
	[OBJECT] = { MAX_OBJECT, false },
	[STR] = { MAX_OBJECT, false },
};

static pt_s32 get(const struct pt_layout *l, const struct field *f)
{
	pt_s32 v;

	memcpy(&v, (const char *)l + f->at, sizeof(v));
	return v;
}

static void put(struct pt_layout *l, const struct field *f, pt_s32 v)
{
	memcpy((char *)l + f->at, &v, sizeof(v));
}

/* Bytes of a field as this version has it: f_lasti was an int to 3.10. */
static int width(const struct pt_layout *l, const struct field *f)
{
	if (f->at == AT(fr_lasti) && l->frames == PT_FRAMES_OBJECT)
		return 4;
	if (f->at == AT(fr_state) && l->version == 0x030a)
		return 1;
	return f->width;
}

const struct pt_layout *layout_for(uint16_t version)
{
	for (size_t i = 0; i < ARRAY_LEN(layout_rows); i++)
		if (layout_rows[i].version == version)
			return &layout_rows[i];
	return NULL;
}

int layout_code_sizes(uint16_t version, uint64_t *basic, uint64_t *item)
{
	for (size_t i = 0; i < ARRAY_LEN(code_size_rows); i++)
		if (code_size_rows[i].version == version) {
			*basic = code_size_rows[i].basic;
			*item = code_size_rows[i].item;
			return 0;
		}
	return -ENOENT;
}

static const struct debug_slots *slots_for(uint16_t version)
{
	for (size_t i = 0; i < ARRAY_LEN(debug_slot_rows); i++)
		if (debug_slot_rows[i].version == version)
			return &debug_slot_rows[i];
	return NULL;
}

const char *layout_version_text(uint32_t hex, char *buf, size_t len)
{
	unsigned int level = hex >> 4 & 0xf, serial = hex & 0xf;
	const char *word = level == 0xa ? "a" : level == 0xb ? "b" :
			   level == 0xc ? "rc" : "";
	int n;

	n = snprintf(buf, len, "%u.%u.%u%s", hex >> 24, hex >> 16 & 0xff,
		     hex >> 8 & 0xff, word);
	if (*word && n > 0 && (size_t)n < len)
		snprintf(buf + n, len - (size_t)n, "%u", serial);
	return buf;
}

/* The last byte of code, back, lasti and owner, plus one. */
static pt_s32 frame_end(const struct pt_layout *l)
{
	pt_s32 end = 0;

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		const struct field *f = &fields[i];
		pt_s32 v = get(l, f);

		if (f->group == FRAME && v != PT_NONE && v + width(l, f) > end)
			end = v + width(l, f);
	}
	return end;
}

static bool may_lack(const struct pt_layout *l, const struct field *f)
{
	if (limits[f->group].optional)
		return true;
	if (f->at == AT(is_collecting))
		return l->version < 0x0309;
	if (f->at == AT(is_gil))
		return l->version < 0x030c;
	if (f->at == AT(ts_status) || f->at == AT(ts_raised))
		return true;	/* a look saved, a detail of calls */
	if (f->at == AT(fr_gen) || f->at == AT(fr_state))
		return l->version >= 0x030b;
	/* what came with 3.11 */
	return l->version < 0x030b && (f->at == AT(fr_owner) ||
				       f->at == AT(co_qualname) ||
				       f->at == AT(co_code));
}

static bool overlap(const struct pt_layout *l, const struct field *a,
		    const struct field *b)
{
	pt_s32 x = get(l, a), y = get(l, b);

	/* the sizes of str's three structs lie where data begins */
	if (a->group != b->group || x == PT_NONE || y == PT_NONE ||
	    (a->group == STR && (a->width == 1 || b->width == 1)))
		return false;
	return x < y + width(l, b) && y < x + width(l, a);
}

static int check_field(const struct pt_layout *l, const struct field *f,
		       struct err *err)
{
	pt_s32 v = get(l, f), max = (pt_s32)limits[f->group].max_size;

	if (v == PT_NONE && may_lack(l, f))
		return 0;
	if (v < 0 || v > max - width(l, f) || v % width(l, f))
		return err_kind(err, ERR_UNSUPPORTED, -EBADMSG,
				"offset %s is %" PRId32
				", which cannot be true", f->name, v);
	for (const struct field *o = fields; o < f; o++)
		if (overlap(l, o, f))
			return err_kind(err, ERR_UNSUPPORTED, -EBADMSG,
					"offsets %s and %s overlap", o->name,
					f->name);
	return 0;
}

int layout_check(const struct pt_layout *l, struct err *err)
{
	int rc;

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		rc = check_field(l, &fields[i], err);
		if (rc < 0)
			return rc;
	}
	if (l->fr_size != frame_end(l) || l->str_ascii <= l->str_state ||
	    l->str_compact < l->str_ascii || l->str_data < l->str_compact ||
	    (l->frames == PT_FRAMES_CFRAME) != (l->cf_current != PT_NONE) ||
	    (l->lasti_scale != 1 && l->lasti_scale != 2))
		return err_kind(err, ERR_UNSUPPORTED, -EBADMSG,
				"offsets contradict each other");
	return 0;
}

static uint16_t slot_of(const struct debug_slots *s, uint8_t at)
{
	uint16_t v;

	memcpy(&v, (const char *)s + at, sizeof(v));
	return v;
}

static uint64_t number(const uint8_t *bytes, const struct debug_slots *s,
		       uint8_t at)
{
	uint64_t v;

	memcpy(&v, bytes + slot_of(s, at), sizeof(v));
	return v;
}

/* What the struct says of one field, held against the size of its struct. */
static int take_field(struct pt_layout *l, const struct field *f,
		      const uint8_t *bytes, const struct debug_slots *s,
		      struct err *err)
{
	uint64_t v, size;

	if (f->slot == NO_SLOT)
		return 0;
	v = number(bytes, s, f->slot);
	size = number(bytes, s, f->size_slot);
	/* contents begin at the end of their struct, or in its last bytes */
	if (size > limits[f->group].max_size || v > size ||
	    (f->width > 1 && v > size - f->width))
		return err_kind(err, ERR_UNSUPPORTED, -EBADMSG,
				"debug offset %s is %" PRIu64
				" in a struct of %" PRIu64 " bytes", f->name, v,
				size);
	put(l, f, (pt_s32)v);
	return 0;
}

/* Where the collector's state is in an interpreter, and the flag in that. */
static int take_collecting(struct pt_layout *l, const uint8_t *bytes,
			   const struct debug_slots *s, struct err *err)
{
	uint64_t gc = number(bytes, s, SLOT(is_gc));
	uint64_t at = number(bytes, s, SLOT(gc_collecting));
	uint64_t size = number(bytes, s, SLOT(gc_size));
	uint64_t interp = number(bytes, s, SLOT(is_size));

	if (interp > MAX_INTERP || size > interp || gc > interp - size ||
	    size < sizeof(int) || at > size - sizeof(int))
		return err_kind(err, ERR_UNSUPPORTED, -EBADMSG,
				"debug offset gc.collecting is %" PRIu64
				" in a struct of %" PRIu64 " bytes at %" PRIu64,
				at, size, gc);
	l->is_collecting = (pt_s32)(gc + at);
	return 0;
}

static int take_all(struct pt_layout *l, const struct pt_layout *row,
		    const struct debug_slots *s, const uint8_t *bytes,
		    struct err *err)
{
	int rc;

	*l = *row;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		rc = take_field(l, &fields[i], bytes, s, err);
		if (rc < 0)
			return rc;
	}
	rc = take_collecting(l, bytes, s, err);
	if (rc < 0)
		return rc;
	l->fr_size = frame_end(l);
	/* not told of: where what is told of has moved, it may have, too */
	if (l->ts_interp != row->ts_interp || l->ts_frame != row->ts_frame ||
	    l->ts_thread_id != row->ts_thread_id)
		l->ts_status = l->ts_raised = PT_NONE;
	/*
	 * What the struct leaves out comes from the row, and can be trusted no
	 * further than the row can.
	 */
	if (l->str_ascii != row->str_ascii)
		return err_kind(err, ERR_UNSUPPORTED, -EBADMSG,
				"str objects are not those of this version");
	return layout_check(l, err);
}

static int not_known(uint32_t hex, struct err *err)
{
	char text[32];

	err_kind(err, ERR_UNSUPPORTED, 0,
		 "CPython %s: its layout is not known",
		 layout_version_text(hex, text, sizeof(text)));
	err_hint(err, "known are %u.%u to %u.%u", LAYOUT_OLDEST >> 8,
		 LAYOUT_OLDEST & 0xff, LAYOUT_NEWEST >> 8,
		 LAYOUT_NEWEST & 0xff);
	return -ENOTSUP;
}

/* A kind of build that can be walked? */
static int check_build(uint32_t hex, uint64_t free_threaded, struct err *err)
{
	char text[32];

	layout_version_text(hex, text, sizeof(text));
	if (!layout_is_final(hex))
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"CPython %s: a pre-release, whose layout may "
				"differ from the release's", text);
	if (free_threaded)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"CPython %s: a free-threaded build", text);
	return 0;
}

int layout_from_debug_offsets(const struct mem *m, uint64_t runtime,
			      struct pt_layout *out, uint32_t *hex,
			      struct err *err)
{
	struct { char cookie[8]; uint64_t version, free_threaded; } head;
	const struct debug_slots *s;
	const struct pt_layout *row;
	struct pt_layout l;
	uint8_t bytes[1024];
	int rc;

	rc = mem_read(m, runtime, &head, sizeof(head));
	if (rc < 0)
		return err_set(err, rc, "cannot read _PyRuntime");
	if (memcmp(head.cookie, "xdebugpy", sizeof(head.cookie)) ||
	    head.version > UINT32_MAX)
		return err_set(err, -ENOENT, "_PyRuntime has no debug offsets");
	if (hex)
		*hex = (uint32_t)head.version;
	s = slots_for((uint16_t)(head.version >> 16));
	row = layout_for((uint16_t)(head.version >> 16));
	if (!s || !row)
		return not_known((uint32_t)head.version, err);
	rc = check_build((uint32_t)head.version, head.free_threaded, err);
	if (rc < 0)
		return rc;
	if (s->size > sizeof(bytes))
		return err_set(err, -EFBIG, "debug offsets are too long");
	rc = mem_read(m, runtime, bytes, s->size);
	if (rc < 0)
		return err_set(err, rc, "cannot read the debug offsets");
	rc = take_all(&l, row, s, bytes, err);
	if (rc < 0)
		return rc;
	*out = l;
	return 0;
}
