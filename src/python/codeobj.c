/* SPDX-License-Identifier: MIT */
/* codeobj: the names and the line table of a code object in memory. */
#include "python/codeobj.h"

#include <errno.h>
#include <inttypes.h>

/*
 * Type objects: tp_flags lies where it did in all of 3.6 to 3.15; the flags
 * say what a type derives from (Include/object.h).
 */
#define TP_FLAGS	168
#define FLAG_BYTES	(1u << 27)
#define FLAG_STR	(1u << 28)

/* struct state of a str, from its lowest bit: Include/cpython/unicodeobject.h */
#define STATE_KIND(s)		((s) >> 2 & 7)
#define STATE_COMPACT(s)	((s) >> 5 & 1)
#define STATE_ASCII(s)		((s) >> 6 & 1)
#define STATE_READY(s)		((s) >> 7 & 1)	/* to 3.11 */

/* Is the object at `obj` of a type that has `flag`?  0, -EBADMSG, -errno. */
static int check_type(const struct mem *m, const struct pt_layout *l,
		      uint64_t obj, uint64_t flag)
{
	uint64_t type, flags;
	int rc;

	rc = mem_u64(m, obj + (uint64_t)l->ob_type, &type);
	if (rc < 0)
		return rc;
	rc = mem_u64(m, type + TP_FLAGS, &flags);
	/* a type is always there: where it is not, neither is an object */
	return rc < 0 || !(flags & flag) ? -EBADMSG : 0;
}

static int set_size(struct pt_part_ref *ref, uint64_t addr, uint64_t len,
		    unsigned int kind)
{
	if (len > CODEOBJ_MAX_PART / kind)
		return -EBADMSG;
	ref->addr = addr;
	ref->len = (pt_u32)len;
	ref->kind = (pt_u8)kind;
	return 0;
}

static int find_bytes(const struct mem *m, const struct pt_layout *l,
		      uint64_t obj, struct pt_part_ref *ref)
{
	uint64_t len;
	int rc;

	rc = check_type(m, l, obj, FLAG_BYTES);
	if (rc < 0)
		return rc;
	rc = mem_u64(m, obj + (uint64_t)l->ob_size, &len);
	if (rc < 0)
		return rc;
	return set_size(ref, obj + (uint64_t)l->bytes_data, len, 1);
}

/* Where the contents of a str of this `state` begin. */
static int find_data(const struct mem *m, const struct pt_layout *l,
		     uint64_t obj, uint32_t state, uint64_t *data)
{
	if (STATE_COMPACT(state)) {
		*data = obj + (uint64_t)(STATE_ASCII(state) ? l->str_ascii :
					 l->str_compact);
		return 0;
	}
	/* a subclass, or one made with an API that 3.12 removed */
	if (l->version < 0x030c && !STATE_READY(state))
		return -EBADMSG;
	return mem_u64(m, obj + (uint64_t)l->str_data, data);
}

static int find_str(const struct mem *m, const struct pt_layout *l,
		    uint64_t obj, struct pt_part_ref *ref)
{
	unsigned int kind;
	uint64_t len, data;
	uint32_t state;
	int rc;

	rc = check_type(m, l, obj, FLAG_STR);
	if (rc < 0)
		return rc;
	rc = mem_u32(m, obj + (uint64_t)l->str_state, &state);
	if (rc < 0)
		return rc;
	rc = mem_u64(m, obj + (uint64_t)l->str_length, &len);
	if (rc < 0)
		return rc;
	kind = STATE_KIND(state);
	if ((kind != 1 && kind != 2 && kind != 4) ||
	    (STATE_ASCII(state) && kind != 1))
		return -EBADMSG;
	rc = find_data(m, l, obj, state, &data);
	if (rc < 0)
		return rc;
	ref->ascii = STATE_ASCII(state);
	return set_size(ref, data, len, kind);
}

static pt_s32 offset_of(const struct pt_layout *l, int part)
{
	switch (part) {
	case PT_NAME: return l->co_name;
	case PT_QUALNAME: return l->co_qualname;
	case PT_FILENAME: return l->co_filename;
	default: return l->co_linetable;
	}
}

static void find_part(const struct mem *m, const struct pt_layout *l,
		      uint64_t code, int part, struct pt_part_ref *ref)
{
	pt_s32 at = offset_of(l, part);
	uint64_t obj;
	int rc;

	*ref = (struct pt_part_ref){ .state = PT_PART_ABSENT };
	if (at == PT_NONE)
		return;
	rc = mem_u64(m, code + (uint64_t)at, &obj);
	if (!rc)
		rc = part == PT_LINETABLE ? find_bytes(m, l, obj, ref) :
		     find_str(m, l, obj, ref);
	ref->state = rc == -EBADMSG ? PT_PART_BAD :
		     rc < 0 ? PT_PART_UNREAD : PT_PART_LONG;
}

int codeobj_look(const struct mem *m, const struct pt_layout *l, uint64_t code,
		 uint64_t code_type, struct codeobj *out, struct err *err)
{
	uint64_t type;
	uint32_t line;
	int rc;

	rc = mem_u64(m, code + (uint64_t)l->ob_type, &type);
	if (rc < 0)
		return err_set(err, rc, "cannot read the object at %#" PRIx64,
			       code);
	if (type != code_type)
		return err_set(err, -EBADMSG,
			       "no code object at %#" PRIx64, code);
	rc = mem_u32(m, code + (uint64_t)l->co_firstlineno, &line);
	if (rc < 0)
		return err_set(err, rc,
			       "cannot read the code object at %#" PRIx64,
			       code);
	memcpy(&out->firstline, &line, sizeof(line));
	for (int part = 0; part < PT_NR_PARTS; part++)
		find_part(m, l, code, part, &out->part[part]);
	return 0;
}

int codeobj_read_part(const struct mem *m, const struct pt_part_ref *ref,
		      void *buf, size_t size, struct err *err)
{
	int rc;

	if (ref->state != PT_PART_LONG && ref->state != PT_PART_SENT)
		return err_set(err, -ENODATA, "this part is not there");
	if (codeobj_part_size(ref) > size)
		return err_set(err, -ENOBUFS, "a part of %zu bytes is longer "
			       "than %zu", codeobj_part_size(ref), size);
	if (!codeobj_part_size(ref))
		return 0;
	rc = mem_read(m, ref->addr, buf, codeobj_part_size(ref));
	if (rc < 0)
		return err_set(err, rc, "cannot read %zu bytes at %#" PRIx64,
			       codeobj_part_size(ref), (uint64_t)ref->addr);
	return 0;
}

bool codeobj_same(const struct codeobj *a, const struct codeobj *b)
{
	if (a->firstline != b->firstline)
		return false;
	for (int i = 0; i < PT_NR_PARTS; i++) {
		const struct pt_part_ref *x = &a->part[i], *y = &b->part[i];

		if (x->addr != y->addr || x->len != y->len ||
		    x->kind != y->kind)
			return false;
	}
	return true;
}
