/* SPDX-License-Identifier: MIT */
/* bench: what the sections of the benchmark share. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>

#include "stat.h"
#include "work.h"

struct bench {
	char **argv;		/* the interpreter's command and workload.py */
	int rounds;		/* blocks of each mode */
	int calls;		/* of a block */
	int depth;		/* Python frames under a call */
};

/* Each prints its rows; 0 or an error. */
int bench_cost(const struct bench *b, struct err *err);
int bench_depth(const struct bench *b, struct err *err);
int bench_tools(const struct bench *b, struct err *err);
int bench_switches(const struct bench *b, struct err *err);
int bench_volley(const struct bench *b, struct err *err);
int bench_idle(const struct bench *b, struct err *err);
int bench_attach(const struct bench *b, struct err *err);
int bench_flow(const struct bench *b, struct err *err);
int bench_faults(const struct bench *b, struct err *err);
int bench_calls(const struct bench *b, struct err *err);
int bench_calltools(const struct bench *b, struct err *err);
int bench_rush(const struct bench *b, struct err *err);
int bench_load(const struct bench *b, struct err *err);

/* How a row that has a limit ends; tests/bench/run counts them. */
static inline const char *verdict(bool met)
{
	return met ? "met" : "MISSED";
}

/* "3.11" of PY_VERSION_HEX, for the first column. */
static inline const char *version_text(uint32_t hex, char buf[16])
{
	snprintf(buf, 16, "%u.%u", hex >> 24, hex >> 16 & 0xff);
	return buf;
}

#endif /* BENCH_BENCH_H */
