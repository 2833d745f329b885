/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * calls: a frame that begins to run is a record, and one that stops.
 *
 *	function__entry  ─► PT_CALL    frame, caller, code
 *	function__return ─► PT_RETURN  frame
 *
 * At both the thread holds the GIL and its frame is the thread state's current
 * one, so that nothing is taken from the probe's own arguments.  Before a
 * thread's first record, and after one that could not be sent, its whole stack
 * is: PT_SEED.
 *
 * With -F the functions that the user half refuses (struct pt_verdicts) are not
 * there at all: the caller of another one is the next that is not refused, and
 * of refused ones no more is read than what tells that they are.
 */
#ifndef PT_CALLS_BPF_H
#define PT_CALLS_BPF_H

#include "callees.bpf.h"

/* PyFrameState in CPython 3.10's Include/cpython/frameobject.h. */
#define FRAME_SUSPENDED		(-1)
/* _frameowner in CPython's Include/internal/pycore_interpframe_structs.h. */
#define OWNED_BY_GENERATOR	1
/* gi_frame_state, in front of a generator's frame, 3.11 to 3.13: FRAME_EXECUTING
 * (Include/internal/pycore_frame.h, Include/cpython/genobject.h). */
#define GEN_STATE_BEFORE	5
#define GEN_EXECUTING		0
/* CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR: Include/cpython/code.h. */
#define CO_MAKES		(0x20 | 0x80 | 0x200)

/* What is looked at of a frame. */
struct callee {
	u64 frame;
	u64 code;
	u64 back;
	u64 raised;		/* the exception on its way; 0: none */
	s64 at;			/* f_lasti to 3.10, later its instruction */
	u64 gen;		/* it is a generator's */
	u64 suspended;		/* to 3.10, of a generator */
	u64 linked;		/* 3.10: ... that only passes an exception on */
	u64 internal;		/* no function's: the interpreter's own */
	/* Of a place in the interpreter's code (synth.bpf.h), else 0: */
	u8 exact;		/* 1 + its kind */
	u8 has_by;		/* it was called by `by`, whatever it says */
	u8 gone;		/* what is in its memory is no more */
	u8 pad[5];
	u64 by;
};

static __always_inline u64 look_u64(const struct thread *t, u32 off)
{
	return *(const u64 *)(t->look + (off & (sizeof(t->look) / 2 - 1)));
}

static __always_inline int look_at(struct thread *t, u64 addr, u32 len)
{
	if (len > sizeof(t->look) / 2)
		return -1;
	return (int)bpf_probe_read_user(t->look, len, (void *)addr);
}

static __always_inline u32 later(s32 a, s32 b)
{
	return a > b ? a : b;
}

/*
 * Frame and exception of a thread state.  That of the runtime is the one that
 * has the GIL; another one must say that it is this thread's.
 */
static __always_inline int take_tstate(struct thread *t,
				       const struct pt_layout *l, u64 tstate,
				       u64 fs, struct callee *c)
{
	u32 from = l->ts_interp;
	u32 end = later(l->ts_frame, l->ts_raised) + 8;

	if (l->rt_current == PT_NONE)
		end = later(end, l->ts_thread_id + 8);
	if (look_at(t, tstate + from, end - from))
		return -1;
	if (l->rt_current == PT_NONE && look_u64(t, l->ts_thread_id - from) != fs)
		return -1;
	c->frame = look_u64(t, l->ts_frame - from);
	c->raised = l->ts_raised == PT_NONE ? 0 :
		    look_u64(t, l->ts_raised - from);
	return 0;
}

static __always_inline bool is_bound(const struct thread *t,
				     const struct pt_layout *l)
{
	return look_u64(t, l->ts_status - l->ts_interp) & BOUND_GILSTATE;
}

