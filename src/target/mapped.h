/* SPDX-License-Identifier: MIT */
/*
 * mapped: open the very file that a process has mapped.
 *
 * Its name is no help: it may be gone, replaced, covered by a mount, or chosen
 * to lead us to a file of ours.  /proc/PID/map_files leads to the file itself
 * but wants CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE; without it a file found by
 * name is taken only if device and inode are those of the mapping.
 */
#ifndef PT_MAPPED_H
#define PT_MAPPED_H

#include <sys/stat.h>

#include "base/err.h"
#include "target/maps.h"
#include "target/proc.h"

/*
 * A descriptor for reading, and what fstat() says of it.
 *	-ENOENT		not to be had: gone, or another file has its name
 *			(ERR_NOT_PERMITTED: map_files would have had it)
 *	-ETIMEDOUT	its file system does not answer
 *	-EINVAL		not a regular file
 *	-EACCES, -EPERM	the file may not be read	ERR_NOT_PERMITTED
 */
int mapped_open(const struct map *m, const struct proc *p, struct stat *st,
		struct err *err) PT_MUST_CHECK;
/* Is `st` that of the mapped file?  Looks through map_files where it may. */
bool mapped_is(const struct map *m, const struct proc *p,
	       const struct stat *st);

#endif /* PT_MAPPED_H */
