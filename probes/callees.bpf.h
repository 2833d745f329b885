/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * callees: which frame each frame has called.
 *
 * Where a call of the evaluator ends, no register has the frame that did, but
 * the thread state has the one that called it; and a frame runs one other at
 * a time.  Of frames that nothing called a thread has several if it has
 * greenlets: the one that does not execute any more has ended.
 */
#ifndef PT_CALLEES_BPF_H
#define PT_CALLEES_BPF_H

#include "define.bpf.h"

struct caller_key {
	u64 caller;
	u64 proc;
};

/* LRU: what a process leaves behind that ends in the midst of its calls. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, PT_MAX_CALLEES);
	__type(key, struct caller_key);
	__type(value, u64);
} callees SEC(".maps");

/* f_executing of a frame object, in 3.10 f_state: behind f_lasti, f_lineno and
 * f_iblock (Include/cpython/frameobject.h). */
#define EXECUTING_BEHIND	12
#define STATE_EXECUTING		0	/* PyFrameState of 3.10 */
#define STATE_UNWINDING		2

static __always_inline bool executes(const struct pt_layout *l, u64 frame)
{
	signed char is = 0;

	if (bpf_probe_read_user(&is, 1, (void *)(frame + l->fr_lasti +
						 EXECUTING_BEHIND)))
		return true;
	if (l->version == 0x030a)
		return is == STATE_EXECUTING || is == STATE_UNWINDING;
	return is != 0;
}

static __always_inline void note_outermost(struct thread *t, u64 frame)
{
	u32 to = 0;

	for (u32 i = 0; i < PT_OUTERMOST; i++) {
		if (t->outer[i] == frame)
			return;
		if (!t->outer[i])
			to = i;
	}
	t->outer[to & (PT_OUTERMOST - 1)] = frame;
}

static __always_inline void note_callee(struct thread *t, const struct proc *p,
					u64 caller, u64 frame)
{
	const struct caller_key key = { caller, p->proc };

	if (caller)
		bpf_map_update_elem(&callees, &key, &frame, BPF_ANY);
	else
		note_outermost(t, frame);
}

/* It ends by itself. */
static __always_inline void forget_callee(struct thread *t,
					  const struct proc *p,
					  const struct pt_layout *l, u64 frame)
{
	struct caller_key key = { 0, p->proc };
	u64 *known;

	if (user_u64(frame + l->fr_back, &key.caller))
		return;
	if (!key.caller) {
		for (u32 i = 0; i < PT_OUTERMOST; i++)
			if (t->outer[i] == frame)
				t->outer[i] = 0;
		return;
	}
	known = bpf_map_lookup_elem(&callees, &key);
	if (known && *known == frame)
		bpf_map_delete_elem(&callees, &key);
}

/*
 * Of frame objects the one that does not execute; of others it can only be told
 * if there is one.
 */
static __always_inline u64 take_outermost(struct thread *t,
					  const struct pt_layout *l)
{
	u64 found = 0;

	for (u32 i = 0; i < PT_OUTERMOST; i++) {
		u64 frame = t->outer[i];

		if (!frame || (l->frames == PT_FRAMES_OBJECT &&
			       executes(l, frame)))
			continue;
		if (found)
			return 0;
		found = frame;
	}
	for (u32 i = 0; found && i < PT_OUTERMOST; i++)
		if (t->outer[i] == found)
			t->outer[i] = 0;
	return found;
}

/* The frame that `caller` has called, and that has ended; 0: it is not known. */
static __always_inline u64 take_callee_of(struct thread *t, const struct proc *p,
					  const struct pt_layout *l, u64 caller)
{
	const struct caller_key key = { caller, p->proc };
	u64 *known, frame = t->entered;

	/* its own place is looked at first: most calls call nobody */
	if (frame && t->entered_back == caller &&
	    (caller || l->frames != PT_FRAMES_OBJECT || !executes(l, frame))) {
		t->entered = 0;
		return frame;
	}
	if (!caller)
		return take_outermost(t, l);
	known = bpf_map_lookup_elem(&callees, &key);
	frame = known ? *known : 0;
	if (frame)
		bpf_map_delete_elem(&callees, &key);
	return frame;
}

/* A frame begins to run: the one before is noted now, as it calls somebody. */
static __always_inline void enters(struct thread *t, const struct proc *p,
				   u64 frame, u64 caller)
{
	if (t->tracked && t->entered)
		note_callee(t, p, t->entered_back, t->entered);
	t->entered = frame;
	t->entered_back = caller;
}

#endif /* PT_CALLEES_BPF_H */
