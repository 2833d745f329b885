/* SPDX-License-Identifier: MIT */
/*
 * show_through: what the kernel half reads of a process, for the live tests.
 *
 *	show_through PID		its mappings, as /proc/PID/maps
 *	show_through PID ADDR LEN	bytes of its memory, to stdout
 *
 * Exits with 1 and a line on stderr when that cannot be had.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/kread.h"
#include "target/proc.h"
#include "target/through.h"

static int complain(const char *what, int rc)
{
	fprintf(stderr, "%s: %s\n", what, strerror(-rc));
	return 1;
}

static int show_maps(const struct proc *p)
{
	struct proc_text t;
	int rc = through_maps(p, &t);

	if (rc)
		return complain("maps", rc);
	fwrite(t.s, 1, t.len, stdout);
	free(t.s);
	return 0;
}

static int show_memory(const struct proc *p, uint64_t addr, size_t len)
{
	struct through_id id;
	char *bytes = malloc(len + 1);
	int fd = through_open(p, &id);
	int rc = fd < 0 ? fd : bytes ? through_read(fd, &id, addr, bytes, len) :
				       -ENOMEM;

	if (!rc)
		fwrite(bytes, 1, len, stdout);
	free(bytes);
	if (fd >= 0)
		close(fd);
	return rc ? complain("memory", rc) : 0;
}

int main(int argc, char **argv)
{
	struct proc p;
	int code;

	if (argc != 2 && argc != 4)
		return 2;
	kread_offer();
	if (proc_open(&p, atoi(argv[1]), NULL))
		return complain("process", -ESRCH);
	code = argc == 2 ? show_maps(&p) :
	       show_memory(&p, strtoull(argv[2], NULL, 0),
			   strtoul(argv[3], NULL, 0));
	proc_close(&p);
	return code;
}
