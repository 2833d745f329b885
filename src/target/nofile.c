/* SPDX-License-Identifier: MIT */
/* nofile: as many open files as we may have. */
#include "target/nofile.h"

#include <stdbool.h>
#include <sys/resource.h>

static struct rlimit before;
static bool raised;

void nofile_raise(void)
{
	struct rlimit r;

	if (raised || getrlimit(RLIMIT_NOFILE, &before) ||
	    before.rlim_cur == before.rlim_max)
		return;
	r = before;
	r.rlim_cur = r.rlim_max;
	raised = !setrlimit(RLIMIT_NOFILE, &r);
}

void nofile_restore(void)
{
	if (raised)
		setrlimit(RLIMIT_NOFILE, &before);
}
