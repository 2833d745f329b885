/* SPDX-License-Identifier: MIT */
/*
 * shadow_seed: the stack as a walk found it, in place of the one that was kept.
 *
 * A frame that is on both (same address, same code object) went on running, or
 * so it seems: where calls were lost, it may have returned and its function have
 * been called again from the same place.  It has not if fewer were lost than that
 * takes; else it is marked (entry.gap).
 */
#include "stack/shadow_priv.h"

#include "event/record.h"

static bool is_same(const struct shadow *s, const struct entry *e,
		    const struct pt_seed_frame *f)
{
	return e->frame == f->frame &&
	       (!e->code || e->code == first_code(s, f->code)) &&
	       e->linked == !!(f->flags & PT_SEED_SUSPENDED);
}

/* Outermost frame of the seed: 0. */
static const struct pt_seed_frame *seed_at(const struct pt_seed *rec,
					   uint32_t i)
{
	return &record_seed_frames(rec)[rec->nr - 1 - i];
}

/* Mark what stays, in order; how many do. */
static uint32_t match(const struct shadow *s, struct chain *c,
		      const struct pt_seed *rec)
{
	uint32_t nr = 0, from = 0;

	for (uint32_t i = 0; i < c->nr; i++)
		c->e[i].seed = 0;
	for (uint32_t i = 0; i < rec->nr && from < c->nr; i++) {
		for (uint32_t at = from; at < c->nr; at++) {
			if (!is_same(s, &c->e[at], seed_at(rec, i)))
				continue;
			c->e[at].seed = i + 1;
			from = at + 1;
			nr++;
			break;
		}
	}
	return nr;
}

static void unmark(struct chain *c)
{
	for (uint32_t i = 0; i < c->nr; i++)
		c->e[i].seed = 0;
}

/* The chain that the seed is of runs now; false: it is a new one. */
static bool choose(struct shadow *s, struct shadow_thread *th,
		   const struct pt_seed *rec)
{
	struct chain *c;
	uint32_t at;

	if (match(s, th->now, rec))
		return true;
	for (uint32_t i = 0; i < rec->nr; i++) {
		c = thread_find_aside(th, seed_at(rec, i)->frame, &at);
		if (!c || !match(s, c, rec))
			continue;
		thread_switch(s, th, c);
		return true;
	}
	/* another greenlet's, if there are any or nothing else explains it;
	 * else all of it has ended */
	if (th->now->nr && (!rec->lost || (th->aside && rec->nr)))
		thread_switch(s, th, NULL);
	chain_cut(s, th, th->now, 0, th->now->t);
	return false;
}

/* What the seed leaves out is below its outermost frame, and stays. */
static uint32_t below(const struct chain *c, const struct pt_seed *rec)
{
	if (!rec->omitted && rec->why == PT_WHY_NONE)
		return 0;
	for (uint32_t i = 0; i < c->nr; i++)
		if (c->e[i].seed)
			return i;
	return 0;
}

/* Fewer were lost than returning from it and calling it again would take. */
static bool is_sure(const struct chain *c, uint32_t at,
		    const struct pt_seed *rec)
{
	uint64_t above = c->nr - at, again = rec->nr - (c->e[at].seed - 1);

	return rec->lost < above + again;
}

static void mark_gaps(struct chain *c, uint32_t from,
		      const struct pt_seed *rec)
{
	for (uint32_t i = from; i < c->nr; i++)
		if (c->e[i].seed && rec->lost && !is_sure(c, i, rec))
			c->e[i].gap = true;
}

static void drop_others(struct shadow *s, struct shadow_thread *th,
			uint32_t from)
{
	struct chain *c = th->now;

	for (uint32_t i = c->nr; i-- > from;)
		if (!c->e[i].seed)
			chain_remove(s, th, c, i, END_UNFINISHED, c->t);
}

/* On another chain it has ended, or a greenlet would run twice. */
void thread_take_aside(struct shadow *s, struct shadow_thread *th,
		       uint64_t frame)
{
	uint32_t at;
	struct chain *c = thread_find_aside(th, frame, &at);

	if (!c)
		return;
	s->totals.reused++;
	chain_cut(s, th, c, at, c->t);
	if (c->nr)
		return;
	DL_DELETE(th->aside, c);
	th->nr_aside--;
	chain_free(c);
}

/* It yielded, and nothing was lost: an exception was thrown into it. */
static bool was_thrown(const struct shadow *s, const struct shadow_thread *th,
		       const struct pt_seed *rec, const struct suspended *f)
{
	const struct suspended *was = rec->lost ? NULL :
		suspended_find(s->suspended, th->proc, f->key.frame);

	return was && was->since && was->code == f->code;
}

static void insert(struct shadow *s, struct shadow_thread *th, uint32_t at,
		   const struct pt_seed *rec, const struct pt_seed_frame *f)
{
	const struct suspended linked = {
		.key = { .frame = f->frame, .proc = th->proc },
		.code = first_code(s, f->code),
	};
	bool thrown = !(f->flags & PT_SEED_SUSPENDED) &&
		      was_thrown(s, th, rec, &linked);
	const struct beginning what = {
		.frame = f->frame, .code = linked.code,
		.begin = thrown ? BEGIN_THROW : BEGIN_SEEDED,
		.late = true,
		.generator = f->flags & (PT_SEED_GENERATOR | PT_SEED_SUSPENDED),
		.linked = f->flags & PT_SEED_SUSPENDED,
	};

	s->totals.inserted += thrown;
	s->totals.throws += thrown;
	thread_take_aside(s, th, f->frame);
	chain_insert(s, th, th->now, at, &what);
	if (what.linked && f->frame && suspended_put(s->suspended, &linked))
		s->failed = true;
}

/* Those that are on the seed alone, from the outermost on. */
static void add_missing(struct shadow *s, struct shadow_thread *th,
			uint32_t at, const struct pt_seed *rec)
{
	struct chain *c = th->now;

	for (uint32_t i = 0; i < rec->nr; i++) {
		const struct pt_seed_frame *f = seed_at(rec, i);
		uint32_t before = c->nr, twice;

		if (at < c->nr && c->e[at].seed == i + 1) {
			c->e[at++].code = first_code(s, f->code);
			continue;
		}
		if (thread_may_have(th, f->frame) &&
		    chain_find(c, f->frame, &twice))
			continue;	/* no frame is on a stack twice */
		insert(s, th, at, rec, f);
		at += c->nr - before;	/* or it was too deep */
	}
}

void shadow_seed(struct shadow *s, struct shadow_thread *th,
		 const struct pt_seed *rec)
{
	struct chain *c;
	uint32_t keep = 0;
	bool old;

	s->totals.seeds++;
	s->totals.lost += rec->lost;
	old = choose(s, th, rec);
	c = th->now;
	if (old) {
		keep = below(c, rec);
		mark_gaps(c, keep, rec);
		drop_others(s, th, keep);
	}
	if (!keep)
		c->omitted = rec->omitted;
	c->open = rec->why != PT_WHY_NONE && !keep;
	add_missing(s, th, keep, rec);
	unmark(c);
}
