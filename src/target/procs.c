/* SPDX-License-Identifier: MIT */
/* procs: lists of processes and threads, from the folders of /proc. */
#include "target/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

void pids_fini(struct pids *p)
{
	free(p->v);
	*p = (struct pids){ 0 };
}

static int push(struct pids *p, pid_t pid)
{
	if (!(p->nr & (p->nr + 1)) || !p->v) {
		pid_t *more = realloc(p->v, (p->nr + 1) * 2 * sizeof(*more));

		if (!more)
			return -ENOMEM;
		p->v = more;
	}
	p->v[p->nr++] = pid;
	return 0;
}

/* "812" is 812; "self", "0x1", "" are 0. */
static pid_t number(const char *name)
{
	char *end;
	long v;

	if (*name < '1' || *name > '9')
		return 0;
	errno = 0;
	v = strtol(name, &end, 10);
	return *end || errno || v > INT_MAX ? 0 : (pid_t)v;
}

/* The entries of a folder that are numbers; `fd` is given away. */
static int list_numbers(int fd, struct pids *out)
{
	struct dirent *e;
	DIR *dir = fdopendir(fd);
	int rc = 0;

	if (!dir) {
		rc = -errno;
		close(fd);
		return rc;
	}
	while (!rc) {
		errno = 0;
		e = readdir(dir);
		if (!e) {
			rc = -errno;
			break;
		}
		if (number(e->d_name))
			rc = push(out, number(e->d_name));
	}
	closedir(dir);
	if (rc < 0)
		pids_fini(out);
	return rc;
}

int proc_threads(const struct proc *p, struct pids *out, struct err *err)
{
	int fd, rc;

	*out = (struct pids){ 0 };
	fd = openat(p->dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? -errno : list_numbers(fd, out);
	if (!rc && !out->nr)
		rc = -ESRCH;
	return rc < 0 ? proc_error(p, rc, "the threads", err) : 0;
}

static int by_number(const void *a, const void *b)
{
	const pid_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int proc_list(struct pids *out, struct err *err)
{
	int fd, rc;

	*out = (struct pids){ 0 };
	fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? -errno : list_numbers(fd, out);
	if (rc < 0)
		return err_set(err, rc, "cannot list /proc: %s", strerror(-rc));
	if (out->nr)
		qsort(out->v, out->nr, sizeof(*out->v), by_number);
	return 0;
}

static pid_t parent_of(pid_t pid)
{
	struct proc_info info;
	uint64_t ticks;
	char buf[4096];
	pid_t parent = 0;
	ssize_t n;
	int fd;

	snprintf(buf, sizeof(buf), "/proc/%d/stat", pid);
	fd = open(buf, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n > 0) {
		buf[n] = '\0';
		if (proc_parse_stat(buf, (size_t)n, &info, &ticks))
			parent = info.ppid;
	}
	return parent;
}

/* Children of `pid` among `all`; those that are taken become 0. */
static int take_children(pid_t pid, struct pids *all, const pid_t *parents,
			 struct pids *out)
{
	size_t i;
	int rc;

	for (i = 0; i < all->nr; i++) {
		if (!all->v[i] || parents[i] != pid)
			continue;
		rc = push(out, all->v[i]);
		if (rc < 0)
			return rc;
		all->v[i] = 0;
	}
	return 0;
}

int proc_descendants(pid_t pid, struct pids *out, struct err *err)
{
	struct pids all;
	pid_t *parents;
	size_t i;
	int rc;

	*out = (struct pids){ 0 };
	rc = proc_list(&all, err);
	if (rc < 0)
		return rc;
	parents = calloc(all.nr + 1, sizeof(*parents));
	for (i = 0; parents && i < all.nr; i++)
		parents[i] = parent_of(all.v[i]);
	rc = parents ? take_children(pid, &all, parents, out) : -ENOMEM;
	for (i = 0; !rc && i < out->nr; i++)
		rc = take_children(out->v[i], &all, parents, out);
	free(parents);
	pids_fini(&all);
	if (rc < 0) {
		pids_fini(out);
		return err_set(err, rc, "out of memory");
	}
	return 0;
}
