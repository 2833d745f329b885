/* SPDX-License-Identifier: MIT */
/*
 * gil: where the GIL of a process is, told so that waits for it have a name.
 *
 * To 3.11 it is in _PyRuntime, and where that is loaded is known.  From 3.12
 * each interpreter points to the one it uses, its own or the main one's: these
 * are read from the process.  It may not have made them yet when it is met, or
 * make another interpreter later: a wait at an unknown place looks again.
 */
#include <errno.h>

#include "live/session_priv.h"
#include "python/layout.h"

#define NR_FUTEX 202
#define LOOK_AGAIN_NS UINT64_C(100000000)
#define MOST_INTERPRETERS 256

static bool is_told(const struct known_proc *p, uint64_t gil)
{
	for (uint32_t i = 0; i < p->nr_gil; i++)
		if (p->gil[i] == gil)
			return true;
	return false;
}

static int tell(struct session *s, struct known_proc *p, uint64_t gil, uint64_t t)
{
	struct pt_gil *rec;

	if (!gil || is_told(p, gil) || p->nr_gil == ARRAY_LEN(p->gil))
		return 0;
	rec = recbuf_begin(&s->buf, PT_GIL);
	if (!rec)
		return -ENOMEM;
	p->gil[p->nr_gil++] = gil;
	rec->h.t = t;
	rec->h.pid = rec->h.tid = p->pid;
	rec->h.proc = p->proc;
	rec->from = gil;
	rec->to = gil + LAYOUT_GIL_BYTES;
	return queue_put(&s->queue, recbuf_end(&s->buf));
}

/* What the interpreters of the process say, as far as can be read. */
static int tell_each(struct session *s, struct known_proc *p,
		     const struct pt_image *img, uint64_t t)
{
	const struct pt_layout *l = &img->layout;
	const struct mem *m = known_memory(p);
	uint64_t interp = 0, gil;
	int rc;

	if (!m || mem_u64(m, img->runtime + p->bias +
			  (uint64_t)l->rt_interpreters, &interp))
		return 0;
	for (int i = 0; interp && i < MOST_INTERPRETERS; i++) {
		if (mem_u64(m, interp + (uint64_t)l->is_gil, &gil))
			return 0;
		rc = tell(s, p, gil, t);
		if (rc || mem_u64(m, interp + (uint64_t)l->is_next, &interp))
			return rc;
	}
	return 0;
}

int gil_tell(struct session *s, struct known_proc *p, uint64_t t)
{
	const struct known_image *known;
	const struct pt_image *img;

	if (!s->tell_gil || !p->running || p->image >= PT_MAX_IMAGES)
		return 0;
	known = &s->known.images[p->image];
	if (known->why)		/* its layout is not known */
		return 0;
	img = &known->pt;
	if (img->layout.rt_gil != PT_NONE)
		return tell(s, p, img->runtime + p->bias +
			    (uint64_t)img->layout.rt_gil, t);
	if (img->layout.is_gil == PT_NONE ||
	    img->layout.rt_interpreters == PT_NONE)
		return 0;
	return tell_each(s, p, img, t);
}

static bool in_told(const struct known_proc *p, uint64_t addr)
{
	for (uint32_t i = 0; i < p->nr_gil; i++)
		if (addr - p->gil[i] < LAYOUT_GIL_BYTES)
			return true;
	return false;
}

int gil_wait(struct session *s, const struct pt_offcpu *off)
{
	struct known_proc *p;

	if (!s->tell_gil || off->reason != PT_OFF_SYSCALL ||
	    off->abi != PT_ABI_X86_64 || off->nr != NR_FUTEX)
		return 0;
	p = known_find_proc(&s->known, off->h.proc);
	if (!p || in_told(p, off->args[0]) ||
	    off->h.t - p->gil_looked_ns < LOOK_AGAIN_NS)
		return 0;
	p->gil_looked_ns = off->h.t;
	return gil_tell(s, p, off->h.t);
}
