/* SPDX-License-Identifier: MIT */
/*
 * screen_rows: the largest causes by line of the application, and what is known
 * of who ended them.
 */
#include <inttypes.h>

#include "report/screen_priv.h"

#define ROWS_MAX	5
#define LEAST_SHARE	50	/* a row is at least a fiftieth of busy */

static size_t code_columns(const struct screen *s)
{
	return s->width >= SCREEN_WIDTH ? 40 : 32;
}

static void put_place(struct screen *s, const struct words *w, uint32_t place)
{
	size_t columns = code_columns(s), line_columns;
	struct text line = { 0 }, func = { 0 };

	if (!place || place == ROW_NO_FRAMES) {
		text_add(&line, place ? "(no Python frame)" :
			 "(line not known)");
		text_put(s->out, &line, columns + 1);
		return;
	}
	words_line(&line, w, place);
	words_func(&func, w, place);
	line_columns = columns_of(line.s, line.len);
	if (line_columns > columns * 2 / 3)
		text_cut_start(&line, columns * 2 / 3);
	line_columns = columns_of(line.s, line.len);
	if (line_columns < columns / 2)
		line_columns = columns / 2;
	text_put(s->out, &line, line_columns + 1);
	text_cut(&func, columns - line_columns - 1);
	text_put(s->out, &func, columns - line_columns);
}

static void put_rows_head(struct screen *s, const struct words *w)
{
	struct text code = { 0 };

	text_add(&code, "your code");
	if (w->prefix[0]) {
		text_add(&code, " (in ");
		text_name(&code, w->prefix, strlen(w->prefix));
		text_add(&code, ")");
	}
	text_cut(&code, code_columns(s));
	fprintf(s->out, "\n #   %s       %2s  times  ",
		s->o.idle ? "time" : "busy", s->unit.name);
	text_put(s->out, &code, code_columns(s) + 1);
	fputs("waits for\n", s->out);
	s->lines += 2;
}

static void put_row_start(struct screen *s, unsigned int nr,
			  const struct row *row)
{
	struct text t = { 0 }, share = { 0 }, time = { 0 }, count = { 0 };

	words_share(&share, row->is.ns, s->base_ns);
	if (row->estimate_ns || model_is_thinned(s->m))
		text_add(&time, "~");
	words_time(&time, s->unit, row->is.ns);
	if (row->cause == SPENT_CPU_USER)
		text_add(&count, "-");
	else
		text_add(&count, "%" PRIu64, row->is.count);
	text_add(&t, "%2u %5s %% %7s %6s  ", nr, share.s, time.s, count.s);
	text_put(s->out, &t, 27);
}

void screen_end_line(struct screen *s, struct text *t, size_t used)
{
	if (s->width > used)
		text_cut(t, s->width - used);
	text_put(s->out, t, 0);
	putc('\n', s->out);
	s->lines++;
}

static const char *ended_by(uint8_t cause)
{
	if (cause == SPENT_LOCK || cause == SPENT_GIL)
		return "      released by";
	if (cause == SPENT_SOCKET || cause == SPENT_PIPE ||
	    cause == SPENT_POLL || cause == SPENT_PROCESS)
		return "      woken by";
	return NULL;
}

/* Who ended the waits, if that was mostly a thread that is known. */
static bool put_waker(struct screen *s, const struct words *w,
		      const struct rows *rows, const struct row *row)
{
	const struct detail *kind = rows_detail(rows, row, DETAIL_WAKER);
	const struct detail *place = rows_detail(rows, row, DETAIL_WAKER_PLACE);
	const struct detail *who = rows_detail(rows, row, DETAIL_WAKER_THREAD);
	const char *how = ended_by(row->cause);
	struct text t = { 0 };

	if (!how || !kind->all || kind->value != PT_WAKER_TASK ||
	    (!place->value && !who->value) || s->lines + 3 > SCREEN_LINES)
		return false;
	text_add(&t, "%s", how);
	text_put(s->out, &t, 27);
	put_place(s, w, place->value);
	t = (struct text){ 0 };
	if (who->value) {
		text_add(&t, "thread ");
		words_thread(&t, w, who->value);
	} else {
		text_add(&t, "outside the trace");
	}
	if (who->others)
		text_add(&t, " and %" PRIu32 " other%s", who->others,
			 who->others == 1 ? "" : "s");
	screen_end_line(s, &t, 27 + code_columns(s) + 1);
	return true;
}

/* What those did who had the lock. */
static void put_hold(struct screen *s, const struct words *w,
		     const struct rows *rows, const struct row *row,
		     bool named)
{
	const struct detail *hold = rows_detail(rows, row, DETAIL_HOLD);
	struct text t = { 0 }, head = { 0 };
	uint64_t percent;

	if (!hold->value || !hold->weight || s->lines + 3 > SCREEN_LINES)
		return;
	percent = (uint64_t)((double)hold->weight * 100 / (double)hold->all);
	text_add(&head, named ? "      who meanwhile was" :
		 "      who had it was");
	text_put(s->out, &head, 27);
	text_add(&t, "%" PRIu64 " %% ", percent);
	words_doing(&t, w, hold->value);
	screen_end_line(s, &t, 27);
}

static void put_row(struct screen *s, const struct words *w, unsigned int nr,
		    const struct rows *rows, const struct row *row)
{
	struct text t = { 0 };
	size_t used;

	put_row_start(s, nr, row);
	put_place(s, w, row->key);
	used = 27 + code_columns(s) + 1;
	words_waits_for(&t, w, rows, row, s->width > used ? s->width - used : 0);
	screen_end_line(s, &t, used);
	put_hold(s, w, rows, row, put_waker(s, w, rows, row));
}

/* A row that is worth a line: time whose line or cause is known, and enough. */
static bool is_worth(const struct screen *s, const struct row *row)
{
	return row->is.ns && row->cause != SPENT_UNKNOWN &&
	       row->is.ns >= s->base_ns / LEAST_SHARE;
}

static unsigned int put_rows(struct screen *s, struct words *w,
			     const struct rows *rows)
{
	unsigned int nr = 0;

	for (uint32_t i = 0; i < rows->nr && nr < ROWS_MAX; i++) {
		if (!is_worth(s, &rows->row[i]))
			continue;
		if (s->lines + 3 > SCREEN_LINES)
			break;
		if (!nr)
			put_rows_head(s, w);
		if (!nr++)
			s->first = rows->row[i];
		put_row(s, w, nr, rows, &rows->row[i]);
	}
	return nr;
}

int screen_rows(struct screen *s, struct err *err)
{
	const struct rows_query q = {
		.by = BY_APP, .kinds = 1u << CELL_TIME, .by_cause = true,
		.idle = s->o.idle,
	};
	struct words w = { .a = s->a, .no_paths = s->o.no_paths };
	struct rows rows;
	uint32_t nr = 0;
	int rc = rows_make(&rows, s->a, &q, err);

	if (rc)
		return rc;
	while (nr < rows.nr && nr < ROWS_MAX * 2 &&
	       rows.row[nr].is.ns >= s->base_ns / LEAST_SHARE)
		nr++;
	for (uint32_t i = 0; i < nr; i++)
		words_prefix_add(&w, rows.row[i].key);
	words_prefix_end(&w);
	s->nr_rows = put_rows(s, &w, &rows);
	rc = storms_put(s, &w, err);
	if (s->nr_rows && model_place(s->a, s->first.key)) {
		words_line(&s->first_line, &w, s->first.key);
		words_func(&s->first_func, &w, s->first.key);
	}
	rows_free(&rows);
	return rc;
}
