/* SPDX-License-Identifier: MIT */
/* calls_report: the table of what functions cost, and its columns. */
#include "report/calls_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event/eventset.h"
#include "report/calls_priv.h"
#include "report/words.h"

/* ---- columns ------------------------------------------------------------------ */

static const struct {
	const char *name;	/* as --sort and the head have it */
	int width;
} columns[] = {
	[CALL_TOTAL] = { "total", 8 },
	[CALL_SELF] = { "self", 8 },
	[CALL_CPU] = { "cpu", 8 },
	[CALL_CALLS] = { "calls", 9 },
	[CALL_RESUMES] = { "resumes", 9 },
	[CALL_SUSPENDED] = { "suspended", 10 },
	[CALL_P50] = { "p50", 8 },
	[CALL_P99] = { "p99", 8 },
	[CALL_MAX] = { "max", 8 },
};

const char *call_column_name(enum call_column c)
{
	return columns[c].name;
}

bool calls_has_column(const char *name, char *names, size_t size)
{
	bool found = false;
	size_t used = 0;

	names[0] = '\0';
	for (size_t i = 0; i < CALL_COLUMNS; i++) {
		int n = snprintf(names + used, size - used, "%s%s",
				 i ? ", " : "", columns[i].name);

		used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
		found |= !strcmp(columns[i].name, name);
	}
	return found;
}

bool calls_by_name(const char *name, enum calls_by *by)
{
	static const char *const names[] = {
		[CALLS_FUNC] = "func", [CALLS_THREAD] = "thread",
		[CALLS_PROCESS] = "process",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		*by = (enum calls_by)i;
		return true;
	}
	return false;
}

bool call_has_cpu(const struct calls_report *r)
{
	return calls_about(r->calls)->events & EVENTS_OF(PT_OFFCPU);
}

enum call_column call_sorted(const struct calls_report *r)
{
	for (unsigned int i = 0; r->sort && i < CALL_COLUMNS; i++)
		if (!strcmp(columns[i].name, r->sort))
			return (enum call_column)i;
	return CALL_TOTAL;
}

static uint64_t percentile(const struct hist *hist, unsigned int percent,
			   uint64_t max)
{
	struct percentile p = { 0 };

	if (hist)
		p = hist_percentile(hist, percent, max);
	return p.known ? p.value : 0;
}

bool call_is_exact(const struct hist *hist, unsigned int percent, uint64_t max)
{
	return hist_percentile(hist, percent, max).exact;
}

uint64_t call_value(enum call_column c, const struct call_sums *s,
		    const struct hist *hist)
{
	switch (c) {
	case CALL_TOTAL:
		return s->total_ns;
	case CALL_SELF:
		return s->self_ns;
	case CALL_CPU:
		return calls_cpu_ns(s);
	case CALL_CALLS:
		return s->calls;
	case CALL_RESUMES:
		return s->resumes;
	case CALL_SUSPENDED:
		return s->suspended_ns;
	case CALL_P50:
		return percentile(hist, 50, s->max_ns);
	case CALL_P99:
		return percentile(hist, 99, s->max_ns);
	case CALL_MAX:
		return s->max_ns;
	case CALL_COLUMNS:
		break;
	}
	return 0;
}

bool call_shown(const struct calls_report *r, enum call_column c)
{
	const struct call_sums *all = &calls_about(r->calls)->all;

	switch (c) {
	case CALL_CPU:
		return call_has_cpu(r);
	case CALL_RESUMES:
	case CALL_SUSPENDED:
		return all->resumes;
	case CALL_P50:
	case CALL_P99:
		return r->shape != CALLS_TREE;
	case CALL_SELF:
		return !r->filtered;
	case CALL_TOTAL:
	case CALL_CALLS:
	case CALL_MAX:
	case CALL_COLUMNS:
		break;
	}
	return true;
}

static void put_right(FILE *out, const struct text *t, int width)
{
	size_t is = columns_of(t->s, t->len);

	fprintf(out, "%*s%.*s", (size_t)width > is ? width - (int)is : 0, "",
		(int)t->len, t->s);
}

size_t call_put_heads(FILE *out, const struct calls_report *r)
{
	size_t used = 0;

	for (unsigned int i = 0; i < CALL_COLUMNS; i++) {
		if (!call_shown(r, (enum call_column)i))
			continue;
		fprintf(out, "%*s", columns[i].width,
			i == CALL_CPU ? "CPU" : columns[i].name);
		used += (size_t)columns[i].width;
	}
	fputs("  ", out);
	return used + 2;
}

/* Of what is a lower bound, or may be of several calls, it is said. */
static const char *mark_of(enum call_column c, const struct call_sums *s)
{
	bool sums = c == CALL_TOTAL || c == CALL_SELF;

	if (s->gaps && (sums || c == CALL_CALLS || c == CALL_CPU))
		return c == CALL_CALLS ? "≥" : "~";
	if ((s->cut && sums) || (c == CALL_MAX && s->max_cut))
		return "≥";
	return "";
}

static void value_text(struct text *t, enum call_column c,
		       const struct call_sums *s, const struct hist *hist)
{
	bool is_count = c == CALL_CALLS || c == CALL_RESUMES;
	bool needs_whole = c == CALL_P50 || c == CALL_P99;
	uint64_t v = call_value(c, s, hist);

	if (needs_whole && (!hist || !hist_count(hist))) {
		text_add(t, "-");
		return;
	}
	if ((c == CALL_RESUMES || c == CALL_SUSPENDED) && !v) {
		text_add(t, "-");
		return;
	}
	text_add(t, "%s", needs_whole && !call_is_exact(hist, c == CALL_P50 ?
							50 : 99, s->max_ns) ?
		 "~" : mark_of(c, s));
	if (is_count)
		words_amount(t, v);
	else
		words_duration(t, v);
}

