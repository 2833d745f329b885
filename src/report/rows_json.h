/* SPDX-License-Identifier: MIT */
/*
 * rows_json: the account and the rows of a view, one JSON object a line.
 *
 * docs/EVENTS.md has the objects.
 */
#ifndef PT_ROWS_JSON_H
#define PT_ROWS_JSON_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "analysis/rows.h"

/* The default screen's: the account, and all of its rows without a limit. */
int rows_json_put(FILE *out, const struct analysis *a, bool no_paths,
		  struct err *err) PT_MUST_CHECK;

/* The account, and the rows of a query that view `name` asks. */
int rows_json_view(FILE *out, const struct analysis *a, const char *name,
		   const struct rows_query *q, bool no_paths,
		   struct err *err) PT_MUST_CHECK;

#endif /* PT_ROWS_JSON_H */
