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

#include "event/source.h"

#define RECFILE_VERSION	1
#define RECFILE_MAGIC	"\211PYTRC\r\n"		/* 8 bytes, no NUL */

struct recfile;			/* one that is being written */

/*
 * Create `path` with mode 0600 ("-": standard output).  A file that is there is
 * replaced only if it is a recording (or empty), the caller's own, and no
 * symbolic link leads to it; a folder that everybody may write to is refused if
 * reached through a link.  -errno with ERR_OUTPUT.
 */
int recfile_create(struct recfile **out, const char *path, struct err *err)
	PT_MUST_CHECK;

/*
 * Could that be created, as far as can be told without doing it?  Nothing is
 * changed.  The same errors.
 */
int recfile_check(const char *path, struct err *err) PT_MUST_CHECK;

/*
 * Append a record (buffered).  A failure to write is final: the file is cut
 * back to its last whole record, and every later call fails in the same way.
 */
int recfile_put(struct recfile *f, const struct pt_hdr *rec, struct err *err)
	PT_MUST_CHECK;

/* What is buffered goes to the file now. */
int recfile_flush(struct recfile *f, struct err *err) PT_MUST_CHECK;

/* Bytes written or buffered so far, header included. */
uint64_t recfile_size(const struct recfile *f);

/* Flush and free, in any case; NULL is fine.  The error is the flush's. */
int recfile_close(struct recfile *f, struct err *err);

#endif /* PT_RECFILE_H */
