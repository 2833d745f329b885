/* SPDX-License-Identifier: MIT */
/*
 * drop: give up the rights that only setting up needs.
 *
 * What is kept is for what may come later: a process that is met late, a CPU that
 * comes online, the memory of a process whose names are to be read.
 */
#ifndef PT_DROP_H
#define PT_DROP_H

#include <stdbool.h>

#include "target/rights.h"

/*
 * The capabilities, a bit each, that are needed from now on, of those that `r`
 * has.  `multi`: the kernel has uprobe_multi links, so that a later uprobe does
 * not need CAP_SYS_ADMIN.
 */
uint64_t drop_keeps(const struct rights *r, bool multi);
/* Does a kernel of this release (uname) have such links?  6.6 and later do. */
bool drop_has_multi(const char *release);

/*
 * Keep those alone, in this thread and in those that it starts, for good; no
 * exec gives any back.  `perf_probes`: later uprobes are perf events, whatever
 * the kernel has.  0 or -errno: then all is as it was.
 */
int drop_rights(bool perf_probes) PT_MUST_CHECK;

#endif /* PT_DROP_H */
