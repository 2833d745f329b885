/* SPDX-License-Identifier: MIT */
/*
 * cgroup: what a control group says of its CPU quota and of memory.high.
 *
 * Of version 2 that is cpu.max, cpu.stat and memory.events.local; of version 1
 * cpu.cfs_quota_us, cpu.cfs_period_us and cpu.stat, and there is no memory.high.
 * The files are read where the hierarchy is mounted for us.
 */
#ifndef PT_CGROUP_H
#define PT_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* Where the hierarchy that shares out the CPU is mounted; zeroed: nowhere. */
struct cgroup_mount {
	char *where;		/* the folder */
	char *root;		/* the group that is mounted there: "/" */
	bool v1;
};

struct cgroup_stat {
	uint64_t quota_us;	/* 0: no quota */
	uint64_t period_us;
	uint64_t nr_periods, nr_throttled, throttled_us;	/* so far */
	uint64_t memory_high;	/* times it was over memory.high itself */
};

/*
 * Out of the text of /proc/self/mountinfo: the cpu controller of version 1 if
 * there is one, as where_group() has it, else version 2.  -ENOENT: neither.
 */
int cgroup_parse_mounts(const char *text, struct cgroup_mount *out) PT_MUST_CHECK;
int cgroup_find_mount(struct cgroup_mount *out) PT_MUST_CHECK;
void cgroup_mount_fini(struct cgroup_mount *m);

/*
 * The group `path`, as where_group_of() tells it.  -ENOENT: there is none of
 * that name below the mount; else what its files say, 0 where it has none.
 */
int cgroup_read(const struct cgroup_mount *m, const char *path,
		struct cgroup_stat *out) PT_MUST_CHECK;
/* Cut `path` to the group above it; false: it was the root. */
bool cgroup_parent(char *path);

#endif /* PT_CGROUP_H */
