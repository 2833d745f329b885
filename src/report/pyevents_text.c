/* SPDX-License-Identifier: MIT */
/* pyevents_text: collections and imports, as tables and a tree; as JSON. */
#include "report/pyevents_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"
#include "report/jsonw.h"
#include "report/words.h"

#define LEVELS_MAX 40U

static void put_ns(FILE *out, uint64_t ns, int width)
{
	struct text t = { 0 };

	words_duration(&t, ns);
	fprintf(out, "%*s", width, t.s);
}

static void put_number(FILE *out, uint64_t n, int width)
{
	struct text t = { 0 };

	words_amount(&t, n);
	fprintf(out, "%*s", width, t.s);
}

static uint64_t lost(const struct engine_totals *t)
{
	return t->lost_all - t->lost[PT_LOSS_NOT_PYTHON];
}

static void put_end(FILE *out, const struct pyevents_report *r)
{
	uint64_t left_out = pyevents_left_out(r->is);

	fprintf(out, "lost %" PRIu64, lost(r->totals));
	if (left_out)
		fprintf(out, ", no room for %" PRIu64, left_out);
	putc('\n', out);
}

/* Indices in order of `weight`, largest first; NULL: no memory. */
struct weighed {
	uint64_t weight;
	uint32_t nr;
};

static int by_weight(const void *x, const void *y)
{
	const struct weighed *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return a->nr < b->nr ? -1 : a->nr > b->nr;
}

static uint32_t shown_of(const struct pyevents_report *r, uint32_t nr)
{
	return r->limit && r->limit < nr ? r->limit : nr;
}

static void put_name(FILE *out, const struct pyevents_report *r,
		     const char *s, size_t used)
{
	struct text t = { 0 };

	text_name(&t, s, strlen(s));
	text_cut_start(&t, r->width > used ? r->width - used : 0);
	fprintf(out, "%.*s", (int)t.len, t.s);
}

/* ---- collections ------------------------------------------------------------------- */

static int by_generation(const void *x, const void *y)
{
	const struct gc_row *a = *(const struct gc_row *const *)x;
	const struct gc_row *b = *(const struct gc_row *const *)y;

	return a->generation < b->generation ? -1 :
	       a->generation > b->generation;
}

static void put_percentile(FILE *out, const struct gc_row *row,
			   unsigned int percent)
{
	struct percentile p = hist_percentile(&row->hist, percent, row->max_ns);
	struct text t = { 0 };

	if (p.known)
		words_duration(&t, p.value);
	else
		text_add(&t, "-");
	fprintf(out, "%*s%s", 9 - (int)t.len, p.known && !p.exact ? "~" : "",
		t.s);
}

static void put_gc_row(FILE *out, const struct gc_row *row)
{
	put_number(out, row->count, 9);
	if (row->generation < 0) {
		fprintf(out, "%9s%9s%9s%9s", "?", "-", "-", "?");
	} else {
		put_ns(out, row->ns, 9);
		put_percentile(out, row, 50);
		put_percentile(out, row, 99);
		put_ns(out, row->max_ns, 9);
	}
	put_number(out, row->collected, 11);
	if (row->generation < 0)
		fputs("  begin not seen\n", out);
	else
		fprintf(out, "  generation %" PRId64 "\n", row->generation);
}

/* Generations in order: an array of pointers into the rows. */
static const struct gc_row **sort_gc(const struct pyevents *p, uint32_t *nr)
{
	const struct gc_row *row = pyevents_gc(p, nr);
	const struct gc_row **sorted = calloc(*nr + 1, sizeof(*sorted));

	for (uint32_t i = 0; sorted && i < *nr; i++)
		sorted[i] = &row[i];
	if (sorted)
		qsort(sorted, *nr, sizeof(*sorted), by_generation);
	return sorted;
}