/* The frame that the current thread, which has the GIL, runs. */
static __always_inline int running_frame(struct thread *t, struct proc *p,
					 const struct pt_image *img,
					 struct callee *c)
{
	const struct pt_layout *l = &img->layout;
	u64 fs = bpf_get_current_task_btf()->thread.fsbase;
	u64 tstate = t->tstate;

	if (l->rt_current != PT_NONE) {
		if (user_u64(img->runtime + p->bias + l->rt_current, &tstate) ||
		    !tstate || take_tstate(t, l, tstate, fs, c))
			return -1;
	} else if (!tstate || l->ts_status == PT_NONE ||
		   take_tstate(t, l, tstate, fs, c) || !is_bound(t, l)) {
		if (gilstate_slot(fs, p, img, &tstate) || !tstate ||
		    take_tstate(t, l, tstate, fs, c))
			return -1;
		t->tstate = tstate;
	}
	if (l->frames == PT_FRAMES_CFRAME && c->frame)
		return user_u64(c->frame + l->cf_current, &c->frame);
	return 0;
}

static __always_inline bool is_suspended(const struct thread *t,
					 const struct pt_layout *l)
{
	if (l->version == 0x030a)
		return (signed char)look_u64(t, l->fr_state) == FRAME_SUSPENDED;
	return look_u64(t, l->fr_state) != 0;	/* f_stacktop */
}

/*
 * 3.10 says of a generator that is linked to what an exception is thrown into that
 * it executes (_gen_throw() in Objects/genobject.c); one that does has no depth
 * of its stack (f_stackdepth, in front of f_gen): the evaluator has it.
 */
static __always_inline bool is_linked(const struct thread *t,
				      const struct pt_layout *l)
{
	return l->version == 0x030a && !(signed char)look_u64(t, l->fr_state) &&
	       (s32)look_u64(t, l->fr_gen - 8) >= 0;
}

/* What there is to know of c->frame. */
static __always_inline int take_callee(struct thread *t, const struct proc *p,
				       const struct pt_layout *l,
				       struct callee *c)
{
	u8 owner;

	if (look_at(t, c->frame, l->fr_size))
		return -1;
	c->code = look_u64(t, l->fr_code) & (l->tagged ? ~3ULL : ~0ULL);
	c->back = look_u64(t, l->fr_back);
	if (l->frames == PT_FRAMES_OBJECT) {
		c->at = (s32)look_u64(t, l->fr_lasti);
		c->gen = look_u64(t, l->fr_gen) != 0;
		c->suspended = c->gen && is_suspended(t, l);
		c->linked = c->gen && is_linked(t, l);
		c->internal = 0;
		return 0;
	}
	c->at = (s64)look_u64(t, l->fr_lasti);
	owner = (u8)look_u64(t, l->fr_owner);
	c->gen = owner == OWNED_BY_GENERATOR;
	c->suspended = c->linked = 0;
	c->internal = owner >= l->owner_c || c->code == p->shim;
	return 0;
}

static __always_inline u8 opcode_at(u64 instr)
{
	u8 op = 0;

	bpf_probe_read_user(&op, 1, (void *)instr);
	return op;
}

/*
 * An instruction with which a generator goes on after a yield, and that begins
 * all frames: RESUME and what it is replaced by (Include/opcode_ids.h).
 */
static __always_inline bool is_resume(const struct pt_layout *l, u8 op)
{
	switch (l->version) {
	case 0x030b:
		return op == 151 || op == 150;
	case 0x030c:
		return op == 151 || op == 240;
	case 0x030d:
		return op == 149 || op == 207 || op == 236;
	case 0x030e:
		return op == 128 || op == 196 || op == 245;
	default:
		return op == 128 || op == 200 || op == 201 || op == 244;
	}
}

/* YIELD_VALUE of 3.11 and 3.12, and what 3.12 replaces it by. */
static __always_inline bool is_yield(const struct pt_layout *l, u8 op)
{
	return l->version == 0x030b ? op == 86 : op == 150 || op == 243;
}

