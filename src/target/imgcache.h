/* SPDX-License-Identifier: MIT */
/*
 * imgcache: what files were found to be, so that each is looked into once.
 *
 * Keyed by device, inode, size and time of change, for one run of pytrace: a
 * host has hundreds of processes and a few dozen programs.
 */
#ifndef PT_IMGCACHE_H
#define PT_IMGCACHE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"
#include "elf/elfimg.h"
#include "python/pyimage.h"

struct imgcache;

struct imgcache *imgcache_new(void);		/* NULL: out of memory */
void imgcache_free(struct imgcache *c);		/* NULL is fine */

/*
 * Is `img`, whose fstat() is `st`, an interpreter: pyimage_find(), or what that
 * said before.  Without a cache (NULL) it is asked each time.  -ENOENT: no.
 */
int imgcache_find(struct imgcache *c, struct elfimg *img,
		  const struct stat *st, struct pyimage *out) PT_MUST_CHECK;
/* Is it known to be none, so that it need not even be opened? */
bool imgcache_knows_not(const struct imgcache *c, const struct stat *st);

#endif /* PT_IMGCACHE_H */
