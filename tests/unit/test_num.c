/* SPDX-License-Identifier: MIT */
/* num: what people type is understood or refused, never half of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/num.h"

static void durations(void **state)
{
	static const struct {
		const char *s;
		int64_t ns;	/* -1: refused */
	} rows[] = {
		{ "500us", 500000 }, { "20ms", 20000000 }, { "2", 2000000000 },
		{ "1.5s", 1500000000 }, { ".25", 250000000 }, { "5m", 300000000000 },
		{ "0", 0 }, { "1h", 3600000000000 }, { "0.000000001", 1 },
		{ "", -1 }, { "s", -1 }, { "-1", -1 }, { "1x", -1 }, { "1 s", -1 },
		{ ".", -1 }, { "inf", -1 }, { "1e3", -1 }, { "0x10", -1 },
		{ "99999999999999", -1 }, { "1sx", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t ns = 7;
		bool ok = num_duration(rows[i].s, &ns);

		if (ok != (rows[i].ns >= 0) || (ok && ns != (uint64_t)rows[i].ns))
			fail_msg("'%s' gave %d, %llu", rows[i].s, ok,
				 (unsigned long long)ns);
	}
}

static void sizes(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_true(num_size("64K", &v) && v == 65536);
	assert_true(num_size("8M", &v) && v == 8 << 20);
	assert_true(num_size("1g", &v) && v == 1 << 30);
	assert_true(num_size("77", &v) && v == 77);
	assert_false(num_size("", &v));
	assert_false(num_size("-1", &v));
	assert_false(num_size("1KK", &v));
	assert_false(num_size("1T", &v));
	assert_false(num_size("18446744073709551615G", &v));
}

static void numbers(void **state)
{
	int64_t v = 0;

	(void)state;
	assert_true(num_parse("12", 1, 100, &v) && v == 12);
	assert_true(num_parse("-3", -5, 100, &v) && v == -3);
	assert_false(num_parse("101", 1, 100, &v));
	assert_false(num_parse("12x", 1, 100, &v));
	assert_false(num_parse("", 1, 100, &v));
	assert_false(num_parse(" 1", 1, 100, &v));
	assert_false(num_parse("99999999999999999999", 1, INT64_MAX, &v));
}

static void texts(void **state)
{
	char buf[32];

	(void)state;
	assert_string_equal(num_duration_text(20000000, buf, sizeof(buf)), "20 ms");
	assert_string_equal(num_duration_text(1500000000, buf, sizeof(buf)), "1.5 s");
	assert_string_equal(num_duration_text(999, buf, sizeof(buf)), "999 ns");
	assert_string_equal(num_grouped_text(0, buf, sizeof(buf)), "0");
	assert_string_equal(num_grouped_text(999, buf, sizeof(buf)), "999");
	assert_string_equal(num_grouped_text(41230, buf, sizeof(buf)), "41,230");
	assert_string_equal(num_grouped_text(1000000, buf, sizeof(buf)),
			    "1,000,000");
	assert_string_equal(num_grouped_text(UINT64_MAX, buf, 27),
			    "18,446,744,073,709,551,615");
	assert_string_equal(num_grouped_text(123456, buf, 4), "123");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations),
		cmocka_unit_test(sizes),
		cmocka_unit_test(numbers),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
