/* SPDX-License-Identifier: MIT */
/*
 * reader: a child process that reads the memory of another, and may hang.
 *
 * Whoever touches a page that lies behind a FUSE server which does not answer
 * sleeps until it does, and not even SIGKILL wakes him (fs/fuse/dev.c:
 * request_wait_answer); a thread that hangs so would keep the whole of us from
 * ending.  So the reads are made by a child that holds nothing of ours but a
 * socket and a buffer: if it does not answer in time it is left behind.
 */
#ifndef PT_READER_H
#define PT_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/compiler.h"

#define READER_BYTES	(1U << 20)	/* of one read */
#define READER_PAGE	4096U
#define READER_PAGES	240U		/* of one read of several */

struct reader {
	pid_t child;		/* 0: not started */
	int sock;
	unsigned char *buf;	/* shared with the child, READER_BYTES */
};

#define READER_NONE ((struct reader){ .sock = -1 })

struct through_id;

/*
 * Start one for the memory of process `pid`, whose /proc/PID/mem is open as
 * `mem`; with `id` that is what through_open() gave.  0 or -errno.
 */
int reader_start(struct reader *r, pid_t pid, int mem,
		 const struct through_id *id) PT_MUST_CHECK;
/* It is reaped; one that hangs is killed, for what that is worth. */
void reader_stop(struct reader *r);

/*
 * `len` bytes at `addr` are in r->buf then: 0, -EFAULT, -ESRCH, or another
 * errno of process_vm_readv(); -ETIMEDOUT after `ms`: it hangs, and must be
 * stopped; -EPIPE: the child was killed.
 */
int reader_read(struct reader *r, uint64_t addr, size_t len,
		int ms) PT_MUST_CHECK;

/*
 * The same of `nr` pages at once, which are not neighbours: 0 if it was tried;
 * then reader_page() has each of them, or NULL of one that cannot be read.
 */
int reader_read_pages(struct reader *r, const uint64_t *addr, size_t nr,
		      int ms) PT_MUST_CHECK;
const unsigned char *reader_page(const struct reader *r, size_t nr);

#endif /* PT_READER_H */
