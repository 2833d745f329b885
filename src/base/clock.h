/* SPDX-License-Identifier: MIT */
/* clock: the kernel's clocks as nanoseconds. */
#ifndef PT_CLOCK_H
#define PT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The clock of all records: CLOCK_MONOTONIC. */
static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif /* PT_CLOCK_H */