/*
 * A yield has left it here.  To 3.12 the instruction that it was in is kept, and
 * what is behind that can be its cache; later the one that it will go on with.
 */
static __always_inline bool is_at_resume(const struct pt_layout *l,
					 const struct callee *c)
{
	u64 at = (u64)c->at;

	if (l->version >= 0x030d)
		return is_resume(l, opcode_at(at));
	return is_yield(l, opcode_at(at)) && is_resume(l, opcode_at(at + 2));
}

/* RESUME's argument: where in a function it is (pycore_opcode_utils.h). */
#define RESUME_WHERE	3	/* 0: at its begin */

/*
 * In RESUME: the frame says that it is there, or (to 3.12) in the instruction
 * before, or (later) about to be in the one behind.
 */
static __always_inline bool resumes(const struct pt_layout *l,
				    const struct callee *c)
{
	u64 at = (u64)c->at, other = l->version >= 0x030d ? at - 2 : at + 2;
	u16 unit = 0;

	if (bpf_probe_read_user(&unit, 2, (void *)at))
		return false;
	if (!is_resume(l, (u8)unit) &&
	    bpf_probe_read_user(&unit, 2, (void *)other))
		return false;
	return is_resume(l, (u8)unit) && unit >> 8 & RESUME_WHERE;
}

/* It has run before, and is where a yield left it. */
static __always_inline bool goes_on(const struct pt_layout *l,
				    const struct callee *c)
{
	if (!c->gen)
		return false;
	if (l->frames == PT_FRAMES_OBJECT)
		return c->at >= 0;
	return c->exact ? resumes(l, c) : is_at_resume(l, c);
}

/* At its return.  The instruction is already the one that it will go on with. */
static __always_inline bool yields(const struct pt_layout *l,
				   const struct callee *c)
{
	if (!c->gen || c->raised)
		return false;
	if (l->frames == PT_FRAMES_OBJECT)
		return c->suspended;
	return c->exact ? c->exact == 1 + PT_PLACE_YIELD : is_at_resume(l, c);
}

/*
 * Linked to what it awaits, and not running: an exception that is thrown into it
 * goes there at once (_gen_throw() in CPython's Objects/genobject.c).
 */
static __always_inline bool passes_on(const struct pt_layout *l,
				      const struct callee *c)
{
	signed char state = GEN_EXECUTING;

	if (!c->gen)
		return false;
	if (l->frames == PT_FRAMES_OBJECT)
		return c->suspended || c->linked;
	if (!is_at_resume(l, c))
		return false;
	/* a profile function is told of its yield: it still runs */
	if (l->version <= 0x030d)
		bpf_probe_read_user(&state, 1,
				    (void *)(c->frame - GEN_STATE_BEFORE));
	return state == GEN_EXECUTING;
}

/* ---- code objects --------------------------------------------------------- */

/*
 * Send a code object that is new on this CPU.  0, or an enum pt_loss.  The
 * scratch memory is the walks': whoever has interrupted one of them has to go
 * without.
 */
__noinline u32 send_code(struct proc *p, struct pt_image *img, u64 addr, u64 id)
{
	struct naming n = { .p = p, .img = img };
	u32 zero = 0;
	u64 shim;

	if (!p || !img)
		return PT_LOSS_NESTED;
	n.w = bpf_map_lookup_elem(&walks, &zero);
	n.d = bpf_map_lookup_elem(&defines, &zero);
	if (!n.w || !n.d || n.w->busy)
		return PT_LOSS_NESTED;
	shim = p->shim;
	n.w->busy = 1;
	define_once(&n, addr, id);
	n.w->busy = 0;
	if (p->shim != shim)
		publish_proc(p);
	return n.lost ? PT_LOSS_RING_FULL : 0;
}

