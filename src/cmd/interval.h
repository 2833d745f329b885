/* SPDX-License-Identifier: MIT */
/*
 * interval: -I: a model of its own, of what ended since the last report.
 *
 * It is fed beside the model of the whole, which it leaves alone.
 */
#ifndef PT_INTERVAL_H
#define PT_INTERVAL_H

#include "analysis/analysis.h"

struct interval {		/* a zeroed struct: there is no -I */
	struct analysis *analysis;
	uint64_t length;	/* ns */
	uint64_t next;		/* when it ends, on the stream's clock; 0: not
				 * begun */
	unsigned int nr;	/* from 1 */
	struct engine_totals then;	/* when it began */
};

int interval_init(struct interval *iv, uint64_t length,
		  const struct analysis_opts *opts, struct err *err)
	PT_MUST_CHECK;
void interval_fini(struct interval *iv);

/* Is it `t`, and the interval over?  *end is then when it was. */
bool interval_is_over(const struct interval *iv, uint64_t t, uint64_t *end);
/* The next one begins where the last has ended. */
void interval_next(struct interval *iv, uint64_t end,
		   const struct engine_totals *now);
/* Feed it a moment; the first event or PT_BEGIN starts the clock. */
int interval_add(struct interval *iv, const struct moment *m, struct err *err)
	PT_MUST_CHECK;

#endif /* PT_INTERVAL_H */
