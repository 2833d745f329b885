/* SPDX-License-Identifier: MIT */
/* storms: events that cost little time but stand out by their number. */
#include <inttypes.h>

#include "report/screen_priv.h"

#define CALLS_A_SECOND	10000
#define FAULTS_A_SECOND	1000

static uint64_t rate_of(const struct screen *s, uint64_t count)
{
	double seconds = (double)(s->m->end - s->m->begin) / 1e9;

	/* a burst at the start of a short program is no storm */
	return (uint64_t)((double)count / (seconds > 1 ? seconds : 1));
}

const char *fault_words(uint32_t kind)
{
	static const char *const words[] = {
		[PT_FAULT_OTHER] = "other", [PT_FAULT_COW] = "copy on write",
		[PT_FAULT_FIRST_TOUCH] = "first touch",
		[PT_FAULT_FILE] = "file", [PT_FAULT_SWAP] = "swap",
	};

	return kind < ARRAY_LEN(words) ? words[kind] : "other";
}

static void put_storm(struct screen *s, const struct words *w,
		      const struct rows *rows, const struct row *row,
		      uint64_t rate)
{
	const struct detail *what = rows_detail(rows, row, DETAIL_CALL);
	struct text t = { 0 }, line = { 0 }, call = { 0 };
	const char *name = spent_call_name((uint16_t)what->value);

	text_add(&t, "   events         %8" PRIu64 "  ", row->is.count);
	if (model_place(s->a, row->key)) {
		words_line(&line, w, row->key);
		text_add(&line, " ");
		words_func(&line, w, row->key);
	} else {
		text_add(&line, row->key ? "(no Python frame)" :
			 "(line not known)");
	}
	words_count(&call, rate);
	text_add(&t, "%s  %s %s a second, mostly %s", line.s, call.s,
		 row->kind == CELL_CALLS ? "calls" : "page faults",
		 row->kind == CELL_FAULTS ? fault_words(what->value) :
		 name ? name : "?");
	screen_line(s, &t);
}

static uint64_t by_count(const struct rows *rows, const struct row *row,
			 const void *arg)
{
	(void)rows;
	(void)arg;
	return row->is.count;
}

static int put_kind(struct screen *s, const struct words *w,
		    enum cell_kind kind, uint64_t limit, uint64_t *worst,
		    struct err *err)
{
	const struct rows_query q = {
		.by = BY_APP, .kinds = 1u << kind, .order = by_count,
		.idle = true,
	};
	struct rows rows;
	uint64_t rate = 0;
	int rc = rows_make(&rows, s->a, &q, err);

	if (rc)
		return rc;
	if (rows.nr)
		rate = rate_of(s, rows.row[0].is.count);
	if (rate > limit && s->lines + 3 <= SCREEN_LINES) {
		*worst = rate;
		put_storm(s, w, &rows, &rows.row[0], rate);
	}
	rows_free(&rows);
	return 0;
}

int storms_put(struct screen *s, const struct words *w, struct err *err)
{
	int rc = put_kind(s, w, CELL_CALLS, CALLS_A_SECOND, &s->storm_calls,
			  err);

	return rc ? rc : put_kind(s, w, CELL_FAULTS, FAULTS_A_SECOND,
				  &s->storm_faults, err);
}