/* The id of a code object that has been sent, and its flags; 0: why not. */
static __always_inline u64 call_code(struct proc *p, struct pt_image *img,
				     u64 addr, u32 *flags, u32 *why)
{
	u64 id = code_id(p, &img->layout, addr);
	struct sent_code *sent = sent_code(id);

	if (!sent)
		return 0;
	if (sent->id != id) {
		*why = send_code(p, img, addr, id);
		if (*why)
			return 0;
	}
	*flags = sent->flags;
	return id;
}

/* ---- the stack as it is --------------------------------------------------- */

struct seed {
	u32 busy;
	u32 pad;
	struct pt_seed head;
	struct pt_seed_frame frames[PT_MAX_SEED];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct seed);
} seeds SEC(".maps");

struct seeding {
	struct seed *s;
	struct thread *t;
	struct proc *p;
	struct pt_image *img;
	u64 frame;		/* the next one */
	u32 nr;
	u32 why;		/* enum pt_loss: it cannot be sent */
};

static __always_inline void put_seed(struct seeding *g, const struct callee *c,
				     u64 id)
{
	const struct pt_layout *l = &g->img->layout;
	struct pt_seed_frame *to;
	s64 lasti;

	if (g->nr >= PT_MAX_SEED) {
		g->nr++;
		return;
	}
	lasti = l->frames == PT_FRAMES_OBJECT ? c->at * l->lasti_scale :
		c->at - (s64)c->code - l->co_code;
	to = &g->s->frames[g->nr++];
	to->frame = c->frame;
	to->code = id;
	to->lasti = lasti < 0 ? -1 : (s32)lasti;
	to->flags = c->gen ? PT_SEED_GENERATOR : 0;
	if (passes_on(l, c))
		to->flags |= PT_SEED_SUSPENDED;
}

static long seed_step(u32 i, struct seeding *g)
{
	struct callee c = { .frame = g->frame };
	u32 flags = 0;
	u64 id;

	if (!c.frame)
		return 1;
	if (take_callee(g->t, g->p, &g->img->layout, &c)) {
		g->s->head.why = PT_WHY_PAGE;
		return 1;
	}
	g->frame = c.back;
	if (g->t->tracked)
		note_callee(g->t, g->p, c.back, c.frame);
	if (c.internal || !c.code)
		return 0;
	id = call_code(g->p, g->img, c.code, &flags, &g->why);
	if (!id)
		return 1;
	if (c.code != g->p->shim)	/* it may just have been met */
		put_seed(g, &c, id);
	return 0;
}

/* PT_SEED of the stack from this frame on.  0, or an enum pt_loss. */
__noinline u32 seed_calls(struct thread *t, struct proc *p,
			  struct pt_image *img, u64 frame)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct seeding g = { .t = t, .p = p, .img = img, .frame = frame };
	u32 zero = 0, nr, size;

	if (!t || !p || !img)
		return PT_LOSS_NESTED;
	g.s = bpf_map_lookup_elem(&seeds, &zero);
	if (!g.s || g.s->busy)
		return PT_LOSS_NESTED;
	g.s->busy = 1;
	g.s->head.why = PT_WHY_NONE;
	bpf_loop(MOST_FRAMES, seed_step, &g, 0);
	nr = g.nr < PT_MAX_SEED ? g.nr : PT_MAX_SEED;
	size = sizeof(g.s->head) + nr * sizeof(struct pt_seed_frame);
	fill_hdr(&g.s->head.h, PT_SEED, size, task, t->proc,
		 bpf_ktime_get_ns());
	g.s->head.lost = t->calls_lost;
	g.s->head.nr = nr;
	g.s->head.omitted = g.nr - nr;
	if (!g.why && size <= sizeof(g.s->head) + sizeof(g.s->frames) &&
	    emit(&g.s->head, size))
		g.why = PT_LOSS_RING_FULL;
	g.s->busy = 0;
	return g.why;
}

/* ---- -F ------------------------------------------------------------------- */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PT_VERDICT_SETS);	/* 1 without -F */
	__type(key, u32);
	__type(value, struct pt_verdicts);
} verdicts SEC(".maps");

