/* SPDX-License-Identifier: MIT */
/* stapsdt: notes of every class and byte order, damaged ones, and real ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "elf/elfimg.h"
#include "elf/sdtarg.h"
#include "elf/stapsdt.h"
#include "elf_build.h"
#include "elf_synth.h"

#define LOC (SYNTH_TEXT + 0x10)
#define SEM (SYNTH_DATA + 0x20)
#define BASE 0x402000

static void open_synth(struct synth *s, struct elfimg **img,
		       struct stapsdt *sdt)
{
	struct err err = { 0 };

	if (elfimg_open_bytes(img, s->buf, synth_end(s), "synth", &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(stapsdt_init(sdt, *img, NULL), 0);
}

static void close_synth(struct elfimg *img, struct stapsdt *sdt)
{
	stapsdt_fini(sdt);
	elfimg_close(img);
}

static void every_class_and_order(void **state)
{
	static const struct {
		bool is_64, msb;
		uint16_t machine;
		const char *name;
		const char *strings;
		size_t len, nr_args;
	} rows[] = {
#define STR(s, nr) s, sizeof(s), nr
		{ true, false, EM_X86_64, "x86-64",
		  STR("p\0n\0" "8@%rax -4@8(%rsp)", 2) },
		{ true, true, EM_S390, "s390x",
		  STR("p\0n\0" "8@%r2 4@160(%r15)", 2) },
		{ true, true, EM_PPC64, "ppc64",
		  STR("p\0n\0" "8@9 4@-8(31)", 2) },
		{ false, false, EM_386, "i386",
		  STR("p\0n\0" "-4@-12(%ebp)", 1) },
		{ false, true, EM_PPC, "ppc", STR("p\0n\0" "4@9", 1) },
		{ false, true, EM_ARM, "arm", STR("p\0n\0" "4@[r1, #4]", 1) },
		{ true, false, EM_AARCH64, "aarch64",
		  STR("p\0n\0" "8@[x22] 4@[x22, 20] 8@x0", 3) },
#undef STR
	};
	struct sdtarg args[SDTARG_MAX];
	struct elfimg *img;
	struct stapsdt sdt;
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		struct synth s = { .is_64 = rows[i].is_64, .msb = rows[i].msb,
				   .machine = rows[i].machine, .base = BASE };

		synth_begin(&s);
		synth_note(&s, "stapsdt", 3, LOC, BASE, SEM, rows[i].strings,
			   rows[i].len);
		open_synth(&s, &img, &sdt);
		assert_string_equal(elfimg_machine_name(img), rows[i].name);
		assert_int_equal(elfimg_is_64(img), rows[i].is_64);
		assert_int_equal(elfimg_is_msb(img), rows[i].msb);
		assert_int_equal(sdt.nr, 1);
		assert_int_equal(sdt.nr_bad + sdt.is_partial, 0);
		assert_string_equal(sdt.notes[0].provider, "p");
		assert_string_equal(sdt.notes[0].name, "n");
		assert_int_equal(sdt.notes[0].location, LOC);
		assert_int_equal(sdt.notes[0].base, BASE);
		assert_int_equal(sdt.notes[0].semaphore, SEM);
		assert_true(sdt.notes[0].has_offset);
		assert_int_equal(sdt.notes[0].offset, SYNTH_TEXT_OFF + 0x10);
		assert_true(sdt.notes[0].has_sem_offset);
		assert_int_equal(sdt.notes[0].sem_offset,
				 SYNTH_DATA_OFF + 0x20);
		assert_int_equal(sdtarg_parse(elfimg_machine(img),
					      elfimg_is_64(img),
					      sdt.notes[0].args, args,
					      ARRAY_LEN(args)),
				 rows[i].nr_args);
		for (k = 0; k < rows[i].nr_args; k++)
			assert_null(args[k].why);
		close_synth(img, &sdt);
	}
}

/* What .stapsdt.base has moved by, location and semaphore have moved by. */
static void prelink_is_adjusted(void **state)
{
	static const struct {
		uint64_t base_now, base_noted, moved;
		bool is_64;
	} rows[] = {
		{ BASE, BASE, 0, true },
		{ BASE + 0x30, BASE, 0x30, true },
		{ BASE, BASE + 8, (uint64_t)-8, true },
		{ BASE, BASE + 8, (uint32_t)-8, false },
		{ 0, BASE, 0, true },	/* no such section */
		{ BASE, 0, 0, true },	/* a note without base */
	};
	struct elfimg *img;
	struct stapsdt sdt;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		struct synth s = { .is_64 = rows[i].is_64,
				   .machine = EM_X86_64,
				   .base = rows[i].base_now };
		uint64_t mask = rows[i].is_64 ? UINT64_MAX : UINT32_MAX;

		synth_begin(&s);
		SYNTH_PROBE(&s, LOC, rows[i].base_noted, SEM, "p\0n\0");
		SYNTH_PROBE(&s, LOC, rows[i].base_noted, 0, "p\0n\0");
		open_synth(&s, &img, &sdt);
		assert_int_equal(sdt.nr, 2);
		assert_int_equal(sdt.notes[0].location,
				 (LOC + rows[i].moved) & mask);
		assert_int_equal(sdt.notes[0].semaphore,
				 (SEM + rows[i].moved) & mask);
		assert_int_equal(sdt.notes[1].semaphore, 0);
		assert_false(sdt.notes[1].has_sem_offset);
		close_synth(img, &sdt);
	}
}

