/* SPDX-License-Identifier: MIT */
/*
 * route: a path of ours that leads to a very file.
 *
 * The kernel takes a path for a uprobe, not a descriptor.  The name that a
 * process has for a file may mean another one to us, or none: it is in a
 * container, or its name is gone.  Each way is taken only if device and inode
 * at its end are those of the open file.
 */
#ifndef PT_ROUTE_H
#define PT_ROUTE_H

#include "target/find.h"
#include "target/which.h"

/*
 * To be freed.  NULL, with ERR_NOT_PERMITTED or out of memory: there is none.
 *
 * By its name for us, by /proc/PID/root, and if that name is gone by
 * /proc/PID/exe or map_files.  The last three are good while the process lives.
 */
char *route_to_interp(const struct interp *in, const struct proc *p,
		      struct err *err);
/* To the interpreter that the file `asked` runs. */
char *route_to_which(const struct which *w, const char *asked,
		     struct err *err);

#endif /* PT_ROUTE_H */
