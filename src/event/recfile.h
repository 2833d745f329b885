/* SPDX-License-Identifier: MIT */
/*
 * recfile: a recording: a short header, then the records as they came.
 *
 * A recording is of use up to wherever it ends: a full disk, a kill -9 and a
 * cut in transport cost what comes after them, nothing before.
 * docs/EVENTS.md and pytrace.data(5) describe the bytes.
 */
#ifndef PT_RECFILE_H
#define PT_RECFILE_H

#include <stdbool.h>

#include "event/source.h"

#define RECFILE_VERSION	1
/* The records are one zstd stream (zpack.h), and the t of each is what it is
 * above that of the one before. */
#define RECFILE_PACKED	2
#define RECFILE_MAGIC	"\211PYTRC\r\n"		/* 8 bytes, no NUL */

struct recfile;			/* one that is being written */

/*
 * Create `path` with mode 0600 ("-": standard output), its records packed or
 * plain.  A file that is there is
 * replaced only if it is a recording (or empty), the caller's own, and no
 * symbolic link leads to it; a folder that everybody may write to is refused if
 * reached through a link.  -errno with ERR_OUTPUT.
 */
int recfile_create(struct recfile **out, const char *path, bool packed,
		   struct err *err) PT_MUST_CHECK;

/*
 * Could that be created, as far as can be told without doing it?  Nothing is
 * changed.  The same errors.
 */
int recfile_check(const char *path, struct err *err) PT_MUST_CHECK;

/*
 * Append a record (buffered).  A failure to write is final: the file is cut
 * back to its last whole record (packed: to what was flushed before), and every
 * later call fails in the same way.
 */
int recfile_put(struct recfile *f, const struct pt_hdr *rec, struct err *err)
	PT_MUST_CHECK;

/* What is buffered goes to the file now. */
int recfile_flush(struct recfile *f, struct err *err) PT_MUST_CHECK;

/* Bytes written, or buffered and not packed yet, so far, header included. */
uint64_t recfile_size(const struct recfile *f);

/* Events among the records that the file has by now, what is buffered aside. */
uint64_t recfile_events(const struct recfile *f);

/* Flush and free, in any case; NULL is fine.  The error is the flush's. */
int recfile_close(struct recfile *f, struct err *err);

#endif /* PT_RECFILE_H */