/* In sections, in a segment, in both: each note once. */
static void notes_are_found_once(void **state)
{
	static const struct {
		bool no_sections, pt_note, no_note_section, second;
		size_t want;
	} rows[] = {
		{ false, false, false, false, 3 },
		{ false, false, false, true, 3 },
		{ false, true, false, false, 3 },
		{ false, true, false, true, 3 },
		{ false, true, true, false, 3 },
		{ true, true, false, false, 3 },
		{ true, false, false, false, 0 },
	};
	struct elfimg *img;
	struct stapsdt sdt;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		struct synth s = { .is_64 = true, .machine = EM_X86_64,
				   .no_sections = rows[i].no_sections,
				   .pt_note = rows[i].pt_note,
				   .no_note_section = rows[i].no_note_section };

		synth_begin(&s);
		SYNTH_PROBE(&s, LOC, BASE, 0, "p\0n0\0");
		synth_note(&s, "GNU", 3, 1, 2, 3, "", 0);
		SYNTH_PROBE(&s, LOC + 1, BASE, 0, "p\0n1\0");
		s.second = rows[i].second ? s.at : 0;
		SYNTH_PROBE(&s, LOC + 2, BASE, 0, "p\0n2\0" "8@%rax");
		open_synth(&s, &img, &sdt);
		assert_int_equal(sdt.nr, rows[i].want);
		if (sdt.nr)
			assert_string_equal(sdt.notes[2].args, "8@%rax");

		close_synth(img, &sdt);
	}
}

static void places_outside_of_the_file(void **state)
{
	struct synth s = { .is_64 = true, .machine = EM_X86_64 };
	struct elfimg *img;
	struct stapsdt sdt;

	(void)state;
	synth_begin(&s);
	SYNTH_PROBE(&s, SYNTH_TEXT - 1, 0, SYNTH_DATA - 1, "p\0n\0");
	SYNTH_PROBE(&s, SYNTH_DATA, 0, SYNTH_TEXT, "p\0n\0");
	SYNTH_PROBE(&s, SYNTH_TEXT + SYNTH_LEN - 1, 0,
		    SYNTH_DATA + SYNTH_LEN - 1, "p\0n\0");
	SYNTH_PROBE(&s, SYNTH_TEXT + SYNTH_LEN, 0, SYNTH_DATA + SYNTH_LEN,
		    "p\0n\0");
	open_synth(&s, &img, &sdt);
	assert_int_equal(sdt.nr, 4);
	assert_false(sdt.notes[0].has_offset || sdt.notes[0].has_sem_offset);
	assert_false(sdt.notes[1].has_offset || sdt.notes[1].has_sem_offset);
	assert_true(sdt.notes[2].has_offset && sdt.notes[2].has_sem_offset);
	assert_false(sdt.notes[3].has_offset || sdt.notes[3].has_sem_offset);
	close_synth(img, &sdt);
}

/* A damaged note is counted; its neighbours stay. */
static void damaged_notes(void **state)
{
	struct synth s = { .is_64 = true, .machine = EM_X86_64 };
	struct elfimg *img;
	struct stapsdt sdt;
	size_t over;

	(void)state;
	synth_begin(&s);
	SYNTH_PROBE(&s, LOC, 0, 0, "p\0first\0");
	synth_note(&s, "stapsdt", 3, LOC, 0, 0, "p\0noargs", 8);
	synth_note(&s, "stapsdt", 3, LOC, 0, 0, "", 0);
	synth_note(&s, "stapsdt", 4, LOC, 0, 0, "p\0type\0", 8);
	synth_note(&s, "stapsdx", 3, LOC, 0, 0, "p\0owner\0", 9);
	SYNTH_PROBE(&s, LOC, 0, 0, "p\0last\0");
	over = s.at;
	SYNTH_PROBE(&s, LOC, 0, 0, "p\0overrun\0");
	s.buf[over] = 0xff;	/* namesz */
	s.buf[over + 1] = 0xff;
	open_synth(&s, &img, &sdt);
	assert_int_equal(sdt.nr, 2);
	assert_int_equal(sdt.nr_bad, 2);
	assert_true(sdt.is_partial);
	assert_string_equal(sdt.notes[0].name, "first");
	assert_string_equal(sdt.notes[1].name, "last");
	close_synth(img, &sdt);
	s.buf[over] = 8;
	s.buf[over + 1] = 0;
	memset(s.buf + over + 4, 0xff, 4);	/* descsz: sums wrap */
	open_synth(&s, &img, &sdt);
	assert_int_equal(sdt.nr, 2);
	assert_true(sdt.is_partial);
	close_synth(img, &sdt);
}

