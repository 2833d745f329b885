/* SPDX-License-Identifier: MIT */
/* drop: give up the rights that only setting up needs. */
#include "target/drop.h"

#include <cap-ng.h>
#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#define BIT(cap) (UINT64_C(1) << (cap))
#define SETPCAP 8		/* to empty the bounding set */

/*
 *	bpf, perfmon		maps, iterators at the end, uprobes by
 *				uprobe_multi links, samples of a CPU that comes
 *	sys_ptrace		/proc/PID of other users: maps, mem, exe, root
 *	dac_read_search		files of interpreters and folders on the way
 *	checkpoint_restore	/proc/PID/map_files
 *	sys_admin		only where one of those needs it all the same
 */
uint64_t drop_keeps(const struct rights *r, bool multi)
{
	uint64_t keep = BIT(RIGHTS_BPF) | BIT(RIGHTS_PERFMON) |
			BIT(RIGHTS_SYS_PTRACE) | BIT(RIGHTS_DAC_READ_SEARCH) |
			BIT(RIGHTS_CHECKPOINT_RESTORE);
	bool both = rights_has(r, RIGHTS_BPF) && rights_has(r, RIGHTS_PERFMON);

	/* Debian's and Ubuntu's levels from 3 on do not look at perfmon */
	if (!multi || !both || r->perf_paranoid > 2)
		keep |= BIT(RIGHTS_SYS_ADMIN);
	return keep & r->permitted & r->effective;
}

bool drop_has_multi(const char *release)
{
	unsigned int major, minor;

	return sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major > 6 || (major == 6 && minor >= 6));
}

int drop_rights(bool perf_probes)
{
	struct utsname host;
	struct rights r;
	uint64_t keep;
	bool setpcap;

	rights_read(&r);
	if (uname(&host))
		return -errno;
	keep = drop_keeps(&r, !perf_probes && drop_has_multi(host.release));
	setpcap = r.effective & BIT(SETPCAP);
	capng_clear(CAPNG_SELECT_BOTH);
	for (unsigned int cap = 0; cap < 64; cap++)
		if (keep & BIT(cap) &&
		    capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED,
				 cap))
			return -EINVAL;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return capng_apply(setpcap ? CAPNG_SELECT_BOTH : CAPNG_SELECT_CAPS) ?
		-EPERM : 0;
}