enum verdict { VERDICT_NONE, VERDICT_REFUSED, VERDICT_WANTED };

static __always_inline enum verdict verdict_on(u64 id)
{
	u32 set = PT_VERDICT_SET(id);
	const struct pt_verdicts *v = bpf_map_lookup_elem(&verdicts, &set);

	if (!v)
		return VERDICT_NONE;
	for (u32 i = 0; i < PT_VERDICT_WAYS; i++) {
		u64 is = v->is[i];

		if (!((is ^ id) & ~1ULL))
			return is & 1 ? VERDICT_WANTED : VERDICT_REFUSED;
	}
	return VERDICT_NONE;
}

/*
 * Nothing is to be sent of this frame.  What cannot be read is not refused: it
 * is counted as lost, as ever.
 */
static __always_inline bool is_refused(const struct thread *t,
				       const struct proc *p,
				       const struct pt_layout *l, u64 frame)
{
	u64 code;

	if (t->calls_epoch != sw.calls ||
	    user_u64(frame + l->fr_code, &code))
		return false;
	if (l->tagged)
		code &= ~3ULL;
	return verdict_on(code_id(p, l, code)) == VERDICT_REFUSED;
}

static __always_inline bool is_refused_return(struct thread *t,
					      const struct proc *p,
					      const struct pt_layout *l,
					      u64 frame)
{
	bool is_last = t->call_filtered == frame &&
		       t->calls_epoch == sw.calls;

	t->call_filtered = 0;
	return is_last || is_refused(t, p, l, frame);
}

enum calling {
	CALLING_UNKNOWN,
	CALLING_KNOWN,		/* by a frame that is wanted, or by none at all */
	CALLING_REFUSED,	/* by frames of which none is wanted */
};

struct asking {
	struct thread *t;
	struct proc *p;
	struct pt_image *img;
	u64 frame;		/* the next one */
	u64 caller;
	bool passed;		/* a frame that runs, and is refused */
	enum calling is;
};

static long caller_step(u32 i, struct asking *a)
{
	struct callee c = { .frame = a->frame };
	enum verdict is;

	if (!c.frame) {
		a->is = a->passed ? CALLING_REFUSED : CALLING_KNOWN;
		return 1;
	}
	if (take_callee(a->t, a->p, &a->img->layout, &c))
		return 1;
	a->frame = c.back;
	if (c.internal || !c.code || passes_on(&a->img->layout, &c))
		return 0;
	is = verdict_on(code_id(a->p, &a->img->layout, c.code));
	if (is == VERDICT_WANTED) {
		a->caller = c.frame;
		a->is = CALLING_KNOWN;
	}
	a->passed = true;
	return is != VERDICT_REFUSED;
}

/* The next frame from `frame` on that is wanted: an enum calling. */
__noinline u32 wanted_caller(struct thread *t, struct proc *p,
			     struct pt_image *img, u64 frame, u64 *caller)
{
	struct asking a = { .t = t, .p = p, .img = img, .frame = frame };

	if (!t || !p || !img || !caller)
		return CALLING_UNKNOWN;
	bpf_loop(MOST_FRAMES, caller_step, &a, 0);
	*caller = a.caller;
	return a.is;
}

/* ---- the events ----------------------------------------------------------- */

static __always_inline void calls_lost(struct thread *t, u32 why)
{
	t->calls_lost++;
	t->calls_epoch = 0;
	count_loss(why);
}

/* The stack of the thread is known to the reader, or will be now. */
static __always_inline u32 calls_known(struct thread *t, struct proc *p,
				       struct pt_image *img, u64 frame)
{
	u32 why;

	if (t->calls_epoch == sw.calls)
		return 0;
	why = seed_calls(t, p, img, frame);
	if (why)
		return why;
	t->calls_lost = 0;
	t->calls_epoch = sw.calls;
	return 0;
}

/*
 * Who called: the next frame that is Python's and runs.  A few of the
 * interpreter's own can lie between.
 */
