/* SPDX-License-Identifier: MIT */
/* ring: the records of the kernel half, copied out in batches. */
#include "live/ring.h"

#include <errno.h>

#include "live/tracer_priv.h"
#include "pytrace.skel.h"

#define BATCH_BYTES (1u << 20)	/* then the rest waits in the kernel */

struct ring {
	struct ring_buffer *rb;
	uint8_t *batch;		/* records, each a whole number of words */
	size_t size;		/* bytes that batch can hold */
	size_t used;
	size_t at;		/* the next one to be handed out */
};

static int grow(struct ring *r, size_t need)
{
	size_t size = r->size ? r->size : BATCH_BYTES;
	uint8_t *bigger;

	while (size < need)
		size *= 2;
	if (size == r->size)
		return 0;
	bigger = realloc(r->batch, size);
	if (!bigger)
		return -ENOMEM;
	r->batch = bigger;
	r->size = size;
	return 0;
}

/* Negative ends the round; the record at hand counts as read all the same. */
static int take(void *arg, void *data, size_t len)
{
	struct ring *r = arg;
	const struct pt_hdr *h = data;

	/* what was reserved may be more than what was filled */
	if (len >= sizeof(*h) && h->size >= sizeof(*h) && h->size < len)
		len = h->size;
	if (grow(r, r->used + len))
		return -ENOMEM;
	memcpy(r->batch + r->used, data, len);
	r->used += len;
	return r->used >= BATCH_BYTES ? -EAGAIN : 0;
}

int ring_open(struct ring **out, struct tracer *t, struct err *err)
{
	struct ring *r = calloc(1, sizeof(*r));

	if (!r || grow(r, BATCH_BYTES)) {
		free(r);
		return err_set(err, -ENOMEM, "out of memory");
	}
	r->rb = ring_buffer__new(bpf_map__fd(t->skel->maps.ring), take, r, NULL);
	if (!r->rb) {
		int rc = -errno;

		ring_close(r);
		return err_kind(err, ERR_KERNEL, rc, "cannot map the ring: %s",
				strerror(-rc));
	}
	*out = r;
	return 0;
}

void ring_close(struct ring *r)
{
	if (!r)
		return;
	ring_buffer__free(r->rb);
	free(r->batch);
	free(r);
}

int ring_next(struct ring *r, const struct pt_hdr **rec, struct err *err)
{
	const struct pt_hdr *h;
	int rc;

	if (r->at == r->used) {
		r->at = r->used = 0;
		rc = ring_buffer__consume(r->rb);
		if (rc < 0 && rc != -EAGAIN)
			return err_set(err, rc, "reading the ring failed: %s",
				       strerror(-rc));
		if (!r->used)
			return 0;
	}
	h = (const void *)(r->batch + r->at);
	if (r->used - r->at < sizeof(*h) || h->size < sizeof(*h) ||
	    h->size % 8 || h->size > r->used - r->at)
		return err_set(err, -EBADMSG, "a record of the ring is damaged");
	r->at += h->size;
	*rec = h;
	return 1;
}
