/* SPDX-License-Identifier: MIT */
/*
 * faults_text: what stands above and below a table of page faults: their kinds,
 * the memory that they gave, the processes and how old these were.
 */
#include <inttypes.h>

#include "report/table_priv.h"

#define PROCESSES_MAX	4

static void put_counts(struct table *t, const struct row *all)
{
	static const uint32_t order[] = {
		PT_FAULT_COW, PT_FAULT_FIRST_TOUCH, PT_FAULT_FILE,
		PT_FAULT_SWAP, PT_FAULT_OTHER,
	};
	struct text line = { 0 };
	const char *between = " = ";

	text_add(&line, "faults  ");
	words_count(&line, all->is.count);
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		if (!all->faults.kind[order[i]])
			continue;
		text_add(&line, "%s%s ", between, fault_words(order[i]));
		words_count(&line, all->faults.kind[order[i]]);
		between = " + ";
	}
	text_add(&line, "   major ");
	words_count(&line, all->faults.major);
	screen_line(&t->s, &line);
}

static void put_memory(struct table *t, const struct row *all)
{
	struct text line = { 0 };

	text_add(&line, "memory  private ");
	words_size(&line, all->faults.private_bytes);
	text_add(&line, " (copy on write)   resident %s",
		 all->faults.no_size ? "\xe2\x89\xa5" : "");
	words_size(&line, all->faults.resident_bytes);
	if (all->faults.no_size) {
		text_add(&line, " (");
		words_count(&line, all->faults.no_size);
		text_add(&line, " of unknown size)");
	}
	screen_line(&t->s, &line);
}

/* Of some the end is not seen: they took longer than what is known. */
static void put_time(struct table *t, const struct rows *rows)
{
	const struct row *all = &rows->total;
	const struct hist *h = rows_hist(rows, all);
	struct unit unit = words_unit(all->is.ns);
	struct text line = { 0 };

	text_add(&line, "time    in faults %s",
		 h && hist_count(h) + h->missing < all->is.count ?
		 "\xe2\x89\xa5" : "");
	words_time(&line, unit, all->is.ns);
	text_add(&line, " %s", unit.name);
	if (t->s.m->off == EXACT) {
		unit = words_unit(t->s.m->account.busy[SPENT_FAULT]);
		text_add(&line, "   blocked in them ");
		words_time(&line, unit, t->s.m->account.busy[SPENT_FAULT]);
		text_add(&line, " %s", unit.name);
	}
	screen_line(&t->s, &line);
}

void faults_put_head(struct table *t, const struct rows *rows)
{
	put_counts(t, &rows->total);
	put_memory(t, &rows->total);
	put_time(t, rows);
}

/* "by age of the process:  0-1 s 71.0 %   1-5 s 22.0 %" */
static int put_shares(struct table *t, enum rows_by by, const char *head,
		      struct err *err)
{
	struct rows_query q = t->q;
	struct text line = { 0 };
	struct rows rows;
	int rc;

	q.by = by;
	q.by_gc = q.hists = false;
	rc = rows_make(&rows, t->s.a, &q, err);
	if (rc)
		return rc;
	text_add(&line, "%s", head);
	for (uint32_t i = 0; i < rows.nr; i++) {
		struct table one = *t;
		uint64_t count = rows.row[i].is.count;

		if (i == PROCESSES_MAX && rows.nr > PROCESSES_MAX + 1 &&
		    by == BY_PROCESS) {
			text_add(&line, "   and %" PRIu32 " more (--by process)",
				 rows.nr - i);
			break;
		}
		one.q.by = by;
		text_add(&line, "   ");
		row_put_key(&line, &one, &rows.row[i]);
		text_add(&line, "  ");
		if (by == BY_AGE) {
			words_share(&line, count, rows.total.is.count);
			text_add(&line, " %%");
		} else {
			words_count(&line, count);
		}
	}
	screen_line(&t->s, &line);
	rows_free(&rows);
	return 0;
}

/* Copies that only the collector's own marks made necessary. */
static void put_note(struct table *t)
{
	uint64_t copies = 0, all = 0;
	struct text line = { 0 };

	for (uint32_t i = 1; i <= model_cells(t->s.a); i++) {
		struct cell c;

		model_cell(t->s.a, i, &c);
		if (c.key->kind != CELL_FAULTS || c.left_out ||
		    !table_wants(&c, t))
			continue;
		all += c.is.count;
		if (c.key->call == PT_FAULT_COW && c.key->flags & FAULT_IN_GC)
			copies += c.is.count;
	}
	if (copies * 10 < all)
		return;
	text_add(&line, "note: the collector wrote to shared pages: gc.freeze() "
		 "before forking helps");
	screen_line(&t->s, &line);
}

int faults_put_foot(struct table *t, struct err *err)
{
	int rc = 0;

	if (t->o->by != BY_AGE)
		rc = put_shares(t, BY_AGE, "by age of the process:", err);
	if (!rc && t->o->by != BY_PROCESS)
		rc = put_shares(t, BY_PROCESS, "by process:", err);
	put_note(t);
	return rc;
}
