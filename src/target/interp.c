/* SPDX-License-Identifier: MIT */
/* interp: what an interpreter's memory says of it. */
#include "target/interp.h"

#include <errno.h>

#include "python/layout.h"

/*
 * 3.7 on: _PyRuntime.interpreters.head, NULL before and after.  3.6 has its
 * list in a static variable that stripped builds do not name, but a key that is
 * -1 until there is one (Python/pystate.c: autoTLSkey).
 */
static int is_initialised(const struct interp *in, const struct mem *mem,
			  bool *yes)
{
	const struct pt_image *pt = &in->pt;
	uint64_t head;
	uint32_t key;
	int rc;

	if (pt->layout.rt_interpreters == PT_NONE) {
		rc = mem_u32(mem, pt->runtime + in->bias, &key);
		*yes = key != UINT32_MAX;
		return rc;
	}
	rc = mem_u64(mem, pt->runtime + in->bias +
		     (uint64_t)pt->layout.rt_interpreters, &head);
	*yes = head != 0;
	return rc;
}

enum pt_walk interp_walk_now(const struct interp *in, const struct remote *r)
{
	bool yes = false;

	if (in->walk != PT_WALK_STARTING)
		return in->walk;
	if (is_initialised(in, &r->mem, &yes) < 0)
		return PT_WALK_STARTING;
	return yes ? PT_WALK_YES : PT_WALK_STARTING;
}

static void refuse(struct interp *in, const struct err *why)
{
	in->walk = PT_WALK_NO;
	in->why = *why;
}

/* What the running interpreter says of itself is better than its file. */
static int layout_from_memory(struct interp *in, const struct mem *mem)
{
	struct pt_layout layout;
	struct err err = { 0 };
	int rc;

	rc = layout_from_debug_offsets(mem, in->pt.runtime + in->bias, &layout,
				       NULL, &err);
	if (!rc)
		in->pt.layout = layout;
	else if (rc == -ENOTSUP || rc == -EBADMSG)
		refuse(in, &err);
	return rc;
}

/*
 * Without its memory (we may not ptrace it, or a page hangs) the file is what
 * there is, and it is taken to run: the kernel half needs no such leave.
 */
static void ask_memory(struct interp *in, const struct remote *r)
{
	bool yes = true;
	int rc = 0;

	if (in->walk == PT_WALK_NO || r->fd < 0)
		return;
	if (in->pt.layout.version >= 0x030d)
		rc = layout_from_memory(in, &r->mem);
	if (in->walk == PT_WALK_NO || rc == -ETIMEDOUT)
		return;
	if (!is_initialised(in, &r->mem, &yes) && !yes)
		in->walk = PT_WALK_STARTING;
}

void interps_ask_memory(struct target *t)
{
	struct remote r = REMOTE_NONE;
	size_t i;

	if (t->nr && remote_open(&r, &t->proc, NULL) < 0)
		r = REMOTE_NONE;
	for (i = 0; i < t->nr; i++)
		ask_memory(&t->v[i], &r);
	remote_close(&r);
}
