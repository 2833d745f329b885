/* SPDX-License-Identifier: MIT */
/*
 * rows_json: the account, the total and the rows of a view (or the nodes of its
 * call tree), one JSON object a line.
 */
#ifndef PT_ROWS_JSON_H
#define PT_ROWS_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/rows.h"
#include "base/err.h"

struct rows_json_opts {
	const char *view;	/* its name */
	bool no_paths;
	bool no_total;
	bool tree;		/* nodes in place of rows */
	bool hists;		/* each row with its buckets; query->hists */
	unsigned int interval;	/* its number, with -I; 0: the whole */
	/* The rows are of CELL_COUNTED, of this one; else NULL.  Without an
	 * account: there is no time in it. */
	const struct counter_info *counter;
};

int rows_json_view(FILE *out, const struct analysis *a,
		   const struct rows_query *q, const struct rows_json_opts *o,
		   struct err *err) PT_MUST_CHECK;

/* Without a view: causes by line of the application. */
int rows_json_put(FILE *out, const struct analysis *a, bool no_paths,
		  unsigned int interval, struct err *err) PT_MUST_CHECK;

#endif /* PT_ROWS_JSON_H */
