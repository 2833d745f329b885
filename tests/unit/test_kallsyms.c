/* SPDX-License-Identifier: MIT */
/* kallsyms: the kernel's functions, by address. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "target/kallsyms.h"

static int read_text(struct kallsyms **k, const char *text, struct err *err)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int rc;

	assert_non_null(f);
	rc = kallsyms_read(k, f, err);
	fclose(f);
	return rc;
}

static void names(void **state)
{
	static const char text[] =
		"ffffffff81000000 T _stext\n"
		"ffffffff81000000 T _text\n"
		"ffffffff81000100 t futex_wait\n"
		"ffffffff81000140 d some_data\n"
		"ffffffffc0000000 t ext4_write\t[ext4]\n"
		"nonsense\n"
		"ffffffff81000200 W weak\n"
		"ffffffff82000000 T \n";
	struct err err = { 0 };
	struct kallsyms *k;

	(void)state;
	assert_int_equal(read_text(&k, text, &err), 0);
	assert_string_equal(kallsyms_name(k, 0xffffffff81000000), "_stext");
	assert_string_equal(kallsyms_name(k, 0xffffffff810000ff), "_stext");
	assert_string_equal(kallsyms_name(k, 0xffffffff81000150), "futex_wait");
	assert_string_equal(kallsyms_name(k, 0xffffffff81000200), "weak");
	assert_string_equal(kallsyms_name(k, UINT64_MAX), "ext4_write");
	assert_string_equal(kallsyms_name(k, 0x1000), "");
	kallsyms_free(k);
}

static void hidden(void **state)
{
	static const char *const texts[] = {
		"", "garbage\n",
		("0000000000000000 T _stext\n"
		 "0000000000000000 t futex_wait\n"),
	};
	struct kallsyms *k;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err err = { 0 };
		FILE *f = i ? NULL : fopen("/dev/null", "re");

		assert_int_equal(f ? kallsyms_read(&k, f, &err) :
				 read_text(&k, texts[i], &err), -EACCES);
		assert_int_equal(err.kind, ERR_NOT_PERMITTED);
		assert_non_null(strstr(err.hint, "kptr_restrict"));
		if (f)
			fclose(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
