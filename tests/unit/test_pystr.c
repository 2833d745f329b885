/* SPDX-License-Identifier: MIT */
/* pystr: each kind of str becomes valid UTF-8, and never more than fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "python/pystr.h"

static void each_kind(void **state)
{
	static const uint8_t one[] = { 'a', 0x7f, 0x80, 0xe9, 0xff };
	static const uint16_t two[] = { 'a', 0x7ff, 0x800, 0xffff, 0xd7ff,
					0xe000 };
	static const uint32_t four[] = { 'a', 0x1f40d, 0x10ffff };
	char out[64];

	(void)state;
	assert_int_equal(pystr_utf8(out, sizeof(out), 1, one, 5), 8);
	assert_string_equal(out, "a\x7f\xc2\x80\xc3\xa9\xc3\xbf");
	assert_int_equal(pystr_utf8(out, sizeof(out), 2, two, 6), 15);
	assert_string_equal(out, "a\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"
			    "\xed\x9f\xbf\xee\x80\x80");
	assert_int_equal(pystr_utf8(out, sizeof(out), 4, four, 3), 9);
	assert_string_equal(out, "a\xf0\x9f\x90\x8d\xf4\x8f\xbf\xbf");
}

static void what_utf8_cannot_say(void **state)
{
	/* a surrogate each side, a pair (two characters to Python), escapes */
	static const uint16_t two[] = { 0xd800, 0xdfff, 0xd83d, 0xdc0d,
					0xdcff };
	static const uint32_t four[] = { 0xdc80, 0x110000, 0xffffffff };
	char out[64];

	(void)state;
	pystr_utf8(out, sizeof(out), 2, two, 5);
	assert_string_equal(out, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
			    "\xef\xbf\xbd\xef\xbf\xbd");
	pystr_utf8(out, sizeof(out), 4, four, 3);
	assert_string_equal(out, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

static void a_nul_is_a_character(void **state)
{
	char out[8];

	(void)state;
	assert_int_equal(pystr_utf8(out, sizeof(out), 1, "a\0b", 3), 3);
	assert_memory_equal(out, "a\0b", 4);
}

/* Every size: whole characters, closed, nothing behind the end touched. */
static void cut_at_whole_characters(void **state)
{
	static const uint32_t four[] = { 'a', 0xe9, 0x20ac, 0x1f40d };
	static const size_t fits[] = { 0, 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10 };
	char out[16];

	(void)state;
	for (size_t size = 0; size < ARRAY_LEN(fits); size++) {
		memset(out, 'x', sizeof(out));
		assert_int_equal(pystr_utf8(out, size, 4, four, 4),
				 fits[size]);
		assert_int_equal(out[fits[size]], size ? '\0' : 'x');
		for (size_t i = size; i < sizeof(out); i++)
			assert_int_equal(out[i], 'x');
	}
}

static void any_alignment_and_no_such_kind(void **state)
{
	static const uint8_t bytes[] = { 0, 0x41, 0, 0, 0, 0x42, 0, 0, 0 };
	char out[16];

	(void)state;
	assert_int_equal(pystr_utf8(out, sizeof(out), 4, bytes + 1, 2), 2);
	assert_string_equal(out, "AB");
	assert_int_equal(pystr_utf8(out, sizeof(out), 2, bytes + 1, 1), 1);
	assert_int_equal(pystr_utf8(out, sizeof(out), 3, bytes, 2), 0);
	assert_string_equal(out, "");
	assert_int_equal(pystr_utf8(out, sizeof(out), 0, NULL, 9), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind),
		cmocka_unit_test(what_utf8_cannot_say),
		cmocka_unit_test(a_nul_is_a_character),
		cmocka_unit_test(cut_at_whole_characters),
		cmocka_unit_test(any_alignment_and_no_such_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
