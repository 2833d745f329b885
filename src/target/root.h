/* SPDX-License-Identifier: MIT */
/*
 * root: open a path in the file system that a process sees, never in ours.
 *
 * /proc/PID/root/PATH alone will not do: an absolute symbolic link on the way
 * starts again at *our* root.  openat2(RESOLVE_IN_ROOT) (Linux 5.6) stays in.
 * Nothing here opens a FIFO, a device or a socket: looking at one can block, or
 * do something.
 */
#ifndef PT_ROOT_H
#define PT_ROOT_H

#include <sys/stat.h>

#include "base/err.h"
#include "target/proc.h"

struct root {
	int fd;			/* of the root folder; AT_FDCWD: our own */
	char *prefix;		/* what the kernel puts before the names of
				 * files below it when it tells us: "" unless
				 * the process is in a chroot */
	bool other;		/* another mount namespace than ours */
};

#define ROOT_NONE ((struct root){ .fd = -1 })

/* That of a process.  Errors as in proc.h. */
int root_open(struct root *r, const struct proc *p,
	      struct err *err) PT_MUST_CHECK;
/* The one below a folder of ours; NULL or "/": our own. */
int root_open_path(struct root *r, const char *path,
		   struct err *err) PT_MUST_CHECK;
void root_close(struct root *r);

/* Where `path`, absolute there, leads, without opening it.  0 or -errno. */
int root_stat(const struct root *r, const char *path, struct stat *st);
/* A descriptor of the regular file there, for reading; or -errno. */
int root_open_file(const struct root *r, const char *path);
/* The same for a folder. */
int root_open_dir(const struct root *r, const char *path);
/* The name of an open file below the root, without links; NULL: not known. */
char *root_name(const struct root *r, int fd);
/* What the symbolic link at `path` says (allocated), or NULL: none. */
char *root_link(const struct root *r, const char *path);
/*
 * The same for a name as maps and links of /proc tell it to us: with the
 * prefix, or outside of the chroot.
 */
int root_stat_told(const struct root *r, const char *path, struct stat *st);
int root_open_told(const struct root *r, const char *path);

#endif /* PT_ROOT_H */
