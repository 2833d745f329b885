/* SPDX-License-Identifier: MIT */
/*
 * groups: the control groups of the traced processes, and what became of their
 * CPU quota and memory.high while the trace ran: PT_CPUSTAT.
 */
#ifndef PT_GROUPS_H
#define PT_GROUPS_H

#include "live/queue.h"
#include "target/cgroup.h"

#define GROUPS_MAX 64		/* further ones are not read */

struct groups {			/* a zeroed struct knows none */
	struct cgroup_mount mount;
	bool looked;		/* for the mount */
	struct group *v;
	size_t nr;
	uint64_t told_ns;	/* when they were read last */
};

void groups_fini(struct groups *g);

/*
 * The process of `of` is in the group `path`: tell of that one, and of those
 * above it that have a limit (theirs holds for it, too), unless that was done.
 * 0 or -ENOMEM.
 */
int groups_meet(struct groups *g, const char *path, const struct pt_hdr *of,
		struct queue *to) PT_MUST_CHECK;
/*
 * Read them again, at the time `now`: those with other numbers than last time
 * are told of.  At most once a second unless it is the `last` time.
 */
int groups_tell(struct groups *g, uint64_t now, bool last,
		struct queue *to) PT_MUST_CHECK;

#endif /* PT_GROUPS_H */
