/* SPDX-License-Identifier: MIT */
/* syscalls: names, classes and arguments of system calls by number. */
#include "event/syscalls.h"

#include <string.h>

#include <pytrace_abi.h>

#include "event/sysnr.h"

enum row {
#define SYS(name, ...) ROW_##name,
#include "event/syscalls.def"
#undef SYS
	NR_ROWS,
};

/* The letters of syscalls.def. */
enum {
	D = SYSCLASS_DESC,
	F = SYSCLASS_FILE,
	N = SYSCLASS_NETWORK,
	P = SYSCLASS_PROCESS,
	M = SYSCLASS_MEMORY,
	R_HEX = SYSRET_HEX,
	R_OCT = SYSRET_OCT,
};

#define K1(a) SYSK_##a
#define K2(a, b) K1(a), K1(b)
#define K3(a, b, c) K2(a, b), K1(c)
#define K4(a, b, c, d) K2(a, b), K2(c, d)
#define K5(a, b, c, d, e) K3(a, b, c), K2(d, e)
#define K6(a, b, c, d, e, f) K3(a, b, c), K3(d, e, f)
#define KN(a, b, c, d, e, f, K, ...) K
#define KINDS(...) KN(__VA_ARGS__, K6, K5, K4, K3, K2, K1, )(__VA_ARGS__)

static const struct syscall_def rows[NR_ROWS] = {
#define SYS(name, classes, ret, ...) \
	[ROW_##name] = { #name, classes, ret, { KINDS(__VA_ARGS__) } },
#include "event/syscalls.def"
#undef SYS
};

/* Row number plus one, so that 0 is "no such call". */
#define X(nr, name) [nr] = ROW_##name + 1,
static const uint16_t by_nr_x86_64[SYSCALLS_NR] = { SYSNR_X86_64(X) };
static const uint16_t by_nr_i386[SYSCALLS_NR] = { SYSNR_I386(X) };
#undef X
#define X(nr, name) [nr - 512] = ROW_##name + 1,
static const uint16_t by_nr_x32[64] = { SYSNR_X32(X) };
#undef X

/*
 * i386 calls of a name that x86-64 has with other arguments: one pointer to
 * all of them (old_mmap, old_select in arch/x86/entry/syscalls/syscall_32.tbl).
 */
static const struct {
	uint32_t nr;
	struct syscall_def def;
} i386_own[] = {
	{ 82, { "select", D, 0, { SYSK_PTR } } },
	{ 90, { "mmap", D | M, R_HEX, { SYSK_PTR } } },
};

static const struct syscall_def *in_table(const uint16_t *table, size_t len,
					  uint32_t nr)
{
	if (nr >= len || !table[nr])
		return NULL;
	return &rows[table[nr] - 1];
}

static const struct syscall_def *find_i386(uint32_t nr)
{
	for (size_t i = 0; i < ARRAY_LEN(i386_own); i++)
		if (i386_own[i].nr == nr)
			return &i386_own[i].def;
	return in_table(by_nr_i386, ARRAY_LEN(by_nr_i386), nr);
}

static const struct syscall_def *find_x32(uint32_t nr)
{
	nr &= ~(UINT32_C(1) << 30);	/* __X32_SYSCALL_BIT */
	if (nr >= 512)
		return in_table(by_nr_x32, ARRAY_LEN(by_nr_x32), nr - 512);
	return in_table(by_nr_x86_64, ARRAY_LEN(by_nr_x86_64), nr);
}

const struct syscall_def *syscall_find(uint8_t abi, uint32_t nr)
{
	switch ((enum pt_abi)abi) {
	case PT_ABI_X86_64:
		return in_table(by_nr_x86_64, ARRAY_LEN(by_nr_x86_64), nr);
	case PT_ABI_I386:
		return find_i386(nr);
	case PT_ABI_X32:
		return find_x32(nr);
	}
	return NULL;
}

const struct syscall_def *syscall_named(const char *name)
{
	for (size_t i = 0; i < NR_ROWS; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

uint8_t syscall_class_named(const char *name)
{
	static const struct {
		const char *name;
		uint8_t bit;
	} classes[] = {
		{ "desc", SYSCLASS_DESC },
		{ "file", SYSCLASS_FILE },
		{ "network", SYSCLASS_NETWORK },
		{ "net", SYSCLASS_NETWORK },
		{ "process", SYSCLASS_PROCESS },
		{ "memory", SYSCLASS_MEMORY },
	};

	for (size_t i = 0; i < ARRAY_LEN(classes); i++)
		if (!strcmp(classes[i].name, name))
			return classes[i].bit;
	return 0;
}

static uint8_t arg_of_kind(uint8_t kind)
{
	switch (kind) {
	case SYSK_PATH:
		return SYSARG_PATH;
	case SYSK_SADDR:
		return SYSARG_SOCKADDR;
	case SYSK_SADDR_OUT:
		return SYSARG_SOCKADDR_OUT;
	case SYSK_SOCK:
		return SYSARG_FD;
	default:
		return SYSARG_NONE;
	}
}

bool syscalls_args(uint32_t nr, struct syscall_args *out)
{
	const struct syscall_def *def = syscall_find(PT_ABI_X86_64, nr);
	bool any = false;

	*out = (struct syscall_args){ { 0 } };
	if (!def)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(out->kind); i++) {
		out->kind[i] = arg_of_kind(def->kind[i]);
		any = any || out->kind[i] != SYSARG_NONE;
	}
	return any;
}
