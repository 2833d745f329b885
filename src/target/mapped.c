/* SPDX-License-Identifier: MIT */
/* mapped: open the very file that a process has mapped. */
#include "target/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "target/mounts.h"
#include "target/root.h"

static void map_files_name(const struct map *m, char *buf, size_t size)
{
	snprintf(buf, size, "map_files/%" PRIx64 "-%" PRIx64, m->start, m->end);
}

bool mapped_is(const struct map *m, const struct proc *p,
	       const struct stat *st)
{
	struct stat mapped;
	char name[64];

	map_files_name(m, name, sizeof(name));
	if (fstatat(p->dir, name, &mapped, 0) == 0)
		return st->st_dev == mapped.st_dev &&
		       st->st_ino == mapped.st_ino;
	return st->st_dev == m->dev && st->st_ino == m->inode;
}

/* A link of /proc/PID, looked at before it is opened: no devices, no FIFOs. */
static int open_link(const struct proc *p, const char *name, struct stat *st)
{
	int fd;

	if (fstatat(p->dir, name, st, 0) < 0)
		return -errno;
	if (!S_ISREG(st->st_mode))
		return -EINVAL;
	fd = openat(p->dir, name,
		    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static int open_if_same(int fd, const struct map *m, const struct proc *p,
			struct stat *st)
{
	if (fd < 0)
		return fd;
	if (fstat(fd, st) == 0 && mapped_is(m, p, st))
		return fd;
	close(fd);
	return -ENOENT;
}

static int open_by_name(const struct map *m, const struct proc *p,
			struct stat *st)
{
	struct root root;
	int fd;

	/*
	 * Its root may be refused: then the file is looked for in our own, and
	 * is it only if it is the very same.
	 */
	if (root_open(&root, p, NULL) < 0 &&
	    root_open_path(&root, NULL, NULL) < 0)
		return -EACCES;
	fd = root_open_told(&root, m->path);
	root_close(&root);
	return open_if_same(fd, m, p, st);
}

static int explain(const struct map *m, const struct proc *p, int rc,
		   struct err *err)
{
	switch (-rc) {
	case EINVAL:
		return err_set(err, rc, "'%s', mapped by process %d, is not a "
			       "regular file", m->path, p->pid);
	case ENOENT:
		err_kind(err, ERR_NOT_PERMITTED, rc,
			 "the file '%s' that process %d has mapped is not to "
			 "be had", m->path, p->pid);
		err_hint(err, "its name is gone or leads to another file; "
			 "/proc/%d/map_files would have it, which needs "
			 "CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE", p->pid);
		return rc;
	case ETIMEDOUT:
		err_set(err, rc, "'%s', mapped by process %d, does not answer",
			m->path, p->pid);
		err_hint(err, "it is on a FUSE file system whose server hangs");
		return rc;
	case EACCES:
	case EPERM:
		return err_kind(err, ERR_NOT_PERMITTED, rc,
				"cannot open '%s' of process %d: %s", m->path,
				p->pid, strerror(-rc));
	default:
		return err_set(err, rc, "cannot open '%s' of process %d: %s",
			       m->path, p->pid, strerror(-rc));
	}
}

int mapped_open(const struct map *m, const struct proc *p, struct stat *st,
		struct err *err)
{
	char name[64];
	int fd;

	if (m->may_hang && !mounts_answers(m, p))
		return explain(m, p, -ETIMEDOUT, err);
	map_files_name(m, name, sizeof(name));
	fd = open_link(p, name, st);
	if (fd == -EPERM || fd == -EACCES || fd == -ENOENT) {
		int link = open_link(p, "exe", st);

		fd = open_if_same(link, m, p, st);
		if (fd < 0)
			fd = open_by_name(m, p, st);
	}
	return fd < 0 ? explain(m, p, fd, err) : fd;
}
