/* SPDX-License-Identifier: MIT */
/* sysargs: a system call as strace spells it. */
#include "report/sysargs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "report/quote.h"
#include "report/sysconst.h"

#define PATH_LEN 200
#define ELLIPSIS "\xe2\x80\xa6"

size_t sysargs_count(const struct syscall_def *def)
{
	size_t n = 0;

	if (!def)
		return 6;
	while (n < ARRAY_LEN(def->kind) && def->kind[n] != SYSK_NONE)
		n++;
	return n;
}

bool sysargs_is_int(const struct syscall_def *def, size_t i)
{
	if (!def || i >= ARRAY_LEN(def->kind))
		return false;
	switch (def->kind[i]) {
	case SYSK_INT:
	case SYSK_FD:
	case SYSK_SOCK:
	case SYSK_ATFD:
	case SYSK_SIG:
		return true;
	default:
		return false;
	}
}

/* ---- names of values ------------------------------------------------------ */

static void put_hex(FILE *out, uint64_t v)
{
	fprintf(out, v ? "0x%" PRIx64 : "%" PRIx64, v);
}

static void put_flags(FILE *out, const struct sysnames *n, uint64_t v,
		      const char *between)
{
	for (size_t i = 0; i < n->nr_flags; i++) {
		const struct sysconst *flag = &n->flags[i];

		if ((v & flag->value) != flag->value)
			continue;
		fprintf(out, "%s%s", between, flag->name);
		v &= ~flag->value;
		between = "|";
	}
	if (v)
		fprintf(out, "%s0x%" PRIx64, between, v);
}

static void put_named(FILE *out, const struct sysnames *n, uint64_t v)
{
	const struct sysconst *value = n->values ? sysconst_value(n, v) : NULL;
	uint64_t rest = v;
	const char *between = "";

	if (value) {
		fputs(value->name, out);
		rest = n->mask ? v & ~n->mask : 0;
		between = "|";
	} else if (n->mask && (v & n->mask)) {
		put_hex(out, v & n->mask);
		rest = v & ~n->mask;
		between = "|";
	} else if (!v) {
		fputs(n->zero ? n->zero : "0", out);
	}
	if (rest)
		put_flags(out, n, rest, between);
}

static void put_signal(FILE *out, int32_t nr)
{
	const char *name = nr > 0 ? sigabbrev_np(nr) : NULL;

	if (name)
		fprintf(out, "SIG%s", name);
	else if (nr >= 32 && nr <= 64)
		fprintf(out, nr == 32 ? "SIGRTMIN" : "SIGRT_%d", nr - 32);
	else
		fprintf(out, "%" PRId32, nr);
}

/* ---- sockets -------------------------------------------------------------- */

/*
 * The low byte is a signal, all others are flags
 * (linux/sched.h: CSIGNAL 0xff).
 */
static void put_clone(FILE *out, uint64_t v)
{
	const struct sysnames *flags = sysconst_of(SYSK_UNSHARE);

	put_flags(out, flags, v & ~UINT64_C(0xff), "");
	if (v & 0xff) {
		if (v & ~UINT64_C(0xff))
			putc('|', out);
		put_signal(out, (int32_t)(v & 0xff));
	} else if (!v) {
		putc('0', out);
	}
}

static bool shown(const struct pt_arg *arg, const struct sysargs_opts *o)
{
	return arg && !o->no_paths;
}

static void put_pointer(FILE *out, uint64_t v)
{
	if (v)
		fprintf(out, "0x%" PRIx64, v);
	else
		fputs("NULL", out);
}

static void put_path(FILE *out, const struct pt_syscall *sys, uint8_t i,
		     const struct sysargs_opts *o)
{
	const struct pt_arg *arg = record_arg(sys, i, PT_ARG_PATH);
	size_t max = o->path_len ? o->path_len : PATH_LEN, len;

	if (!sys->args[i] || !arg) {
		put_pointer(out, sys->args[i]);
		return;
	}
	if (!shown(arg, o)) {
		fputs(ELLIPSIS, out);
		return;
	}
	len = arg->len < max ? arg->len : max;
	quote_put(out, (const char *)record_arg_bytes(arg), len,
		      len < arg->len || arg->total > arg->len);
}

static void put_address(FILE *out, const struct pt_syscall *sys, uint8_t i,
			enum pt_arg_kind kind, const struct sysargs_opts *o)
{
	const struct pt_arg *arg = record_arg(sys, i, kind);

