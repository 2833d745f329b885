/* SPDX-License-Identifier: MIT */
/* where: the container or systemd unit of a process, by its control group. */
#ifndef PT_WHERE_H
#define PT_WHERE_H

#include <stdbool.h>

#include "target/proc.h"

struct where {
	char runtime[16];	/* docker, podman, containerd, cri-o, lxc,
				 * nspawn, container (unknown which); "" none */
	char container[80];	/* its id, 64 hex digits, or its name */
	char unit[256];		/* innermost service or scope, as systemctl
				 * spells it; "" none */
};

/* Parse the text of /proc/PID/cgroup; what is not there stays "". */
void where_parse(const char *text, struct where *out);
/*
 * In such a text, the control group that the CPU is shared out by: of version 1
 * the one of its cpu controller, else that of version 2.  NULL: none is named.
 */
char *where_group(const char *text);	/* to be freed */
/* That of a process; empty if it cannot be read. */
void where_of(const struct proc *p, struct where *out);
char *where_group_of(const struct proc *p);

/* "docker 4f1c9a", "gunicorn.service", "-" into `buf`; returns it. */
const char *where_text(const struct where *w, char *buf, size_t size);

#endif /* PT_WHERE_H */
