/* SPDX-License-Identifier: MIT */
/* base: sentences are cut and never overrun, readers stop at their end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/rd.h"

static void err_wrap_prefixes(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_kind(&e, ERR_INPUT, -5, "no '%s'", "x"), -5);
	err_hint(&e, "first");
	err_hint(&e, "second");
	assert_int_equal(err_wrap(&e, -6, "file %d", 3), -6);
	assert_string_equal(e.text, "file 3: no 'x'");
	assert_string_equal(e.hint, "first\nsecond");
	assert_int_equal(e.kind, ERR_INPUT);
	assert_string_equal(err_kind_name(e.kind), "input");
}

static void err_is_cut(void **state)
{
	struct err e = { 0 };
	char big[2000];

	(void)state;
	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&e, -1, "%s", big);
	err_wrap(&e, -1, "%s", big);
	err_hint(&e, "%s", big);
	err_hint(&e, "%s", big);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	assert_int_equal(strlen(e.hint), sizeof(e.hint) - 1);
}

static void rd_stops_at_the_end(void **state)
{
	const uint8_t bytes[] = { 1, 2, 0, 4, 5 };
	struct rd r = rd_over(bytes, sizeof(bytes));

	(void)state;
	assert_string_equal(rd_str(&r), "\1\2");
	assert_int_equal(rd_left(&r), 2);
	assert_int_equal(rd_u32(&r), 0);
	assert_true(r.bad);
	assert_null(rd_take(&r, 1));
	r = rd_over(bytes + 3, 2);
	assert_null(rd_str(&r));
	assert_true(r.bad);
	r = rd_over(bytes, 2);
	r.swap = true;
	assert_int_equal(rd_u16(&r), 0x0102);
	assert_false(r.bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(err_wrap_prefixes),
		cmocka_unit_test(err_is_cut),
		cmocka_unit_test(rd_stops_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
