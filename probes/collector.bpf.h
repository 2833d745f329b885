/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* collector: does the garbage collector run in the current interpreter? */
#ifndef PT_COLLECTOR_BPF_H
#define PT_COLLECTOR_BPF_H

#include "define.bpf.h"

/*
 * In the interpreter of the thread, as its last walk has found it
 * (current_stack(): call it first).  In that of the thread, not by the thread:
 * one that waits for the GIL sees the collector of another.  One read.
 */
__noinline u32 collector_runs(struct proc *p, struct thread *t)
{
	struct pt_image *img;
	u32 flag = 0;
	u64 at;

	if (!p || !t)
		return PT_UNKNOWN;
	if (!t->interp)		/* no Python here, or nobody knows */
		return t->why ? PT_UNKNOWN : PT_NO;
	img = image_of(p, t);
	if (!img)
		return PT_UNKNOWN;
	if (img->layout.is_collecting != PT_NONE)
		at = t->interp + (u64)img->layout.is_collecting;
	else if (img->layout.rt_collecting != PT_NONE)
		at = img->runtime + p->bias + (u64)img->layout.rt_collecting;
	else
		return PT_UNKNOWN;
	if (bpf_probe_read_user(&flag, sizeof(flag), (void *)at))
		return PT_UNKNOWN;
	return flag ? PT_YES : PT_NO;
}

#endif /* PT_COLLECTOR_BPF_H */
