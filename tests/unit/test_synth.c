/* SPDX-License-Identifier: MIT */
/*
 * synth: the places of evaluators made for it, and what is refused and why.
 *
 * tests/data/tiny_evaluator.c has the shape of CPython's; tests/cli does it
 * with real ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>

#include "elf_build.h"

#include "elf/elfimg.h"
#include "python/opcodes.h"
#include "python/synth.h"

#define EXE "-no-pie -fno-pie -Wl,--export-dynamic"
#define PIE "-pie -fPIE -Wl,--export-dynamic"
#define LIB "-shared -fPIC"

static bool is_one_of(const uint8_t *list, uint8_t nr)
{
	for (size_t i = 0; i < OPCODES_EACH && list[i]; i++)
		if (list[i] == nr)
			return true;
	return false;
}

static const char *macro_of(const struct opcodes *o, uint8_t nr)
{
	return is_one_of(o->entry, nr) ? "RESUMES" :
	       is_one_of(o->ret, nr) ? "RETURNS" :
	       is_one_of(o->yield, nr) ? "YIELDS" :
	       is_one_of(o->makes, nr) ? "MAKES" : "HANDLER";
}

/* A HANDLER for each opcode; the table, with entry `swapped` set wrong. */
static void write_sources(const struct opcodes *o, int swapped)
{
	FILE *h = fopen("handlers.h", "w"), *t = fopen("targets.h", "w");
	bool known;

	assert_non_null(h);
	assert_non_null(t);
	for (int nr = 0; nr < OPCODES_NR; nr++) {
		known = !opcodes_is_unassigned(o, (uint8_t)nr);
		if (known)
			fprintf(h, "%s(%d)\n", macro_of(o, (uint8_t)nr), nr);
		if (nr == swapped)
			known = !known;
		if (known)
			fprintf(t, "TARGET(%d),\n", nr == swapped ? 1 : nr);
		else
			fprintf(t, "UNKNOWN,\n");
	}
	fclose(h);
	fclose(t);
}

static void build_from(uint16_t version, int swapped, const char *flags)
{
	const char *src = getenv("SRCDIR");

	write_sources(opcodes_for(version), swapped);
	if (!sh("cc -O1 -w -I. -o tiny %s/tests/data/tiny_evaluator.c "
		"-DCLEAR=_PyEval%sFrameClearAndPop %s", src ? src : ".",
		version == 0x030c ? "" : "_", flags))
		fail_msg("does not compile: %s", flags);
}

static int find(const char *file, uint16_t version, struct synth *s,
		struct err *err)
{
	struct elfimg *img = NULL;
	int rc;

	*err = (struct err){ 0 };
	if (elfimg_open(&img, file, err) < 0)
		fail_msg("%s", err->text);
	rc = synth_find(s, img, version, err);
	elfimg_close(img);
	return rc;
}

static void find_well(const char *file, uint16_t version, struct synth *s)
{
	struct err e;

	if (find(file, version, s, &e) < 0)
		fail_msg("%s: %s", file, e.text);
}

static void is_refused(const char *file, uint16_t version, const char *words)
{
	struct synth s;
	struct err e;

	assert_int_equal(find(file, version, &s, &e), -ENOTSUP);
	assert_int_equal(e.kind, ERR_UNSUPPORTED);
	if (!strstr(e.text, words) || !strstr(e.text, file))
		fail_msg("not of '%s': %s", words, e.text);
}

static size_t count(const struct synth *s, enum synth_kind kind)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->nr; i++)
		nr += s->sites[i].kind == kind;
	return nr;
}

static size_t length(const uint8_t *list)
{
	size_t nr = 0;

	while (nr < OPCODES_EACH && list[nr])
		nr++;
	return nr;
}

static void check_sites(const struct synth *s)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct synth_site *site = &s->sites[i];

		assert_true(site->len && site->len <= SYNTH_MAX_INSN);
		if (site->kind == SYNTH_ENTRY || site->kind == SYNTH_YIELD)
			assert_true(site->frame_reg < 16);
		if (i)
			assert_true(site->kind >= s->sites[i - 1].kind);
	}
}

static void each_version(void **state)
{
	static const char *const flags[] = { EXE, PIE, LIB };
	struct synth s;

	(void)state;
	for (uint16_t v = 0x030b; v <= 0x030f; v++) {
		const struct opcodes *o = opcodes_for(v);

		assert_non_null(o);
		build_from(v, -1, flags[v % 3]);
		find_well("tiny", v, &s);
		check_sites(&s);
		assert_int_equal(count(&s, SYNTH_ENTRY), length(o->entry));
		assert_int_equal(count(&s, SYNTH_YIELD), length(o->yield));
		assert_int_equal(count(&s, SYNTH_MAKES), v == 0x030f);
		assert_int_equal(count(&s, SYNTH_EVAL), 1);
		assert_int_equal(count(&s, SYNTH_CLEAR), v > 0x030b);
		assert_int_equal(count(&s, SYNTH_TRACEBACK), v == 0x030b);
		assert_int_equal(s.method, v == 0x030b ?
				 SYNTH_UNWIND_TRACEBACK : SYNTH_UNWIND_CLEAR);
		assert_int_not_equal(s.table, 0);
		assert_int_equal(s.nr_jit, v >= 0x030d);
		assert_int_equal(s.jit[0].opcode, o->jit[0]);
	}
}

