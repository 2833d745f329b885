/* SPDX-License-Identifier: MIT */
/*
 * source: where records come from: the ring, a recording, text.
 *
 * Embedded as the first member of what it really is.
 */
#ifndef PT_SOURCE_H
#define PT_SOURCE_H

#include <pytrace_abi.h>

#include "base/compiler.h"
#include "base/err.h"

struct source {
	/*
	 * The next record: 1 and *rec (checked; valid until the next call),
	 * 0 at the end, or a negative errno.  -EAGAIN (of a live source only):
	 * none just now.  After any other there is nothing more; records
	 * already given stay good.  An input that is damaged, or
	 * that ends before its PT_END, is an error of kind ERR_INPUT.
	 */
	int (*next)(struct source *s, const struct pt_hdr **rec,
		    struct err *err);
	void (*close)(struct source *s);
};

PT_MUST_CHECK
static inline int source_next(struct source *s, const struct pt_hdr **rec,
			      struct err *err)
{
	return s->next(s, rec, err);
}

static inline void source_close(struct source *s)	/* NULL is fine */
{
	if (s)
		s->close(s);
}

/*
 * Open a recording or the text of one ("-": standard input); which of the two
 * it is, its first bytes tell.  Errors are of kind ERR_INPUT.
 */
int source_open(struct source **out, const char *path, struct err *err)
	PT_MUST_CHECK;

#endif /* PT_SOURCE_H */