#define MOST_BETWEEN 8

static __always_inline u32 find_caller(struct thread *t, struct proc *p,
				       struct pt_image *img,
				       const struct callee *c, u64 *caller)
{
	const struct pt_layout *l = &img->layout;
	struct callee b = { .frame = c->back };
	u32 unused = 0, why = 0;

	*caller = c->back;
	if (!c->back)
		return 0;
	if (l->frames == PT_FRAMES_OBJECT && !(c->gen && c->raised))
		return 0;
	for (u32 i = 0; i < MOST_BETWEEN && b.frame; i++) {
		*caller = b.frame;
		if (take_callee(t, p, l, &b))
			return PT_CALL_LOOSE;
		/* the shim of constructors is found out when it is sent */
		if (!p->shim && b.code && !b.internal) {
			call_code(p, img, b.code, &unused, &why);
			b.internal = b.code == p->shim;
		}
		/* what has just begun runs, though it is where a yield was */
		if (!b.internal && b.code &&
		    (b.frame == t->entered || !passes_on(l, &b)))
			return 0;
		b.frame = b.back;
	}
	*caller = 0;
	return b.frame ? PT_CALL_LOOSE : 0;
}

/*
 * The reader knows of the stack that c is called on, or will now; its caller, as
 * far as that is known.  0, or an enum pt_loss.
 */
static __always_inline u32 know_caller(struct thread *t, struct proc *p,
				       struct pt_image *img,
				       const struct callee *c, u64 *caller,
				       u32 *flags)
{
	u32 is = CALLING_UNKNOWN;

	if (!cfg.filter_calls) {
		*flags = find_caller(t, p, img, c, caller);
		return calls_known(t, p, img, *caller);
	}
	*flags = 0;
	if (t->calls_epoch == sw.calls)
		is = wanted_caller(t, p, img, c->back, caller);
	/* that it has no caller says nothing of one that is thrown into */
	if (is == CALLING_KNOWN ||
	    (is == CALLING_REFUSED && !(c->gen && c->raised)))
		return 0;
	/* the reader knows the names of all: let it find out */
	*caller = 0;
	*flags = PT_CALL_LOOSE;
	t->calls_epoch = 0;
	return calls_known(t, p, img, c->back);
}

static __always_inline void send_entry(struct task_struct *task, struct thread *t,
				      const struct callee *c, u64 caller, u64 id,
				      u32 flags)
{
	struct pt_call *r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);

	if (!r) {
		calls_lost(t, PT_LOSS_RING_FULL);
		return;
	}
	fill_hdr(&r->h, PT_CALL, sizeof(*r), task, t->proc, bpf_ktime_get_ns());
	r->h.flags = flags;
	r->frame = c->frame;
	r->caller = caller;
	r->code = id;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	cost_here()->sent++;
}

static __always_inline void send_exit(struct task_struct *task,
					struct thread *t, u64 frame, u64 id,
					u32 flags)
{
	struct pt_return *r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);

	if (!r) {
		calls_lost(t, PT_LOSS_RING_FULL);
		return;
	}
	fill_hdr(&r->h, PT_RETURN, sizeof(*r), task, t->proc,
		 bpf_ktime_get_ns());
	r->h.flags = flags;
	r->frame = frame;
	r->code = id;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	cost_here()->sent++;
}

static __always_inline void called(struct task_struct *task, struct thread *t,
				   struct proc *p, struct pt_image *img,
				   struct callee *c)
{
	const struct pt_layout *l = &img->layout;
	u32 flags, of_code = 0, why = 0;
	u64 id = 0, caller = 0;

