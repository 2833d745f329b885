/* SPDX-License-Identifier: MIT */
/* hist: how long many things took, in bounded memory. */
#include "analysis/hist.h"

#include <stdlib.h>
#include <string.h>

#define SUB_BITS 4

_Static_assert(HIST_SUB == 1 << SUB_BITS, "buckets an octave");

void hist_free(struct hist *h)
{
	free(h->bar);
	*h = (struct hist){ 0 };
}

size_t hist_memory(const struct hist *h)
{
	return h->cap * sizeof(*h->bar);
}

uint32_t hist_bucket(uint64_t value)
{
	uint32_t octave;

	if (value < HIST_SUB)
		return (uint32_t)value;
	octave = 63 - (uint32_t)__builtin_clzll(value);
	return HIST_SUB * (octave - SUB_BITS) +
	       (uint32_t)(value >> (octave - SUB_BITS));
}

static uint32_t shift_of(uint32_t bucket)
{
	return bucket < HIST_SUB ? 0 : bucket / HIST_SUB - 1;
}

uint64_t hist_from(uint32_t bucket)
{
	uint32_t shift = shift_of(bucket);

	return (uint64_t)(bucket - HIST_SUB * shift) << shift;
}

uint64_t hist_to(uint32_t bucket)
{
	return hist_from(bucket) + ((UINT64_C(1) << shift_of(bucket)) - 1);
}

uint64_t hist_middle(uint32_t bucket)
{
	return hist_from(bucket) + (hist_to(bucket) - hist_from(bucket)) / 2;
}

/* Where the bucket is, or would be. */
static uint32_t place_of(const struct hist *h, uint32_t bucket)
{
	uint32_t from = 0, to = h->nr;

	while (from < to) {
		uint32_t middle = (from + to) / 2;

		if (h->bar[middle].bucket < bucket)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool has(const struct hist *h, uint32_t at, uint32_t bucket)
{
	return at < h->nr && h->bar[at].bucket == bucket;
}

static bool insert(struct hist *h, uint32_t at, uint32_t bucket)
{
	uint32_t cap = h->cap ? h->cap * 2 : 4;
	struct hist_bar *more;

	if (h->nr == h->cap) {
		more = reallocarray(h->bar, cap, sizeof(*more));
		if (!more)
			return false;
		h->bar = more;
		h->cap = cap;
	}
	memmove(h->bar + at + 1, h->bar + at, (h->nr - at) * sizeof(*h->bar));
	h->bar[at] = (struct hist_bar){ .bucket = bucket & 0x3ff };
	h->nr++;
	return true;
}

void hist_add(struct hist *h, uint64_t value, bool full)
{
	uint32_t bucket = hist_bucket(value), at = place_of(h, bucket);

	if (!has(h, at, bucket) && (full || !insert(h, at, bucket)))
		h->missing++;
	else
		h->bar[at].count++;
}

void hist_move(struct hist *h, uint64_t from, uint64_t to, bool full)
{
	uint32_t bucket = hist_bucket(from), at = place_of(h, bucket);

	if (has(h, at, bucket) && h->bar[at].count)
		h->bar[at].count--;
	else if (h->missing)
		h->missing--;
	hist_add(h, to, full);
}

bool hist_merge(struct hist *h, const struct hist *more)
{
	h->missing += more->missing;
	for (uint32_t i = 0; i < more->nr; i++) {
		uint32_t bucket = more->bar[i].bucket, at = place_of(h, bucket);

		if (!has(h, at, bucket) && !insert(h, at, bucket))
			return false;
		h->bar[at].count += more->bar[i].count;
	}
	return true;
}

uint64_t hist_count(const struct hist *h)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < h->nr; i++)
		sum += h->bar[i].count;
	return sum;
}

struct percentile hist_percentile(const struct hist *h, unsigned int percent,
				  uint64_t max)
{
	uint64_t nr = hist_count(h), rank, sum = 0;
	struct percentile p = { .known = nr && !h->missing };

	if (!p.known)
		return p;
	rank = nr / 100 * percent + (nr % 100 * percent + 99) / 100;
	p.value = max;
	p.exact = rank >= nr;
	for (uint32_t i = 0; !p.exact && i < h->nr; i++) {
		uint32_t bucket = h->bar[i].bucket;

		sum += h->bar[i].count;
		if (sum < rank)
			continue;
		if (hist_middle(bucket) < max)
			p.value = hist_middle(bucket);
		p.exact = hist_from(bucket) == hist_to(bucket);
		break;
	}
	return p;
}
