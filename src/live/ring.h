/* SPDX-License-Identifier: MIT */
/*
 * ring: the records of the kernel half, as they come.
 *
 * The kernel half wakes nobody: ring_next() looks, and the caller decides how
 * long to sleep when there was nothing.  Records are copied out in batches, so
 * that the kernel gets its room back at once.
 */
#ifndef PT_RING_H
#define PT_RING_H

#include "live/tracer.h"

struct ring;

int ring_open(struct ring **out, struct tracer *t, struct err *err) PT_MUST_CHECK;
void ring_close(struct ring *r);	/* NULL is fine; before tracer_close() */

/*
 * 1 and a record (its size within bounds, else as the kernel half wrote it;
 * valid until the next call), 0 when there is none just now, or -errno.
 */
int ring_next(struct ring *r, const struct pt_hdr **rec, struct err *err)
	PT_MUST_CHECK;

#endif /* PT_RING_H */
