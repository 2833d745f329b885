/* SPDX-License-Identifier: MIT */
/* sysresult: what a system call gave back, as strace spells it. */
#include <inttypes.h>
#include <string.h>

#include "report/sysargs.h"

/*
 * Results between the kernel's signal code and itself (linux/errno.h); the
 * program sees EINTR, or the call again.
 */
static const struct {
	int nr;
	const char *name, *words;
} restarts[] = {
	{ 512, "ERESTARTSYS", "To be restarted if SA_RESTART is set" },
	{ 513, "ERESTARTNOINTR", "To be restarted" },
	{ 514, "ERESTARTNOHAND", "To be restarted if no handler" },
	{ 516, "ERESTART_RESTARTBLOCK", "Interrupted by signal" },
};

static bool is_error(int64_t ret)
{
	return ret < 0 && ret >= -4095;
}

const char *sysargs_errno(int64_t ret)
{
	if (!is_error(ret))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(restarts); i++)
		if (restarts[i].nr == -ret)
			return restarts[i].name;
	return strerrorname_np((int)-ret);
}

bool sysargs_failed(const struct pt_syscall *sys)
{
	return (sys->state == PT_SYS_DONE || sys->state == PT_SYS_NO_ENTRY) &&
	       is_error(sys->ret);
}

static void put_error(FILE *out, int64_t ret)
{
	const char *name = sysargs_errno(ret);

	for (size_t i = 0; i < ARRAY_LEN(restarts); i++) {
		if (restarts[i].nr == -ret) {
			fprintf(out, "? %s (%s)", name, restarts[i].words);
			return;
		}
	}
	if (name)
		fprintf(out, "-1 %s (%s)", name, strerrordesc_np((int)-ret));
	else
		fprintf(out, "-1 (errno %" PRId64 ")", -ret);
}

void sysargs_put_result(FILE *out, const struct pt_syscall *sys)
{
	const struct syscall_def *def = syscall_find(sys->abi, sys->nr);
	uint8_t style = def ? def->ret : SYSRET_PLAIN;

	if (sys->state == PT_SYS_NO_RETURN)
		fputs("?", out);
	else if (sys->state == PT_SYS_UNFINISHED)
		fputs("? <unfinished ...>", out);
	else if (is_error(sys->ret))
		put_error(out, sys->ret);
	else if (style == SYSRET_HEX)
		fprintf(out, "0x%" PRIx64, (uint64_t)sys->ret);
	else if (style == SYSRET_OCT)
		fprintf(out, "0%" PRIo64, (uint64_t)sys->ret);
	else
		fprintf(out, "%" PRId64, (int64_t)sys->ret);
}
