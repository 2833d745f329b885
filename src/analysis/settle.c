/* SPDX-License-Identifier: MIT */
/* settle: what only the end of a stream can say: CPU time by line, the sums. */
#include "analysis/analysis_priv.h"

/* Samples of a thread: what its CPU time is shared out by. */
struct weight {
	uint64_t all[2];	/* user mode, kernel mode */
	uint64_t so_far[2], given[2];
	uint64_t ns[2];		/* to be shared out */
};

__extension__ typedef unsigned __int128 wide;

static const struct cell_key *key_of(const struct analysis *a, uint32_t cell)
{
	return intern_bytes(&a->ledger.cells, cell, NULL);
}

/* A sample that does not say how much it stands for is one of many equals. */
static uint64_t weight_of(const struct sums *s)
{
	return s->ns ? s->ns : s->count;
}

/* Kernel mode from samples alone: both modes share all the time. */
static unsigned int share_of(const struct analysis *a, const struct cell_key *k)
{
	return a->model.kernel == EXACT ? k->call : 0;
}

static void weigh(const struct analysis *a, struct weight *w)
{
	for (uint32_t i = 1; i <= a->ledger.cells.nr; i++) {
		const struct cell_key *k = key_of(a, i);

		if (k->kind == CELL_SAMPLES)
			w[k->thread].all[share_of(a, k)] +=
				weight_of(&a->ledger.sums[i]);
	}
}

static void add_cpu(struct analysis *a, const struct cell_key *from,
		    enum spent cause, uint64_t count, uint64_t ns, bool estimate)
{
	const struct cell_key key = {
		.kind = CELL_TIME, .cause = (uint8_t)cause,
		.call = SPENT_NO_CALL,
		.thread = from->thread, .stack = from->stack,
		.kernel = from->kernel,
	};
	uint32_t cell = ledger_cell(&a->ledger, &key);

	ledger_add(&a->ledger, cell, count, ns);
	if (cell)
		a->ledger.estimate[cell] |= estimate;
}

/* Rounded so that the parts sum to the whole. */
static void share_out(struct analysis *a, struct weight *all)
{
	uint32_t nr = a->ledger.cells.nr;

	for (uint32_t i = 1; i <= nr; i++) {
		const struct cell_key k = *key_of(a, i);
		struct sums s = a->ledger.sums[i];
		struct weight *w = &all[k.thread];
		unsigned int n;
		uint64_t upto;

		if (k.kind != CELL_SAMPLES)
			continue;
		n = share_of(a, &k);
		w->so_far[n] += weight_of(&s);
		upto = (uint64_t)((wide)w->ns[n] * w->so_far[n] / w->all[n]);
		/* in kernel mode the calls say it exactly: w->ns[1] is 0 */
		add_cpu(a, &k, k.call ? SPENT_CPU_KERNEL : SPENT_CPU_USER,
			s.count, upto - w->given[n], upto > w->given[n]);
		w->given[n] = upto;
	}
}

/* Threads that no sample hit: their time is exact, their lines unknown. */
static void give_rest(struct analysis *a, const struct weight *w,
		      uint32_t thread)
{
	const struct cell_key key = { .thread = thread };

	if (w->ns[0] > w->given[0])
		add_cpu(a, &key, SPENT_CPU_USER, 0, w->ns[0] - w->given[0],
			false);
}

static void settle_cpu(struct analysis *a)
{
	uint32_t nr = a->model.nr_threads;
	struct weight *w = calloc(nr + 1, sizeof(*w));

	if (!w) {
		a->failed = true;
		return;
	}
	for (uint32_t i = 0; i <= nr; i++) {
		const struct thread_info *t = &a->threads[i];

		w[i].ns[0] = t->life_ns - t->off_ns - t->kernel_ns;
	}
	weigh(a, w);
	share_out(a, w);
	for (uint32_t i = 0; i <= nr; i++)
		give_rest(a, &w[i], i);
	free(w);
}

