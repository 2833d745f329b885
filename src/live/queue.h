/* SPDX-License-Identifier: MIT */
/* queue: records that wait for their turn, in the order they were put. */
#ifndef PT_QUEUE_H
#define PT_QUEUE_H

#include <pytrace_abi.h>

#include "base/compiler.h"

/* A zeroed struct is an empty queue. */
struct queue {
	uint8_t *bytes;
	size_t size, used, at;
};

/* A copy of the record; -ENOMEM. */
int queue_put(struct queue *q, const struct pt_hdr *rec) PT_MUST_CHECK;
/* The next one, valid until the next put; NULL if there is none. */
const struct pt_hdr *queue_take(struct queue *q);
void queue_fini(struct queue *q);

#endif /* PT_QUEUE_H */
