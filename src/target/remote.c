/* SPDX-License-Identifier: MIT */
/* remote: the memory of a process, as a struct mem. */
#include "target/remote.h"

#include <errno.h>
#include <unistd.h>

#define MAX_READ	(64U << 20)
#define MAX_HUNG	4

static int check_range(uint64_t addr, size_t len)
{
	uint64_t end;

	if (len > MAX_READ)
		return -E2BIG;
	/* The upper half is the kernel's. */
	if (__builtin_add_overflow(addr, len, &end) || end > INT64_MAX)
		return -EFAULT;
	return 0;
}

/* After a child that hangs, or was killed, another one; but not for ever. */
static int need_reader(struct remote *r)
{
	if (r->hung >= MAX_HUNG)
		return -ETIMEDOUT;
	return r->reader.child ? 0 :
		reader_start(&r->reader, r->pid, r->fd,
			     r->through ? &r->id : NULL);
}

static int drop_hung(struct remote *r, int rc)
{
	if (r->reader.sock < 0) {
		reader_stop(&r->reader);
		r->hung++;
	}
	return rc;
}

static int read_some(struct remote *r, uint64_t addr, size_t len)
{
	int rc = need_reader(r);

	if (!rc)
		rc = reader_read(&r->reader, addr, len, REMOTE_MS);
	return drop_hung(r, rc);
}

int remote_pages(struct remote *r, const uint64_t *addr, size_t nr,
		 void (*take)(size_t nr, const unsigned char *bytes, void *arg),
		 void *arg)
{
	int rc = need_reader(r);

	for (size_t i = 0; !rc && i < nr; i++)
		rc = check_range(addr[i], READER_PAGE);
	if (!rc)
		rc = reader_read_pages(&r->reader, addr, nr, REMOTE_MS);
	for (size_t i = 0; !rc && i < nr; i++)
		take(i, reader_page(&r->reader, i), arg);
	return drop_hung(r, rc);
}

static int remote_read(const struct mem *m, uint64_t addr, void *buf,
		       size_t len)
{
	/* Only the reader changes, not what is read. */
	struct remote *r = (struct remote *)(uintptr_t)m;
	unsigned char *to = buf;
	int rc = check_range(addr, len);

	while (!rc && len) {
		size_t n = len < READER_BYTES ? len : READER_BYTES;

		rc = read_some(r, addr, n);
		if (rc < 0)
			break;
		memcpy(to, r->reader.buf, n);
		to += n;
		addr += n;
		len -= n;
	}
	return rc;
}

int remote_open(struct remote *r, const struct proc *p, struct err *err)
{
	*r = REMOTE_NONE;
	r->mem.read = remote_read;
	r->pid = p->pid;
	r->fd = proc_open_file(p, "mem", err);
	if (through_helps(r->fd)) {
		int fd = through_open(p, &r->id);

		r->through = fd >= 0;
		if (r->through)
			r->fd = fd;
	}
	return r->fd < 0 ? r->fd : 0;
}

void remote_close(struct remote *r)
{
	reader_stop(&r->reader);
	if (r->fd >= 0)
		close(r->fd);
	*r = REMOTE_NONE;
}
