/* SPDX-License-Identifier: MIT */
/* shadow_chain: frames that call each other, and the steps that they make. */
#include <stdlib.h>
#include <string.h>

#include "stack/shadow_priv.h"

struct chain *chain_new(struct shadow *s)
{
	struct chain *c = calloc(1, sizeof(*c));

	if (!c)
		s->failed = true;
	return c;
}

void chain_free(struct chain *c)
{
	if (!c)
		return;
	free(c->e);
	free(c);
}

/* ---- who is there ---------------------------------------------------------- */

static uint32_t hash(uint64_t v)
{
	v *= UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(v >> 40);
}

bool thread_may_have(const struct shadow_thread *th, uint64_t frame)
{
	return frame && th->filter[hash(frame) & (th->nr_filter - 1)];
}

static void count_chain(struct shadow_thread *th, const struct chain *c)
{
	for (uint32_t i = 0; i < c->nr; i++)
		if (c->e[i].frame)
			th->filter[hash(c->e[i].frame) & (th->nr_filter - 1)]++;
}

bool thread_filter(struct shadow_thread *th, uint32_t nr)
{
	uint32_t *filter = calloc(nr, sizeof(*filter));
	const struct chain *c;

	if (!filter)
		return false;
	free(th->filter);
	th->filter = filter;
	th->nr_filter = nr;
	if (th->now)
		count_chain(th, th->now);
	DL_FOREACH(th->aside, c)
		count_chain(th, c);
	return true;
}

bool chain_find(const struct chain *c, uint64_t frame, uint32_t *at)
{
	for (uint32_t i = c->nr; frame && i--;) {
		if (c->e[i].frame != frame)
			continue;
		*at = i;
		return true;
	}
	return false;
}

/* Of the outermost `nr`. */
static bool find_code(const struct chain *c, uint32_t nr, uint64_t code,
		      uint32_t *at)
{
	if (!code || !c->codes[hash(code) % FILTER_CODES])
		return false;
	for (uint32_t i = nr; i--;) {
		if (c->e[i].code != code || c->e[i].linked)
			continue;
		*at = i;
		return true;
	}
	return false;
}

bool chain_find_code(const struct chain *c, uint64_t code, uint32_t *at)
{
	return find_code(c, c->nr, code, at);
}

static void note(struct shadow_thread *th, struct chain *c, struct entry *e)
{
	uint16_t *codes = &c->codes[hash(e->code) % FILTER_CODES];

	if (e->frame)
		th->filter[hash(e->frame) & (th->nr_filter - 1)]++;
	th->nr_frames++;
	e->counted = e->code && !e->linked && *codes < UINT16_MAX;
	if (e->counted)
		++*codes;
}

static void forget(struct shadow_thread *th, struct chain *c,
		   const struct entry *e)
{
	if (e->frame)
		th->filter[hash(e->frame) & (th->nr_filter - 1)]--;
	th->nr_frames--;
	if (e->counted)
		c->codes[hash(e->code) % FILTER_CODES]--;
}

/* ---- steps ----------------------------------------------------------------- */

struct step *step_add(struct shadow *s, const struct shadow_thread *th)
{
	size_t cap = s->cap_steps ? s->cap_steps * 2 : 16;
	struct step *steps = s->steps;

	if (s->nr_steps == s->cap_steps) {
		steps = realloc(s->steps, cap * sizeof(*steps));
		if (!steps) {
			s->failed = true;
			return NULL;
		}
		s->steps = steps;
		s->cap_steps = cap;
	}
	steps += s->nr_steps++;
	*steps = (struct step){
		.proc = th->proc, .pid = th->pid, .tid = th->tid, .t = th->t,
		.begin_t = th->t,
	};
	return steps;
}

static bool room_for_codes(struct shadow *s, uint32_t nr)
{
	uint32_t cap = s->cap_codes ? s->cap_codes : PT_MAX_FRAMES;
	uint64_t *codes;

	while (cap < s->nr_codes + nr)
		cap *= 2;
	if (cap == s->cap_codes)
		return true;
	codes = realloc(s->codes, cap * sizeof(*codes));
	if (!codes) {
		s->failed = true;
		return false;
	}
	s->codes = codes;
	s->cap_codes = cap;
	return true;
}

/* A step's stack of its own is dear: not of thousands that end at once. */
#define STACKS_MAX 256

static void add_codes(struct shadow *s, struct step *step, const struct chain *c,
		      uint32_t at)
{
	uint32_t nr = at + 1 < PT_MAX_FRAMES ? at + 1 : PT_MAX_FRAMES;
	uint32_t left_out = at + 1 - nr;

	if (s->nr_steps > STACKS_MAX || !room_for_codes(s, nr))
		return;
	step->codes = s->nr_codes;
	step->nr_codes = nr;
	step->omitted = left_out + c->omitted;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t skip = i < PT_INNER ? 0 : left_out;

		s->codes[s->nr_codes++] = c->e[at - skip - i].code;
	}
}

static struct step *step_of(struct shadow *s, const struct shadow_thread *th,
			    const struct chain *c, uint32_t at)
{
	const struct entry *e = &c->e[at];
	struct step *step = step_add(s, th);

	if (!step)
		return NULL;
	step->begin = e->begin;
	step->late = e->late;
	step->gap = e->gap;
	step->generator = e->generator;
	step->recursive = e->recursive;
	step->suspended = e->suspended;
	step->depth = c->omitted + at;
	step->id = e->id;
	step->parent = e->parent;
	step->frame = e->frame;
	step->code = e->code;
	step->begin_t = e->begin_t;
	step->suspended_ns = e->suspended_ns;
	return step;
}

