/* SPDX-License-Identifier: MIT */
/*
 * linetable: lines as CPython has them, from its own tables (contextlib.py of
 * five versions, recorded by tests/live/dump_linetables.py) and by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "linetable_stream.h"

#include "base/compiler.h"

static void recorded_tables_agree(void **state)
{
	static const struct {
		const char *name;
		uint16_t version;
		unsigned long instructions, without_line;
	} samples[] = {
		{ "3.9", 0x0309, 1662, 0 },
		{ "3.10", 0x030a, 1794, 42 },
		{ "3.11", 0x030b, 3766, 110 },
		{ "3.13", 0x030d, 4027, 160 },
		{ "3.15", 0x030f, 5411, 212 },
	};
	const char *src = getenv("SRCDIR");
	char path[4096];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct linetable_counts c;
		FILE *f;

		snprintf(path, sizeof(path), "%s/tests/data/linetables/%s.bin",
			 src ? src : ".", samples[i].name);
		f = fopen(path, "rb");
		assert_non_null(f);
		linetable_stream(f, &c);
		fclose(f);
		assert_false(c.damaged);
		assert_int_equal(c.version, samples[i].version);
		assert_int_equal(c.instructions, samples[i].instructions);
		assert_int_equal(c.without_line, samples[i].without_line);
		assert_int_equal(c.different, 0);
	}
}

struct row {
	const char *what;
	uint16_t version;
	uint8_t table[16];
	size_t len;
	int first, lasti, line;
};

static const struct row rows[] = {
	{ "no table: the first line", 0x0309, { 0 }, 0, 7, 4, 7 },
	{ "before the first growth", 0x0309, { 6, 1 }, 2, 7, 4, 7 },
	{ "at the growth", 0x0309, { 6, 1 }, 2, 7, 6, 8 },
	{ "lines go back", 0x0306, { 2, 5, 2, 0xfd }, 4, 1, 4, 3 },
	{ "long lines are in two pairs", 0x0308, { 2, 127, 0, 10 }, 4, 1, 2,
	  138 },
	{ "half a pair is nothing", 0x0308, { 0, 1, 0 }, 3, 1, 2, 2 },
	{ "not begun", 0x0309, { 0, 1 }, 2, 7, -1, 7 },

	{ "a range", 0x030a, { 4, 1, 2, 1 }, 4, 7, 2, 8 },
	{ "its end is not in it", 0x030a, { 4, 1, 2, 1 }, 4, 7, 4, 9 },
	{ "without line", 0x030a, { 4, 1, 2, 0x80, 2, 1 }, 6, 7, 4, -1 },
	{ "and after it", 0x030a, { 4, 1, 2, 0x80, 2, 1 }, 6, 7, 6, 9 },
	{ "behind the table", 0x030a, { 4, 1 }, 2, 7, 4, -1 },
	{ "not begun", 0x030a, { 4, 1 }, 2, 7, -1, 7 },

	{ "short form keeps the line", 0x030b, { 0x81, 0 }, 2, 7, 2, 7 },
	{ "one line on", 0x030b, { 0xd8, 0, 0 }, 3, 7, 0, 8 },
	{ "two lines on", 0x030b, { 0xe0, 0, 0 }, 3, 7, 0, 9 },
	{ "three lines back, no columns", 0x030d, { 0xe8, 7 }, 2, 7, 0, 4 },
	{ "long form, 32 lines on", 0x030c, { 0xf0, 0x40, 1, 0, 0, 0, }, 6, 7,
	  0, 39 },
	{ "after a long form", 0x030c, { 0xf0, 0x40, 1, 0, 0, 0, 0xd8, 0, 0 },
	  9, 7, 2, 40 },
	{ "no location", 0x030e, { 0xf8, 0xd8, 0, 0 }, 4, 7, 0, -1 },
	{ "no location leaves the line alone", 0x030e, { 0xf8, 0xd8, 0, 0 }, 4,
	  7, 2, 8 },
	{ "columns may have the top bit", 0x030e, { 0xd8, 0xff, 0xff, 0xd8, 0,
	  0 }, 6, 7, 2, 9 },
	{ "behind the table", 0x030f, { 0x81, 0 }, 2, 7, 4, -1 },
	{ "not begun", 0x030c, { 0x81, 0 }, 2, 7, -2, 7 },
	{ "no entry begins so", 0x030b, { 0x01, 0 }, 2, 7, 0, -1 },
	{ "a number without end", 0x030b, { 0xe8, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f,
	  0x7f, 0x7f, 0x7f, 0x00 }, 10, 7, 0, -1 },
	{ "cut in a number", 0x030b, { 0xe8, 0x7f }, 2, 7, 0, -1 },
	{ "line below 0", 0x030b, { 0xe8, 0x41, 0x01 }, 3, 7, 0, -1 },
};

static void forms_by_hand(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *r = &rows[i];
		int line = linetable_line(r->version, r->table, r->len,
					  r->first, r->lasti);

		if (line != r->line)
			fail_msg("%#x: %s: line %d, not %d", r->version,
				 r->what, line, r->line);
	}
}

/* The largest growth, thousands of times: no overflow, no line. */
static void lines_do_not_overflow(void **state)
{
	static uint8_t table[12000];

	(void)state;
	for (size_t i = 0; i + 6 < sizeof(table); i += 7)
		memcpy(table + i, "\xe8\x7e\x7f\x7f\x7f\x7f\x03", 7);
	assert_int_equal(linetable_line(0x030b, table, sizeof(table), 1, 3000),
			 -1);
	assert_int_equal(linetable_line(0x030b, NULL, 0, 1, 0), -1);
	assert_int_equal(linetable_line(0x0309, NULL, 0, -5, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_tables_agree),
		cmocka_unit_test(forms_by_hand),
		cmocka_unit_test(lines_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
