/* SPDX-License-Identifier: MIT */
/*
 * named: events that were asked for by name, by the number that a stream gives
 * each of them (PT_NAMED).
 */
#ifndef PT_NAMED_H
#define PT_NAMED_H

#include <stddef.h>
#include <stdint.h>

#include <pytrace_abi.h>

#include "base/compiler.h"
#include "event/evfield.h"

/* More in one stream, or more fields of one, are not kept: they are unknown. */
#define NAMED_MAX 1024
#define NAMED_FIELDS_MAX 128

struct named {
	uint32_t event;
	uint8_t kind;		/* enum pt_named_kind */
	const char *name;	/* "block:block_rq_issue"; any bytes but NUL */
	uint64_t rate;
	const struct evfield *field;
	size_t nr;		/* fields that were understood */
};

struct named_table;

struct named_table *named_new(void);
void named_free(struct named_table *t);		/* NULL is fine */

/* A definition takes the place of an older one.  0 or -ENOMEM. */
int named_define(struct named_table *t, const struct pt_named *rec) PT_MUST_CHECK;
/* NULL: not defined.  Good until the next definition. */
const struct named *named_find(const struct named_table *t, uint32_t event);

/*
 * A field of an event of that kind.  False: it has no such, or its value could
 * not be read, or (the generation of a collection) its begin was not seen.
 */
bool named_value(const struct named *n, const struct pt_tracepoint *tp,
		 const char *field, struct evvalue *out) PT_MUST_CHECK;

#endif /* PT_NAMED_H */
