/* SPDX-License-Identifier: MIT */
/*
 * calls_report: what functions cost, as a table, a tree, histograms, JSON.
 *
 *	   total    self     CPU    calls    p50    p99     max  function
 *	  ≥6.0ms  1.60ms  2.50ms        2  2.20ms  3.2ms  3.20ms  load  orm.py:30
 */
#ifndef PT_CALLS_REPORT_H
#define PT_CALLS_REPORT_H

#include <stdio.h>

#include "analysis/calls.h"
#include "base/err.h"
#include "stack/verify.h"

enum calls_shape { CALLS_ROWS, CALLS_TREE, CALLS_HIST };

struct calls_report {
	const struct calls *calls;
	const struct engine_totals *totals;
	const struct shadow_totals *repairs;
	const struct verified *verified;	/* NULL: not asked for */
	enum calls_by by;
	enum calls_shape shape;
	const char *sort;	/* a column; NULL: total */
	unsigned int limit;	/* 0: all */
	unsigned int width;	/* columns */
	bool utc;
	bool filtered;		/* others than the rows' functions were not
				 * traced: who called them, and self, are unknown */
	size_t prefix;		/* of the application's files, cut: 0 at first */
};

/* Is there such a column?  `names` gets all there are. */
bool calls_has_column(const char *name, char *names, size_t size);
/* "func", "thread", "process". */
bool calls_by_name(const char *name, enum calls_by *by);

int calls_put(FILE *out, const struct calls_report *r, struct err *err)
	PT_MUST_CHECK;
int calls_json(FILE *out, const struct calls_report *r, struct err *err)
	PT_MUST_CHECK;

/*
 * One call that has ended, with its stack and what its thread did in it: a few
 * lines.  `events`: those that were traced, as in PT_BEGIN; `clock`: what to
 * add to its time for the time of day, or NULL.
 */
void calls_put_slow(FILE *out, const struct moment_step *ms, uint32_t events,
		    const int64_t *clock, bool utc);
/* The account of them at the end: lost, repaired, verified. */
void calls_put_slow_end(FILE *out, const struct calls_report *r,
			uint64_t slow, uint64_t slower_ns);

#endif /* PT_CALLS_REPORT_H */
