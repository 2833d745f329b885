/* SPDX-License-Identifier: MIT */
/*
 * leftovers: uprobe events of tracefs that outlive whoever made them.
 *
 * What pytrace attaches is held by descriptors, and gone with it.  What is
 * registered for others to use, in the group pytrace, stays until somebody
 * removes it; and any tool's event on an interpreter's file can stand in the way of
 * ours: the kernel refuses a second uprobe at the same place with another
 * semaphore.
 */
#ifndef PT_LEFTOVERS_H
#define PT_LEFTOVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define LEFTOVERS_GROUP "pytrace"	/* not sdt_python: perf makes those */

struct leftover {
	char *group, *event, *file;	/* raw bytes */
	uint64_t offset;		/* in the file */
	bool is_return;
	bool own;			/* of that group */
	bool removed;
	struct err why;			/* own, and not removed: why not */
};

struct leftovers {
	struct leftover *v;
	size_t nr;
};

/*
 * One line of uprobe_events, without its newline: "p:group/event file:0x12(0x34)
 * args".  False: it is not one.  Strings are the caller's to free.
 */
bool leftovers_parse(const char *line, struct leftover *out);
/*
 * The own ones and those on interpreters' files.  -EACCES, -EPERM
 * (ERR_NOT_PERMITTED), -ENOENT (ERR_KERNEL: no tracefs).
 */
int leftovers_find(struct leftovers *out, struct err *err) PT_MUST_CHECK;
/* Remove those that are own and not in use. */
void leftovers_remove(struct leftovers *l);
void leftovers_fini(struct leftovers *l);

/* uprobe_events of the tracefs that is mounted, opened; or -errno. */
int leftovers_open(int flags);

#endif /* PT_LEFTOVERS_H */