static void sum_up(struct analysis *a)
{
	struct account *sum = &a->model.account;

	for (uint32_t i = 0; i <= a->model.nr_threads; i++)
		if (!a->threads[i].left_out)
			sum->thread_ns += a->threads[i].life_ns;
	for (uint32_t i = 1; i <= a->ledger.cells.nr; i++) {
		const struct cell_key *k = key_of(a, i);
		uint64_t ns = a->ledger.sums[i].ns;

		if (k->kind != CELL_TIME || a->threads[k->thread].left_out)
			continue;
		if (k->state == TIME_IDLE) {
			sum->idle_ns += ns;
		} else if (k->state == TIME_UNSEEN) {
			sum->unseen_ns += ns;
		} else {
			sum->busy[k->cause] += ns;
			sum->busy_ns += ns;
		}
	}
}

/*
 * A name can come late, and the last one counts: all are accounted for until
 * the end.  Threads that found no room are nobody's.
 */
static void leave_out(struct analysis *a)
{
	for (uint32_t i = 0; i <= a->model.nr_threads; i++) {
		struct thread_info *t = &a->threads[i];

		t->left_out = !chosen_has(&a->chosen, t->tid, t->comm);
	}
}

static void sum_groups(struct analysis *a)
{
	struct model *m = &a->model;

	for (uint32_t i = 0; i < a->nr_groups; i++) {
		const struct pt_cpustat *f = &a->groups[i].first;
		const struct pt_cpustat *l = &a->groups[i].last;

		m->quota |= l->quota_us != 0;
		if (l->nr_periods > f->nr_periods)
			m->periods += l->nr_periods - f->nr_periods;
		if (l->nr_throttled > f->nr_throttled)
			m->throttled_periods += l->nr_throttled - f->nr_throttled;
		if (l->throttled_us > f->throttled_us)
			m->throttled_ns += (l->throttled_us - f->throttled_us) *
					   1000;
		if (l->memory_high > f->memory_high)
			m->memory_high += l->memory_high - f->memory_high;
	}
}

static bool has_samples(const struct analysis *a)
{
	for (uint32_t i = 1; i <= a->ledger.cells.nr; i++)
		if (key_of(a, i)->kind == CELL_SAMPLES)
			return true;
	return false;
}

static void settle_sums(struct analysis *a)
{
	struct model *m = &a->model;

	if (m->kernel != EXACT)
		m->kernel = has_samples(a) ? FROM_SAMPLES : NOT_KNOWN;
	settle_cpu(a);
	sum_groups(a);
	m->coarse = a->ledger.coarse;
	leave_out(a);
	sum_up(a);
}

void settle(struct analysis *a)
{
	struct model *m = &a->model;
	bool cut = !m->complete;
	uint64_t end = a->unfinished_end ? a->unfinished_end : m->end;

	while (clocks_first(&a->clocks))
		task_end(a, clocks_first(&a->clocks), end, cut);
	if (end > m->end || a->unfinished_end)
		m->end = end;
	settle_sums(a);
}

/*
 * A program that is not understood yet: what is in cells is its life so far, and
 * the rest, if it turns out to be a Python, comes later.
 */
static void book_stranger(struct analysis *a, struct clock *c)
{
	struct thread_info *t = &a->threads[c->thread];
	uint64_t life = c->off_ns + c->kernel_ns;

	t->life_ns += life;
	t->off_ns += c->off_ns;
	t->kernel_ns += c->kernel_ns;
	c->settled |= c->booked != c->born;
	c->born += life;
	c->off_ns = c->kernel_ns = 0;
}

/* Up to its last sign of life. */
static void book_interval(struct analysis *a, struct clock *c, uint64_t t)
{
	uint64_t end = c->last > c->booked ? c->last : c->booked;

	if (end < c->born)
		end = c->born;
	a->model.going_on += end < t;
	if (c->by_exec) {
		book_stranger(a, c);
		return;
	}
	task_book(a, c, end);
	if (!c->cut)
		c->oldest = c->born;
	c->settled |= c->booked != c->born;
	c->cut = true;
	c->born = c->booked = c->last = end;
	if (c->kernel_end < end)
		c->kernel_end = end;
	c->off_ns = c->kernel_ns = 0;
	c->nr_off = 0;
}

void settle_interval(struct analysis *a, uint64_t t)
{
	for (struct clock *c = clocks_first(&a->clocks); c; c = clocks_next(c))
		book_interval(a, c, t);
	a->model.end = t;
	settle_sums(a);
}
