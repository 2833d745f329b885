/* SPDX-License-Identifier: MIT */
/*
 * screen: the default report: what was traced, an account that closes, at most
 * five causes by application line, the cost, one next command.
 *
 * At most SCREEN_LINES lines.  `~` marks an estimate, `>=` (as one character) a
 * lower bound, `?` what is unknown.
 */
#ifndef PT_SCREEN_H
#define PT_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "base/err.h"

#define SCREEN_LINES	24
#define SCREEN_WIDTH	100

struct screen_opts {
	unsigned int width;	/* columns; 0: SCREEN_WIDTH */
	bool utc, no_paths;
	bool idle;		/* idle time is ranked, too */
	/* For the next command: "-p 811 -f"; NULL: none is given. */
	const char *target;
	/* Is there such a view?  NULL: there is only trace. */
	bool (*has_view)(const char *name);
};

/* `opts` may be NULL.  -errno with ERR_OUTPUT when the stream refuses it. */
int screen_put(FILE *out, const struct analysis *a,
	       const struct engine_totals *totals,
	       const struct screen_opts *opts, struct err *err) PT_MUST_CHECK;

#endif /* PT_SCREEN_H */
