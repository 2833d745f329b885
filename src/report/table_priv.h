/* SPDX-License-Identifier: MIT */
/* table_priv: what the shapes of a table share. */
#ifndef PT_TABLE_PRIV_H
#define PT_TABLE_PRIV_H

#include "analysis/tree.h"
#include "report/pick.h"
#include "report/screen_priv.h"
#include "report/table.h"

enum column {
	COL_TIME, COL_COUNT, COL_SAMPLES, COL_FAULTS, COL_ERRORS, COL_P50,
	COL_P99, COL_MAX, COL_BYTES, COL_COW, COL_MAJOR, COL_PRIVATE,
	COL_RESIDENT, COL_EVENTS,
};

#define VIEW_COLUMNS 7

/* A column, and how wide a report must be to have it. */
struct view_column {
	enum column is;
	unsigned int least;
};

struct view {
	const char *name;
	unsigned int kind;		/* 1 << CELL_* */
	struct view_column column[VIEW_COLUMNS]; /* a share is of the first */
	size_t nr;
	bool (*wants)(const struct cell *c);
	const char *what;		/* head of the last column */
	size_t what_columns;
	uint32_t events;		/* 1 << PT_*: what it is made of */
	const char *none;		/* when there are no rows */
};

struct table {
	struct screen s;
	const struct table_opts *o;
	const struct view *v;
	struct words w;
	struct rows_query q;
	struct pick pick;
	const struct counter_info *counter;	/* TABLE_COUNTED; NULL: the
						 * stream has no such one */
};

/* table_columns.c */
const struct view *view_of(enum table_view view);
enum column column_sorted(const struct table_opts *o);
uint64_t column_value(enum column c, const struct rows *rows,
		      const struct row *row);
/* `rows` may be NULL: without percentiles. */
void column_put(const struct table *t, enum column c, const struct rows *rows,
		const struct row *row);
void column_head(const struct table *t, enum column c);
size_t column_width(enum column c);	/* the blank before it, too */
bool column_shown(const struct table *t, size_t i);
/* Share and columns of a row; the columns that it took. */
size_t columns_put(const struct table *t, const struct rows *rows,
		   const struct row *row, const struct row *total);
size_t columns_head(const struct table *t);

/* table.c */
bool table_wants(const struct cell *c, const void *arg);
void table_begin(struct table *t, const struct analysis *a,
		 const struct table_opts *o);
void table_end(struct table *t);
void put_place_words(struct text *t, const struct words *w, uint32_t place);
/* "[kernel] futex_wait" */
void put_kernel_func(struct text *t, const struct table *table, uint32_t string);

/* table_rows.c, tree_text.c, hist_text.c, faults_text.c */
int table_put_rows(struct table *t, struct err *err);
int table_put_tree(struct table *t, struct err *err);
int table_put_hists(struct table *t, struct err *err);
void faults_put_head(struct table *t, const struct rows *rows);
int faults_put_foot(struct table *t, struct err *err);
/* What tells a row from others, but for its columns. */
void row_put_key(struct text *t, const struct table *table,
		 const struct row *row);

#endif /* PT_TABLE_PRIV_H */
