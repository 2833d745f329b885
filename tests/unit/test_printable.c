/* SPDX-License-Identifier: MIT */
/* printable: nothing that a target chose acts on a terminal or breaks JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "base/printable.h"

static const struct {
	const char *in, *shown, *clean;
	size_t columns;
} rows[] = {
	{ "function__entry", "function__entry", "function__entry", 15 },
	{ "", "", "", 0 },
	{ "a\033[2Jb", "a\\x1b[2Jb", "a\033[2Jb", 9 },
	{ "a\nb\t\x7f", "a\\x0ab\\x09\\x7f", "a\nb\t\x7f", 14 },
	{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", 4 },
	{ "\xe2\x82\xac\xf0\x9f\x90\x8d", "\xe2\x82\xac\xf0\x9f\x90\x8d",
	  "\xe2\x82\xac\xf0\x9f\x90\x8d", 2 },
	{ "\xff" "a", "\\xffa", "\xef\xbf\xbd" "a", 5 },
	/* cut short, overlong, surrogate, beyond Unicode */
	{ "\xe2\x82", "\\xe2\\x82", "\xef\xbf\xbd\xef\xbf\xbd", 8 },
	{ "\xc0\x80", "\\xc0\\x80", "\xef\xbf\xbd\xef\xbf\xbd", 8 },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80",
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 12 },
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80",
	  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 16 },
	/* a C1 control, and a mark that turns the direction of text */
	{ "\xc2\x9b" "2J", "\\xc2\\x9b2J", "\xc2\x9b" "2J", 10 },
	{ "\xe2\x80\xae" "x", "\\xe2\\x80\\xaex", "\xe2\x80\xae" "x", 13 },
};

static void for_terminals(void **state)
{
	char got[256];
	FILE *f;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		f = fmemopen(got, sizeof(got), "w");
		assert_non_null(f);
		assert_int_equal(printable_put(f, rows[i].in,
					       strlen(rows[i].in)),
				 rows[i].columns);
		assert_int_equal(printable_put(NULL, rows[i].in,
					       strlen(rows[i].in)),
				 rows[i].columns);
		fputc('\0', f);
		fclose(f);
		assert_string_equal(got, rows[i].shown);
	}
}

static void for_json(void **state)
{
	size_t i, len;
	char *got;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		got = utf8_clean(rows[i].in, strlen(rows[i].in), &len);
		assert_string_equal(got, rows[i].clean);
		assert_int_equal(len, strlen(rows[i].clean));
		free(got);
	}
	got = utf8_clean("a\0b", 3, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(got, "a\0b", 4);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_terminals),
		cmocka_unit_test(for_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
