/* SPDX-License-Identifier: MIT */
/* modes: blocks of the workload in each mode by turns. */
#ifndef BENCH_MODES_H
#define BENCH_MODES_H

#include "bench.h"
#include "subject.h"

/* What a call costs above MODE_OFF of the same round, ns; of MODE_OFF: all. */
struct modes {
	struct spread cost[NR_MODES];
	uint32_t hexversion;
};

/*
 * b->rounds blocks of each mode, the order turned from round to round.  An
 * error, too, if a record was lost or a stack was unknown: then the figures
 * would be those of something else.
 */
int modes_measure(const struct bench *b, struct modes *out,
		  struct err *err) PT_MUST_CHECK;

#endif /* BENCH_MODES_H */
