/* SPDX-License-Identifier: MIT */
/* syscalls: numbers of each ABI lead to the right row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/syscall.h>

#include <pytrace_abi.h>

#include "event/syscalls.h"

static void numbers_have_names(void **state)
{
	static const struct {
		uint8_t abi;
		uint32_t nr;
		const char *name;
	} rows[] = {
		{ PT_ABI_X86_64, SYS_read, "read" },
		{ PT_ABI_X86_64, SYS_openat, "openat" },
		{ PT_ABI_X86_64, SYS_newfstatat, "newfstatat" },
		{ PT_ABI_X86_64, 452, "fchmodat2" },
		{ PT_ABI_I386, 3, "read" },
		{ PT_ABI_I386, 5, "open" },
		{ PT_ABI_I386, 90, "mmap" },
		{ PT_ABI_I386, 192, "mmap2" },
		{ PT_ABI_I386, 295, "openat" },
		{ PT_ABI_X32, 0x40000000 + 1, "write" },
		{ PT_ABI_X32, 0x40000000 + 520, "execve" },
		{ PT_ABI_X32, 520, "execve" },
		{ PT_ABI_X86_64, 400, NULL },
		{ PT_ABI_X86_64, 520, NULL },
		{ PT_ABI_X86_64, UINT32_MAX, NULL },
		{ PT_ABI_I386, 0x7fffffff, NULL },
		{ PT_ABI_X32, UINT32_MAX, NULL },
		{ 7, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct syscall_def *def;

		def = syscall_find(rows[i].abi, rows[i].nr);
		if (!rows[i].name) {
			assert_null(def);
			continue;
		}
		assert_non_null(def);
		assert_string_equal(def->name, rows[i].name);
		assert_non_null(syscall_named(def->name));
	}
	assert_null(syscall_named("frobnicate"));
}

/* One letter an argument: what the kernel half is told to do. */
static const char *args_of(long nr)
{
	static const char letters[] = "-PAOF";
	static char text[7];
	struct syscall_args args;

	syscalls_args((uint32_t)nr, &args);
	for (size_t i = 0; i < 6; i++)
		text[i] = letters[args.kind[i]];
	return text;
}

static void arguments_to_follow(void **state)
{
	struct syscall_args args;

	(void)state;
	assert_string_equal(args_of(SYS_openat), "-P----");
	assert_string_equal(args_of(SYS_renameat2), "-P-P--");
	assert_string_equal(args_of(SYS_connect), "FA----");
	assert_string_equal(args_of(SYS_sendto), "F---A-");
	assert_string_equal(args_of(SYS_recvfrom), "F---O-");
	assert_string_equal(args_of(SYS_accept4), "FO----");
	assert_string_equal(args_of(SYS_read), "F-----");
	assert_string_equal(args_of(SYS_getpid), "------");
	assert_false(syscalls_args(SYS_getpid, &args));
	assert_true(syscalls_args(SYS_execve, &args));
	assert_false(syscalls_args(100000, &args));
}

/* An address is always followed by its length: the kernel half relies on it. */
static void addresses_have_lengths(void **state)
{
	(void)state;
	for (uint32_t nr = 0; nr < SYSCALLS_NR; nr++) {
		const struct syscall_def *def = syscall_find(0, nr);

		for (size_t i = 0; def && i < 6; i++) {
			if (def->kind[i] == SYSK_SADDR)
				assert_int_equal(def->kind[i + 1], SYSK_INT);
			if (def->kind[i] == SYSK_SADDR_OUT)
				assert_int_equal(def->kind[i + 1], SYSK_PTR);
		}
	}
}

static void classes_are_those_of_strace(void **state)
{
	(void)state;
	assert_true(syscall_named("openat")->classes & SYSCLASS_FILE);
	assert_true(syscall_named("openat")->classes & SYSCLASS_DESC);
	assert_true(syscall_named("mmap")->classes & SYSCLASS_MEMORY);
	assert_true(syscall_named("clone3")->classes & SYSCLASS_PROCESS);
	assert_int_equal(syscall_class_named("network"), SYSCLASS_NETWORK);
	assert_int_equal(syscall_class_named("all"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_names),
		cmocka_unit_test(arguments_to_follow),
		cmocka_unit_test(addresses_have_lengths),
		cmocka_unit_test(classes_are_those_of_strace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
