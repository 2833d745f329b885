/* SPDX-License-Identifier: MIT */
/* pyversion: texts of versions; pyprobes: what is said of each probe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "python/layout.h"
#include "python/pyimage.h"
#include "python/pyversion.h"

static void texts_of_versions(void **state)
{
	static const struct {
		const char *text;
		uint32_t hex;
		const char *rest;
	} rows[] = {
		{ "3.9.2", 0x030902f0, "" },
		{ "3.12.0+", 0x030c00f0, "+" },
		{ "3.15.0b4", 0x030f00b4, "" },
		{ "3.14.0rc12+", 0x030e00cc, "+" },
		{ "3.10.5+cinder", 0x030a05f0, "+cinder" },
		{ "2.7.18", 0x020712f0, "" },
		{ "3.8.12 (default", 0x03080cf0, " (default" },
		{ "3.9", 0, NULL }, { "3.9.", 0, NULL }, { "", 0, NULL },
		{ "3.999.1", 0, NULL }, { "v3.9.2", 0, NULL },
		{ "%.80s (%.80s) %.80s", 0, NULL }, { "3.15.0b", 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *rest = NULL;
		uint32_t hex = pyversion_parse(rows[i].text, &rest);

		if (hex != rows[i].hex)
			fail_msg("%s: %#x", rows[i].text, hex);
		if (hex)
			assert_string_equal(rest, rows[i].rest);
	}
}

static void hex_is_text_again(void **state)
{
	static const char *const texts[] = { "3.9.2", "3.15.0b4", "3.14.0rc1",
					     "3.6.15", "3.13.0a11" };
	char buf[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_string_equal(layout_version_text(
			pyversion_parse(texts[i], NULL), buf, sizeof(buf)),
			texts[i]);
}

static void probes_by_version(void **state)
{
	static const struct {
		uint16_t version;
		const char *name, *begins;
	} rows[] = {
		{ 0x0309, "function__entry", "fires on every call" },
		{ 0x030b, "function__entry", "present, does not fire on calls" },
		{ 0x030b, "function__return", "fires on every return" },
		{ 0x030c, "function__entry", "not in this version" },
		{ 0x030f, "function__entry", "fires on every call" },
		{ 0x030f, "line", "not in this version" },
		{ 0x0306, "audit", "not in this version" },
		{ 0x0310, "audit", "not known of this version" },
		{ 0x030d, "gc__start", "fires" },
		{ 0x0309, "cfunction__entry", "not in any version" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *words = pyimage_probe_verdict(
			rows[i].version, "python", rows[i].name);

		assert_non_null(words);
		if (strncmp(words, rows[i].begins, strlen(rows[i].begins)))
			fail_msg("%s: %s", rows[i].name, words);
	}
	assert_null(pyimage_probe_verdict(0x0309, "python", "another"));
	assert_null(pyimage_probe_verdict(0x0309, "libc", "audit"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_of_versions),
		cmocka_unit_test(hex_is_text_again),
		cmocka_unit_test(probes_by_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
