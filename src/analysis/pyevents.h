/* SPDX-License-Identifier: MIT */
/*
 * pyevents: collections by generation and place, imports by module.
 *
 * An import is told when it is over, after those that it led to: what began
 * later on its thread is inside it, and is not of itself.  Pure.
 */
#ifndef PT_PYEVENTS_H
#define PT_PYEVENTS_H

#include "analysis/hist.h"
#include "base/compiler.h"
#include "base/err.h"
#include "stack/engine.h"

#define PYEVENTS_MAX	(UINT32_C(1) << 18)	/* imports, places: more are counted */

struct gc_row {
	int64_t generation;	/* -1: its begin was not seen, so its length is
				 * not known either */
	uint64_t count, ns, max_ns, collected;
	struct hist hist;
};

/* Where collections ran: the innermost frame of the application. */
struct gc_place {
	const char *text;	/* "shop/orm.py:210 hydrate"; why there is none */
	uint64_t count, ns, max_ns;
};

struct import_node {
	uint32_t parent;	/* 0: none; else 1 + its index, which is larger */
	uint32_t tid;
	uint64_t t, ns, self_ns;
	bool whole;		/* false: its begin was not seen */
	bool found;
	const char *module;	/* "?": not known */
};

struct pyevents;

int pyevents_new(struct pyevents **out, struct err *err) PT_MUST_CHECK;
void pyevents_free(struct pyevents *p);		/* NULL is fine */

/* Others than gc and import are ignored.  Fails only without memory. */
int pyevents_add(struct pyevents *p, const struct moment *m, struct err *err)
	PT_MUST_CHECK;

const struct gc_row *pyevents_gc(const struct pyevents *p, uint32_t *nr);
const struct gc_place *pyevents_places(const struct pyevents *p, uint32_t *nr);
/* In the order in which they ended. */
const struct import_node *pyevents_imports(const struct pyevents *p,
					   uint32_t *nr);
/* Found no room: of either kind. */
uint64_t pyevents_left_out(const struct pyevents *p);
void pyevents_span(const struct pyevents *p, uint64_t *first, uint64_t *last);

#endif /* PT_PYEVENTS_H */
