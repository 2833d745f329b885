/* SPDX-License-Identifier: MIT */
/*
 * hist: how long many things took, in bounded memory.
 *
 * Sixteen buckets an octave, exact below 32 ns: whatever a bucket holds is
 * within 1/32 (3.2 %) of its middle.  At most HIST_BUCKETS of them, and only
 * those that something fell into are kept.
 */
#ifndef PT_HIST_H
#define PT_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIST_SUB	16	/* buckets an octave */
#define HIST_BUCKETS	976
#define HIST_ERROR	"3.2 %"	/* of a value that is not exact */

struct hist_bar {
	uint64_t bucket : 10;
	uint64_t count : 54;
};

struct hist {			/* a zeroed struct is an empty one */
	struct hist_bar *bar;	/* by bucket */
	uint32_t nr, cap;
	uint64_t missing;	/* values that found no room */
};

void hist_free(struct hist *h);
size_t hist_memory(const struct hist *h);

uint32_t hist_bucket(uint64_t value);
/* The values of a bucket: from, to (included), and the middle. */
uint64_t hist_from(uint32_t bucket);
uint64_t hist_to(uint32_t bucket);
uint64_t hist_middle(uint32_t bucket);

/* Without memory, or `full`: no new bucket, what needed one is missing. */
void hist_add(struct hist *h, uint64_t value, bool full);
/* What was counted as `from` took longer. */
void hist_move(struct hist *h, uint64_t from, uint64_t to, bool full);
/* All that `more` has; false: no memory. */
bool hist_merge(struct hist *h, const struct hist *more);
uint64_t hist_count(const struct hist *h);	/* but for what is missing */

/* The value that so many percent are not above (nearest rank). */
struct percentile {
	uint64_t value;
	bool known;
	bool exact;		/* else within HIST_ERROR */
};

/* `max` is the largest of all values. */
struct percentile hist_percentile(const struct hist *h, unsigned int percent,
				  uint64_t max);

#endif /* PT_HIST_H */
