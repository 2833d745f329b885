/* SPDX-License-Identifier: MIT */
/* reader: a child process that reads the memory of another, and may hang. */
#include "target/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/through.h"

struct request {
	uint64_t addr;
	uint64_t len;
	uint64_t pages;		/* so many, their addresses behind them in the
				 * buffer; 0: `len` bytes at `addr` */
};

/* Behind the room for pages: where each is, and then what came of it. */
struct piece {
	uint64_t addr;
	int64_t rc;
};

#define PIECES_AT (READER_PAGES * READER_PAGE)
_Static_assert(PIECES_AT + READER_PAGES * sizeof(struct piece) <= READER_BYTES,
	       "pages and their addresses fit");

enum { SOCK, MEM, NR_KEPT };	/* descriptors of the child */

/*
 * Does the address space that was opened still live?  Nothing can be mapped at
 * 0 (vm.mmap_min_addr) or it is harmless to read: a byte or EIO if so, end of
 * file if not (fs/proc/base.c: mem_rw, mmget_not_zero).
 */
static bool mm_is_alive(void)
{
	char byte;

	return pread(MEM, &byte, 1, 0) != 0;
}

static int32_t read_bytes(pid_t pid, const struct through_id *id,
			  uint64_t addr, uint64_t len, unsigned char *buf)
{
	struct iovec local = { .iov_base = buf, .iov_len = len };
	struct iovec remote = {
		.iov_base = (void *)(uintptr_t)addr,
		.iov_len = len,
	};
	ssize_t n;

	if (id)
		return through_read(MEM, id, addr, buf, len);
	n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	return n < 0 ? -errno : (size_t)n < len ? -EFAULT : 0;
}

static int32_t answer(pid_t pid, const struct through_id *id,
		      const struct request *q, unsigned char *buf)
{
	struct piece *piece = (void *)(buf + PIECES_AT);
	int32_t rc = 0;

	if (!q->pages)
		rc = read_bytes(pid, id, q->addr, q->len, buf);
	for (uint64_t i = 0; i < q->pages && i < READER_PAGES; i++)
		piece[i].rc = read_bytes(pid, id, piece[i].addr, READER_PAGE,
					 buf + i * READER_PAGE);
	/* Afterwards: then it also did while we read, and was the one read. */
	return id || mm_is_alive() ? rc : -ESRCH;
}

/* Only calls that are safe after fork() of a threaded process. */
static void __attribute__((noreturn)) child(pid_t pid, int sock, int mem,
					    const struct through_id *id,
					    unsigned char *buf)
{
	struct request q;
	int32_t rc;

	/* Neither may be where the other has to go. */
	sock = fcntl(sock, F_DUPFD, NR_KEPT);
	mem = fcntl(mem, F_DUPFD, NR_KEPT);
	if (dup2(sock, SOCK) < 0 || dup2(mem, MEM) < 0 ||
	    syscall(SYS_close_range, NR_KEPT, ~0U, 0) < 0)
		_exit(1);
	while (read(SOCK, &q, sizeof(q)) == sizeof(q)) {
		rc = answer(pid, id, &q, buf);
		if (send(SOCK, &rc, sizeof(rc), MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

/* Signals are ours, Ctrl-C included: the child ends when its socket does. */
static pid_t fork_deaf(void)
{
	sigset_t all, old;
	pid_t pid;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	if (pid)
		sigprocmask(SIG_SETMASK, &old, NULL);
	return pid;
}

int reader_start(struct reader *r, pid_t pid, int mem,
		 const struct through_id *id)
{
	int socks[2], rc;

	*r = READER_NONE;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) < 0)
		return -errno;
	r->sock = socks[0];
	r->buf = mmap(NULL, READER_BYTES, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r->buf == MAP_FAILED)
		r->buf = NULL;
	r->child = r->buf ? fork_deaf() : -1;
	if (!r->child)
		child(pid, socks[1], mem, id, r->buf);
	rc = r->child < 0 ? -errno : 0;
	close(socks[1]);
	if (rc < 0)
		reader_stop(r);
	return rc;
}

void reader_stop(struct reader *r)
{
	int flags = WNOHANG;

	if (r->sock >= 0) {
		close(r->sock);
		flags = 0;		/* it sees that, and leaves */
	}
	if (r->child > 0 && flags)
		kill(r->child, SIGKILL);
	if (r->child > 0)
		waitpid(r->child, NULL, flags);
	if (r->buf)
		munmap(r->buf, READER_BYTES);
	*r = READER_NONE;
}

/* Marks it as one that nobody must wait for. */
static int give_up(struct reader *r, int rc)
{
	close(r->sock);
	r->sock = -1;
	return rc;
}

static int ask(struct reader *r, const struct request *q, int ms)
{
	struct pollfd pfd = { .fd = r->sock, .events = POLLIN };
	int32_t rc;
	int n;

	if (r->sock < 0)
		return -EPIPE;
	if (send(r->sock, q, sizeof(*q), MSG_NOSIGNAL) < 0)
		return give_up(r, -errno);
	do
		n = poll(&pfd, 1, ms);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		return give_up(r, n ? -errno : -ETIMEDOUT);
	if (recv(r->sock, &rc, sizeof(rc), 0) != sizeof(rc))
		return give_up(r, -EPIPE);
	return rc;
}

int reader_read(struct reader *r, uint64_t addr, size_t len, int ms)
{
	const struct request q = { .addr = addr, .len = len };

	return len > READER_BYTES ? -E2BIG : ask(r, &q, ms);
}

int reader_read_pages(struct reader *r, const uint64_t *addr, size_t nr, int ms)
{
	const struct request q = { .pages = nr };
	struct piece *piece;

	if (!nr || nr > READER_PAGES)
		return -E2BIG;
	if (r->sock < 0)
		return -EPIPE;
	piece = (void *)(r->buf + PIECES_AT);
	for (size_t i = 0; i < nr; i++)
		piece[i] = (struct piece){ addr[i], -EFAULT };
	return ask(r, &q, ms);
}

const unsigned char *reader_page(const struct reader *r, size_t nr)
{
	const struct piece *piece = (const void *)(r->buf + PIECES_AT);

	return piece[nr].rc ? NULL : r->buf + nr * READER_PAGE;
}
