/* SPDX-License-Identifier: MIT */
/*
 * zpack: the records of a recording as one zstd stream, which can be read up to
 * wherever it was last flushed.
 */
#ifndef PT_ZPACK_H
#define PT_ZPACK_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/err.h"

struct zpack;			/* to pack */
struct zunpack;			/* to unpack */

int zpack_new(struct zpack **out, struct err *err) PT_MUST_CHECK;
void zpack_free(struct zpack *z);	/* NULL is fine */

/*
 * Pack `len` bytes, flushed: all of them can be read from what comes out.
 * *out, good until the next call, has *nr bytes.  -ENOMEM.
 */
int zpack_put(struct zpack *z, const void *bytes, size_t len,
	      const uint8_t **out, size_t *nr, struct err *err) PT_MUST_CHECK;

int zunpack_new(struct zunpack **out, struct err *err) PT_MUST_CHECK;
void zunpack_free(struct zunpack *z);	/* NULL is fine */

/*
 * From packed bytes at most `room` to `to`: *nr of them.  *used of the `len`
 * packed ones were taken.  Neither is anything: more packed ones are needed.
 * -EBADMSG (ERR_INPUT) if they are damaged, or would need more than 8 MiB.
 */
int zunpack_get(struct zunpack *z, const void *packed, size_t len,
		size_t *used, void *to, size_t room, size_t *nr,
		struct err *err) PT_MUST_CHECK;

#endif /* PT_ZPACK_H */