/* Stripped, without section headers, relocations as RELR: all the same. */
static void what_strip_leaves(void **state)
{
	struct synth whole, less;
	FILE *f;

	(void)state;
	build_from(0x030d, -1, PIE);
	find_well("tiny", 0x030d, &whole);
	assert_true(sh("strip --strip-all tiny"));
	f = fopen("tiny", "r+");
	assert_non_null(f);
	/* e_shoff, then e_shnum and e_shstrndx */
	assert_int_equal(fseek(f, 40, SEEK_SET), 0);
	fwrite("\0\0\0\0\0\0\0", 1, 8, f);
	assert_int_equal(fseek(f, 60, SEEK_SET), 0);
	fwrite("\0\0\0", 1, 4, f);
	fclose(f);
	find_well("tiny", 0x030d, &less);
	assert_int_equal(less.nr, whole.nr);
	assert_memory_equal(less.sites, whole.sites,
			    whole.nr * sizeof(whole.sites[0]));
}

static void packed_relocations(void **state)
{
	struct synth s;

	(void)state;
	build_from(0x030d, -1, PIE " -Wl,-z,pack-relative-relocs");
	find_well("tiny", 0x030d, &s);
	check_sites(&s);
}

static void calls_of_evaluator(void **state)
{
	struct synth s;

	(void)state;
	build_from(0x030b, -1, LIB);
	for (uint16_t v = 0x0306; v <= 0x030a; v++) {
		find_well("tiny", v, &s);
		assert_int_equal(s.method, SYNTH_EVALUATOR);
		assert_int_equal(s.table, 0);
		assert_int_equal(count(&s, SYNTH_EVAL), 1);
		assert_int_equal(s.sites[0].frame_reg, v < 0x0309 ? SYNTH_RDI :
				 SYNTH_RSI);
		assert_true(count(&s, SYNTH_EVAL_END) >= 1);
	}
}

static void another_version(void **state)
{
	(void)state;
	build_from(0x030d, -1, EXE);
	is_refused("tiny", 0x030c, "of 256 entries differ");
	is_refused("tiny", 0x030e, "of 256 entries differ");
	is_refused("tiny", 0x0310, "Python 3.16 is not known");
	is_refused("tiny", 0x0207, "Python 2.7 is not known");
}

static void planted_table(void **state)
{
	(void)state;
	build_from(0x030c, 200, LIB);		/* an opcode too many */
	is_refused("tiny", 0x030c, ": 1 of 256 entries differ");
	build_from(0x030c, 151, EXE);		/* RESUME is none */
	is_refused("tiny", 0x030c, ": 1 of 256 entries differ");
}

static void other_dispatch(void **state)
{
	(void)state;
	build_from(0x030c, -1, LIB " -DSWITCH");
	is_refused("tiny", 0x030c, "without computed gotos");
	build_from(0x030e, -1, EXE " -DTAIL");
	is_refused("tiny", 0x030e, "tail-call interpreter");
}

static void hidden(void **state)
{
	(void)state;
	build_from(0x030d, -1, "-no-pie -fno-pie -s");
	is_refused("tiny", 0x030d, "no symbol _PyEval_EvalFrameDefault");
	build_from(0x030d, -1, EXE " -fno-asynchronous-unwind-tables "
		   "-Wl,--no-eh-frame-hdr");
	is_refused("tiny", 0x030d, "unwind tables");
}

/* Cut anywhere, it is refused or not even opened; never more than it has. */
static void cut_short(void **state)
{
	struct elfimg *img;
	struct synth s;
	struct err e;
	char *bytes;
	size_t size;
	FILE *f;

	(void)state;
	build_from(0x030e, -1, PIE " -s");
	f = fopen("tiny", "r");
	assert_non_null(f);
	bytes = malloc(1 << 20);
	size = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	for (size_t len = 0; len < size; len += 64 + len / 16) {
		char *copy = malloc(len ? len : 1);

		memcpy(copy, bytes, len);
		e = (struct err){ 0 };
		if (!elfimg_open_bytes(&img, copy, len, "cut", &e)) {
			if (synth_find(&s, img, 0x030e, &e) < 0)
				assert_int_not_equal(*e.text, '\0');
			elfimg_close(img);
		}
		free(copy);
	}
	free(bytes);
}

static void conditions(void **state)
{
	enum { CF = 1, PF = 4, ZF = 0x40, SF = 0x80, OF = 0x800 };

	(void)state;
	assert_true(synth_holds(SYNTH_ALWAYS, 0));
	assert_true(synth_holds(4, ZF) && !synth_holds(4, 0));
	assert_true(synth_holds(5, 0) && !synth_holds(5, ZF));
	assert_true(synth_holds(2, CF) && synth_holds(3, ZF));
	assert_true(synth_holds(6, CF) && synth_holds(6, ZF) &&
		    !synth_holds(7, CF) && synth_holds(7, 0));
	assert_true(synth_holds(0, OF) && synth_holds(8, SF) &&
		    synth_holds(10, PF) && synth_holds(11, 0));
	assert_true(synth_holds(12, SF) && !synth_holds(12, SF | OF) &&
		    synth_holds(13, SF | OF));
	assert_true(synth_holds(14, ZF) && synth_holds(14, OF) &&
		    synth_holds(15, 0) && !synth_holds(15, SF));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version),
		cmocka_unit_test(what_strip_leaves),
		cmocka_unit_test(packed_relocations),
		cmocka_unit_test(calls_of_evaluator),
		cmocka_unit_test(another_version),
		cmocka_unit_test(planted_table),
		cmocka_unit_test(other_dispatch),
		cmocka_unit_test(hidden),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(conditions),
	};
#ifdef __x86_64__
	if (elf_dir_enter() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
#else
	(void)tests;
	return 77;	/* the compiler makes no code that is understood */
#endif
}
