/* SPDX-License-Identifier: MIT */
/*
 * rows: accounts that close, whatever comes, and views whose rows, nodes and
 * histograms are sums of the same cells.
 */
#include "rnd_stream.h"

#include <inttypes.h>

#include "analysis/tree.h"

/* ---- what always holds ---------------------------------------------------- */

static bool is_cpu(const struct cell *c, const void *arg)
{
	(void)arg;
	return c->key->cause == SPENT_CPU_USER ||
	       c->key->cause == SPENT_CPU_KERNEL;
}

static void assert_rows_sum_up(const struct run *r)
{
	const struct model *m = analysis_model(r->a);
	struct err err = { 0 };

	for (int by = BY_ALL; by <= BY_PROCESS; by++) {
		struct rows_query q = {
			.by = (enum rows_by)by, .kinds = 1u << CELL_TIME,
			.by_cause = by % 2, .idle = true,
		};
		struct rows rows;
		uint64_t ns = 0, count = 0;

		assert_int_equal(rows_make(&rows, r->a, &q, &err), 0);
		for (uint32_t i = 0; i < rows.nr; i++) {
			ns += rows.row[i].is.ns;
			assert_true(!i || rows.row[i - 1].is.ns >=
				    rows.row[i].is.ns);
		}
		assert_int_equal(ns, m->account.thread_ns);
		assert_int_equal(rows.total.is.ns, m->account.thread_ns);
		rows_free(&rows);

		q.kinds = 1u << CELL_CALLS | 1u << CELL_FAULTS;
		q.by_call = true;
		assert_int_equal(rows_make(&rows, r->a, &q, &err), 0);
		for (uint32_t i = 0; i < rows.nr; i++)
			count += rows.row[i].is.count;
		if (!m->chosen)
			assert_int_equal(count, r->fed[PT_SYSCALL] +
					 r->fed[PT_FAULT]);
		rows_free(&rows);

		/* the time on CPUs counts its samples */
		q.kinds = 1u << CELL_TIME;
		q.wants = is_cpu;
		assert_int_equal(rows_make(&rows, r->a, &q, &err), 0);
		if (!m->chosen)
			assert_int_equal(rows.total.is.count,
					 r->fed[PT_SAMPLE]);
		assert_int_equal(rows.total.is.ns,
				 m->account.busy[SPENT_CPU_USER] +
				 m->account.busy[SPENT_CPU_KERNEL]);
		rows_free(&rows);
	}
}

/* A node is its own cells and its children, and the root is all of them. */
static void assert_tree_sums_up(const struct run *r, const struct rows_query *q,
				const struct row *total)
{
	struct err err = { 0 };
	struct tree tree;

	assert_int_equal(tree_make(&tree, r->a, q, &err), 0);
	assert_memory_equal(&tree.node[0].is.is, &total->is, sizeof(total->is));
	assert_memory_equal(&tree.node[0].is.faults, &total->faults,
			    sizeof(total->faults));
	for (uint32_t i = 0; i < tree.nr; i++) {
		const struct node *n = &tree.node[i];
		uint64_t ns = n->self.ns, count = n->self.count, last;

		last = UINT64_MAX;
		for (uint32_t c = n->child; c; c = tree.node[c].next) {
			const struct sums *is = &tree.node[c].is.is;

			assert_int_equal(tree.node[c].parent, i);
			assert_int_equal(tree.node[c].depth, n->depth + 1);
			assert_true(is->ns <= last);
			last = is->ns;
			ns += is->ns;
			count += is->count;
		}
		assert_int_equal(ns, n->is.is.ns);
		assert_int_equal(count, n->is.is.count);
	}
	tree_free(&tree);
}

/* Every event with a duration is in one bar of one row, and in the total's. */
static void assert_hists_sum_up(const struct run *r, const struct rows *rows,
				unsigned int kind)
{
	const struct hist *all = rows_hist(rows, &rows->total);
	uint64_t nr = 0;

	for (uint32_t i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->row[i];
		const struct hist *h = rows_hist(rows, row);
		struct percentile p = hist_percentile(h, 50, row->is.max);

		nr += hist_count(h) + h->missing;
		assert_true(hist_count(h) + h->missing <= row->is.count);
		assert_true(p.value <= row->is.max);
		assert_true(p.value <= hist_percentile(h, 99,
						       row->is.max).value);
	}
	assert_int_equal(hist_count(all) + all->missing, nr);
	if (kind == CELL_CALLS && !analysis_model(r->a)->chosen)
		assert_int_equal(nr, r->timed);
}

static void assert_faults_sum_up(const struct rows *rows)
{
	for (uint32_t i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->row[i];
		uint64_t nr = 0;

		for (size_t k = 0; k < ARRAY_LEN(row->faults.kind); k++)
			nr += row->faults.kind[k];
		assert_int_equal(nr, row->is.count);
		assert_int_equal(row->faults.private_bytes +
				 row->faults.resident_bytes, row->is.bytes);
		assert_true(row->faults.in_gc == (row->in_gc ? nr : 0));
	}
}

