/* SPDX-License-Identifier: MIT */
/*
 * ledger: cells, and what their keys name.
 *
 * Memory is bounded.  Beyond half of it new stacks are kept by their two places
 * only; beyond all of it, cells without stack, object and thread: "others".
 */
#ifndef PT_LEDGER_H
#define PT_LEDGER_H

#include "analysis/hist.h"
#include "analysis/intern.h"
#include "analysis/model.h"
#include "stack/appframe.h"

struct wake_key {
	uint32_t cell, thread, stack;
	uint32_t kind;
};

struct hold_key {
	uint32_t cell, doing;
};

struct ledger {
	struct intern strings, places, stacks, objects, cells, wakes, seen;
	struct intern doings, holds;
	struct intern kernels;		/* their functions: numbers of strings */
	uint64_t *hold_ns;		/* of holds */
	struct stack_info *info;	/* of stacks, from number 1 */
	struct sums *sums, *wake_sums;	/* of cells, of wakes */
	bool *estimate;			/* of cells */
	struct hist *hists;		/* of cells: how long each took */
	size_t hist_memory;
	uint32_t *seen_stack;		/* of a stack record's id */
	uint32_t info_cap, sums_cap, wake_cap, seen_cap;
	uint32_t hold_cap;
	size_t limit;
	uint64_t coarse;
	bool failed;			/* without memory; what came then is not in it */
	struct app_rule app;
};

void ledger_free(struct ledger *l);

/* 0 for an unknown stack with no reason, and when memory is short. */
uint32_t ledger_stack(struct ledger *l, uint64_t id, const struct pystack *st);

/* 0 of NULL, and when memory is short. */
uint32_t ledger_kernel(struct ledger *l, const struct kstack *k);

uint32_t ledger_socket(struct ledger *l, const struct pt_socket *socket);
uint32_t ledger_path(struct ledger *l, const char *path, size_t len);
uint32_t ledger_number(struct ledger *l, enum object_kind kind, uint32_t nr);

/* The cell's number, 0 without memory; `key` may be made coarser. */
uint32_t ledger_cell(struct ledger *l, const struct cell_key *key);
void ledger_add(struct ledger *l, uint32_t cell, uint64_t count, uint64_t ns);
/* One that took so long: count, sum and histogram. */
void ledger_event(struct ledger *l, uint32_t cell, uint64_t ns);
/* One that was `before` long goes on for `ns`. */
void ledger_longer(struct ledger *l, uint32_t cell, uint64_t before,
		   uint64_t ns);

/* Nothing is counted yet; what was named keeps its number. */
void ledger_reset(struct ledger *l);

void ledger_wake(struct ledger *l, const struct wake_key *key, uint64_t ns);

uint32_t ledger_doing(struct ledger *l, const struct doing *doing);
void ledger_hold(struct ledger *l, const struct hold_key *key, uint64_t ns);

#endif /* PT_LEDGER_H */