static int put_places(FILE *out, const struct pyevents_report *r)
{
	uint32_t nr;
	const struct gc_place *place = pyevents_places(r->is, &nr);
	struct weighed *w = calloc(nr + 1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		w[i] = (struct weighed){ place[i].ns, i };
	qsort(w, nr, sizeof(*w), by_weight);
	fprintf(out, "\n%9s%9s%9s  where\n", "count", "total", "max");
	for (uint32_t i = 0; i < shown_of(r, nr); i++) {
		const struct gc_place *p = &place[w[i].nr];

		put_number(out, p->count, 9);
		put_ns(out, p->ns, 9);
		put_ns(out, p->max_ns, 9);
		fputs("  ", out);
		put_name(out, r, p->text, 29);
		putc('\n', out);
	}
	if (shown_of(r, nr) < nr)
		fprintf(out, "%" PRIu32 " more places (--limit 0 shows all)\n",
			nr - shown_of(r, nr));
	free(w);
	return 0;
}

int pyevents_put_gc(FILE *out, const struct pyevents_report *r, struct err *err)
{
	uint32_t nr;
	const struct gc_row **row = sort_gc(r->is, &nr);

	if (!row)
		return err_set(err, -ENOMEM, "out of memory");
	fprintf(out, "%9s%9s%9s%9s%9s%11s  collections\n", "count", "total",
		"p50", "p99", "max", "collected");
	for (uint32_t i = 0; i < nr; i++)
		put_gc_row(out, row[i]);
	free(row);
	if (put_places(out, r))
		return err_set(err, -ENOMEM, "out of memory");
	put_end(out, r);
	return 0;
}

static void json_gc_row(struct jsonw *w, const struct gc_row *row)
{
	static const unsigned int percents[] = { 50, 99 };
	static const char *const keys[] = { "p50_ns", "p99_ns" };

	jsonw_open(w);
	jsonw_key_string(w, "type", "gc-row");
	jsonw_key(w, "generation");
	if (row->generation < 0)
		jsonw_null(w);
	else
		jsonw_int(w, row->generation);
	jsonw_key_uint(w, "count", row->count);
	jsonw_key_known(w, "ns", row->ns);
	jsonw_key_known(w, "max_ns", row->max_ns);
	for (size_t i = 0; i < ARRAY_LEN(percents); i++) {
		struct percentile p = hist_percentile(&row->hist, percents[i],
						      row->max_ns);

		jsonw_key_known(w, keys[i], p.known ? p.value : 0);
	}
	jsonw_key_uint(w, "collected", row->collected);
	jsonw_close(w);
}

int pyevents_json_gc(FILE *out, const struct pyevents_report *r,
		     struct err *err)
{
	uint32_t nr, places;
	const struct gc_row **row = sort_gc(r->is, &nr);
	const struct gc_place *place = pyevents_places(r->is, &places);
	struct jsonw w;
	int rc;

	if (!row)
		return err_set(err, -ENOMEM, "out of memory");
	rc = jsonw_init(&w, err);
	for (uint32_t i = 0; i < nr && !rc; i++) {
		json_gc_row(&w, row[i]);
		rc = jsonw_line(&w, out, err);
	}
	for (uint32_t i = 0; i < places && !rc; i++) {
		jsonw_open(&w);
		jsonw_key_string(&w, "type", "gc-place");
		jsonw_key_string(&w, "place", place[i].text);
		jsonw_key_uint(&w, "count", place[i].count);
		jsonw_key_uint(&w, "ns", place[i].ns);
		jsonw_key_uint(&w, "max_ns", place[i].max_ns);
		jsonw_close(&w);
		rc = jsonw_line(&w, out, err);
	}
	jsonw_fini(&w);
	free(row);
	return rc;
}

/* ---- imports ------------------------------------------------------------------------- */

static void put_import(FILE *out, const struct pyevents_report *r,
		       const struct import_node *it, uint32_t level)
{
	size_t indent = 2 * (level < LEVELS_MAX ? level : LEVELS_MAX);

	if (it->whole) {
		put_ns(out, it->ns, 9);
		put_ns(out, it->self_ns, 9);
	} else {
		fprintf(out, "%9s%9s", "?", "?");
	}
	fprintf(out, "  %*s", (int)indent, "");
	put_name(out, r, it->module, 20 + indent);
	fputs(it->found ? "\n" : "  (not found)\n", out);
}

/* By total time, each alone. */
static int put_import_rows(FILE *out, const struct pyevents_report *r)
{
	uint32_t nr;
	const struct import_node *it = pyevents_imports(r->is, &nr);
	struct weighed *w = calloc(nr + 1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		w[i] = (struct weighed){ it[i].ns, i };
	qsort(w, nr, sizeof(*w), by_weight);
	for (uint32_t i = 0; i < shown_of(r, nr); i++)
		put_import(out, r, &it[w[i].nr], 0);
	if (shown_of(r, nr) < nr)
		fprintf(out, "%" PRIu32 " more imports (--limit 0 shows all)\n",
			nr - shown_of(r, nr));
	free(w);
	return 0;
}

/* In the order in which they began: who leads to others stands before them. */
static int by_begin(const void *x, const void *y)
{
	const struct import_node *a = *(const struct import_node *const *)x;
	const struct import_node *b = *(const struct import_node *const *)y;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->t != b->t)
		return a->t < b->t ? -1 : 1;
	return a < b ? 1 : -1;		/* who ended later leads */
}

static uint32_t level_of(const struct import_node *all,
			 const struct import_node *it)
{
	uint32_t level = 0;

	for (; it->parent && level < LEVELS_MAX; level++)
		it = &all[it->parent - 1];
	return level;
}

/* Limited by time: what takes less than the N-th longest is left out. */
static uint64_t least_shown(const struct pyevents_report *r,
			    const struct import_node *it, uint32_t nr)
{
	struct weighed *w;
	uint64_t least;

	if (shown_of(r, nr) == nr)
		return 0;
	w = calloc(nr, sizeof(*w));
	if (!w)
		return 0;
	for (uint32_t i = 0; i < nr; i++)
		w[i] = (struct weighed){ it[i].ns, i };
	qsort(w, nr, sizeof(*w), by_weight);
	least = w[shown_of(r, nr) - 1].weight;
	free(w);
	return least;
}

static int put_import_tree(FILE *out, const struct pyevents_report *r)
{
	uint32_t nr, left_out = 0;
	const struct import_node *it = pyevents_imports(r->is, &nr);
	const struct import_node **by = calloc(nr + 1, sizeof(*by));
	uint64_t least = least_shown(r, it, nr);

	if (!by)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		by[i] = &it[i];
	qsort(by, nr, sizeof(*by), by_begin);
	for (uint32_t i = 0; i < nr; i++) {
		if (by[i]->ns >= least)
			put_import(out, r, by[i], level_of(it, by[i]));
		else
			left_out++;
	}
	if (left_out)
		fprintf(out, "%" PRIu32 " more imports (--limit 0 shows all)\n",
			left_out);
	free(by);
	return 0;
}

int pyevents_put_imports(FILE *out, const struct pyevents_report *r,
			 struct err *err)
{
	uint32_t nr;
	const struct import_node *it = pyevents_imports(r->is, &nr);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < nr; i++)
		sum += it[i].self_ns;
	fprintf(out, "%" PRIu32 " imports took ", nr);
	put_ns(out, sum, 0);
	fprintf(out, "\n\n%9s%9s  module\n", "total", "self");
	if (r->tree ? put_import_tree(out, r) : put_import_rows(out, r))
		return err_set(err, -ENOMEM, "out of memory");
	put_end(out, r);
	return 0;
}

int pyevents_json_imports(FILE *out, const struct pyevents_report *r,
			  struct err *err)
{
	uint32_t nr;
	const struct import_node *it = pyevents_imports(r->is, &nr);
	struct jsonw w;
	int rc = jsonw_init(&w, err);

	if (rc)
		return rc;
	for (uint32_t i = 0; i < nr && !rc; i++) {
		jsonw_open(&w);
		jsonw_key_string(&w, "type", "import-row");
		jsonw_key_uint(&w, "id", i + 1);
		jsonw_key_known(&w, "parent", it[i].parent);
		jsonw_key_string(&w, "module", strcmp(it[i].module, "?") ?
				 it[i].module : NULL);
		jsonw_key_uint(&w, "t", it[i].t);
		jsonw_key_known(&w, "tid", it[i].tid);
		jsonw_key_known(&w, "ns", it[i].ns);
		jsonw_key_known(&w, "self_ns", it[i].whole ? it[i].self_ns : 0);
		jsonw_key(&w, "found");
		jsonw_bool(&w, it[i].found);
		jsonw_close(&w);
		rc = jsonw_line(&w, out, err);
	}
	jsonw_fini(&w);
	return rc;
}