/* All shapes of a view show the same sums, whatever a row is. */
static void assert_views_agree(const struct run *r)
{
	struct err err = { 0 };

	for (unsigned int kind = CELL_TIME; kind <= CELL_FAULTS; kind++) {
		for (int by = BY_ALL; by <= BY_AGE; by++) {
			const struct rows_query q = {
				.by = (enum rows_by)by, .kinds = 1u << kind,
				.by_cause = true, .by_call = by % 2,
				.by_gc = true, .idle = true, .hists = true,
			};
			struct rows rows;

			assert_int_equal(rows_make(&rows, r->a, &q, &err), 0);
			assert_hists_sum_up(r, &rows, kind);
			assert_tree_sums_up(r, &q, &rows.total);
			if (kind == CELL_FAULTS)
				assert_faults_sum_up(&rows);
			rows_free(&rows);
		}
	}
}

/* The time of a thread in one view is its life, idle and all. */
static void assert_threads_sum_up(const struct run *r)
{
	const struct rows_query q = {
		.by = BY_THREAD, .kinds = 1u << CELL_TIME, .idle = true,
	};
	const struct model *m = analysis_model(r->a);
	uint64_t *ns = calloc(m->nr_threads + 1, sizeof(*ns));
	struct rows rows;

	assert_non_null(ns);
	assert_int_equal(rows_make(&rows, r->a, &q, NULL), 0);
	for (uint32_t i = 0; i < rows.nr; i++)
		ns[rows.row[i].key] += rows.row[i].is.ns;
	for (uint32_t i = 0; i <= m->nr_threads && !m->coarse; i++)
		assert_int_equal(ns[i], m->threads[i].left_out ? 0 :
				 m->threads[i].life_ns);
	rows_free(&rows);
	free(ns);
}

/* Nobody had a lock for longer than somebody waited for it. */
static void assert_holds_are_parts(const struct run *r)
{
	uint64_t *sums = calloc(model_cells(r->a) + 1, sizeof(*sums));

	assert_non_null(sums);
	for (uint32_t i = 1; i <= model_holds(r->a); i++) {
		struct hold h;

		model_hold(r->a, i, &h);
		sums[h.cell] += h.ns;
	}
	for (uint32_t i = 1; i <= model_cells(r->a); i++) {
		struct cell c;

		model_cell(r->a, i, &c);
		assert_true(sums[i] <= c.is.ns);
	}
	free(sums);
}

static void assert_closes(struct run *r)
{
	const struct model *m = finish(r);
	const struct account *sum = &m->account;
	uint64_t lives = 0, busy = 0, cells = 0;

	for (uint32_t i = 0; i <= m->nr_threads; i++) {
		const struct thread_info *t = &m->threads[i];

		lives += t->left_out ? 0 : t->life_ns;
		assert_true(t->off_ns + t->kernel_ns <= t->life_ns);
	}
	for (int c = 0; c < SPENT_NR; c++)
		busy += sum->busy[c];
	for (uint32_t i = 1; i <= model_cells(r->a); i++) {
		struct cell c;

		model_cell(r->a, i, &c);
		if (c.key->kind == CELL_TIME && !c.left_out)
			cells += c.is.ns;
	}
	assert_int_equal(sum->thread_ns, lives);
	assert_int_equal(sum->busy_ns, busy);
	assert_int_equal(sum->thread_ns,
			 sum->idle_ns + sum->unseen_ns + sum->busy_ns);
	assert_int_equal(cells, sum->thread_ns);
	assert_int_equal(m->before, r->before);
	assert_rows_sum_up(r);
	assert_views_agree(r);
	assert_threads_sum_up(r);
	assert_holds_are_parts(r);
}

static void closes_whatever_comes(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 400; round++) {
		struct run r;

		seed = 0x9e3779b97f4a7c15 + round;
		start(&r, NULL);
		define(&r, 1, "wait", "/usr/lib/python3.9/threading.py");
		define(&r, 2, "_worker",
		       "/usr/lib/python3.9/concurrent/futures/thread.py");
		define(&r, 3, "f", "/srv/app.py");
		define(&r, 4, "g", "/srv/lib/site-packages/x.py");
		any_stream(&r, 20 + (unsigned int)any(600));
		assert_closes(&r);
		stop(&r);
	}
}

/* Some threads and all others: each account closes, and they sum to the whole. */
static void chosen_threads(void **state)
{
	static const pid_t some[] = { 100, 102, 105 };
	static const pid_t rest[] = { 101, 103, 104, 106, 107 };
	const struct analysis_opts opts[] = {
		{ 0 },
		{ .tids = some, .nr_tids = ARRAY_LEN(some) },
		{ .tids = rest, .nr_tids = ARRAY_LEN(rest) },
	};
	uint64_t ns[3], busy[3];
	uint32_t nr[3], all;

	(void)state;
	for (uint64_t n = 1; n <= 200; n++) {
		for (size_t i = 0; i < ARRAY_LEN(opts); i++) {
			const struct model *m;
			struct run r;

			seed = n * UINT64_C(0x9e3779b97f4a7c15);
			start(&r, &opts[i]);
			any_stream(&r, 200);
			assert_closes(&r);
			m = analysis_model(r.a);
			ns[i] = m->account.thread_ns;
			busy[i] = m->account.busy_ns;
			nr[i] = model_threads(m, &all);
			stop(&r);
		}
		assert_int_equal(ns[0], ns[1] + ns[2]);
		assert_int_equal(busy[0], busy[1] + busy[2]);
		assert_int_equal(nr[0], all);
		assert_int_equal(nr[0], nr[1] + nr[2]);
	}
}

