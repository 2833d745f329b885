/* SPDX-License-Identifier: MIT */
/* clocks: the time of each thread that is alive in the trace. */
#include "analysis/clocks.h"

#include "base/compiler.h"
#include "stack/table.h"

#define SPANS_MAX 1024

struct clock_entry {
	struct clock public;	/* first */
	UT_hash_handle hh;
};

static uint64_t end_of(uint64_t t, uint64_t dur)
{
	return t + dur < t ? UINT64_MAX : t + dur;
}

/* No room for more: two become one. */
static void thin_out(struct clock *c)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i + 1 < c->nr_off; i += 2, nr++) {
		struct clock_span a = c->off[i], b = c->off[i + 1];

		c->off[nr] = (struct clock_span){ a.from, b.to, a.dur + b.dur };
	}
	if (c->nr_off % 2)
		c->off[nr++] = c->off[c->nr_off - 1];
	c->nr_off = nr;
}

static void note_off(struct clock *c, uint64_t from, uint64_t to)
{
	uint32_t cap = c->cap_off ? c->cap_off * 2 : 4;
	struct clock_span *more = NULL;

	if (c->nr_off == c->cap_off && cap <= SPANS_MAX)
		more = reallocarray(c->off, cap, sizeof(*more));
	if (more) {
		c->off = more;
		c->cap_off = cap;
	} else if (c->nr_off == c->cap_off) {
		if (!c->cap_off)
			return;
		thin_out(c);
	}
	c->off[c->nr_off++] = (struct clock_span){ from, to, to - from };
}

uint64_t clock_off(struct clock *c, uint64_t *t, uint64_t dur)
{
	uint64_t end = end_of(*t, dur);

	if (*t < c->booked)
		*t = c->booked;
	if (end <= *t)
		return 0;
	dur = end - *t;
	note_off(c, *t, end);
	c->booked = end;
	if (c->last < end)
		c->last = end;
	c->off_ns += dur;
	return dur;
}

/*
 * How much of the time off the CPU is in [from, to).  What was put together
 * counts whole: rather too little kernel mode than a thread of more than its
 * life.  What a later span cannot reach is forgotten.
 */
static uint64_t take_off(struct clock *c, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < c->nr_off; i++) {
		struct clock_span s = c->off[i];

		if (s.to > to)
			c->off[kept++] = s;
		if (s.from >= to || s.to <= from)
			continue;
		if (s.dur == s.to - s.from) {
			s.from = s.from > from ? s.from : from;
			s.dur = (s.to < to ? s.to : to) - s.from;
		}
		sum += s.dur;
	}
	c->nr_off = kept;
	return sum;
}

uint64_t clock_kernel(struct clock *c, uint64_t t, uint64_t dur)
{
	uint64_t end = end_of(t, dur), off;

	if (t < c->born)
		t = c->born;
	if (t < c->kernel_end)
		t = c->kernel_end;
	if (end <= t)
		return 0;
	off = take_off(c, t, end);
	if (c->last < end)
		c->last = end;
	if (c->booked < end)
		c->booked = end;
	c->kernel_end = end;
	dur = end - t > off ? end - t - off : 0;
	c->kernel_ns += dur;
	return dur;
}

/* ---- all of them ---------------------------------------------------------- */

struct clock *clocks_find(const struct clocks *all, uint32_t tid)
{
	struct clock_entry *e;

	HASH_FIND(hh, all->table, &tid, sizeof(tid), e);
	return e ? &e->public : NULL;
}

struct clock *clocks_add(struct clocks *all, uint32_t tid)
{
	struct clock_entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->public.tid = tid;
	HASH_ADD(hh, all->table, public.tid, sizeof(tid), e);
	if (e->hh.tbl)
		return &e->public;
	free(e);
	return NULL;
}

void clocks_drop(struct clocks *all, struct clock *c)
{
	struct clock_entry *e = (struct clock_entry *)(void *)c;

	HASH_DEL(all->table, e);
	free(c->off);
	free(e);
}

struct clock *clocks_first(const struct clocks *all)
{
	return all->table ? &all->table->public : NULL;
}

struct clock *clocks_next(const struct clock *c)
{
	const struct clock_entry *e = (const void *)c;
	struct clock_entry *next = e->hh.next;

	return next ? &next->public : NULL;
}

void clocks_free(struct clocks *all)
{
	while (all->table)
		clocks_drop(all, &all->table->public);
}
