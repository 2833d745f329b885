/* SPDX-License-Identifier: MIT */
/* nolive: what a build without eBPF says when it is asked to attach. */
#include <errno.h>

#include "cmd/cmd.h"
#include "cmd/live.h"

int live_run(const struct opts *o, const struct eventset *events,
	     struct pipeline *p, char **argv)
{
	struct err err = { 0 };

	(void)events;
	(void)p;
	(void)argv;
	err_kind(&err, ERR_KERNEL, -ENOSYS,
		 "cannot attach: this pytrace was built without live tracing");
	err_hint(&err, "configure found no libbpf, clang or bpftool; recordings "
		 "can be read with -i");
	return o->command ? cmd_fail(&err), 125 : cmd_fail(&err);
}

void live_doctor(struct checks *c)
{
	struct check *row;

	checks_rights(c);
	row = checks_add(c, "load", "BPF programs");
	row->needed = true;
	check_say(row, CHECK_NO, "this pytrace was built without live tracing");
	row->why.kind = ERR_KERNEL;
	err_hint(&row->why, "configure found no libbpf, clang or bpftool; "
		 "recordings can be read with -i");
}
