/* SPDX-License-Identifier: MIT */
/* route: a path of ours that leads to a very file. */
#include "target/route.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <unistd.h>

#include "target/mapped.h"
#include "target/maps.h"

static bool leads_to(const char *path, const struct stat *st)
{
	struct stat got;

	return *path == '/' && !stat(path, &got) &&
	       got.st_dev == st->st_dev && got.st_ino == st->st_ino;
}

/* Write a path into `buf`; does it lead there? */
PT_PRINTF(3, 4)
static bool try(char *buf, const struct stat *st, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, PATH_MAX, fmt, ap);
	va_end(ap);
	return n > 0 && n < PATH_MAX && leads_to(buf, st);
}

/* Without links, as the kernel names the open file to us. */
static bool by_descriptor(char *buf, const struct stat *st, int fd)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, buf, PATH_MAX - 1);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	return leads_to(buf, st);
}

static bool by_mapping(char *buf, const struct stat *st, const struct proc *p)
{
	struct maps maps = { 0 };
	bool found = false;

	if (maps_read(&maps, p, NULL) < 0)
		return false;
	for (size_t i = 0; i < maps.nr && !found; i++) {
		const struct map *m = &maps.v[i];

		found = m->kind == MAPS_FILE && m->exec && !m->may_hang &&
			try(buf, st, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
			    p->pid, m->start, m->end);
	}
	maps_fini(&maps);
	return found;
}

static char *copy(const char *path, struct err *err)
{
	char *s = strdup(path);

	if (!s)
		err_set(err, -ENOMEM, "out of memory");
	return s;
}

char *route_to_interp(const struct interp *in, const struct proc *p,
		      struct err *err)
{
	char buf[PATH_MAX];

	if (in->from_memory) {
		err_kind(err, ERR_NOT_PERMITTED, -EACCES, "no probe can be put "
			 "into '%s' of process %d: it cannot be opened",
			 in->path, p->pid);
		return NULL;
	}
	if (by_descriptor(buf, &in->st, in->fd) ||
	    try(buf, &in->st, "%s", in->path) ||
	    try(buf, &in->st, "/proc/%d/root%s", p->pid, in->path) ||
	    try(buf, &in->st, "/proc/%d/exe", p->pid) ||
	    by_mapping(buf, &in->st, p))
		return copy(buf, err);
	err_kind(err, ERR_NOT_PERMITTED, -ENOENT, "no path leads to '%s' of "
		 "process %d", in->path, p->pid);
	err_hint(err, "its name is gone or leads to another file; "
		 "/proc/%d/map_files would, which needs CAP_SYS_ADMIN or "
		 "CAP_CHECKPOINT_RESTORE", p->pid);
	return NULL;
}

char *route_to_which(const struct which *w, const char *asked, struct err *err)
{
	int len = (int)which_root_len(asked);
	char buf[PATH_MAX];

	if (by_descriptor(buf, &w->st, w->fd) ||
	    try(buf, &w->st, "%.*s%s", len, asked, w->file))
		return copy(buf, err);
	err_kind(err, ERR_NOT_PERMITTED, -ENOENT, "no path leads to '%s', the "
		 "interpreter of '%s'", w->file, asked);
	return NULL;
}
