/* SPDX-License-Identifier: MIT */
/* shadow: from calls and returns to the stack of each thread, by identities. */
#include "stack/shadow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/record.h"
#include "stack/shadow_priv.h"

int shadow_new(struct shadow **out, const struct shadow_opts *opts)
{
	struct shadow *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	if (opts)
		s->opts = *opts;
	s->suspended = suspended_new(SHADOW_MAX_SUSPENDED);
	if (!s->suspended) {
		shadow_free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

/* ---- threads --------------------------------------------------------------- */

static struct shadow_thread *find(const struct shadow *s, uint32_t tid)
{
	struct shadow_thread *th;

	HASH_FIND(hh, s->threads, &tid, sizeof(tid), th);
	return th;
}

/* Nothing ends: the frames are gone without a step. */
static void free_chain(struct shadow *s, struct chain *c)
{
	if (c)
		s->nr_frames -= c->nr;
	chain_free(c);
}

static void free_thread(struct shadow_thread *th)
{
	if (th)
		free(th->filter);
	free(th);
}

static void forget(struct shadow *s, struct shadow_thread *th)
{
	struct chain *c, *next;

	DL_FOREACH_SAFE(th->aside, c, next) {
		DL_DELETE(th->aside, c);
		free_chain(s, c);
	}
	free_chain(s, th->now);
	HASH_DEL(s->threads, th);
	DL_DELETE(s->oldest, th);
	free_thread(th);
}

void shadow_free(struct shadow *s)
{
	if (!s)
		return;
	while (s->threads)
		forget(s, s->threads);	/* NOLINT: takes it out */
	suspended_free(s->suspended);
	free(s->steps);
	free(s->codes);
	recbuf_free(&s->seed);
	free(s);
}

/* All that runs on it, and what is aside, is unfinished. */
static void end_thread(struct shadow *s, struct shadow_thread *th, uint64_t t)
{
	struct chain *c;

	if (t < th->t)
		t = th->t;
	chain_cut(s, th, th->now, 0, t);
	DL_FOREACH(th->aside, c)
		chain_cut(s, th, c, 0, c->t);
	forget(s, th);
}

static struct shadow_thread *add_thread(struct shadow *s, uint32_t tid)
{
	struct shadow_thread *th = calloc(1, sizeof(*th));

	if (th && thread_filter(th, FILTER_MIN))
		th->now = chain_new(s);
	if (!th || !th->now) {
		free_thread(th);
		s->failed = true;
		return NULL;
	}
	th->tid = tid;
	HASH_ADD(hh, s->threads, tid, sizeof(tid), th);
	if (!th->hh.tbl) {
		chain_free(th->now);
		free_thread(th);
		s->failed = true;
		return NULL;
	}
	DL_APPEND(s->oldest, th);
	if (HASH_COUNT(s->threads) > SHADOW_MAX_THREADS) {
		s->totals.given_up++;
		end_thread(s, s->oldest, 0);
	}
	return th;
}

/* That of a record of calls; its time does not go back. */
static struct shadow_thread *thread_of(struct shadow *s,
				       const struct pt_hdr *rec)
{
	struct shadow_thread *th = find(s, rec->tid);

	if (th && th->proc != rec->proc) {	/* an exec that was not seen */
		end_thread(s, th, 0);
		th = NULL;
	}
	if (!th)
		th = add_thread(s, rec->tid);
	if (!th)
		return NULL;
	th->proc = rec->proc;
	th->pid = rec->pid;
	if (rec->t > th->t)
		th->t = rec->t;
	return th;
}

/* ---- stacks of a thread ----------------------------------------------------- */

static void bound_aside(struct shadow *s, struct shadow_thread *th)
{
	struct chain *oldest;

	if (th->nr_aside <= SHADOW_MAX_ASIDE)
		return;
	oldest = th->aside->prev;	/* the last of the list */
	s->totals.given_up++;
	chain_cut(s, th, oldest, 0, oldest->t);
	DL_DELETE(th->aside, oldest);
	th->nr_aside--;
	chain_free(oldest);
}

void thread_switch(struct shadow *s, struct shadow_thread *th,
		   struct chain *next)
{
	struct chain *was = th->now;

	if (next) {
		DL_DELETE(th->aside, next);
		th->nr_aside--;
		next->done.aside_ns += th->t - next->aside_t;
	} else {
		next = chain_new(s);
		if (!next)
			return;
	}
	th->now = next;
	if (!was->nr) {
		chain_free(was);
		return;
	}
	s->totals.switches++;
	was->aside_t = th->t;
	DL_PREPEND(th->aside, was);
	th->nr_aside++;
	bound_aside(s, th);
}

struct chain *thread_find_aside(struct shadow_thread *th, uint64_t frame,
				uint32_t *at)
{
	struct chain *c;

	if (!thread_may_have(th, frame))
		return NULL;
	DL_FOREACH(th->aside, c)
		if (chain_find(c, frame, at))
			return c;
	return NULL;
}

static bool is_there(struct shadow_thread *th, uint64_t frame, uint32_t *at)
{
	return thread_may_have(th, frame) && chain_find(th->now, frame, at);
}

/* The stack on which a frame is runs now: where, or false. */
static bool go_to(struct shadow *s, struct shadow_thread *th, uint64_t frame,
		  uint32_t *at)
{
	struct chain *c;

	if (is_there(th, frame, at))
		return true;
	c = thread_find_aside(th, frame, at);
	if (!c)
		return false;
	thread_switch(s, th, c);
	return true;
}

/* A frame is called whose address is that of another, then: it has ended. */
static void end_namesake(struct shadow *s, struct shadow_thread *th,
			 uint64_t frame)
{
	uint32_t at;

	if (is_there(th, frame, &at)) {
		s->totals.reused += !th->now->e[at].linked;
		chain_remove(s, th, th->now, at, END_UNFINISHED, th->now->t);
		return;
	}
	thread_take_aside(s, th, frame);
}

static void push(struct shadow *s, struct shadow_thread *th,
		 const struct beginning *what)
{
	chain_insert(s, th, th->now, th->now->nr, what);
}

/* What lies above has ended unseen; what was only linked is nobody's loss. */
static void pop_above(struct shadow *s, struct shadow_thread *th, uint32_t at)
{
	struct chain *c = th->now;

	for (uint32_t i = at + 1; i < c->nr; i++)
		s->totals.leaked += !c->e[i].linked;
	chain_cut(s, th, c, at + 1, c->t);
}

/* ---- calls ------------------------------------------------------------------ */

/* An exception was thrown into a generator, of which there was no call. */
static void insert_throw(struct shadow *s, struct shadow_thread *th,
			 uint64_t frame, uint64_t code)
{
	const struct beginning what = {
		.frame = frame, .code = code, .begin = BEGIN_THROW,
		.late = true, .generator = true,
	};

	s->totals.inserted++;
	s->totals.throws++;
	push(s, th, &what);
}

/*
 * A suspended generator calls: an exception was thrown into it; or, if it was
 * thrown into what is called, that one is only on its way through the caller
 * (CPython's _gen_throw links the frame of a generator that delegates).
 */
static void caller_is_suspended(struct shadow *s, struct shadow_thread *th,
				const struct pt_call *rec, uint64_t code)
{
	const struct beginning linked = {
		.frame = rec->caller, .code = code, .begin = BEGIN_THROW,
		.generator = true, .linked = true,
	};

	if (rec->h.flags & PT_CALL_THROWN)
		push(s, th, &linked);
	else
		insert_throw(s, th, rec->caller, code);
}

/*
 * It may be a greenlet's of before the trace, or its call was lost: its callers
 * are not known, and those of the stack that ran until now are not made them.
 */
static void caller_is_unknown(struct shadow *s, struct shadow_thread *th,
			      const struct pt_call *rec)
{
	const struct beginning what = {
		.frame = rec->caller, .begin = BEGIN_SEEDED, .late = true,
	};

	if (th->now->nr >= SHADOW_MAX_DEPTH)
		return;
	s->totals.unknown_callers++;
	if (rec->h.flags & PT_CALL_THROWN)
		return;
	thread_switch(s, th, NULL);
	th->now->open = true;
	push(s, th, &what);
}

/* Make the stack what it was when `rec` called. */
static void find_caller(struct shadow *s, struct shadow_thread *th,
			const struct pt_call *rec)
{
	const struct suspended *was;
	uint32_t at;

	if (!rec->frame || rec->h.flags & PT_CALL_LOOSE)
		return;			/* only order tells */
	/*
	 * To 3.10 the frame of a generator that an exception passes is linked,
	 * but not to who threw it (CPython's _gen_throw, Objects/genobject.c).
	 */
	if (!rec->caller && rec->h.flags & PT_CALL_THROWN)
		return;
	if (!rec->caller) {
		if (th->now->nr)
			thread_switch(s, th, NULL);
		th->now->open = false;
		th->now->omitted = 0;
		return;
	}
	if (go_to(s, th, rec->caller, &at)) {
		pop_above(s, th, at);
		if (th->now->e[at].linked && !(rec->h.flags & PT_CALL_THROWN)) {
			s->totals.throws++;
			s->totals.inserted++;
			chain_run(s, th, th->now, at, BEGIN_THROW);
		}
		return;
	}
	was = suspended_find(s->suspended, th->proc, rec->caller);
	if (was)
		caller_is_suspended(s, th, rec, was->code);
	else
		caller_is_unknown(s, th, rec);
}

static void makes(struct shadow *s, struct shadow_thread *th,
		  const struct pt_call *rec)
{
	struct step *step = step_add(s, th);

	s->totals.made++;
	if (!step)
		return;
	step->kind = STEP_MAKES;
	step->depth = th->now->omitted + th->now->nr;
	step->code = first_code(s, rec->code);
	step->generator = true;
}

/* What is not wanted runs where something else was. */
static void pass_over(struct shadow *s, struct shadow_thread *th,
		      const struct pt_call *rec)
{
	if (!(rec->h.flags & PT_CALL_MAKES))
		end_namesake(s, th, rec->frame);
}

/*
 * The instruction that begins it was replaced, and ran again.  No other frame can
 * have its address: its end would have been told.
 */
static bool runs_already(const struct shadow *s, const struct shadow_thread *th,
			 const struct pt_call *rec)
{
	const struct chain *c = th->now;
	const struct entry *top = c->nr ? &c->e[c->nr - 1] : NULL;

	return top && !top->linked && rec->frame && top->frame == rec->frame &&
	       top->code == first_code(s, rec->code);
}

static void feed_call(struct shadow *s, struct shadow_thread *th,
		      const struct pt_call *rec)
{
	uint32_t flags = rec->h.flags;
	const struct beginning what = {
		.frame = rec->frame, .code = first_code(s, rec->code),
		.begin = flags & PT_CALL_THROWN ? BEGIN_THROW :
			 flags & PT_CALL_RESUMED ? BEGIN_RESUME : BEGIN_ENTRY,
		.generator = flags & PT_CALL_GENERATOR,
	};

	if (flags & PT_CALL_EXACT && runs_already(s, th, rec))
		return;
	if (is_refused(s, rec->code)) {
		pass_over(s, th, rec);
		return;
	}
	find_caller(s, th, rec);
	if (flags & PT_CALL_MAKES) {
		makes(s, th, rec);
		return;
	}
	s->totals.by_name += !rec->frame;
	s->totals.calls += what.begin == BEGIN_ENTRY;
	s->totals.resumes += what.begin == BEGIN_RESUME;
	s->totals.throws += what.begin == BEGIN_THROW;
	end_namesake(s, th, rec->frame);
	push(s, th, &what);
}

/* ---- returns ----------------------------------------------------------------- */

/*
 * Where what returns is; false: nowhere.  One with another code object is not
 * it, but what was at that address before.
 */
static bool find_returning(struct shadow *s, struct shadow_thread *th,
			   const struct pt_return *rec, uint64_t code,
			   uint32_t *at)
{
	struct entry *e;

	if (!rec->frame)
		return chain_find_code(th->now, code, at);
	if (!go_to(s, th, rec->frame, at))
		return false;
	e = &th->now->e[*at];
	if (code && e->code && code != e->code) {
		end_namesake(s, th, rec->frame);
		return false;
	}
	if (e->linked) {
		s->totals.throws++;
		s->totals.inserted++;
		chain_run(s, th, th->now, *at, BEGIN_THROW);
		e = &th->now->e[*at];
	}
	if (!e->code)
		e->code = code;
	return true;
}

static void suspend(struct shadow *s, const struct shadow_thread *th,
		    uint64_t frame, uint64_t code, uint64_t since)
{
	const struct suspended what = {
		.key = { .frame = frame, .proc = th->proc },
		.code = code, .since = since,
	};

	if (frame && suspended_put(s->suspended, &what))
		s->failed = true;
}

#define STRAY 4		/* what one counts as, against a call */

/* What an exception only passed is left with what it awaits. */
static void drop_linked(struct shadow *s, struct shadow_thread *th)
{
	struct chain *c = th->now;

	while (c->nr && c->e[c->nr - 1].linked)
		chain_remove(s, th, c, c->nr - 1, END_UNFINISHED, th->t);
}

static void feed_return(struct shadow *s, struct shadow_thread *th,
			const struct pt_return *rec)
{
	uint32_t flags = rec->h.flags, at;
	enum step_end end = flags & PT_RETURN_YIELDED ? END_YIELD :
			    flags & PT_RETURN_RAISED ? END_EXCEPTION :
						       END_RETURN;
	uint64_t code = first_code(s, rec->code);

	if (is_refused(s, rec->code))
		return;
	if (!find_returning(s, th, rec, code, &at)) {
		if (s->opts.refused && !rec->code)
			return;		/* so was its call */
		if (!(flags & PT_RETURN_GENERATOR) || !rec->frame ||
		    flags & PT_RETURN_EXACT) {
			s->totals.ignored++;
			if (!(flags & PT_RETURN_UNBEGUN))
				th->strays += STRAY;
			return;
		}
		insert_throw(s, th, rec->frame, code);
		if (!is_there(th, rec->frame, &at))
			return;		/* too deep */
	}
	pop_above(s, th, at);
	code = th->now->e[at].code;
	th->left = code;
	chain_remove(s, th, th->now, at, end, th->t);
	if (end == END_YIELD)
		suspend(s, th, rec->frame, code, th->t);
	drop_linked(s, th);
}

/* ---- seeds -------------------------------------------------------------------- */

static void feed_seed(struct shadow *s, struct shadow_thread *th,
		      const struct pt_seed *rec)
{
	const struct pt_seed_frame *f = record_seed_frames(rec);
	struct pt_seed *kept;

	if (!s->opts.refused) {
		shadow_seed(s, th, rec);
		return;
	}
	kept = recbuf_begin(&s->seed, PT_SEED);
	if (!kept) {
		s->failed = true;
		return;
	}
	kept->h = rec->h;
	kept->lost = rec->lost;
	kept->omitted = rec->omitted;
	kept->why = rec->why;
	for (uint32_t i = 0; i < rec->nr; i++)
		if (!is_refused(s, f[i].code))
			recbuf_seed_frame(&s->seed, &f[i]);
	rec = (const void *)recbuf_end(&s->seed);
	if (rec)
		shadow_seed(s, th, rec);
	else
		s->failed = true;
}

/* ---- all of them -------------------------------------------------------------- */

static uint64_t repairs(const struct shadow *s)
{
	return s->totals.leaked + s->totals.reused + s->totals.inserted;
}

static bool is_exact(const struct pt_hdr *rec)
{
	return (rec->type == PT_CALL && rec->flags & PT_CALL_EXACT) ||
	       (rec->type == PT_RETURN && rec->flags & PT_RETURN_EXACT);
}

static void count_drift(struct shadow *s, struct shadow_thread *th,
			const struct pt_hdr *rec, uint64_t before)
{
	if (rec->type == PT_SEED)
		th->drift = 0;
	if (!is_exact(rec) || s->opts.refused)
		return;
	th->strays -= rec->type == PT_CALL && th->strays;
	th->drift += (uint32_t)(repairs(s) - before);
	if (th->strays > STRAY * SHADOW_MAX_STRAYS)
		th->drift = SHADOW_MAX_STRAYS;
	if (th->drift > SHADOW_MAX_DRIFT && !s->drift.frames)
		s->drift = (struct shadow_drift){
			.pid = th->pid, .tid = th->tid, .frames = th->drift,
			.t = rec->t,
		};
}

const struct shadow_drift *shadow_drift(const struct shadow *s)
{
	return s->drift.frames ? &s->drift : NULL;
}

static void feed_of_thread(struct shadow *s, const struct pt_hdr *rec)
{
	struct shadow_thread *th = thread_of(s, rec);
	uint64_t before = repairs(s);

	if (!th)
		return;
	th->left = 0;
	if (rec->type == PT_CALL)
		feed_call(s, th, (const void *)rec);
	else if (rec->type == PT_RETURN)
		feed_return(s, th, (const void *)rec);
	else
		feed_seed(s, th, (const void *)rec);
	count_drift(s, th, rec, before);
	th->now->t = th->t;
	th->unsure = !th->now->nr && th->aside;
	DL_DELETE(s->oldest, th);
	DL_APPEND(s->oldest, th);
}

/* Its id may be another thread's by now. */
static void end_tid(struct shadow *s, uint32_t tid, uint64_t t)
{
	struct shadow_thread *th = find(s, tid);

	if (th)
		end_thread(s, th, t);
}

static void feed_thread(struct shadow *s, const struct pt_thread *rec)
{
	struct shadow_thread *th = find(s, rec->h.tid);

	if (!th)
		return;
	if (th->start_ns && rec->start_ns && th->start_ns != rec->start_ns)
		end_thread(s, th, 0);
	else
		th->start_ns = rec->start_ns;
}

/* An exec ends all threads of its process, and no other that shares its memory. */
static void feed_exec(struct shadow *s, const struct pt_exec *rec)
{
	struct shadow_thread *th, *next;

	HASH_ITER(hh, s->threads, th, next)
		if (th->pid == rec->h.pid)
			end_thread(s, th, rec->h.t);
}

int shadow_finish(struct shadow *s, uint64_t t)
{
	s->nr_steps = s->nr_codes = 0;
	while (s->oldest)
		end_thread(s, s->oldest, t);
	return s->failed ? -ENOMEM : 0;
}

int shadow_feed(struct shadow *s, const struct pt_hdr *rec)
{
	s->nr_steps = s->nr_codes = 0;
	switch (rec->type) {
	case PT_CALL:
	case PT_RETURN:
	case PT_SEED:
		feed_of_thread(s, rec);
		break;
	case PT_THREAD:
		feed_thread(s, (const void *)rec);
		break;
	case PT_FORK:
		end_tid(s, ((const struct pt_fork *)(const void *)rec)->child_tid,
			0);
		break;
	case PT_EXEC:
		feed_exec(s, (const void *)rec);
		break;
	case PT_EXIT:
		end_tid(s, rec->tid, rec->t);
		break;
	case PT_END:
		return shadow_finish(s, rec->t);
	default:
		break;
	}
	return s->failed ? -ENOMEM : 0;
}

const struct step *shadow_steps(const struct shadow *s, size_t *nr)
{
	*nr = s->nr_steps;
	return s->steps;
}

const uint64_t *shadow_step_codes(const struct shadow *s,
				  const struct step *step)
{
	return step->nr_codes ? s->codes + step->codes : NULL;
}

/* ---- what threads did ---------------------------------------------------------- */

void shadow_off(struct shadow *s, uint32_t tid, unsigned int cause, uint64_t ns)
{
	struct shadow_thread *th = find(s, tid);

	if (th && cause < SHADOW_CAUSES)
		th->now->done.off_ns[cause] += ns;
}

void shadow_syscall(struct shadow *s, uint32_t tid, uint64_t ns)
{
	struct shadow_thread *th = find(s, tid);

	if (!th)
		return;
	th->now->done.syscalls++;
	th->now->done.sys_ns += ns;
}

void shadow_fault(struct shadow *s, uint32_t tid, bool major)
{
	struct shadow_thread *th = find(s, tid);

	if (!th)
		return;
	th->now->done.faults++;
	th->now->done.majors += major;
}

/* ---- the stacks as they are ------------------------------------------------------ */

bool shadow_stack(const struct shadow *s, uint32_t tid,
		  struct shadow_stack *out)
{
	const struct shadow_thread *th = find(s, tid);

	if (!th || th->unsure)
		return false;
	*out = (struct shadow_stack){
		.nr = th->now->nr, .omitted = th->now->omitted,
		.open = th->now->open, .t = th->t, .left = th->left,
	};
	return true;
}

bool shadow_suspended(const struct shadow *s, uint64_t code)
{
	return suspended_has_code(s->suspended, first_code(s, code));
}

struct shadow_frame shadow_at(const struct shadow *s, uint32_t tid, uint32_t i)
{
	const struct shadow_thread *th = find(s, tid);
	const struct entry *e;

	if (!th || i >= th->now->nr)
		return (struct shadow_frame){ 0 };
	e = &th->now->e[th->now->nr - 1 - i];
	return (struct shadow_frame){
		.frame = e->frame, .code = e->code, .linked = e->linked,
	};
}

const struct shadow_totals *shadow_totals(const struct shadow *s)
{
	return &s->totals;
}

static bool is_sane(const struct shadow *s, const struct shadow_thread *th,
		    const struct chain *c)
{
	uint64_t t = 0;

	for (uint32_t i = 0; i < c->nr; i++) {
		const struct entry *e = &c->e[i];

		if (e->begin_t < t || e->begin_t > th->t || e->seed ||
		    (e->frame && !thread_may_have(th, e->frame)))
			return false;
		/* what is put in below others begins after them */
		t = e->late || e->linked ? t : e->begin_t;
	}
	return c->nr <= SHADOW_MAX_DEPTH && s->nr_frames >= c->nr;
}

bool shadow_sane(const struct shadow *s)
{
	const struct shadow_thread *th;
	const struct chain *c;
	uint64_t frames = 0;

	for (th = s->threads; th; th = th->hh.next) {
		uint32_t aside = 0;

		if (!is_sane(s, th, th->now))
			return false;
		frames += th->now->nr;
		DL_FOREACH(th->aside, c) {
			if (!c->nr || !is_sane(s, th, c))
				return false;
			frames += c->nr;
			aside++;
		}
		if (aside != th->nr_aside)
			return false;
	}
	return frames == s->nr_frames;
}
