/* SPDX-License-Identifier: MIT */
/* cmdline: the command line of a process, out of its memory. */
#include "target/remote.h"

#include <errno.h>

#define MAX_ARGS	(8U << 20)	/* ARG_MAX of the kernel is 6 MiB */
#define MAX_TITLE	4096		/* as far as a title may run on */

/*
 * A program that writes a longer title than its arguments had room for lets it
 * run on into the environment, and shows it by the missing NUL at their end
 * (fs/proc/base.c: get_mm_cmdline).
 */
static size_t title_len(const struct remote *r, const struct proc_info *info,
			size_t args)
{
	uint64_t room = info->env_end - info->arg_start;
	char title[MAX_TITLE];

	if (info->env_end <= info->arg_end)
		return args;
	if (room > sizeof(title))
		room = sizeof(title);
	if (room <= args || mem_read(&r->mem, info->arg_start, title,
				     (size_t)room) < 0)
		return args;
	return strnlen(title, (size_t)room);
}

int remote_cmdline(const struct remote *r, const struct proc_info *info,
		   struct proc_text *out)
{
	size_t len = (size_t)(info->arg_end - info->arg_start);
	char last = '\0';
	int rc;

	*out = (struct proc_text){ 0 };
	if (!info->arg_start || info->arg_end <= info->arg_start)
		return -ENOENT;
	if (len > MAX_ARGS)
		return -EFBIG;
	rc = mem_read(&r->mem, info->arg_end - 1, &last, 1);
	if (rc < 0)
		return rc;
	if (last)
		len = title_len(r, info, len);
	out->s = malloc(len + 1);
	if (!out->s)
		return -ENOMEM;
	rc = mem_read(&r->mem, info->arg_start, out->s, len);
	if (rc < 0) {
		free(out->s);
		*out = (struct proc_text){ 0 };
		return rc;
	}
	out->s[len] = '\0';
	out->len = len;
	return 0;
}
