/* SPDX-License-Identifier: MIT */
/* children: whoever traces a master alone is told of its workers. */
#ifndef PT_CHILDREN_H
#define PT_CHILDREN_H

#include "cmd/opts.h"

/*
 * "note: 4 Python children of 811 are not traced; add -f", on stderr, for each
 * process of `o` that has such and is not followed.
 */
void children_note(const struct opts *o);

#endif /* PT_CHILDREN_H */
