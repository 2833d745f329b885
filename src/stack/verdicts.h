/* SPDX-License-Identifier: MIT */
/*
 * verdicts: is the function wanted that has this code object?  Remembered by
 * ids, so that a name is looked at once.
 *
 * Bounded: beyond VERDICTS_MAX all are forgotten, and none is known.
 */
#ifndef PT_VERDICTS_H
#define PT_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

#define VERDICTS_MAX (UINT32_C(1) << 18)

enum verdict { VERDICT_UNKNOWN, VERDICT_REFUSED, VERDICT_WANTED };

struct verdicts {			/* all 0 at first */
	struct verdict_on *on;
};

void verdicts_free(struct verdicts *v);
/* In place of what was known.  0 or -ENOMEM. */
int verdicts_put(struct verdicts *v, uint64_t code, bool wanted) PT_MUST_CHECK;
enum verdict verdicts_find(const struct verdicts *v, uint64_t code);

#endif /* PT_VERDICTS_H */
