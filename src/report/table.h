/* SPDX-License-Identifier: MIT */
/*
 * table: the views cpu, offcpu, syscalls and faults: one query each (rows.h),
 * with its columns and its order.
 */
#ifndef PT_TABLE_VIEW_H
#define PT_TABLE_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/rows.h"
#include "base/err.h"

enum table_view { TABLE_CPU, TABLE_OFFCPU, TABLE_SYSCALLS, TABLE_FAULTS };

struct table_opts {
	enum table_view view;
	enum rows_by by;
	const char *sort;	/* a column; NULL: the view's first */
	unsigned int limit;	/* rows; 0: all */
	unsigned int width;	/* columns; 0: SCREEN_WIDTH */
	bool utc, no_paths, idle;
};

/* "app", "line", "func", "stack", "thread", "process". */
bool table_by(const char *name, enum rows_by *by);
/* Has the view a column of that name?  `names` gets all of them. */
bool table_has_column(enum table_view view, const char *name, char *names,
		      size_t size);

int table_put(FILE *out, const struct analysis *a,
	      const struct engine_totals *totals, const struct table_opts *o,
	      struct err *err) PT_MUST_CHECK;
int table_json(FILE *out, const struct analysis *a, const struct table_opts *o,
	       struct err *err) PT_MUST_CHECK;

/* The query of a view, to be asked by others. */
void table_query(const struct table_opts *o, struct rows_query *q);

#endif /* PT_TABLE_VIEW_H */