/* With hardly any memory keys are coarse, and sums are what they were. */
static void closes_without_room(void **state)
{
	const struct analysis_opts little = { .memory = 20000 };
	uint64_t busy[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct run r;

		seed = 42;
		start(&r, i ? &little : NULL);
		define(&r, 3, "f", "/srv/app.py");
		any_stream(&r, 5000);
		assert_closes(&r);
		busy[i] = analysis_model(r.a)->account.thread_ns;
		assert_int_equal(analysis_model(r.a)->coarse != 0, i);
		stop(&r);
	}
	assert_int_equal(busy[0], busy[1]);
}

/* Intervals of any length sum to the whole: no time is lost, none comes twice. */
static void intervals_sum_up(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 100; round++) {
		uint64_t ns[2], counts[2];
		unsigned int cuts = 0;

		for (unsigned int i = 0; i < 2; i++) {
			const struct model *m;
			struct run r;

			start(&r, NULL);
			seed = 0x9e3779b97f4a7c15 + round;
			r.cut_every = i ? 3 + round % 50 : 0;
			define(&r, 3, "f", "/srv/app.py");
			any_stream(&r, 300);
			m = finish(&r);
			ns[i] = r.thread_ns + m->account.thread_ns;
			counts[i] = r.counts;
			for (uint32_t c = 1; c <= model_cells(r.a); c++) {
				struct cell cell;

				model_cell(r.a, c, &cell);
				counts[i] += cell.key->kind == CELL_CALLS ||
					     cell.key->kind == CELL_FAULTS ?
					     cell.is.count : 0;
			}
			cuts += r.intervals;
			stop(&r);
		}
		if (ns[0] != ns[1] || counts[0] != counts[1])
			fail_msg("round %u: %" PRIu64 " ns, in %u intervals %"
				 PRIu64, round, ns[0], cuts, ns[1]);
	}
}

/* ---- histograms ------------------------------------------------------------ */

static void buckets(void **state)
{
	uint64_t value = 0;

	(void)state;
	for (uint32_t b = 0; b < HIST_BUCKETS; b++) {
		assert_int_equal(hist_from(b), value);
		assert_int_equal(hist_bucket(hist_from(b)), b);
		assert_int_equal(hist_bucket(hist_to(b)), b);
		assert_int_equal(hist_bucket(hist_middle(b)), b);
		value = hist_to(b) + 1;
	}
	assert_int_equal(value, 0);	/* one behind the largest of all */
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Within the error that is said, exact where that is said. */
static void percentiles(void **state)
{
	uint64_t values[2000];

	(void)state;
	seed = 7;
	for (unsigned int round = 0; round < 500; round++) {
		size_t nr = 1 + any(round % 5 ? 2000 : 90);
		uint64_t spread = UINT64_C(1) << any(50);
		struct hist h = { 0 };

		for (size_t i = 0; i < nr; i++) {
			values[i] = any(spread);
			hist_add(&h, values[i], false);
		}
		qsort(values, nr, sizeof(*values), by_value);
		for (unsigned int percent = 1; percent <= 100; percent++) {
			struct percentile p = hist_percentile(&h, percent,
							      values[nr - 1]);
			uint64_t is = values[(nr * percent + 99) / 100 - 1];
			uint64_t off = p.value > is ? p.value - is : is - p.value;

			assert_true(p.known);
			assert_true(off * 32 <= is);
			if (p.exact)
				assert_int_equal(p.value, is);
		}
		assert_true(hist_percentile(&h, 99, values[nr - 1]).exact ||
			    nr >= 100);
		hist_free(&h);
	}
}

/* What found no room is counted, and no percentile is made up without it. */
static void percentiles_without_room(void **state)
{
	struct hist h = { 0 };

	(void)state;
	hist_add(&h, 100, false);
	hist_add(&h, 100, true);
	assert_true(hist_percentile(&h, 50, 100).known);
	hist_add(&h, 1000, true);
	assert_int_equal(h.missing, 1);
	assert_false(hist_percentile(&h, 50, 1000).known);
	hist_move(&h, 1000, 102, true);
	assert_int_equal(h.missing, 0);
	assert_int_equal(hist_count(&h), 3);
	hist_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closes_whatever_comes),
		cmocka_unit_test(closes_without_room),
		cmocka_unit_test(chosen_threads),
		cmocka_unit_test(intervals_sum_up),
		cmocka_unit_test(buckets),
		cmocka_unit_test(percentiles),
		cmocka_unit_test(percentiles_without_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
