/* SPDX-License-Identifier: MIT */
/* sysset: -e selects what strace's -e would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "event/sysset.h"
#include "pytrace_abi.h"

enum { READ = 0, CLOSE = 3, MMAP = 9, CONNECT = 42, OPENAT = 257 };

static struct sysset parse(const char *a, const char *b)
{
	const char *words[] = { a, b };
	struct sysset s;

	assert_int_equal(sysset_parse(&s, words, (size_t)!!a + (size_t)!!b,
				      NULL), 0);
	return s;
}

static bool has(const struct sysset *s, uint32_t nr)
{
	return sysset_has(s, PT_ABI_X86_64, nr);
}

static void names_and_classes(void **state)
{
	struct sysset s = parse("openat", "%network");

	(void)state;
	assert_true(has(&s, OPENAT) && has(&s, CONNECT));
	assert_false(has(&s, READ) || has(&s, MMAP));
	assert_true(sysset_has(&s, PT_ABI_I386, 295));	/* openat there */
	assert_false(sysset_has(&s, PT_ABI_I386, 257));
	assert_true(sysset_has(&s, PT_ABI_X32, 257 | 0x40000000));
}

static void leaving_out(void **state)
{
	struct sysset s = parse("!close", NULL);

	(void)state;
	assert_true(has(&s, OPENAT) && has(&s, READ));
	assert_false(has(&s, CLOSE));
	s = parse("%desc", "!close");
	assert_true(has(&s, READ));
	assert_false(has(&s, CLOSE) || has(&s, 39));
	s = parse(NULL, NULL);
	assert_true(has(&s, CLOSE) && has(&s, 500));
}

static void unknown_names(void **state)
{
	const char *words[] = { "opn" };
	const char *classes[] = { "%nonsense" };
	struct err err = { 0 };
	struct sysset s;

	(void)state;
	assert_true(sysset_parse(&s, words, 1, &err) < 0);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, "no system call 'opn'");
	assert_true(sysset_parse(&s, classes, 1, &err) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_classes),
		cmocka_unit_test(leaving_out),
		cmocka_unit_test(unknown_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
