/* SPDX-License-Identifier: MIT */
/* root: open a path in the file system that a process sees, never in ours. */
#include "target/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_in(const struct root *r, const char *path, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT,
	};
	long fd;

	if (r->fd == AT_FDCWD)
		fd = open(path, (int)how.flags);
	else
		fd = syscall(SYS_openat2, r->fd, path, &how, sizeof(how));
	return fd < 0 ? -errno : (int)fd;
}

/* The descriptor's own link: /proc/self/fd/N opens the same file anew. */
static int reopen(int fd)
{
	char path[32];
	int rc;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return rc < 0 ? -errno : rc;
}

int root_stat(const struct root *r, const char *path, struct stat *st)
{
	int fd = open_in(r, path, O_PATH), rc;

	if (fd < 0)
		return fd;
	rc = fstat(fd, st) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

int root_open_file(const struct root *r, const char *path)
{
	int fd = open_in(r, path, O_PATH), rc;
	struct stat st;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		rc = -errno;
	else if (S_ISDIR(st.st_mode))
		rc = -EISDIR;
	else if (!S_ISREG(st.st_mode))
		rc = -EINVAL;
	else
		rc = reopen(fd);
	close(fd);
	return rc;
}

int root_open_dir(const struct root *r, const char *path)
{
	return open_in(r, path, O_RDONLY | O_DIRECTORY);
}

char *root_name(const struct root *r, int fd)
{
	char link[32], buf[PATH_MAX];
	size_t len = strlen(r->prefix);
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, buf, sizeof(buf) - 1);
	if (n <= 0)
		return NULL;
	buf[n] = '\0';
	if (strncmp(buf, r->prefix, len) || buf[len] != '/')
		return NULL;
	return strdup(buf + len);
}

char *root_link(const struct root *r, const char *path)
{
	char buf[PATH_MAX];
	ssize_t n;
	int fd;

	fd = open_in(r, path, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return NULL;
	n = readlinkat(fd, "", buf, sizeof(buf));
	close(fd);
	if (n <= 0 || (size_t)n >= sizeof(buf))
		return NULL;
	return strndup(buf, (size_t)n);
}

/*
 * Which root the told name starts from, and the name there.  A file outside of
 * the chroot can be reached only from our root, and only if that is its, too.
 */
static const char *from_where(const struct root *r, const char *path,
			      struct root *start)
{
	size_t len = strlen(r->prefix);

	*start = *r;
	if (!len)
		return path;
	if (!strncmp(path, r->prefix, len) && path[len] == '/')
		return path + len;
	start->fd = AT_FDCWD;
	return r->other ? NULL : path;
}

int root_stat_told(const struct root *r, const char *path, struct stat *st)
{
	struct root start;
	const char *name = from_where(r, path, &start);

	return name ? root_stat(&start, name, st) : -ENOENT;
}

int root_open_told(const struct root *r, const char *path)
{
	struct root start;
	const char *name = from_where(r, path, &start);

	return name ? root_open_file(&start, name) : -ENOENT;
}

static bool is_other_mount_ns(const struct proc *p)
{
	struct stat ours, theirs;

	return fstatat(p->dir, "ns/mnt", &theirs, 0) < 0 ||
	       stat("/proc/self/ns/mnt", &ours) < 0 ||
	       ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev;
}

int root_open(struct root *r, const struct proc *p, struct err *err)
{
	*r = ROOT_NONE;
	r->fd = openat(p->dir, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (r->fd < 0)
		return proc_error(p, -errno, "root", err);
	r->prefix = proc_link(p, "root");
	if (!r->prefix) {
		root_close(r);
		return proc_error(p, -ESRCH, "root", err);
	}
	if (!strcmp(r->prefix, "/"))
		*r->prefix = '\0';
	r->other = is_other_mount_ns(p);
	return 0;
}

/* The folder's own name, as it will stand before those of files in it. */
static int set_prefix(struct root *r)
{
	char *name = root_name(r, r->fd);

	if (!name)
		return -ENOENT;
	free(r->prefix);
	r->prefix = name;
	if (!strcmp(name, "/"))
		*name = '\0';
	return 0;
}

int root_open_path(struct root *r, const char *path, struct err *err)
{
	int rc;

	*r = ROOT_NONE;
	r->prefix = calloc(1, 1);
	if (!r->prefix)
		return err_set(err, -ENOMEM, "out of memory");
	r->fd = AT_FDCWD;
	if (!path || !strcmp(path, "/"))
		return 0;
	r->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	rc = r->fd < 0 ? -errno : set_prefix(r);
	if (!rc)
		return 0;
	root_close(r);
	return err_kind(err, ERR_NO_TARGET, rc, "cannot open '%s': %s", path,
			strerror(-rc));
}

void root_close(struct root *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->prefix);
	*r = ROOT_NONE;
}
