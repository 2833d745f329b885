/* SPDX-License-Identifier: MIT */
/* uprobedef: arguments as the kernel fetches them, and lines of uprobe_events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>

#include "elf/sdtfetch.h"
#include "elf/stapsdt.h"
#include "elf/uprobedef.h"
#include "python/pyimage.h"

struct row {
	unsigned int machine;
	bool is_text;
	const char *arg;
	const char *want;	/* "%di:s32", or "?why" */
};

static void check_row(const struct row *row)
{
	struct sdtfetch fetch;
	struct sdtarg arg;
	const char *why;
	char got[128];

	assert_int_equal(sdtarg_parse(row->machine, true, row->arg, &arg, 1), 1);
	why = sdtfetch_of(row->machine, &arg, row->is_text, &fetch);
	if (why)
		snprintf(got, sizeof(got), "?%s", why);
	else
		snprintf(got, sizeof(got), "%s:%s", fetch.from, fetch.type);
	if (strcmp(got, row->want))
		fail_msg("%s\n  is:     %s\n  wanted: %s", row->arg, got,
			 row->want);
}

static void numbers(void **state)
{
	static const struct row rows[] = {
#define X(arg, want) { EM_X86_64, false, arg, want }
		X("-4@%edi", "%di:s32"),
		X("8@%rbp", "%bp:u64"),
		X("-8@%r12", "%r12:s64"),
		X("2@%r9w", "%r9:u16"),
		X("-1@%sil", "%si:s8"),
		X("1@%ah", "%ax:b8@8/16"),
		X("-1@%ah", "?a signed part of a register"),
		/* gcc PR 80115: the int is in %eax */
		X("-4@%al", "%ax:s32"),
		X("-4@112(%rsp)", "+112(%sp):s32"),
		X("-4@-292(%rbp)", "-292(%bp):s32"),
		X("8@(%rax)", "+0(%ax):u64"),
		X("-8@-9223372036854775808(%r15)",
		  "-9223372036854775808(%r15):s64"),
		X("8@8(%rdi,%rsi,8)", "?an address with an index"),
		X("4@-4(%ebp)", "?an address of 4 bytes"),
		X("4@0x1000", "?an address that is fixed"),
		X("1@$200", "\\200:u8"),
		X("-4@$-1", "\\-1:s32"),
		X("8@$18446744073709551615", "\\18446744073709551615:u64"),
		X("-8@$-9223372036854775808", "\\-9223372036854775808:s64"),
		X("8f@%rax", "%ax:x64"),
		X("4f@-8(%rbp)", "-8(%bp):x32"),
		X("8f@%xmm0", "?a floating-point or vector register"),
		X("-4@counter+4(%rip)", "?relative to a symbol"),
		X("16@%rax", "?its size is not 1, 2, 4 or 8 bytes"),
		X("4@DWORD PTR [rbp-4]",
		  "?this form of operand is not supported"),
#undef X
		{ EM_AARCH64, false, "-4@w2", "%x2:s32" },
		{ EM_AARCH64, false, "8@[sp, 16]", "+16(%sp):u64" },
		{ EM_AARCH64, false, "8@[x22, x1, lsl 3]",
		  "?an address with an index" },
		{ EM_S390, false, "8@%r9",
		  "?a register that the kernel has no name for" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(&rows[i]);
}

static void texts(void **state)
{
	static const struct row rows[] = {
		{ EM_X86_64, true, "8@%rbp", "+0(%bp):ustring" },
		{ EM_X86_64, true, "8@16(%rsp)", "+0(+16(%sp)):ustring" },
		{ EM_X86_64, true, "-8@-16(%rsp)", "+0(-16(%sp)):ustring" },
		{ EM_X86_64, true, "8@-9223372036854775808(%rsp)",
		  "+0(-9223372036854775808(%sp)):ustring" },
		{ EM_X86_64, true, "4@%ebp", "?no pointer" },
		{ EM_X86_64, true, "8@$4096", "?no pointer" },
		{ EM_X86_64, true, "8f@%rax", "?no pointer" },
		{ EM_AARCH64, true, "8@x0", "+0(%x0):ustring" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_row(&rows[i]);
}

/* ---- lines -------------------------------------------------------------- */

static const struct stapsdt_note gc_done = {
	.provider = "python", .name = "gc__done", .args = "-8@%r12",
	.has_offset = true, .offset = 0x2705b,
	.semaphore = 0xa7ed50, .has_sem_offset = true, .sem_offset = 0x67dd50,
};

static char *lines_of(const char *path, const struct stapsdt_note *notes,
		      size_t nr)
{
	const struct uprobedef_file file = {
		.path = path, .machine = EM_X86_64, .is_64 = true,
		.arg = pyimage_probe_arg,
	};
	const struct stapsdt_note *v[16];
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_true(nr <= ARRAY_LEN(v));
	for (size_t i = 0; i < nr; i++)
		v[i] = &notes[i];
	assert_int_equal(uprobedef_put(f, &file, v, nr, NULL), 0);
	fclose(f);
	return text;
}

static void check_lines(const char *path, const struct stapsdt_note *notes,
			size_t nr, const char *want)
{
	char *got = lines_of(path, notes, nr);

	assert_string_equal(got, want);
	free(got);
}

static void a_line(void **state)
{
	struct stapsdt_note n = gc_done;

	(void)state;
	check_lines("/usr/bin/python3", &n, 1,
		    "p:sdt_python/gc__done /usr/bin/python3:"
		    "0x000000000002705b(0x67dd50) collected=%r12:s64\n");
	n.semaphore = 0;
	n.has_sem_offset = false;
	check_lines("/x", &n, 1, "p:sdt_python/gc__done "
		    "/x:0x000000000002705b collected=%r12:s64\n");
	check_lines("/x", &n, 0, "");
}

static void arguments_of_python(void **state)
{
	struct stapsdt_note n = gc_done;

	(void)state;
	n.name = "function__entry";
	n.args = "8@%rbp 8@%r12 -4@%eax";
	check_lines("/x", &n, 1, "p:sdt_python/function__entry "
		    "/x:0x000000000002705b(0x67dd50) filename=+0(%bp):ustring "
		    "function=+0(%r12):ustring line=%ax:s32\n");
	/* the second is an address, of no use outside */
	n.name = "audit";
	n.args = "8@%rbx 8@%r15";
	check_lines("/x", &n, 1, "p:sdt_python/audit "
		    "/x:0x000000000002705b(0x67dd50) event=+0(%bx):ustring\n");
	/* of others nothing is known */
	n.name = "new";
	check_lines("/x", &n, 1, "p:sdt_python/new "
		    "/x:0x000000000002705b(0x67dd50) arg1=%bx:u64 "
		    "arg2=%r15:u64\n");
	n.provider = "ruby";
	n.name = "gc__done";
	check_lines("/x", &n, 1, "p:sdt_ruby/gc__done "
		    "/x:0x000000000002705b(0x67dd50) arg1=%bx:u64 "
		    "arg2=%r15:u64\n");
}

/* Locations of one event have the same fields; others get another event. */
static void other_fields(void **state)
{
	struct stapsdt_note n[4] = { gc_done, gc_done, gc_done, gc_done };

	(void)state;
	n[1].args = "-8@8(%rsp)";
	n[2].args = "-4@%eax";
	n[3].args = "-8@%rbx";
	check_lines("/x", n, 4, "p:sdt_python/gc__done "
		    "/x:0x000000000002705b(0x67dd50) collected=%r12:s64\n"
		    "p:sdt_python/gc__done "
		    "/x:0x000000000002705b(0x67dd50) collected=+8(%sp):s64\n"
		    "p:sdt_python/gc__done_2 "
		    "/x:0x000000000002705b(0x67dd50) collected=%ax:s32\n"
		    "p:sdt_python/gc__done "
		    "/x:0x000000000002705b(0x67dd50) collected=%bx:s64\n");
	/* of the next probe they are forgotten */
	n[1].name = n[2].name = n[3].name = "gc__start";
	n[3].args = "-4@%ebx";
	check_lines("/x", n + 2, 2, "p:sdt_python/gc__start "
		    "/x:0x000000000002705b(0x67dd50) generation=%ax:s32\n"
		    "p:sdt_python/gc__start "
		    "/x:0x000000000002705b(0x67dd50) generation=%bx:s32\n");
}

static void what_cannot_be(void **state)
{
	struct stapsdt_note n[10];
	static const char *const sizes[] = {
		"-8@%r12", "-4@%eax", "-2@%ax", "-1@%al", "8@%r12", "4@%eax",
		"2@%ax", "1@%al", "8f@%rax", "4f@%eax",
	};
	char *got, path[4200];

	(void)state;
	n[0] = gc_done;
	n[0].location = 0x427000;
	n[0].has_offset = false;
	check_lines("/x", n, 1, "#skipped\tsdt_python/gc__done\t0x427000\t"
		    "it is nowhere in the code of the file\n");
	n[0].has_offset = true;
	n[0].has_sem_offset = false;
	check_lines("/x", n, 1, "#skipped\tsdt_python/gc__done\t0x427000\t"
		    "its semaphore is nowhere in the data of the file\n");
	n[0].has_sem_offset = true;
	n[0].args = "-8@8(%rax,%rbx,4)";
	check_lines("/x", n, 1, "#without\tsdt_python/gc__done\tcollected\t"
		    "an address with an index\n"
		    "p:sdt_python/gc__done /x:0x000000000002705b(0x67dd50)\n");
	/* no compiler does that; a hostile file may */
	for (size_t i = 0; i < ARRAY_LEN(n); i++) {
		n[i] = gc_done;
		n[i].args = sizes[i];
	}
	got = lines_of("/x", n, 10);
	assert_non_null(strstr(got, "sdt_python/gc__done_8 "));
	assert_null(strstr(got, "gc__done_9"));
	assert_non_null(strstr(got, "\ttoo many sets of fields of one probe\n"));
	free(got);
	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[4095] = '\0';
	check_lines(path, n, 1, "#skipped\tsdt_python/gc__done\t0x0\t"
		    "the line would be too long\n");
}

static void names(void **state)
{
	struct stapsdt_note n = gc_done;
	char *got, longer[200];

	(void)state;
	n.provider = "a/b c";
	n.name = "9-\n\xc3\xa4";
	check_lines("/x", &n, 1, "p:sdt_a_b_c/_____ "
		    "/x:0x000000000002705b(0x67dd50) arg1=%r12:s64\n");
	memset(longer, 'n', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	n.provider = n.name = longer;
	got = lines_of("/x", &n, 1);
	/* MAX_EVENT_NAME_LEN of the kernel is 64 with its NUL */
	assert_int_equal(strcspn(got, "/") - strlen("p:"), 63);
	assert_true(strcspn(strchr(got, '/') + 1, " ") <= 63);
	free(got);
}

static void paths(void **state)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{ "/usr/bin/python3.11", NULL },
		{ "/a:0x10(0x20)%return", NULL },
		{ "/\xc3\xa4", NULL },
		{ "/a b", "/a\\040b" },
		{ "/a#b", "/a\\043b" },
		{ "/a\\b", "/a\\134b" },
		{ "/a\tb\nc\x7f", "/a\\011b\\012c\\177" },
		/* the letter is C3 A0, and the kernel takes A0 for a blank */
		{ "/\xc3\xa0", "/\\303\\240" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *text = NULL;
		size_t size;
		FILE *f = open_memstream(&text, &size);

		assert_non_null(f);
		uprobedef_put_path(f, rows[i].path);
		fclose(f);
		assert_string_equal(text, rows[i].want ? rows[i].want :
				    rows[i].path);
		assert_int_equal(uprobedef_takes(rows[i].path), !rows[i].want);
		free(text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(texts),
		cmocka_unit_test(a_line),
		cmocka_unit_test(arguments_of_python),
		cmocka_unit_test(other_fields),
		cmocka_unit_test(what_cannot_be),
		cmocka_unit_test(names),
		cmocka_unit_test(paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