	if (!sys->args[i] || !arg)
		put_pointer(out, sys->args[i]);
	else if (!shown(arg, o))
		fputs(ELLIPSIS, out);
	else
		sysargs_sockaddr_put(out, record_arg_bytes(arg), arg->len);
}

/* A descriptor, and what it is connected to if that is known. */
static void put_descriptor(FILE *out, const struct pt_syscall *sys, uint8_t i,
			   const struct sysargs_opts *o)
{
	const struct pt_arg *arg = record_arg(sys, i, PT_ARG_SOCKET);
	struct pt_socket sock;
	char text[160];

	fprintf(out, "%" PRId32, (int32_t)sys->args[i]);
	if (!shown(arg, o) || arg->len < sizeof(sock))
		return;
	memcpy(&sock, record_arg_bytes(arg), sizeof(sock));
	sysargs_socket_text(text, sizeof(text), &sock);
	fprintf(out, "<%s>", text);
}

/* ---- one argument --------------------------------------------------------- */

/* Words of i386 have 32 bits. */
static int64_t to_long(const struct pt_syscall *sys, uint64_t v)
{
	return sys->abi == PT_ABI_I386 ? (int32_t)v : (int64_t)v;
}

static uint64_t to_word(const struct pt_syscall *sys, uint64_t v)
{
	return sys->abi == PT_ABI_I386 ? (uint32_t)v : v;
}

static void put_named_or(FILE *out, const struct sysnames *n, uint64_t v)
{
	if (n)
		put_named(out, n, (uint32_t)v);
	else
		fprintf(out, "%" PRId32, (int32_t)v);
}

/* A mode only counts if the flags before it create something. */
static bool creates(uint64_t flags)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

static void put_value(FILE *out, const struct pt_syscall *sys, uint8_t i,
		      uint8_t kind, uint64_t v);

/* Kinds whose meaning another argument decides. */
static void put_dependent(FILE *out, const struct pt_syscall *sys, uint8_t i,
			  uint8_t kind, uint64_t v)
{
	switch (kind) {
	case SYSK_PROTOCOL:
		put_named_or(out, sysconst_protocols((uint32_t)sys->args[0]),
			     v);
		break;
	case SYSK_SOCK_OPT:
		put_named_or(out, sysconst_socket_options(
				     (uint32_t)sys->args[i - 1]), v);
		break;
	case SYSK_FCNTL_ARG:
		put_value(out, sys, i,
			  sysconst_fcntl_arg((uint32_t)sys->args[i - 1]), v);
		break;
	default:
		put_hex(out, v);
		break;
	}
}

static void put_value(FILE *out, const struct pt_syscall *sys, uint8_t i,
		      uint8_t kind, uint64_t v)
{
	const struct sysnames *n = sysconst_of(kind);

	if (n) {
		put_named(out, n, (uint32_t)v);
		return;
	}
	switch (kind) {
	case SYSK_INT:
		fprintf(out, "%" PRId32, (int32_t)v);
		break;
	case SYSK_UINT:
		fprintf(out, "%" PRIu32, (uint32_t)v);
		break;
	case SYSK_UID:
		fprintf(out, (uint32_t)v == UINT32_MAX ? "-1" : "%" PRIu32,
			(uint32_t)v);
		break;
	case SYSK_LONG:
		fprintf(out, "%" PRId64, to_long(sys, v));
		break;
	case SYSK_OFF:
		fprintf(out, "%" PRId64, (int64_t)v);
		break;
	case SYSK_SIZE:
		fprintf(out, "%" PRIu64, to_word(sys, v));
		break;
	case SYSK_PTR:
		put_pointer(out, to_word(sys, v));
		break;
	case SYSK_BUF:
		fputs(v ? ELLIPSIS : "NULL", out);
		break;
	case SYSK_MODE:
	case SYSK_CREATE_MODE:
		fprintf(out, "%#03" PRIo32, (uint32_t)v);
		break;
	case SYSK_SIG:
		put_signal(out, (int32_t)v);
		break;
	case SYSK_CLONE:
		put_clone(out, to_word(sys, v));
		break;
	default:
		put_dependent(out, sys, i, kind, to_word(sys, v));
		break;
	}
}