size_t call_put_values(FILE *out, const struct calls_report *r,
		       const struct call_sums *s, const struct hist *hist)
{
	size_t used = 0;

	for (unsigned int i = 0; i < CALL_COLUMNS; i++) {
		struct text t = { 0 };

		if (!call_shown(r, (enum call_column)i))
			continue;
		value_text(&t, (enum call_column)i, s, hist);
		put_right(out, &t, columns[i].width);
		used += (size_t)columns[i].width;
	}
	fputs("  ", out);
	return used + 2;
}

/* ---- rows ---------------------------------------------------------------------- */

bool call_row_empty(const struct call_sums *s)
{
	return !s->calls && !s->resumes && !s->made;
}

/* The folder that all files of the application have in common. */
static size_t common_prefix(const struct calls *calls)
{
	uint32_t nr;
	const struct call_row *row = calls_rows(calls, &nr), *one = NULL;
	size_t len = 0;

	for (uint32_t i = 0; i < nr; i++) {
		size_t same = 0;

		if (!row[i].file || row[i].origin != ORIGIN_APP ||
		    row[i].file[0] != '/' || call_row_empty(&row[i].is))
			continue;
		if (!one) {
			one = &row[i];
			len = one->file_len;
		}
		while (same < len && same < row[i].file_len &&
		       row[i].file[same] == one->file[same])
			same++;
		len = same;
	}
	while (len && one->file[len - 1] != '/')
		len--;
	return len > 1 ? len : 0;
}

void call_put_name(struct text *t, const struct calls_report *r,
		   const struct call_row *row)
{
	const char *file = row->file, *from = file;

	if (row->pid) {
		text_add(t, "%" PRIu32 " ", row->pid);
		if (row->tid && !row->comm[0])
			text_add(t, "%" PRIu32, row->tid);
		text_name(t, row->comm, strlen(row->comm));
		return;
	}
	if (row->func)
		text_name(t, row->func, row->func_len);
	else
		text_add(t, "? (names not known)");
	text_add(t, "  ");
	if (file && row->origin != ORIGIN_APP)
		from = words_library_part(file);
	else if (file && file[0] == '/')
		from = file + r->prefix;
	if (file && from >= file && (size_t)(from - file) < row->file_len)
		text_name(t, from, row->file_len - (size_t)(from - file));
	else
		text_add(t, "?");
	if (row->def >= 0)
		text_add(t, ":%d", row->def);
}

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

uint32_t *call_order_rows(const struct calls_report *r, uint32_t *nr)
{
	uint32_t all, n = 0;
	const struct call_row *row = calls_rows(r->calls, &all);
	struct weighed *w = calloc(all, sizeof(*w));
	uint32_t *order = calloc(all, sizeof(*order));

	for (uint32_t i = 0; w && i < all; i++)
		if (!call_row_empty(&row[i].is))
			w[n++] = (struct weighed){
				call_value(call_sorted(r), &row[i].is,
					   &row[i].hist), i };
	if (w && n)
		qsort(w, n, sizeof(*w), by_weight);
	for (uint32_t i = 0; order && i < n; i++)
		order[i] = w[i].nr;
	if (!w) {
		free(order);
		order = NULL;
	}
	free(w);
	*nr = n;
	return order;
}

static void put_row(FILE *out, const struct calls_report *r, uint32_t nr)
{
	uint32_t all;
	const struct call_row *row = &calls_rows(r->calls, &all)[nr];
	size_t used = call_put_values(out, r, &row->is, &row->hist);
	struct text name = { 0 };

	if (nr == CALLS_OTHERS)
		text_add(&name, "(others, for want of memory)");
	else
		call_put_name(&name, r, row);
	text_cut(&name, r->width > used ? r->width - used : 0);
	fprintf(out, "%.*s\n", (int)name.len, name.s);
}

static int put_rows(FILE *out, const struct calls_report *r, struct err *err)
{
	static const char *const what[] = {
		[CALLS_FUNC] = "function", [CALLS_THREAD] = "thread",
		[CALLS_PROCESS] = "process",
	};
	uint32_t nr, shown;
	uint32_t *order = call_order_rows(r, &nr);

	if (!order)
		return err_set(err, -ENOMEM, "out of memory");
	shown = r->limit && r->limit < nr ? r->limit : nr;
	call_put_heads(out, r);
	fprintf(out, "%s\n", what[r->by]);
	for (uint32_t i = 0; i < shown; i++)
		put_row(out, r, order[i]);
	if (shown < nr)
		fprintf(out, "%" PRIu32 " more rows (--limit 0 shows all)\n",
			nr - shown);
	free(order);
	return 0;
}

int calls_put(FILE *out, const struct calls_report *report, struct err *err)
{
	struct calls_report with_prefix = *report, *r = &with_prefix;
	int rc = 0;

	r->prefix = common_prefix(r->calls);
	calls_put_head(out, r);
	if (!calls_about(r->calls)->first_t) {
		calls_put_foot(out, r);
		return 0;
	}
	if (r->shape != CALLS_HIST)	/* each begins with one */
		putc('\n', out);
	switch (r->shape) {
	case CALLS_ROWS:
		rc = put_rows(out, r, err);
		break;
	case CALLS_TREE:
		rc = calls_put_tree(out, r, err);
		break;
	case CALLS_HIST:
		rc = calls_put_hists(out, r, err);
		break;
	}
	calls_put_foot(out, r);
	return rc;
}
