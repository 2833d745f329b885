/* SPDX-License-Identifier: MIT */
/*
 * codes: code objects by id: names, file, lines, put together from PT_CODE and
 * the PT_PARTs that bring the bytes, in any order.
 *
 * An id means the same object for the whole stream.
 */
#ifndef PT_CODES_H
#define PT_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pytrace_abi.h>

#include "base/compiler.h"
#include "stack/engine.h"

struct codes;

struct codes *codes_new(void);
void codes_free(struct codes *c);	/* NULL is fine */

/* 0 or -ENOMEM. */
int codes_define(struct codes *c, const struct pt_code *rec) PT_MUST_CHECK;
int codes_part(struct codes *c, const struct pt_part *rec) PT_MUST_CHECK;

/*
 * Fill in a frame.  Its strings are good until the next call of one of the
 * functions above or of codes_evict().  0 or -ENOMEM.
 */
int codes_resolve(struct codes *c, const struct pt_frame *frame,
		  struct frame *out) PT_MUST_CHECK;

/* The same of a code object alone: no line, no lasti. */
int codes_names(struct codes *c, uint64_t code, struct frame *out) PT_MUST_CHECK;

/* All names that it has are known, and its file. */
bool codes_is_named(struct codes *c, uint64_t code);

/*
 * The first id of the object that has this one.  A code object can have several:
 * each time that one dies its process begins to give others (ARCHITECTURE.md).
 */
uint64_t codes_first(const struct codes *c, uint64_t code);

/*
 * Grows whenever what codes_resolve() has said may not be so any more, or its
 * strings are gone.
 */
uint64_t codes_changes(const struct codes *c);
/* It is used, as if it had been resolved: codes_evict() keeps it longer. */
void codes_use(struct codes *c, uint64_t code);

size_t codes_memory(const struct codes *c);
/* Give up objects not used for longest until `memory` is kept; their number. */
size_t codes_evict(struct codes *c, size_t memory);

#endif /* PT_CODES_H */
