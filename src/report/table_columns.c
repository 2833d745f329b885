/* SPDX-License-Identifier: MIT */
/* table_columns: which columns each view has, and what stands in them. */
#include <inttypes.h>

#include "report/table_priv.h"

static const struct {
	const char *name;
	int width;
} columns[] = {
	[COL_TIME] = { "time", 8 },
	[COL_COUNT] = { "count", 8 },
	[COL_SAMPLES] = { "samples", 8 },
	[COL_FAULTS] = { "faults", 8 },
	[COL_ERRORS] = { "errors", 6 },
	[COL_P50] = { "p50", 7 },
	[COL_P99] = { "p99", 7 },
	[COL_MAX] = { "max", 6 },
	[COL_BYTES] = { "bytes", 7 },
	[COL_COW] = { "cow", 8 },
	[COL_MAJOR] = { "major", 6 },
	[COL_PRIVATE] = { "private", 8 },
	[COL_RESIDENT] = { "resident", 8 },
	[COL_EVENTS] = { "events", 9 },
};

static bool is_cpu(const struct cell *c)
{
	return c->key->cause == SPENT_CPU_USER ||
	       c->key->cause == SPENT_CPU_KERNEL;
}

static bool is_off(const struct cell *c)
{
	return !is_cpu(c);
}

static const struct view views[] = {
	[TABLE_CPU] = { "cpu", 1u << CELL_TIME,
		{ { COL_TIME, 0 }, { COL_SAMPLES, 0 } }, 2, is_cpu,
		"", 21, 1u << PT_OFFCPU, "nothing was on a CPU" },
	[TABLE_OFFCPU] = { "offcpu", 1u << CELL_TIME,
		{ { COL_TIME, 0 }, { COL_COUNT, 0 }, { COL_P50, 120 },
		  { COL_P99, 100 }, { COL_MAX, 0 } }, 5, is_off,
		"waits for", 24, 1u << PT_OFFCPU, "nothing had to wait" },
	[TABLE_SYSCALLS] = { "syscalls", 1u << CELL_CALLS,
		{ { COL_TIME, 0 }, { COL_COUNT, 0 }, { COL_ERRORS, 120 },
		  { COL_P50, 100 }, { COL_P99, 0 }, { COL_MAX, 0 },
		  { COL_BYTES, 100 } }, 7, NULL, "call", 15,
		1u << PT_SYSCALL, "no system call was made" },
	[TABLE_FAULTS] = { "faults", 1u << CELL_FAULTS,
		{ { COL_FAULTS, 0 }, { COL_COW, 0 }, { COL_PRIVATE, 0 },
		  { COL_RESIDENT, 0 }, { COL_MAJOR, 100 } }, 5, NULL,
		"kind", 16, 1u << PT_FAULT, "no page fault happened" },
	[TABLE_COUNTED] = { "cpu", 1u << CELL_COUNTED,
		{ { COL_EVENTS, 0 }, { COL_SAMPLES, 0 } }, 2, NULL, "", 21,
		1u << PT_NAMED, "none was counted" },
};

const struct view *view_of(enum table_view view)
{
	return &views[view];
}

/* ---- names ---------------------------------------------------------------- */

bool table_by(const char *name, enum rows_by *by)
{
	static const struct {
		const char *name;
		enum rows_by by;
	} names[] = {
		{ "app", BY_APP }, { "line", BY_LINE }, { "func", BY_FUNC },
		{ "stack", BY_STACK }, { "thread", BY_THREAD },
		{ "process", BY_PROCESS }, { "age", BY_AGE },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(name, names[i].name))
			continue;
		*by = names[i].by;
		return true;
	}
	return false;
}

static bool is_percentile(enum column c)
{
	return c == COL_P50 || c == COL_P99;
}

bool table_has_column(enum table_view view, enum table_shape shape,
		      const char *name, char *names, size_t size)
{
	const struct view *v = &views[view];
	size_t len = 0;
	bool has = false;

	names[0] = '\0';
	for (size_t i = 0; i < v->nr && len < size; i++) {
		const char *column = columns[v->column[i].is].name;

		if (shape == SHAPE_TREE && is_percentile(v->column[i].is))
			continue;
		len += (size_t)snprintf(names + len, size - len, "%s%s",
					i ? ", " : "", column);
		has |= !strcmp(name, column);
	}
	return has;
}

const char *table_refuses(enum table_view view, enum table_shape shape,
			  enum rows_by by)
{
	if (by == BY_AGE && view != TABLE_FAULTS)
		return "--by age is for faults: how old a process was";
	if ((view == TABLE_CPU || view == TABLE_COUNTED) &&
	    (shape == SHAPE_HIST || shape == SHAPE_LINEAR))
		return "--hist shows how long things took; samples took no time";
	return NULL;
}

enum column column_sorted(const struct table_opts *o)
{
	const struct view *v = &views[o->view];

	for (size_t i = 0; o->sort && i < v->nr; i++)
		if (!strcmp(o->sort, columns[v->column[i].is].name))
			return v->column[i].is;
	return v->column[0].is;
}

