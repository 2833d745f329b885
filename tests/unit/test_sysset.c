/* SPDX-License-Identifier: MIT */
/* sysset: -e selects what strace's -e would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "event/eventset.h"
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
	assert_string_equal(err.text, "no event and no system call 'opn'");
	assert_true(sysset_parse(&s, classes, 1, &err) < 0);
}

static uint32_t kinds(const char *a, const char *b, uint32_t *hz)
{
	const char *words[] = { a, b };
	struct err err = { 0 };
	struct eventset s;

	assert_int_equal(eventset_parse(&s, words, (size_t)!!a + (size_t)!!b,
					EVENTS_ALL, &err), 0);
	*hz = s.sample_hz;
	return s.types;
}

static void kinds_of_events(void **state)
{
	uint32_t hz;

	(void)state;
	assert_int_equal(kinds(NULL, NULL, &hz), EVENTS_ALL);
	assert_int_equal(hz, SAMPLE_HZ);
	assert_int_equal(kinds("faults", "offcpu", &hz),
			 EVENTS_OF(PT_FAULT) | EVENTS_OF(PT_OFFCPU));
	assert_int_equal(kinds("cpu:99", NULL, &hz), EVENTS_OF(PT_SAMPLE));
	assert_int_equal(hz, 99);
	/* names of calls bring the calls with them, and no others */
	assert_int_equal(kinds("openat", "faults", &hz),
			 EVENTS_SYSCALLS | EVENTS_OF(PT_FAULT));
	assert_int_equal(kinds("!faults", "!close", &hz),
			 EVENTS_ALL & ~EVENTS_OF(PT_FAULT));
	assert_int_equal(kinds("!syscalls", NULL, &hz),
			 EVENTS_ALL & ~EVENTS_SYSCALLS);
}

static void only_named_calls_are_in_the_set(void **state)
{
	const char *words[] = { "openat", "faults" };
	struct pt_syscall sys = { .h.type = PT_SYSCALL, .nr = 0 };
	struct pt_fault fault = { .h.type = PT_FAULT };
	struct pt_sample sample = { .h.type = PT_SAMPLE };
	struct pt_lost lost = { .h.type = PT_LOST };
	struct err err = { 0 };
	struct eventset s;

	(void)state;
	assert_int_equal(eventset_parse(&s, words, 2, EVENTS_ALL, &err), 0);
	assert_false(eventset_has(&s, &sys.h));
	sys.nr = 257;
	assert_true(eventset_has(&s, &sys.h));
	assert_true(eventset_has(&s, &fault.h));
	assert_false(eventset_has(&s, &sample.h));
	assert_true(eventset_has(&s, &lost.h));
}

static void wrong_events_are_refused(void **state)
{
	static const char *const wrong[] = { "cpu:0", "cpu:x", "faults:2",
					     "cpu:", "!nothing" };
	struct eventset s;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct err err = { 0 };

		assert_true(eventset_parse(&s, wrong + i, 1, EVENTS_ALL,
					   &err) < 0);
		assert_int_equal(err.kind, ERR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_events),
		cmocka_unit_test(only_named_calls_are_in_the_set),
		cmocka_unit_test(wrong_events_are_refused),
		cmocka_unit_test(names_and_classes),
		cmocka_unit_test(leaving_out),
		cmocka_unit_test(unknown_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
