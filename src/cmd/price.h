/* SPDX-License-Identifier: MIT */
/* price: what tracing is expected to cost, before anything was traced. */
#ifndef PT_PRICE_H
#define PT_PRICE_H

#include <stddef.h>
#include <stdint.h>

#include "event/eventset.h"

/* Of each event of a kind, in the thread that makes it. */
struct price {
	const char *kind;	/* "syscall", as the JSON has it */
	const char *one;	/* "a system call" */
	uint32_t ns;		/* ~ */
};

/* Of the kinds that are asked for, one after the other; NULL: no more. */
const struct price *price_next(const struct eventset *events,
			       const struct price *after);

/*
 * "~0.7 us a system call, ~1.3 us a page fault".  `call_ns`: what the probes on
 * a Python call cost on this host; 0: that was not measured.
 */
const char *price_text(const struct eventset *events, uint64_t call_ns,
		       char *buf, size_t size);

#endif /* PT_PRICE_H */
