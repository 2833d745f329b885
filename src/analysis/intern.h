/* SPDX-License-Identifier: MIT */
/* intern: runs of bytes, each kept once and known by a number from 1. */
#ifndef PT_INTERN_H
#define PT_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern_item;

struct intern {			/* a zeroed struct is an empty one */
	struct intern_item *table;
	struct intern_item **by_nr;
	uint32_t nr;		/* numbers given: 1 to this */
	uint32_t cap;
	size_t memory;		/* bytes in use */
};

void intern_free(struct intern *t);

/* The number of these bytes; 0 if there is none, or no memory to give one. */
uint32_t intern_find(const struct intern *t, const void *bytes, size_t len);
uint32_t intern_get(struct intern *t, const void *bytes, size_t len);

/* Those of a number that was given; aligned to 8, with a NUL behind them. */
const void *intern_bytes(const struct intern *t, uint32_t nr, size_t *len);

#endif /* PT_INTERN_H */
