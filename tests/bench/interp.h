/* SPDX-License-Identifier: MIT */
/* interp: have the interpreter of a process traced. */
#ifndef BENCH_INTERP_H
#define BENCH_INTERP_H

#include "live/tracer.h"

int interp_trace(struct tracer *t, pid_t pid, struct err *err) PT_MUST_CHECK;

#endif /* BENCH_INTERP_H */
