/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * synth: calls of Python functions from places in the interpreter's own machine
 * code (src/python/synth.h), where it has no probes that tell of them.
 *
 *	to 3.10		EVAL: a frame begins; EVAL_END: the one that the thread
 *			state's frame had called has ended
 *	from 3.11	ENTRY begins; YIELD, and CLEAR or RETURN end; EVAL begins
 *			one if an exception is thrown into it
 *	3.11		TRACEBACK, EVAL_END: what that frame, or that of the
 *			thread state, had called has ended by an exception
 *
 * The frame is what a register has at the place: that of the thread state may
 * be another by then.  Hits of frames that have begun already, or never did, are
 * told from others by the thread's last event, and by the engine (PT_CALL_EXACT).
 */
#ifndef PT_SYNTH_BPF_H
#define PT_SYNTH_BPF_H

#include "calls.bpf.h"

static __always_inline u64 reg_at(const struct pt_regs *regs, u8 nr)
{
	u64 v = 0;

	if (nr >= PT_SITE_REGS ||
	    bpf_probe_read_kernel(&v, sizeof(v), (const u64 *)regs + nr))
		return 0;
	return v;
}

/* Intel SDM 1, appendix B: conditions of jumps. */
static __always_inline bool holds(u8 cond, u64 flags)
{
	bool cf = flags & 1, pf = flags & 4, zf = flags & 0x40;
	bool sf = flags & 0x80, of = flags & 0x800, is;

	switch (cond >> 1 & 7) {
	case 0:
		is = of;
		break;
	case 1:
		is = cf;
		break;
	case 2:
		is = zf;
		break;
	case 3:
		is = cf || zf;
		break;
	case 4:
		is = sf;
		break;
	case 5:
		is = pf;
		break;
	case 6:
		is = sf != of;
		break;
	default:
		is = zf || sf != of;
		break;
	}
	return is != (cond & 1);
}

#define COND_ALWAYS	0xff
#define REG_FLAGS	18	/* words of struct pt_regs */

static __always_inline bool counts(const struct pt_regs *regs,
				   const struct pt_place *at)
{
	return at->cond == COND_ALWAYS || holds(at->cond, reg_at(regs, REG_FLAGS));
}

static __always_inline u64 frame_at(const struct pt_regs *regs,
				    const struct pt_place *at)
{
	u64 frame = reg_at(regs, at->frame);

	if (at->frame_at != PT_PLACE_IN_REG &&
	    user_u64(frame + at->frame_at, &frame))
		return 0;
	return frame;
}

/* The frame of the thread state, which is known or has to be looked for. */
static __always_inline int state_of(struct thread *t, struct proc *p,
				    struct pt_image *img,
				    const struct pt_regs *regs,
				    const struct pt_place *at, struct callee *c)
{
	const struct pt_layout *l = &img->layout;
	u64 tstate = reg_at(regs, at->tstate);

	if (!tstate)
		return running_frame(t, p, img, c);
	if (take_tstate(t, l, tstate, bpf_get_current_task_btf()->thread.fsbase,
			c))
		return -1;
	if (l->frames == PT_FRAMES_CFRAME && c->frame)
		return user_u64(c->frame + l->cf_current, &c->frame);
	return 0;
}

/*
 * To 3.10: will the evaluator refuse to run one more frame?  As in
 * _Py_CheckRecursiveCall() of CPython's Python/ceval.c: what has gone beyond the
 * limit once (overflowed, recursion_headroom) may go on for a while.  These lie
 * behind the thread state's frame, which has just been looked at.
 */
#define DEPTH_BEHIND	8
#define LIMIT_IN_INTERP	0x40	/* ceval.recursion_limit, 3.9 and 3.10 */

static __always_inline bool refuses(const struct thread *t, const struct proc *p,
				    const struct pt_image *img)
{
	const struct pt_layout *l = &img->layout;
	u64 word = look_u64(t, l->ts_frame - l->ts_interp + DEPTH_BEHIND);
	u64 at = img->depth_limit + p->bias;
	u32 goes_on = word >> 32;
	s32 limit;

	if (l->version <= 0x0309)
		goes_on &= 0xffff;	/* overflowed, recursion_critical */
	if (l->version >= 0x0309)
		at = look_u64(t, 0) + LIMIT_IN_INTERP;
	if (goes_on || bpf_probe_read_user(&limit, sizeof(limit), (void *)at))
		return false;
	return (s32)word + 1 > limit;
}

/* To 3.10 every begin, later only that of a generator thrown into. */
static __always_inline void evaluates(struct thread *t,
				      struct proc *p, struct pt_image *img,
				      const struct pt_regs *regs,
				      const struct pt_place *at)
{
	struct callee c = { .exact = 1 + PT_PLACE_EVAL };
	bool thrown = (u32)reg_at(regs, at->throwing);

	if (img->layout.frames != PT_FRAMES_OBJECT && !thrown)
		return;
	if (state_of(t, p, img, regs, at, &c)) {
		calls_lost(t, PT_LOSS_UNREAD);
		return;
	}
	if (img->layout.frames != PT_FRAMES_OBJECT) {
		c.has_by = 1;
		c.by = c.frame;
	} else if (refuses(t, p, img)) {
		t->too_deep++;
		return;
	}
	c.frame = frame_at(regs, at);
	c.raised = thrown;
	call_is(t, p, img, &c);
	if (cfg.filter_calls && !c.back)	/* it may not have been read */
		user_u64(c.frame + img->layout.fr_back, &c.back);
	enters(t, p, c.frame, c.back);
}

