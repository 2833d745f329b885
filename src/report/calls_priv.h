/* SPDX-License-Identifier: MIT */
/* calls_priv: what the shapes of a report of calls share. */
#ifndef PT_REPORT_CALLS_PRIV_H
#define PT_REPORT_CALLS_PRIV_H

#include "report/calls_report.h"
#include "report/columns.h"

enum call_column {
	CALL_TOTAL, CALL_SELF, CALL_CPU, CALL_CALLS, CALL_RESUMES,
	CALL_SUSPENDED, CALL_P50, CALL_P99, CALL_MAX,
	CALL_COLUMNS,
};

/* What a column is ordered by; `hist` may be NULL. */
uint64_t call_value(enum call_column c, const struct call_sums *s,
		    const struct hist *hist);
enum call_column call_sorted(const struct calls_report *r);
const char *call_column_name(enum call_column c);
/* Has the report this column?  A tree has no percentiles. */
bool call_shown(const struct calls_report *r, enum call_column c);
/* Its columns' heads, or values; the columns that it took. */
size_t call_put_heads(FILE *out, const struct calls_report *r);
size_t call_put_values(FILE *out, const struct calls_report *r,
		       const struct call_sums *s, const struct hist *hist);
/* "load  orm.py:30", "900 server". */
void call_put_name(struct text *t, const struct calls_report *r,
		   const struct call_row *row);
/* Rows or nodes by the sorted column, largest first; NULL: no memory. */
uint32_t *call_order_rows(const struct calls_report *r, uint32_t *nr);
/* Of a percentile; else within HIST_ERROR. */
bool call_is_exact(const struct hist *hist, unsigned int percent, uint64_t max);
bool call_has_cpu(const struct calls_report *r);
bool call_row_empty(const struct call_sums *s);

/* calls_head.c */
void calls_put_head(FILE *out, const struct calls_report *r);
void calls_put_foot(FILE *out, const struct calls_report *r);
/* calls_shapes.c */
int calls_put_tree(FILE *out, const struct calls_report *r, struct err *err);
int calls_put_hists(FILE *out, const struct calls_report *r, struct err *err);

#endif /* PT_REPORT_CALLS_PRIV_H */
