/* SPDX-License-Identifier: MIT */
/* analyse: what all views over the model share: from options to exit code. */
#ifndef PT_ANALYSE_H
#define PT_ANALYSE_H

#include <stdint.h>
#include <stdio.h>

#include "analysis/analysis.h"
#include "cmd/opts.h"

/* All that a report is made of. */
struct analysed {
	const struct opts *opts;
	const struct analysis *analysis;
	const struct engine_totals *totals;
	FILE *out;
	unsigned int width;	/* columns of `out` */
	unsigned int interval;	/* its number from 1, of -I; 0: the whole */
	const char *target;	/* "-p 811 -f", for a next command; may be NULL */
};

struct analyse_view {
	const char *doc;
	int groups;		/* OPTS_* */
	uint32_t events;	/* EVENTS_OF what it takes, if -e says nothing */
	uint32_t shows;		/* of them, what it is about */
	bool calls;		/* -e may name system calls: it lists them */
	bool counters;		/* -e may name a counter: it lists its events */
	/* What the options mean here; NULL: nothing to look at beforehand. */
	void (*check)(const struct opts *o);
	int (*text)(const struct analysed *a, struct err *err);
	int (*json)(const struct analysed *a, struct err *err);
};

int analyse_run(const struct analyse_view *view, int argc, char **argv);

#endif /* PT_ANALYSE_H */