static void begins(struct shadow *s, const struct shadow_thread *th,
		   const struct chain *c, uint32_t at)
{
	struct step *step = step_of(s, th, c, at);

	if (!step)
		return;
	step->kind = STEP_BEGIN;
	if (s->opts.begin_stacks)
		add_codes(s, step, c, at);
}

static void since(struct inside *out, const struct inside *before)
{
	for (size_t i = 0; i < SHADOW_CAUSES; i++)
		out->off_ns[i] -= before->off_ns[i];
	out->aside_ns -= before->aside_ns;
	out->sys_ns -= before->sys_ns;
	out->syscalls -= before->syscalls;
	out->faults -= before->faults;
	out->majors -= before->majors;
}

/* Its callers know how long it took; who calls nobody has no children. */
static void ends(struct shadow *s, const struct shadow_thread *th,
		 struct chain *c, uint32_t at, enum step_end end, uint64_t t)
{
	struct entry *e = &c->e[at], *by = e;
	struct step *step;
	uint64_t dur;

	if (t < e->begin_t)
		t = e->begin_t;
	dur = t - e->begin_t;
	while (by > c->e && (--by)->linked)
		;
	if (by != e && !by->linked)
		by->child_ns += dur;
	step = step_of(s, th, c, at);
	if (!step)
		return;
	step->kind = STEP_END;
	step->end = (uint8_t)end;
	step->t = t;
	step->child_ns = e->child_ns < dur ? e->child_ns : dur;
	step->inside = c->done;
	since(&step->inside, &e->before);
	if (s->opts.end_stacks && dur >= s->opts.slower_ns)
		add_codes(s, step, c, at);
}

/* ---- changes ---------------------------------------------------------------- */

static bool grow(struct shadow *s, struct shadow_thread *th, struct chain *c)
{
	uint32_t cap = c->cap ? c->cap * 2 : 16;
	struct entry *e;

	if (c->nr >= SHADOW_MAX_DEPTH || s->nr_frames >= SHADOW_MAX_FRAMES) {
		s->totals.cut++;
		return false;
	}
	/* a filter that is too small is slower, and no less right */
	if (th->nr_frames >= th->nr_filter / FILTER_LOAD &&
	    th->nr_filter < SHADOW_MAX_DEPTH * FILTER_LOAD)
		(void)thread_filter(th, th->nr_filter * 2);
	if (c->nr < c->cap)
		return true;
	e = realloc(c->e, cap * sizeof(*e));
	if (!e) {
		s->failed = true;
		return false;
	}
	c->e = e;
	c->cap = cap;
	return true;
}

/* How long a generator was suspended that runs again. */
static void take_suspended(struct shadow *s, const struct shadow_thread *th,
			   struct entry *e)
{
	const struct suspended *was;

	if (!e->frame || e->linked)
		return;
	was = suspended_find(s->suspended, th->proc, e->frame);
	if (!was)
		return;
	e->suspended = (e->begin == BEGIN_RESUME || e->begin == BEGIN_THROW) &&
		       was->since && was->since <= e->begin_t &&
		       (!was->code || !e->code || was->code == e->code);
	if (e->suspended)
		e->suspended_ns = e->begin_t - was->since;
	suspended_drop(s->suspended, th->proc, e->frame);
}

static uint64_t parent_of(const struct chain *c, uint32_t at)
{
	while (at-- > 0)
		if (!c->e[at].linked)
			return c->e[at].id;
	return 0;
}

void chain_insert(struct shadow *s, struct shadow_thread *th, struct chain *c,
		  uint32_t at, const struct beginning *what)
{
	struct entry *e;
	uint32_t same;

	if (!grow(s, th, c))
		return;
	e = &c->e[at];
	memmove(e + 1, e, (c->nr - at) * sizeof(*e));
	*e = (struct entry){
		.id = ++s->last_id, .parent = parent_of(c, at),
		.frame = what->frame, .code = what->code, .begin_t = th->t,
		.before = c->done, .begin = what->begin, .late = what->late,
		.generator = what->generator, .linked = what->linked,
	};
	c->nr++;
	s->nr_frames++;
	e->recursive = !e->linked && find_code(c, at, e->code, &same);
	note(th, c, e);
	take_suspended(s, th, e);
	if (!e->linked)
		begins(s, th, c, at);
}

void chain_remove(struct shadow *s, struct shadow_thread *th, struct chain *c,
		  uint32_t at, enum step_end end, uint64_t t)
{
	struct entry *e = &c->e[at];

	if (!e->linked)
		ends(s, th, c, at, end, t);
	forget(th, c, e);
	c->nr--;
	s->nr_frames--;
	memmove(e, e + 1, (c->nr - at) * sizeof(*e));
}

void chain_cut(struct shadow *s, struct shadow_thread *th, struct chain *c,
	       uint32_t keep, uint64_t t)
{
	while (c->nr > keep)
		chain_remove(s, th, c, c->nr - 1, END_UNFINISHED, t);
}

void chain_run(struct shadow *s, struct shadow_thread *th, struct chain *c,
	       uint32_t at, enum step_begin begin)
{
	const struct entry was = c->e[at];
	const struct beginning what = {
		.frame = was.frame, .code = was.code, .begin = (uint8_t)begin,
		.late = true, .generator = true,
	};

	chain_remove(s, th, c, at, END_UNFINISHED, th->t);
	chain_insert(s, th, c, at, &what);
}