static void put_arg(FILE *out, const struct pt_syscall *sys, uint8_t i,
		    uint8_t kind, uint64_t v, const struct sysargs_opts *o)
{
	switch (kind) {
	case SYSK_ATFD:
		if ((int32_t)v == AT_FDCWD) {
			fputs("AT_FDCWD", out);
			return;
		}
		put_descriptor(out, sys, i, o);
		return;
	case SYSK_FD:
	case SYSK_SOCK:
		put_descriptor(out, sys, i, o);
		return;
	case SYSK_PATH:
		put_path(out, sys, i, o);
		return;
	case SYSK_SADDR:
		put_address(out, sys, i, PT_ARG_SOCKADDR, o);
		return;
	case SYSK_SADDR_OUT:
		put_address(out, sys, i, PT_ARG_SOCKADDR_OUT, o);
		return;
	default:
		put_value(out, sys, i, kind, v);
		return;
	}
}

void sysargs_put_one(FILE *out, const struct pt_syscall *sys, uint8_t i,
		     uint8_t kind, const struct sysargs_opts *opts)
{
	static const struct sysargs_opts defaults;

	put_arg(out, sys, i, kind, sys->args[i], opts ? opts : &defaults);
}

/* ---- all of them ---------------------------------------------------------- */

/* Which arguments say anything, given what the deciding one is. */
static uint8_t args_that_count(const struct pt_syscall *sys,
			       const struct syscall_def *def)
{
	uint8_t shown_args = 0x3f;

	for (size_t i = 0; i < ARRAY_LEN(def->kind); i++) {
		const struct sysnames *n = sysconst_of(def->kind[i]);
		const struct sysconst *value;

		value = n ? sysconst_value(n, (uint32_t)sys->args[i]) : NULL;
		if (value && value->args)
			shown_args &= value->args;
		if (def->kind[i] == SYSK_NOTHING ||
		    (def->kind[i] == SYSK_CREATE_MODE &&
		     !creates(sys->args[i - 1])))
			shown_args &= (uint8_t)~(1u << i);
	}
	return shown_args;
}

/*
 * Numbers of 64 bits take two registers of i386, low half first
 * (arch/x86/kernel/sys_ia32.c); what x86-64 leaves unused for them (NOTHING)
 * does not exist there.
 */
static void put_args_i386(FILE *out, const struct pt_syscall *sys,
			  const struct syscall_def *def, uint8_t mask,
			  const struct sysargs_opts *o)
{
	const char *between = "";
	uint8_t reg = 0;

	for (uint8_t i = 0; i < 6 && reg < 6 && def->kind[i] != SYSK_NONE;
	     i++) {
		uint8_t kind = def->kind[i];
		uint64_t v = (uint32_t)sys->args[reg];

		if (kind == SYSK_NOTHING)
			continue;
		if ((kind == SYSK_OFF || kind == SYSK_OFFHEX) && reg < 5)
			v |= sys->args[reg + 1] << 32;
		if (mask & 1u << i) {
			fputs(between, out);
			put_arg(out, sys, reg, kind, v, o);
			between = ", ";
		}
		reg += kind == SYSK_OFF || kind == SYSK_OFFHEX ? 2 : 1;
	}
}

static void put_args(FILE *out, const struct pt_syscall *sys,
		     const struct syscall_def *def, uint8_t mask,
		     const struct sysargs_opts *o)
{
	const char *between = "";

	for (uint8_t i = 0; i < 6 && def->kind[i] != SYSK_NONE; i++) {
		if (!(mask & 1u << i))
			continue;
		fputs(between, out);
		put_arg(out, sys, i, def->kind[i], sys->args[i], o);
		between = ", ";
	}
}

static void put_unknown(FILE *out, const struct pt_syscall *sys)
{
	fprintf(out, "syscall_0x%" PRIx32 "(", sys->nr);
	for (size_t i = 0; i < ARRAY_LEN(sys->args); i++) {
		fputs(i ? ", " : "", out);
		put_hex(out, sys->args[i]);
	}
	putc(')', out);
}

void sysargs_put(FILE *out, const struct pt_syscall *sys,
		 const struct sysargs_opts *opts)
{
	static const struct sysargs_opts defaults;
	const struct sysargs_opts *o = opts ? opts : &defaults;
	const struct syscall_def *def = syscall_find(sys->abi, sys->nr);
	uint8_t mask;

	if (sys->state == PT_SYS_NO_ENTRY) {
		fputs("<... ", out);
		if (def)
			fputs(def->name, out);
		else
			fprintf(out, "syscall_0x%" PRIx32, sys->nr);
		fputs(" resumed>)", out);
		return;
	}
	if (!def) {
		put_unknown(out, sys);
		return;
	}
	mask = args_that_count(sys, def);
	fprintf(out, "%s(", def->name);
	if (sys->abi == PT_ABI_I386)
		put_args_i386(out, sys, def, mask, o);
	else
		put_args(out, sys, def, mask, o);
	putc(')', out);
}
