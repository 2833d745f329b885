/* SPDX-License-Identifier: MIT */
/* remote: the memory of a process, as a struct mem. */
#include "target/remote.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_READ	(64U << 20)

/* One read: owns what it touches, so that it can be left behind. */
struct job {
	pid_t pid;
	int fd;
	uint64_t addr;
	size_t len;
	int rc;
	unsigned char *to;	/* `small`, or allocated */
	unsigned char small[4096];
};

static void job_free(void *arg)
{
	struct job *job = arg;

	if (job->to != job->small)
		free(job->to);
	free(job);
}

static struct job *job_new(const struct remote *r, uint64_t addr, size_t len)
{
	struct job *job = malloc(sizeof(*job));

	if (!job)
		return NULL;
	job->addr = addr;
	job->len = len;
	job->rc = 0;
	job->pid = r->pid;
	job->fd = r->fd;
	job->to = len <= sizeof(job->small) ? job->small : malloc(len);
	if (!job->to) {
		free(job);
		return NULL;
	}
	return job;
}

/*
 * Does the address space that we opened still live?  Nothing can be mapped at
 * 0 (vm.mmap_min_addr) or it is harmless to read: a byte or EIO if so, end of
 * file if not (fs/proc/base.c: mem_rw, mmget_not_zero).
 */
static bool mm_is_alive(int fd)
{
	char byte;

	return pread(fd, &byte, 1, 0) != 0;
}

static void job_run(void *arg)
{
	struct job *job = arg;
	struct iovec local = { .iov_base = job->to, .iov_len = job->len };
	struct iovec remote = {
		.iov_base = (void *)(uintptr_t)job->addr,
		.iov_len = job->len,
	};
	ssize_t n = process_vm_readv(job->pid, &local, 1, &remote, 1, 0);

	job->rc = n < 0 ? -errno : 0;
	if (n >= 0 && (size_t)n != job->len)
		job->rc = -EFAULT;
	/* Afterwards: then it also did while we read, and was the one read. */
	if (!mm_is_alive(job->fd))
		job->rc = -ESRCH;
}

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

static int remote_read(const struct mem *m, uint64_t addr, void *buf,
		       size_t len)
{
	const struct remote *r = (const struct remote *)m;
	struct job *job;
	int rc = check_range(addr, len);

	if (rc < 0 || !len)
		return rc;
	job = job_new(r, addr, len);
	if (!job)
		return -ENOMEM;
	rc = bounded_run(r->bounded, job_run, job_free, job, REMOTE_MS);
	if (rc == -ETIMEDOUT)
		return rc;
	if (!rc)
		rc = job->rc;
	if (!rc)
		memcpy(buf, job->to, len);
	job_free(job);
	return rc;
}

int remote_open(struct remote *r, const struct proc *p, struct err *err)
{
	*r = REMOTE_NONE;
	r->mem.read = remote_read;
	r->pid = p->pid;
	r->fd = proc_open_file(p, "mem", err);
	if (r->fd < 0)
		return r->fd;
	r->bounded = bounded_new();
	if (!r->bounded) {
		remote_close(r);
		return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

void remote_close(struct remote *r)
{
	/* A thread that hangs may yet come back and read on from it. */
	if (r->fd >= 0 && (!r->bounded || !bounded_hung(r->bounded)))
		close(r->fd);
	bounded_free(r->bounded);
	*r = REMOTE_NONE;
}
