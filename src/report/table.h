/* SPDX-License-Identifier: MIT */
/*
 * table: the views cpu, offcpu, syscalls and faults: one query each (rows.h),
 * with its columns and its order, as a table, a call tree or histograms.
 */
#ifndef PT_TABLE_VIEW_H
#define PT_TABLE_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/rows.h"
#include "base/err.h"
#include "report/filter.h"

enum table_view {
	TABLE_CPU, TABLE_OFFCPU, TABLE_SYSCALLS, TABLE_FAULTS,
	TABLE_COUNTED,		/* cpu -e COUNTER: events by line */
};

enum table_shape {
	SHAPE_ROWS,
	SHAPE_TREE,		/* along the stacks, outermost frame first */
	SHAPE_HIST,		/* how long each took: powers of two */
	SHAPE_LINEAR,		/* the same, steps of one length */
};

struct table_opts {
	enum table_view view;
	enum table_shape shape;
	enum rows_by by;
	const char *sort;	/* a column; NULL: the view's first */
	unsigned int limit;	/* rows; 0: all */
	unsigned int width;	/* columns; 0: SCREEN_WIDTH */
	const struct filter *funcs;	/* -F; NULL: all */
	const char *counter;	/* TABLE_COUNTED: its name */
	unsigned int interval;	/* its number from 1, with -I; 0: the whole */
	bool utc, no_paths, idle;
};

/* "app", "line", "func", "stack", "thread", "process", "age". */
bool table_by(const char *name, enum rows_by *by);
/*
 * Has the view such a column, in that shape?  `names` gets all that it has.
 */
bool table_has_column(enum table_view view, enum table_shape shape,
		      const char *name, char *names, size_t size);
/* Can it be shown so?  A sentence why not, or NULL. */
const char *table_refuses(enum table_view view, enum table_shape shape,
			  enum rows_by by);

/* ERR_NOTHING: the stream has no such counter. */
int table_put(FILE *out, const struct analysis *a,
	      const struct engine_totals *totals, const struct table_opts *o,
	      struct err *err) PT_MUST_CHECK;
int table_json(FILE *out, const struct analysis *a, const struct table_opts *o,
	       struct err *err) PT_MUST_CHECK;

#endif /* PT_TABLE_VIEW_H */