/* Cut anywhere and with each byte spoiled: an answer or an error, no more. */
static void any_bytes(void **state)
{
	struct synth s = { .is_64 = true, .machine = EM_X86_64, .pt_note = true,
			   .base = BASE };
	size_t len, i, refused = 0;
	struct elfimg *img;
	struct stapsdt sdt;
	uint8_t old;

	(void)state;
	synth_begin(&s);
	SYNTH_PROBE(&s, LOC, BASE, SEM, "p\0n\0" "8@%rax");
	len = synth_end(&s);
	for (i = 0; i < len; i++) {
		if (elfimg_open_bytes(&img, s.buf, i, "cut", NULL) < 0) {
			refused++;
			continue;
		}
		assert_int_equal(stapsdt_init(&sdt, img, NULL), 0);
		close_synth(img, &sdt);
	}
	assert_int_equal(refused, len);	/* its sections are at its end */
	for (i = 0; i < len; i++) {
		old = s.buf[i];
		s.buf[i] = (uint8_t)~old;
		if (!elfimg_open_bytes(&img, s.buf, len, "spoiled", NULL)) {
			assert_int_equal(stapsdt_init(&sdt, img, NULL), 0);
			close_synth(img, &sdt);
		}
		s.buf[i] = old;
	}
}

/* 0 to 6 arguments at seven places of one name. */
static const char seven[] =
	"#include <sys/sdt.h>\n"
	"int main(int a, char **v)\n"
	"{\n"
	"	(void)v;\n"
	"	STAP_PROBE(prov, prob);\n"
	"	STAP_PROBE1(prov, prob, a);\n"
	"	STAP_PROBE2(prov, prob, a, a);\n"
	"	STAP_PROBE3(prov, prob, a, a, a);\n"
	"	STAP_PROBE4(prov, prob, a, a, a, a);\n"
	"	STAP_PROBE5(prov, prob, a, a, a, a, a);\n"
	"	STAP_PROBE6(prov, prob, a, a, a, a, a, a);\n"
	"	return 0;\n"
	"}\n";

static void need_sdt_h(void)
{
	if (!sh("echo '#include <sys/sdt.h>' | cc -E -x c -")) {
		print_message("# needs a compiler and <sys/sdt.h>\n");
		skip();
	}
}

static void check_seven(const char *path)
{
	struct sdtarg args[SDTARG_MAX];
	struct elfimg *img;
	struct stapsdt sdt;
	uint8_t byte;
	size_t i;

	assert_int_equal(elfimg_open(&img, path, NULL), 0);
	assert_int_equal(stapsdt_init(&sdt, img, NULL), 0);
	assert_int_equal(sdt.nr, 7);
	for (i = 0; i < 7; i++) {
		assert_string_equal(sdt.notes[i].name, "prob");
		assert_int_equal(sdtarg_parse(elfimg_machine(img), true,
					      sdt.notes[i].args, args,
					      ARRAY_LEN(args)), i);
		/* A probe is a nop: so is what lies at its offset. */
		assert_true(sdt.notes[i].has_offset);
		assert_int_equal(elfimg_bytes(img, sdt.notes[i].offset, &byte,
					      1), 0);
#ifdef __x86_64__
		assert_int_equal(byte, 0x90);
#endif
	}
	close_synth(img, &sdt);
}

static void offsets_of_all_sorts_of_links(void **state)
{
	static const char *const flags[] = {
		"-O1", "-O1 -no-pie -fno-pie", "-O1 -static-pie",
		"-O1 -shared -fPIC", "-O1 -fuse-ld=lld", "-O1 -s",
		"-O1 -Wl,-z,separate-code", "-O1 -Wl,-z,noseparate-code",
	};
	size_t i, nr = 0;

	(void)state;
	need_sdt_h();
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		if (!elf_cc("seven", "c", seven, flags[i])) {
			print_message("# no such build: %s\n", flags[i]);
			continue;
		}
		check_seven("seven");
		nr++;
	}
	assert_true(nr >= 4);
}

/* The notes go with the code, or one is told that the code is not there. */
static void separate_debug_information(void **state)
{
	struct elfimg *img;
	struct stapsdt sdt;
	size_t i;

	(void)state;
	need_sdt_h();
	assert_true(elf_cc("whole", "c", seven, "-O1 -g"));
	assert_true(sh("objcopy --only-keep-debug whole whole.debug"));
	assert_int_equal(elfimg_open(&img, "whole.debug", NULL), 0);
	assert_true(elfimg_is_debug_only(img));
	assert_int_equal(stapsdt_init(&sdt, img, NULL), 0);
	for (i = 0; i < sdt.nr; i++)
		assert_false(sdt.notes[i].has_offset);
	close_synth(img, &sdt);
	assert_int_equal(elfimg_open(&img, "whole", NULL), 0);
	assert_false(elfimg_is_debug_only(img));
	elfimg_close(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_class_and_order),
		cmocka_unit_test(prelink_is_adjusted),
		cmocka_unit_test(notes_are_found_once),
		cmocka_unit_test(places_outside_of_the_file),
		cmocka_unit_test(damaged_notes),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(offsets_of_all_sorts_of_links),
		cmocka_unit_test(separate_debug_information),
	};

	if (elf_dir_enter() < 0)
		return 99;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
