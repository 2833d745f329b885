/* SPDX-License-Identifier: MIT */
/* through: a process looked at through the kernel half. */
#include "target/through.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/bpf.h>

#include "reader_abi.h"
#include "target/proc.h"

#define MAPS_MAX (64U << 20)	/* as of /proc/PID/maps */

static const struct through_ops *ops;

void through_set(const struct through_ops *new_ops)
{
	ops = new_ops;
}

/* A run of the iterator: what can be read from it. */
static int run(int link)
{
	union bpf_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.iter_create.link_fd = (uint32_t)link;
	fd = syscall(SYS_bpf, BPF_ITER_CREATE, &attr, sizeof(attr.iter_create));
	return fd < 0 ? -errno : (int)fd;
}

/* One request; *got: how many of the bytes asked for there were. */
static int ask(int link, uint64_t addr, void *buf, size_t len,
	       struct pt_reader_reply *who, size_t *got)
{
	union {
		struct pt_reader_request q;
		unsigned char bytes[sizeof(*who) + PT_READER_MAX];
	} io = { .q = { .magic = PT_READER_MAGIC, .addr = addr, .len = len } };
	int fd = run(link);
	size_t all;
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, io.bytes, sizeof(io.bytes));
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	all = (size_t)n;
	if (all < sizeof(*who))
		return -ESRCH;		/* no such task, or without memory */
	memcpy(who, io.bytes, sizeof(*who));
	*got = all - sizeof(*who);
	if (*got > len)
		*got = len;
	if (*got)
		memcpy(buf, io.bytes + sizeof(*who), *got);
	return 0;
}

static bool is_same(const struct pt_reader_reply *r, const struct through_id *id)
{
	return r->start == id->start && r->exec_id == id->exec_id;
}

int through_open(const struct proc *p, struct through_id *id)
{
	struct pt_reader_reply who;
	size_t got;
	int link, rc;

	if (!ops)
		return -EACCES;
	link = ops->memory(p->pid);
	if (link < 0)
		return link;
	rc = ask(link, 0, NULL, 0, &who, &got);
	/* the number was asked for: it must still be that process */
	if (!rc && !proc_is_alive(p))
		rc = -ESRCH;
	if (rc) {
		close(link);
		return rc;
	}
	id->start = who.start;
	id->exec_id = who.exec_id;
	id->exe_ino = who.exe_ino;
	id->exe_dev = makedev(who.exe_dev >> 20, who.exe_dev & 0xfffff);
	return link;
}

int through_read(int fd, const struct through_id *id, uint64_t addr, void *buf,
		 size_t len)
{
	unsigned char *to = buf;

	while (len) {
		size_t n = len < PT_READER_MAX ? len : PT_READER_MAX, got;
		struct pt_reader_reply who;
		int rc = ask(fd, addr, to, n, &who, &got);

		if (rc)
			return rc;
		if (!is_same(&who, id))
			return -ESRCH;
		if (got < n)
			return -EFAULT;
		to += n;
		addr += n;
		len -= n;
	}
	return 0;
}

/* ---- mappings --------------------------------------------------------- */

/* fs/proc/task_mmu.c: show_map_vma(); a newline in the path is escaped. */
static void put_vma(FILE *f, const struct pt_reader_vma *v, const char *path)
{
	fprintf(f, "%08" PRIx64 "-%08" PRIx64 " %c%c%c%c %08" PRIx64
		" %02x:%02x %" PRIu64 " ", v->start, v->end,
		v->flags & 1 ? 'r' : '-', v->flags & 2 ? 'w' : '-',
		v->flags & 4 ? 'x' : '-', v->flags & PT_READER_SHARED ? 's' : 'p', v->offset,
		v->dev >> 20, v->dev & 0xfffff, v->ino);
	for (; *path; path++) {
		if (*path == '\n')
			fputs("\\012", f);
		else
			putc(*path, f);
	}
	putc('\n', f);
}

static int put_all(FILE *f, const unsigned char *bytes, size_t len)
{
	while (len) {
		struct pt_reader_vma v;
		const char *path = "";
		size_t room;

		if (len < sizeof(v))
			return -EBADMSG;
		memcpy(&v, bytes, sizeof(v));
		bytes += sizeof(v);
		len -= sizeof(v);
		room = ((size_t)v.path_len + 7) & ~(size_t)7;
		if (v.path_len > PT_READER_PATH || room > len)
			return -EBADMSG;
		if (v.path_len) {
			path = (const char *)bytes;
			if (path[v.path_len - 1])
				return -EBADMSG;
		}
		put_vma(f, &v, path);
		bytes += room;
		len -= room;
	}
	return 0;
}

int through_format(const void *bytes, size_t len, struct proc_text *out)
{
	FILE *f;
	int rc;

	*out = (struct proc_text){ 0 };
	f = open_memstream(&out->s, &out->len);
	if (!f)
		return -ENOMEM;
	rc = put_all(f, bytes, len);
	if (fclose(f) && !rc)
		rc = -ENOMEM;
	if (rc) {
		free(out->s);
		*out = (struct proc_text){ 0 };
	}
	return rc;
}

static int read_all(int fd, unsigned char **bytes, size_t *len)
{
	size_t room = 0;
	ssize_t n;

	*bytes = NULL;
	*len = 0;
	do {
		if (room - *len < 4096) {
			unsigned char *more = realloc(*bytes, room + 65536);

			if (!more)
				return -ENOMEM;
			*bytes = more;
			room += 65536;
		}
		n = read(fd, *bytes + *len, room - *len);
		if (n < 0 && errno != EINTR)
			return -errno;
		*len += n > 0 ? (size_t)n : 0;
		if (*len > MAPS_MAX)
			return -EFBIG;
	} while (n);
	return 0;
}

int through_maps(const struct proc *p, struct proc_text *out)
{
	unsigned char *bytes = NULL;
	size_t len = 0;
	int link, fd, rc;

	if (!ops)
		return -EACCES;
	link = ops->maps(p->pid);
	if (link < 0)
		return link;
	fd = run(link);
	rc = fd < 0 ? fd : read_all(fd, &bytes, &len);
	if (fd >= 0)
		close(fd);
	close(link);
	if (!rc && !proc_is_alive(p))
		rc = -ESRCH;
	if (!rc)
		rc = through_format(bytes, len, out);
	free(bytes);
	return rc;
}
