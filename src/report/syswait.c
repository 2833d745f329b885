/* SPDX-License-Identifier: MIT */
/* syswait: a call that a thread waited in, and on what. */
#include <inttypes.h>
#include <string.h>

#include "report/sysargs.h"
#include "report/sysconst.h"

/* Pointers say nothing, but for the futex, which is told by its address. */
static bool says_on_what(uint8_t kind)
{
	switch (kind) {
	case SYSK_FD:
	case SYSK_SOCK:
	case SYSK_ATFD:
	case SYSK_INT:
	case SYSK_UINT:
	case SYSK_SIG:
		return true;
	default:
		return sysconst_of(kind) != NULL;
	}
}

/* A record of the call, as far as it is known. */
struct wait_call {
	struct pt_syscall sys;
	struct pt_arg arg;
	struct pt_socket socket;
};
PT_SIZE_IS(struct wait_call, 120 + 8 + 24);

static struct wait_call call_of(const struct pt_offcpu *off)
{
	struct wait_call c = {
		.sys = {
			.h.size = sizeof(c),
			.nr = off->nr,
			.abi = off->abi,
			.args = { off->args[0], off->args[1] },
			.nr_args = 1,
		},
		.arg = { .kind = PT_ARG_SOCKET, .len = sizeof(c.socket) },
		.socket = off->socket,
	};

	if (!off->socket.family) {
		c.sys.nr_args = 0;
		c.sys.h.size = sizeof(c.sys);
	}
	return c;
}

void sysargs_put_wait(FILE *out, const struct pt_offcpu *off,
		      const struct sysargs_opts *opts)
{
	const struct syscall_def *def = syscall_find(off->abi, off->nr);
	const struct wait_call c = call_of(off);
	uint8_t i = 0;

	if (!def) {
		fprintf(out, "syscall_0x%" PRIx32, off->nr);
		return;
	}
	fputs(def->name, out);
	if (!strncmp(def->name, "futex", 5) && def->kind[0] == SYSK_PTR) {
		fprintf(out, "(0x%" PRIx64 ")", (uint64_t)off->args[0]);
		return;
	}
	for (; i < ARRAY_LEN(off->args) && says_on_what(def->kind[i]); i++) {
		fputs(i ? ", " : "(", out);
		sysargs_put_one(out, &c.sys, i, def->kind[i], opts);
	}
	fputs(i ? ")" : "", out);
}
