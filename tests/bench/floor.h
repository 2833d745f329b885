/* SPDX-License-Identifier: MIT */
/* floor: the programs of floor.bpf.c, and the draining of their ring. */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct floor;

int floor_open(struct floor **out, struct err *err) PT_MUST_CHECK;
void floor_close(struct floor *f);	/* NULL is fine */
void floor_set(struct floor *f, pid_t pid);	/* 0: off */
/* Copy out what there is, as the consumer of pytrace's ring does. */
int floor_drain(struct floor *f, struct err *err) PT_MUST_CHECK;
uint64_t floor_records(const struct floor *f);
uint64_t floor_lost(const struct floor *f);

#endif /* BENCH_FLOOR_H */