/* 3.11: an exception is here by now. */
static __always_inline void reached(struct thread *t, struct proc *p,
				    struct pt_image *img, u64 caller)
{
	struct callee c = {
		.exact = 1 + PT_PLACE_TRACEBACK, .raised = 1, .gone = 1,
	};

	c.frame = take_callee_of(t, p, &img->layout, caller);
	if (c.frame && t->calls_epoch == sw.calls)
		return_is(t, p, img, &c);
}

/*
 * 3.11: the evaluator that runs `frame` is left.  If that has not ended or yielded
 * by a place of its own it ends now, by an exception.
 */
static __always_inline void left(struct thread *t, struct proc *p,
				 struct pt_image *img, u64 frame)
{
	struct callee c = {
		.frame = frame, .exact = 1 + PT_PLACE_TRACEBACK, .raised = 1,
	};
	u64 caller, is;

	if (user_u64(frame + img->layout.fr_back, &caller))
		return;
	is = take_callee_of(t, p, &img->layout, caller);
	if (is == frame && t->calls_epoch == sw.calls)
		return_is(t, p, img, &c);
	else if (is && is != frame)
		note_callee(t, p, caller, is);
}

static __always_inline void evaluated(struct thread *t,
				      struct proc *p, struct pt_image *img,
				      const struct pt_regs *regs,
				      const struct pt_place *at)
{
	struct callee c = { .exact = 1 + PT_PLACE_EVAL_END };
	u64 caller;

	if (t->too_deep) {
		t->too_deep--;
		return;
	}
	if (at->frame < PT_SITE_REGS) {
		left(t, p, img, frame_at(regs, at));
		return;
	}
	if (state_of(t, p, img, regs, at, &c)) {
		calls_lost(t, PT_LOSS_UNREAD);
		return;
	}
	caller = c.frame;
	if (img->layout.frames != PT_FRAMES_OBJECT) {
		reached(t, p, img, caller);
		return;
	}
	c.frame = take_callee_of(t, p, &img->layout, caller);
	if (c.frame)
		return_is(t, p, img, &c);
	else if (calls_known(t, p, img, caller))
		calls_lost(t, PT_LOSS_UNREAD);
}

static __always_inline void begins(struct thread *t,
				   struct proc *p, struct pt_image *img,
				   u64 frame)
{
	struct callee c = {
		.frame = frame, .exact = 1 + PT_PLACE_ENTRY,
	};

	if (t->entered == frame)	/* its instruction was replaced */
		return;
	call_is(t, p, img, &c);
	if (cfg.filter_calls && !c.back)
		user_u64(frame + img->layout.fr_back, &c.back);
	enters(t, p, frame, c.back);
}

static __always_inline void ends(struct thread *t,
				 struct proc *p, struct pt_image *img,
				 const struct pt_regs *regs,
				 const struct pt_place *at, u64 frame)
{
	struct callee c = { .exact = 1 + at->kind };

	if (at->kind == PT_PLACE_CLEAR && state_of(t, p, img, regs, at, &c)) {
		calls_lost(t, PT_LOSS_UNREAD);
		return;
	}
	if (t->entered == frame)
		t->entered = 0;
	else if (t->tracked)
		forget_callee(t, p, &img->layout, frame);
	c.frame = frame;
	return_is(t, p, img, &c);
}

static __always_inline void at_place(struct thread *t,
				     struct proc *p, struct pt_image *img,
				     const struct pt_regs *regs,
				     const struct pt_place *at)
{
	u64 frame;

	if (at->kind == PT_PLACE_EVAL) {
		evaluates(t, p, img, regs, at);
		return;
	}
	if (at->kind == PT_PLACE_EVAL_END) {
		evaluated(t, p, img, regs, at);
		return;
	}
	frame = frame_at(regs, at);
	if (!frame)
		calls_lost(t, PT_LOSS_UNREAD);
	else if (at->kind == PT_PLACE_ENTRY)
		begins(t, p, img, frame);
	else if (at->kind == PT_PLACE_TRACEBACK)
		reached(t, p, img, frame);
	else if (at->kind == PT_PLACE_MAKES)
		t->entered = 0;		/* its frame ends, and its call is told */
	else
		ends(t, p, img, regs, at, frame);
}

static __always_inline int place_hit(const struct pt_regs *regs, u64 cookie)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	union {
		u64 word;
		struct pt_place place;
	} at = { .word = cookie };
	struct pt_image *img;
	struct proc *p;

	if (!t || !t->known || !sw.calls ||
	    !placed[at.place.file & (PT_MAX_PLACED - 1)])
		return OTHERS;
	p = proc_of(task, t);
	if (!p || p->state != PT_PROC_RUNNING)
		return OTHERS;
	img = image_of(p, t);
	if (!img)
		return OTHERS;
	if (!counts(regs, &at.place))
		return OURS;
	t->tracked = img->layout.version <= 0x030b;
	at_place(t, p, img, regs, &at.place);
	return OURS;
}

#endif /* PT_SYNTH_BPF_H */
