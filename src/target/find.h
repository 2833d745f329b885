/* SPDX-License-Identifier: MIT */
/*
 * find: the interpreters in a process.
 *
 * What counts is what is mapped, wherever it came from and whatever it is
 * called: a static program, libpython, one that was loaded by dlopen() into
 * gdb, one whose file is gone.  Each mapped file is looked into once, as the
 * file itself (mapped.h), and pyimage says whether it is an interpreter.
 *
 *	struct target t;
 *
 *	rc = target_find(pid, &t, err);
 *	if (rc < 0)
 *		return rc;
 *	... t.main->pt, t.main->bias, t.main->fd ...
 *	target_fini(&t);
 */
#ifndef PT_FIND_H
#define PT_FIND_H

#include <sys/stat.h>

#include "base/err.h"
#include "python/pyimage.h"
#include "target/imgcache.h"
#include "target/proc.h"
#include "target/remote.h"

struct interp {
	char *path;		/* the file, as the process names it; raw bytes */
	int fd;			/* that very file, for reading; a uprobe takes
				 * "/proc/self/fd/N" for its path */
	struct stat st;		/* of it */
	bool deleted;		/* its name is gone, or leads to another file */
	bool from_memory;	/* `fd` is of memimg.h: it cannot be opened, no
				 * uprobe can be put there; of `st` only device,
				 * inode and size are known */
	uint64_t bias;		/* what the loader added to its addresses */
	struct pyimage image;	/* what the file says */
	struct pt_image pt;	/* for the walker, addresses as linked: as the
				 * file says, but the layout from the debug
				 * offsets in memory where it has them */
	enum pt_walk walk;
	struct err why;		/* if PT_WALK_NO: why not */
};

struct target {
	struct proc proc;
	char *exe;		/* the program; NULL: may not be known */
	bool embedded;		/* the interpreter is a guest in it ("gdb"), by
				 * what it is linked with and called */
	struct interp *v;	/* those that run first, then by address */
	size_t nr;
	struct interp *main;	/* the one to walk: PT_WALK_YES if there is one,
				 * else one that is starting; NULL: none */
};

/* One to which nothing belongs. */
#define TARGET_NONE ((struct target){ .proc = PROC_NONE })

/*
 * The interpreter to walk in process `pid` (or the process of thread `pid`).
 *	-ESRCH		ERR_NO_TARGET: no such process, or gone
 *	-EACCES, -EPERM	ERR_NOT_PERMITTED
 *	-ENOEXEC	ERR_NOT_PYTHON, and what it is
 *	-ENOTSUP	ERR_UNSUPPORTED: Python, but pytrace cannot walk it
 *	-ETIMEDOUT	a file that it has mapped does not answer
 * It may be PT_WALK_STARTING: mapped, and not initialised yet.
 */
int target_find(pid_t pid, struct target *out, struct err *err) PT_MUST_CHECK;
/*
 * The same, but all that is found is a result, also when none can be walked, or
 * there is none: `main` is NULL then, and `err` has the sentence and kind of
 * target_find().
 */
int target_find_all(pid_t pid, struct target *out,
		    struct err *err) PT_MUST_CHECK;
/*
 * target_find() for one who looks often: *cache, the caller's, remembers the
 * files.  If a look hangs that keeps the cache, and *cache is a new one, or NULL.
 */
int target_find_again(pid_t pid, struct imgcache **cache, struct target *out,
		      struct err *err) PT_MUST_CHECK;
/*
 * The same of an open process, which is taken over on success.  `cache` may be
 * NULL.  Without a limit of time: that is the caller's (bounded.h).
 */
int target_look(struct proc *proc, struct imgcache *cache, struct target *out,
		struct err *err) PT_MUST_CHECK;
void target_fini(struct target *t);

/*
 * Is it initialised by now?  Looks at its memory once more; for one that is
 * PT_WALK_STARTING.
 */
enum pt_walk interp_walk_now(const struct interp *in, const struct remote *r);

#endif /* PT_FIND_H */
