/* SPDX-License-Identifier: MIT */
/*
 * calls_shapes: calls as a tree of who called whom, and as histograms.
 *
 *	   total    self    calls     max
 *	  ≥7.00ms  1.00ms        1  ≥7.0ms  main  web.py:10
 *	   6.00ms  1.60ms        2  5.60ms  └ walk  tree.py:20
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "report/calls_priv.h"
#include "report/words.h"

#define LEVELS_MAX 40U		/* drawn; deeper ones share the last column */

/* ---- tree ------------------------------------------------------------------------ */

struct drawing {
	FILE *out;
	const struct calls_report *r;
	const struct call_node *node;
	uint32_t nr;
	bool *shown;
	uint32_t *first, *next;		/* children, in order; 0: none */
};

struct heavy {
	uint64_t weight;
	uint32_t nr;
};

static int lightest_first(const void *x, const void *y)
{
	const struct heavy *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight < b->weight ? -1 : 1;
	return a->nr > b->nr ? -1 : a->nr < b->nr;
}

/* The heaviest, with all above them; and the children of each in order. */
static bool arrange(struct drawing *d, uint32_t *left_out)
{
	struct heavy *w = calloc(d->nr, sizeof(*w));
	uint32_t limit = d->r->limit ? d->r->limit : d->nr, shown = 0;

	d->shown = calloc(d->nr, sizeof(*d->shown));
	d->first = calloc(d->nr, sizeof(*d->first));
	d->next = calloc(d->nr, sizeof(*d->next));
	if (!w || !d->shown || !d->first || !d->next) {
		free(w);
		return false;
	}
	for (uint32_t i = 0; i < d->nr; i++)
		w[i] = (struct heavy){ call_value(call_sorted(d->r),
						  &d->node[i].is, NULL), i };
	qsort(w, d->nr, sizeof(*w), lightest_first);
	for (uint32_t i = d->nr; i-- && shown < limit;)
		for (uint32_t n = w[i].nr; n != CALLS_ROOT && !d->shown[n];
		     n = d->node[n].parent) {
			d->shown[n] = true;
			shown++;
		}
	for (uint32_t i = 0; i < d->nr; i++) {
		uint32_t n = w[i].nr, by = d->node[n].parent;

		if (n == CALLS_ROOT || !d->shown[n])
			continue;
		d->next[n] = d->first[by];
		d->first[by] = n;
	}
	*left_out = d->nr - 1 - shown;
	free(w);
	return true;
}

static void put_node(struct drawing *d, uint32_t n, uint32_t level)
{
	uint32_t all;
	const struct call_row *row = calls_rows(d->r->calls, &all);
	size_t used = call_put_values(d->out, d->r, &d->node[n].is, NULL);
	struct text line = { 0 };

	for (uint32_t i = 1; i < level && i < LEVELS_MAX; i++)
		text_add(&line, "  ");
	if (level)
		text_add(&line, "%s ", d->next[n] ? "\xe2\x94\x9c" : "\xe2\x94\x94");
	if (d->node[n].row == CALLS_OTHERS)
		text_add(&line, "(others, for want of memory)");
	else
		call_put_name(&line, d->r, &row[d->node[n].row]);
	text_cut(&line, d->r->width > used ? d->r->width - used : 0);
	fprintf(d->out, "%.*s\n", (int)line.len, line.s);
}

/* Not by recursion: a stream says how deep it is. */
static void draw(struct drawing *d)
{
	uint32_t n = d->first[CALLS_ROOT], level = 0;

	while (n) {
		put_node(d, n, level);
		if (d->first[n]) {
			n = d->first[n];
			level++;
			continue;
		}
		while (n && !d->next[n]) {
			n = d->node[n].parent;
			level--;
			if (n == CALLS_ROOT)
				return;
		}
		n = d->next[n];
	}
}

int calls_put_tree(FILE *out, const struct calls_report *r, struct err *err)
{
	struct drawing d = { .out = out, .r = r };
	uint32_t left_out = 0;
	bool ok;

	d.node = calls_nodes(r->calls, &d.nr);
	ok = arrange(&d, &left_out);
	if (ok) {
		call_put_heads(out, r);
		fputs("function, and what it called\n", out);
		draw(&d);
	}
	if (left_out)
		fprintf(out, "%" PRIu32 " more nodes (--limit 0 shows all)\n",
			left_out);
	free(d.shown);
	free(d.first);
	free(d.next);
	return ok ? 0 : err_set(err, -ENOMEM, "out of memory");
}

/* ---- histograms --------------------------------------------------------------------- */

#define OCTAVES	64
#define BAR	40U

static unsigned int octave_of(uint64_t ns)
{
	unsigned int n = 0;

	while (ns >>= 1)
		n++;
	return n;
}

static void put_bar(FILE *out, unsigned int octave, uint64_t count,
		    uint64_t most)
{
	struct text from = { 0 }, to = { 0 }, n = { 0 };
	unsigned int bar = (unsigned int)((double)count * BAR / (double)most + .5);

	words_duration(&from, octave ? UINT64_C(1) << octave : 0);
	words_duration(&to, octave < 63 ? UINT64_C(2) << octave : UINT64_MAX);
	words_count(&n, count);
	fprintf(out, "  %8s  %8s  %11s  |", from.s, to.s, n.s);
	for (unsigned int i = 0; i < BAR; i++)
		putc(i < bar ? '#' : ' ', out);
	fputs("|\n", out);
}

static void put_bars(FILE *out, const struct hist *h)
{
	uint64_t count[OCTAVES] = { 0 }, most = 1;
	unsigned int from = OCTAVES, to = 0;

	for (uint32_t i = 0; i < h->nr; i++) {
		unsigned int at = octave_of(hist_middle(h->bar[i].bucket));

		count[at] += h->bar[i].count;
		most = count[at] > most ? count[at] : most;
		from = at < from ? at : from;
		to = at > to ? at : to;
	}
	for (unsigned int i = from; i <= to; i++)
		put_bar(out, i, count[i], most);
}

static void put_hist(FILE *out, const struct calls_report *r,
		     const struct call_row *row, bool others)
{
	struct text name = { 0 };

	if (others)
		text_add(&name, "(others, for want of memory)");
	else
		call_put_name(&name, r, row);
	text_cut(&name, r->width);
	fprintf(out, "\n%.*s\n", (int)name.len, name.s);
	call_put_heads(out, r);
	putc('\n', out);
	call_put_values(out, r, &row->is, &row->hist);
	putc('\n', out);
	if (hist_count(&row->hist))
		put_bars(out, &row->hist);
	else
		fputs("  (no run of it from begin to end)\n", out);
}

int calls_put_hists(FILE *out, const struct calls_report *r, struct err *err)
{
	uint32_t nr, shown, all;
	uint32_t *order = call_order_rows(r, &nr);
	const struct call_row *row = calls_rows(r->calls, &all);

	if (!order)
		return err_set(err, -ENOMEM, "out of memory");
	shown = r->limit && r->limit < nr ? r->limit : nr;
	for (uint32_t i = 0; i < shown; i++)
		put_hist(out, r, &row[order[i]], order[i] == CALLS_OTHERS);
	if (shown < nr)
		fprintf(out, "\n%" PRIu32 " more (--limit 0 shows all)\n",
			nr - shown);
	free(order);
	return 0;
}
