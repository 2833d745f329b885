/* SPDX-License-Identifier: MIT */
/*
 * hist_text: how long things took, as bars: all of them, then row by row.
 *
 *	      from        to    count
 *	     262us     524us       12  |####                    |
 *	     524us    1.05ms       64  |########################|
 *
 * Powers of two hold whole buckets of the histogram, and so exactly what they
 * say; steps of one length count a bucket by its middle.
 */
#include <inttypes.h>

#include "report/table_priv.h"

#define BAR		40
#define STEPS		20	/* of one length, at most */

struct bars {
	uint64_t count[65];
	uint64_t from[66];	/* lower ends; the last is the upper end of all */
	unsigned int nr;
};

static unsigned int octave_of(uint64_t value)
{
	return value < 2 ? 0 : 63 - (unsigned int)__builtin_clzll(value);
}

static void fill_log2(struct bars *b, const struct hist *h)
{
	unsigned int first = octave_of(hist_from(h->bar[0].bucket));

	for (uint32_t i = 0; i < h->nr; i++) {
		unsigned int at = octave_of(hist_from(h->bar[i].bucket)) - first;

		b->count[at] += h->bar[i].count;
		b->nr = at + 1;
	}
	for (unsigned int i = 0; i <= b->nr; i++)
		b->from[i] = !(first + i) ? 0 : first + i > 63 ? UINT64_MAX :
			     UINT64_C(1) << (first + i);
}

/* 1, 2 or 5 times a power of ten: at most STEPS to the largest. */
static uint64_t step_for(uint64_t largest)
{
	static const unsigned int nice[] = { 1, 2, 5 };
	uint64_t ten = 1;

	for (;;) {
		for (size_t i = 0; i < ARRAY_LEN(nice); i++)
			if (largest / (ten * nice[i]) < STEPS)
				return ten * nice[i];
		ten *= 10;
	}
}

static void fill_linear(struct bars *b, const struct hist *h)
{
	uint64_t step = step_for(hist_middle(h->bar[h->nr - 1].bucket));
	uint64_t first = hist_middle(h->bar[0].bucket) / step;

	for (uint32_t i = 0; i < h->nr; i++) {
		uint64_t at = hist_middle(h->bar[i].bucket) / step - first;

		b->count[at] += h->bar[i].count;
		b->nr = (unsigned int)at + 1;
	}
	for (unsigned int i = 0; i <= b->nr; i++)
		b->from[i] = (first + i) * step;
}

static void put_bar(struct table *t, const struct bars *b, unsigned int i,
		    uint64_t most)
{
	struct text line = { 0 }, from = { 0 }, to = { 0 }, count = { 0 };
	size_t bar = (size_t)((double)b->count[i] * BAR / (double)most + .5);

	words_duration(&from, b->from[i]);
	words_duration(&to, b->from[i + 1]);
	words_count(&count, b->count[i]);
	text_add(&line, "  %8s  %8s  %9s  |", from.s, to.s, count.s);
	for (size_t j = 0; j < BAR; j++)
		text_add(&line, "%s", j < bar ? "#" : " ");
	text_add(&line, "|");
	screen_line(&t->s, &line);
}

static void put_bars(struct table *t, const struct hist *h)
{
	struct bars b = { .nr = 0 };
	uint64_t most = 1;

	if (!h->nr)
		return;
	if (t->o->shape == SHAPE_LINEAR)
		fill_linear(&b, h);
	else
		fill_log2(&b, h);
	for (unsigned int i = 0; i < b.nr; i++)
		if (b.count[i] > most)
			most = b.count[i];
	for (unsigned int i = 0; i < b.nr; i++)
		put_bar(t, &b, i, most);
}

/* "1,204 recvfrom, 31.2 s: p50 ~1.2ms, p99 ~30ms, max 3.80s" */
static void put_sums(struct text *line, const struct row *row,
		     const struct hist *h)
{
	struct unit unit = words_unit(row->is.ns);
	static const unsigned int percents[] = { 50, 99 };
	uint64_t nr = hist_count(h);

	words_count(line, nr);
	text_add(line, " took ");
	words_time(line, unit, row->is.ns);
	text_add(line, " %s", unit.name);
	for (size_t i = 0; i < ARRAY_LEN(percents); i++) {
		struct percentile p = hist_percentile(h, percents[i],
						      row->is.max);

		text_add(line, "   p%u ", percents[i]);
		if (!p.known) {
			text_add(line, "?");
			continue;
		}
		text_add(line, "%s", p.exact ? "" : "~");
		words_duration(line, p.value);
	}
	text_add(line, "   max ");
	words_duration(line, row->is.max);
	if (row->is.count > nr + h->missing) {
		text_add(line, "   without an end ");
		words_count(line, row->is.count - nr - h->missing);
	}
	if (h->missing) {
		text_add(line, "   without room ");
		words_count(line, h->missing);
	}
}

static void put_what(struct text *line, const struct table *t,
		     const struct rows *rows, const struct row *row)
{
	const char *name = spent_call_name(row->call);

	row_put_key(line, t, row);
	switch (t->o->view) {
	case TABLE_SYSCALLS:
		text_add(line, "   %s", name ? name : "?");
		break;
	case TABLE_OFFCPU:
		text_add(line, "   ");
		words_waits_for(line, &t->w, rows, row, 0);
		break;
	case TABLE_CPU:
	case TABLE_FAULTS:
	case TABLE_COUNTED:
		break;
	}
}

static void put_hist(struct table *t, const struct rows *rows,
		     const struct row *row)
{
	const struct hist *h = rows_hist(rows, row);
	struct text line = { 0 };

	putc('\n', t->s.out);
	if (row == &rows->total)
		text_add(&line, "all");
	else
		put_what(&line, t, rows, row);
	screen_line(&t->s, &line);
	line = (struct text){ 0 };
	text_add(&line, "  ");
	put_sums(&line, row, h);
	screen_line(&t->s, &line);
	put_bars(t, h);
}

int table_put_hists(struct table *t, struct err *err)
{
	struct rows rows;
	struct text line = { 0 };
	uint32_t nr;
	int rc = rows_make(&rows, t->s.a, &t->q, err);

	if (rc)
		return rc;
	nr = t->o->limit && t->o->limit < rows.nr ? t->o->limit : rows.nr;
	for (uint32_t i = 0; i < nr; i++)
		if (t->o->by == BY_APP || t->o->by == BY_LINE ||
		    t->o->by == BY_FUNC)
			words_prefix_add(&t->w, rows.row[i].key);
	words_prefix_end(&t->w);
	put_hist(t, &rows, &rows.total);
	for (uint32_t i = 0; i < nr && rows.nr > 1; i++)
		put_hist(t, &rows, &rows.row[i]);
	text_add(&line, "~ is within %s", HIST_ERROR);
	if (nr < rows.nr)
		text_add(&line, "   %" PRIu32 " further row%s (--limit 0)",
			 rows.nr - nr, rows.nr - nr == 1 ? "" : "s");
	putc('\n', t->s.out);
	screen_line(&t->s, &line);
	rows_free(&rows);
	return 0;
}