	if (cfg.filter_calls) {
		t->call_frame = t->call_filtered = 0;
		if (is_refused(t, p, l, c->frame)) {
			t->call_filtered = c->frame;
			return;
		}
	}
	if (take_callee(t, p, l, c) || !c->code) {
		calls_lost(t, PT_LOSS_UNREAD);
		return;
	}
	if (c->has_by)
		c->back = c->by;
	why = know_caller(t, p, img, c, &caller, &flags);
	if (!why)
		id = call_code(p, img, c->code, &of_code, &why);
	if (!id) {
		calls_lost(t, why);
		return;
	}
	if (cfg.filter_calls && verdict_on(id) == VERDICT_REFUSED)
		return;		/* it was looked at for the thread's stack */
	if (c->gen)
		flags |= PT_CALL_GENERATOR;
	else if (l->frames != PT_FRAMES_OBJECT && of_code & CO_MAKES)
		flags |= PT_CALL_MAKES;
	if (goes_on(l, c))
		flags |= PT_CALL_RESUMED;
	if (c->raised)
		flags |= PT_CALL_THROWN;
	if (c->exact)
		flags |= PT_CALL_EXACT;
	t->call_frame = flags & PT_CALL_GENERATOR ? 0 : c->frame;
	send_entry(task, t, c, caller, id, flags);
}

static __always_inline void returned(struct task_struct *task, struct thread *t,
				     struct proc *p, struct pt_image *img,
				     struct callee *c)
{
	const struct pt_layout *l = &img->layout;
	u32 flags = (c->raised ? PT_RETURN_RAISED : 0) |
		    (c->exact ? PT_RETURN_EXACT : 0);
	u32 of_code = 0, why = 0;
	bool is_last = t->call_frame && t->call_frame == c->frame;
	u64 id = 0;

	t->call_frame = 0;
	if ((is_last || c->gone) && t->calls_epoch == sw.calls) {
		send_exit(task, t, c->frame, 0, flags);
		return;
	}
	if (cfg.filter_calls && is_refused_return(t, p, l, c->frame))
		return;
	if (take_callee(t, p, l, c) || !c->code) {
		calls_lost(t, PT_LOSS_UNREAD);
		return;
	}
	if (c->internal)
		return;
	id = call_code(p, img, c->code, &of_code, &why);
	if (c->code == p->shim)		/* it has just been met */
		return;
	if (id)
		why = calls_known(t, p, img, c->frame);
	if (why || !id) {
		calls_lost(t, why);
		return;
	}
	if (cfg.filter_calls && verdict_on(id) == VERDICT_REFUSED)
		return;
	if (c->gen)
		flags |= PT_RETURN_GENERATOR;
	if (yields(l, c))
		flags |= PT_RETURN_YIELDED;
	else if (c->exact && l->frames != PT_FRAMES_OBJECT &&
		 c->at <= (s64)c->code + l->co_code)
		flags |= PT_RETURN_UNBEGUN;
	send_exit(task, t, c->frame, id, flags);
}

/* By themselves, so that they are verified once, and not for each program. */
__noinline int call_is(struct thread *t, struct proc *p, struct pt_image *img,
		       struct callee *c)
{
	if (t && p && img && c)
		called(bpf_get_current_task_btf(), t, p, img, c);
	return 0;
}

__noinline int return_is(struct thread *t, struct proc *p, struct pt_image *img,
			 struct callee *c)
{
	if (t && p && img && c)
		returned(bpf_get_current_task_btf(), t, p, img, c);
	return 0;
}

static __always_inline int call_hit(bool is_return)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct callee c = { 0 };
	struct pt_image *img;
	struct proc *p;

	if (!t || !t->known || !sw.calls)
		return OTHERS;
	p = proc_of(task, t);
	if (!p || p->state != PT_PROC_RUNNING)
		return OTHERS;
	img = image_of(p, t);
	if (!img)
		return OTHERS;
	if (running_frame(t, p, img, &c) || !c.frame) {
		calls_lost(t, PT_LOSS_UNREAD);
		return OURS;
	}
	if (is_return)
		return_is(t, p, img, &c);
	else
		call_is(t, p, img, &c);
	return OURS;
}

#endif /* PT_CALLS_BPF_H */
