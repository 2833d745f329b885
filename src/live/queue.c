/* SPDX-License-Identifier: MIT */
/* queue: records that wait for their turn, in the order they were put. */
#include "live/queue.h"

#include <errno.h>

int queue_put(struct queue *q, const struct pt_hdr *rec)
{
	size_t need, size = q->size ? q->size : 4096;
	uint8_t *bigger;

	if (q->at == q->used)
		q->at = q->used = 0;
	need = q->used + rec->size;
	while (size < need)
		size *= 2;
	if (size != q->size) {
		bigger = realloc(q->bytes, size);
		if (!bigger)
			return -ENOMEM;
		q->bytes = bigger;
		q->size = size;
	}
	memcpy(q->bytes + q->used, rec, rec->size);
	q->used += rec->size;
	return 0;
}

const struct pt_hdr *queue_take(struct queue *q)
{
	const struct pt_hdr *rec;

	if (q->at == q->used)
		return NULL;
	rec = (const void *)(q->bytes + q->at);
	q->at += rec->size;
	return rec;
}

void queue_fini(struct queue *q)
{
	free(q->bytes);
	*q = (struct queue){ 0 };
}
