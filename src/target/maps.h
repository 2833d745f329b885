/* SPDX-License-Identifier: MIT */
/*
 * maps: the lines of /proc/PID/maps, whose names the target has chosen.
 *
 *	55d0c000-55d1f000 r-xp 00002000 fd:01 1234      /usr/bin/a b (deleted)
 *
 * A path is the rest of its line, blanks and all.  The kernel writes it with
 * seq_path(m, path, "\n") (fs/proc/task_mmu.c): a newline becomes \012 and
 * nothing else is escaped, not even the backslash, and d_path() appends
 * " (deleted)" to the name of an unlinked file, which a file that lives may be
 * called as well.  Text alone cannot tell these apart: maps_parse() says where
 * it is in doubt, maps_settle() looks.
 */
#ifndef PT_MAPS_H
#define PT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum map_kind {
	MAPS_ANON,		/* no name */
	MAPS_FILE,		/* a path: begins with '/' */
	MAPS_PSEUDO,		/* [heap], [vdso], [uprobes], anon_inode:... */
};

struct map {
	uint64_t start, end;	/* addresses, end not included */
	uint64_t offset;	/* of `start` in the file, bytes */
	uint64_t inode;		/* 0: no file */
	dev_t dev;		/* of the super block: overlayfs and btrfs give
				 * stat() another one */
	enum map_kind kind;
	bool read, write, exec, shared;
	bool deleted;		/* unlinked, or replaced, since it was mapped */
	bool may_hang;		/* whoever touches the file may never return:
				 * only mapped_open() does (mounts.h) */
	bool doubtful;		/* path may be wrong: an escape or a suffix that
				 * could be part of the name */
	const char *path;	/* "" if it has none; never NULL */
	char *own;		/* path, where it was read anew; else NULL */
};

struct maps {
	struct map *v;		/* by rising address */
	size_t nr;
	char *text;		/* where the paths lie */
};

/*
 * Parse `len` bytes.  A line that is not one of maps is -EBADMSG: better no
 * answer than half of one; so is a last line without its newline.  Names that
 * end in " (deleted)" are taken as deleted, and are doubtful.
 */
int maps_parse(struct maps *out, const char *text, size_t len,
	       struct err *err) PT_MUST_CHECK;
void maps_fini(struct maps *m);		/* a zeroed one is fine */

/* The line that holds `addr`, or NULL. */
const struct map *maps_at(const struct maps *m, uint64_t addr);
/* The same file: by device and inode, not by name. */
bool map_same_file(const struct map *a, const struct map *b);

struct proc;

/*
 * Those of a process, settled.  Empty for a kernel thread and for a process
 * that has exited and not been waited for.  Errors as those of proc_read().
 */
int maps_read(struct maps *out, const struct proc *p,
	      struct err *err) PT_MUST_CHECK;
/*
 * Clear up what is doubtful: by /proc/PID/map_files where that is allowed, else
 * by looking whether the name leads to that file.  What stays in doubt stays
 * marked.
 */
void maps_settle(struct maps *m, const struct proc *p);
/* Cut " (deleted)" off the end of a name that the kernel told; was it there? */
bool maps_cut_suffix(char *path);

#endif /* PT_MAPS_H */