/* ---- values --------------------------------------------------------------- */

static struct percentile percentile_of(enum column c, const struct rows *rows,
				       const struct row *row)
{
	const struct hist *h = rows ? rows_hist(rows, row) : NULL;

	if (!h)
		return (struct percentile){ 0 };
	return hist_percentile(h, c == COL_P50 ? 50 : 99, row->is.max);
}

uint64_t column_value(enum column c, const struct rows *rows,
		      const struct row *row)
{
	switch (c) {
	case COL_TIME:
		return row->is.ns;
	case COL_COUNT:
	case COL_SAMPLES:
	case COL_FAULTS:
		return row->is.count;
	case COL_ERRORS:
		return row->is.errors;
	case COL_P50:
	case COL_P99:
		return percentile_of(c, rows, row).value;
	case COL_MAX:
		return row->is.max;
	case COL_BYTES:
		return row->is.bytes;
	case COL_COW:
		return row->faults.kind[PT_FAULT_COW];
	case COL_MAJOR:
		return row->faults.major;
	case COL_PRIVATE:
		return row->faults.private_bytes;
	case COL_EVENTS:
		return row->is.events;
	case COL_RESIDENT:
		break;
	}
	return row->faults.resident_bytes;
}

static void put_percentile(struct text *t, enum column c,
			   const struct rows *rows, const struct row *row)
{
	struct percentile p = percentile_of(c, rows, row);

	if (!p.known) {
		text_add(t, row->is.count ? "?" : "-");
		return;
	}
	text_add(t, "%s", p.exact ? "" : "~");
	words_duration(t, p.value);
}

static void put_value(struct text *t, const struct table *table, enum column c,
		      const struct rows *rows, const struct row *row)
{
	/* (faults are never left out) */
	bool thinned = row->kind != CELL_FAULTS &&
		       model_is_thinned(table->s.m);

	switch (c) {
	case COL_TIME:
		text_add(t, "%s", row->estimate_ns || thinned ? "~" : "");
		words_time(t, table->s.unit, row->is.ns);
		break;
	case COL_P50:
	case COL_P99:
		put_percentile(t, c, rows, row);
		break;
	case COL_MAX:
		words_duration(t, row->is.max);
		break;
	case COL_BYTES:
	case COL_PRIVATE:
		words_size(t, column_value(c, rows, row));
		break;
	case COL_RESIDENT:		/* some can be more than a page */
		text_add(t, "%s", row->faults.no_size ? "\xe2\x89\xa5" : "");
		words_size(t, row->faults.resident_bytes);
		break;
	case COL_EVENTS:
		text_add(t, "%s", counter_is_exact(table->counter) ? "" : "~");
		words_amount(t, row->is.events);
		break;
	case COL_COUNT:
	case COL_SAMPLES:
	case COL_FAULTS:
	case COL_ERRORS:
	case COL_COW:
	case COL_MAJOR:
		text_add(t, "%s", thinned ? "~" : "");
		words_count(t, column_value(c, rows, row));
		break;
	}
}

void column_put(const struct table *t, enum column c, const struct rows *rows,
		const struct row *row)
{
	struct text text = { 0 };
	size_t is;

	put_value(&text, t, c, rows, row);
	is = columns_of(text.s, text.len);
	fprintf(t->s.out, " %*s%s", is < (size_t)columns[c].width ?
		(int)((size_t)columns[c].width - is) : 0, "", text.s);
}

void column_head(const struct table *t, enum column c)
{
	char name[16];

	snprintf(name, sizeof(name), c == COL_TIME ? "%s %s" : "%s",
		 columns[c].name, t->s.unit.name);
	fprintf(t->s.out, " %*s", columns[c].width, name);
}

size_t column_width(enum column c)
{
	return 1 + (size_t)columns[c].width;
}

bool column_shown(const struct table *t, size_t i)
{
	if (t->o->shape == SHAPE_TREE && is_percentile(t->v->column[i].is))
		return false;
	return t->s.width >= t->v->column[i].least;
}

size_t columns_put(const struct table *t, const struct rows *rows,
		   const struct row *row, const struct row *total)
{
	const struct view *v = t->v;
	struct text share = { 0 };
	size_t used = 7;

	words_share(&share, column_value(v->column[0].is, rows, row),
		    column_value(v->column[0].is, rows, total));
	fprintf(t->s.out, "%5s %%", share.s);
	for (size_t i = 0; i < v->nr; i++) {
		if (!column_shown(t, i))
			continue;
		column_put(t, v->column[i].is, rows, row);
		used += column_width(v->column[i].is);
	}
	fputs("  ", t->s.out);
	return used + 2;
}

size_t columns_head(const struct table *t)
{
	size_t used = 7;

	fputs("\n  share", t->s.out);
	for (size_t i = 0; i < t->v->nr; i++) {
		if (!column_shown(t, i))
			continue;
		column_head(t, t->v->column[i].is);
		used += column_width(t->v->column[i].is);
	}
	fputs("  ", t->s.out);
	return used + 2;
}
