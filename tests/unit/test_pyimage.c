/* SPDX-License-Identifier: MIT */
/*
 * pyimage: interpreters are known by what is in them, and refused by name.
 *
 * On small files made from tests/data/fake_python.c; tests/live does it with
 * real ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <stdbool.h>

#include "elf_build.h"
#include "debug_offsets.h"

#include "elf/elfimg.h"
#include "python/pyimage.h"

#define EXE "-no-pie -fno-pie -Wl,--export-dynamic"
#define PIE "-pie -fPIE -Wl,--export-dynamic"
#define LIB "-shared -fPIC"
#define BARE "-no-pie -fno-pie"			/* no dynamic symbols */

#define V39 "-DTEXT='\"3.9.2\"' -DHEX=0 -DBASIC=176 -DITEM=0 -DKEY=588"
#define V311 "-DHEX=0x030b02f0 -DBASIC=184 -DITEM=2 -DKEY=596"
#define V313 "-DHEX=0x030d01f0 -DBASIC=200 -DITEM=2 -DKEY=2164 " \
	"-DOFFSETS='\"030d.h\"'"
#define V315 "-DHEX=0x030f01f0 -DBASIC=208 -DITEM=2 -DOFFSETS='\"030f.h\"'"

static bool build(const char *flags)
{
	const char *src = getenv("SRCDIR");

	return sh("cc -O2 -w -I. -o fake %s/tests/data/fake_python.c %s",
		  src ? src : ".", flags);
}

static struct elfimg *open_fake(void)
{
	struct elfimg *img = NULL;
	struct err e = { 0 };

	if (elfimg_open(&img, "fake", &e) < 0)
		fail_msg("%s", e.text);
	return img;
}

static void find(const char *flags, struct pyimage *p)
{
	struct err e = { 0 };
	struct elfimg *img;

	if (!build(flags))
		fail_msg("does not compile: %s", flags);
	img = open_fake();
	if (pyimage_find(img, p, &e) < 0)
		fail_msg("%s: %s", flags, e.text);
	elfimg_close(img);
}

static uint64_t sym(struct elfimg *img, const char *name)
{
	uint64_t v = 0;

	if (elfimg_sym(img, name, &v, NULL) < 0)
		fail_msg("no symbol %s", name);
	return v;
}

static void each_kind_of_file(void **state)
{
	static const char *const versions[] = { V39, V311, V313 };
	static const char *const files[] = { EXE, PIE, LIB };
	char flags[512];
	struct pyimage p;

	(void)state;
	for (size_t v = 0; v < ARRAY_LEN(versions); v++)
		for (size_t f = 0; f < ARRAY_LEN(files); f++) {
			struct elfimg *img;

			snprintf(flags, sizeof(flags), "%s %s", versions[v],
				 files[f]);
			find(flags, &p);
			if (!p.walk)
				fail_msg("%s: %s", flags, p.why);
			img = open_fake();
			assert_int_equal(p.image.runtime,
					 sym(img, "_PyRuntime"));
			assert_int_equal(p.image.code_type,
					 sym(img, "PyCode_Type"));
			assert_int_equal(p.image.dealloc,
					 sym(img, "code_dealloc"));
			assert_int_equal(p.image.init,
					 sym(img, "Py_InitializeFromConfig"));
			assert_int_equal(p.image.tls_kind, PT_TLS_KEY);
			assert_memory_equal(&p.image.layout,
					    layout_for(p.version),
					    sizeof(struct pt_layout));
			elfimg_close(img);
		}
	assert_int_equal(p.version, 0x030d);
	assert_string_equal(p.text, "3.13.1");
}

static void a_static_key(void **state)
{
	static const char *const files[] = { EXE, PIE, LIB };
	char flags[512];
	struct pyimage p;

	(void)state;
	for (size_t f = 0; f < ARRAY_LEN(files); f++) {
		struct elfimg *img;

		snprintf(flags, sizeof(flags), "-DTEXT='\"3.6.15\"' "
			 "-DBASIC=144 -DITEM=0 -DSTATIC_KEY %s", files[f]);
		find(flags, &p);
		if (!p.walk)
			fail_msg("%s: %s", flags, p.why);
		img = open_fake();
		assert_int_equal(p.image.runtime, sym(img, "autoTLSkey"));
		assert_int_equal(p.image.init,
				 sym(img, "PyInterpreterState_New"));
		assert_int_equal(p.image.tls_kind, PT_TLS_KEY_SYMBOL);
		elfimg_close(img);
	}
}

/* Offset of the variable in the file's block of them. */
static uint64_t in_block(struct elfimg *img)
{
	struct elfsym s;

	if (elfimg_symbol(img, "_Py_tss_gilstate", &s) < 0)
		fail_msg("no symbol _Py_tss_gilstate");
	return s.value;
}

static void a_thread_variable(void **state)
{
	static const struct {
		const char *flags;
		uint32_t kind;
	} rows[] = {
		{ "-DVARIABLE= " EXE, PT_TLS_STATIC },
		{ "-DVARIABLE= " PIE, PT_TLS_STATIC },
		{ "-DVARIABLE= " LIB, PT_TLS_DTV },	/* general dynamic */
		{ "-DVARIABLE=static " LIB, PT_TLS_DTV }, /* local dynamic */
	};
	struct pyimage p;
	char flags[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct elfseg *tls;
		struct elfimg *img;
		struct elfreloc rel;
		uint64_t added = 0, block;

		snprintf(flags, sizeof(flags), V315 " %s", rows[i].flags);
		find(flags, &p);
		if (!p.walk)
			fail_msg("%s: %s", flags, p.why);
		assert_int_equal(p.image.tls_kind, rows[i].kind);
		img = open_fake();
		tls = elfimg_seg_of_type(img, PT_TLS);
		assert_non_null(tls);
		if (rows[i].kind == PT_TLS_STATIC) {
			block = (tls->memsz + tls->align - 1) & -tls->align;
			assert_int_equal(p.image.tls,
					 (int64_t)(in_block(img) - block));
		} else {
			/* the index's offset, by the loader or as it lies */
			if (elfimg_reloc_at(img, (uint64_t)p.image.tls + 8,
					    &rel) < 0)
				assert_int_equal(elfimg_read(img,
					(uint64_t)p.image.tls + 8, &added, 8),
					0);
			else
				added = in_block(img) + (uint64_t)rel.addend;
			assert_int_equal(added + p.image.tls_add,
					 in_block(img));
		}
		elfimg_close(img);
	}
}

/* As sstrip leaves a file: no section headers. */
static void cut_sections(void)
{
	Elf64_Ehdr ehdr;
	size_t len;
	uint8_t *bytes = slurp("fake", &len);

	assert_true(len > sizeof(ehdr));
	memcpy(&ehdr, bytes, sizeof(ehdr));
	ehdr.e_shoff = 0;
	ehdr.e_shnum = 0;
	ehdr.e_shstrndx = 0;
	memcpy(bytes, &ehdr, sizeof(ehdr));
	assert_true(write_file("fake", bytes, len));
	free(bytes);
}

/* What a program that libpython.a was linked into says of its version. */
#define SAYS_311 "-DALSO='const char *const texts[] = { \"3.11.2\", " \
	"\"3.40.1\", \"3.9.18\" };'"

/* What is walked is found without one symbol: by section, else by cookie. */
static void stripped_of_symbols(void **state)
{
	static const struct {
		const char *flags;
		bool has_cookie;
	} rows[] = {
		{ V311 " " SAYS_311 " " BARE, false },
		{ V311 " " SAYS_311 " -pie -fPIE", false },
		{ V313 " " BARE, true },
		{ V313 " -pie -fPIE", true },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
		bool cut = i >= ARRAY_LEN(rows);
		struct pyimage whole, p;
		struct elfimg *img;
		struct err e = { 0 };
		int rc;

		find(rows[i % ARRAY_LEN(rows)].flags, &whole);
		assert_true(whole.walk);
		assert_true(sh("strip fake"));
		if (cut)
			cut_sections();
		img = open_fake();
		rc = pyimage_find(img, &p, &e);
		elfimg_close(img);
		if (cut && !rows[i % ARRAY_LEN(rows)].has_cookie) {
			assert_int_not_equal(rc, 0);
			continue;
		}
		assert_int_equal(rc, 0);
		if (!p.walk)
			fail_msg("%zu: %s", i, p.why);
		assert_string_equal(p.text, whole.text);
		assert_int_equal(p.image.runtime, whole.image.runtime);
		assert_int_equal(p.image.code_type, whole.image.code_type);
		assert_int_equal(p.image.dealloc, whole.image.dealloc);
		assert_int_equal(p.image.init, 0);
	}
}

/* Known to be an interpreter, and refused for what cannot be found. */
static void stripped_too_far(void **state)
{
	struct pyimage p;
	struct elfimg *img;
	struct err e = { 0 };

	(void)state;
	find(V311 " " BARE, &p);	/* says its version nowhere else */
	assert_true(sh("strip fake"));
	img = open_fake();
	assert_int_equal(pyimage_find(img, &p, &e), 0);
	elfimg_close(img);
	assert_false(p.walk);
	assert_string_equal(p.why,
			    "its version cannot be found: it has no symbols");
	find(V315 " -DVARIABLE= " BARE, &p);
	assert_true(p.walk);
	assert_true(sh("strip fake"));
	img = open_fake();
	assert_int_equal(pyimage_find(img, &p, &e), 0);
	elfimg_close(img);
	assert_false(p.walk);
	assert_non_null(strstr(p.why, "PyGILState_GetThisThreadState"));
	assert_true(*p.hint);
}

static void refused_by_name(void **state)
{
	static const struct {
		const char *flags, *what, *why;
		enum pyimage_kind kind;
	} rows[] = {
		{ "-DTEXT='\"2.7.18\"' -DBASIC=120 -DITEM=0 -DKEY=588 " EXE,
		  "CPython 2.7.18", "the layout of Python 2.7 is not known",
		  PYIMAGE_CPYTHON },
		{ "-DHEX=0x031000f0 -DBASIC=208 -DITEM=2 -DKEY=588 " EXE,
		  "CPython 3.16.0", "the layout of Python 3.16 is not known",
		  PYIMAGE_CPYTHON },
		{ "-DHEX=0x030c00b2 -DBASIC=192 -DITEM=2 -DKEY=1548 " EXE,
		  "CPython 3.12.0b2", "a pre-release", PYIMAGE_CPYTHON },
		{ V311 " -DALSO='long _Py_RefTotal;' " EXE,
		  "CPython 3.11.2 (debug build)", "debug layout unsupported",
		  PYIMAGE_DEBUG },
		{ "-DHEX=0x030b02f0 -DBASIC=200 -DITEM=2 -DKEY=596 " EXE,
		  "CPython 3.11.2", "layout not verified: its code objects",
		  PYIMAGE_CPYTHON },
		{ "-DHEX=0x030b02f0 -DBASIC=184 -DITEM=2 -DKEY=604 " EXE,
		  "CPython 3.11.2", "its _PyRuntime is not that of this "
		  "version: the thread key is at 604, not 596",
		  PYIMAGE_CPYTHON },
		{ "-DTEXT='\"3.10.5+cinder\"' -DBASIC=176 -DITEM=0 -DKEY=588 "
		  EXE, "CPython 3.10.5+cinder (a fork)", "Cinder, a fork",
		  PYIMAGE_FORK },
		{ "-DTEXT='\"3.10.5+ours\"' -DBASIC=176 -DITEM=0 -DKEY=588 "
		  EXE, "CPython 3.10.5+ours (a fork)", "ours, a fork",
		  PYIMAGE_FORK },
		{ "-DTEXT='\"3.8.12\"' -DBASIC=176 -DITEM=0 -DKEY=1396 "
		  "-DCOMPILER='\"[Pyston 2.3.5, GCC 9.4.0]\"' " EXE,
		  "CPython 3.8.12 (a fork)", "Pyston, a fork", PYIMAGE_FORK },
		{ "-DHEX=0x030d01f0 -DBASIC=200 -DITEM=2 -DKEY=2164 "
		  "-DOFFSETS='\"free.h\"' " EXE,
		  "CPython 3.13.1 (free-threaded)", "free-threaded build",
		  PYIMAGE_FREE_THREADED },
		{ "-DHEX=0x030e01f0 -DBASIC=200 -DITEM=2 -DKEY=2164 "
		  "-DOFFSETS='\"030d.h\"' " EXE, "CPython 3.14.1",
		  "it says two versions of itself, 0x30e01f0 and 0x30d01f0",
		  PYIMAGE_CPYTHON },
		{ "-DHEX=0x030d01f0 -DBASIC=200 -DITEM=2 -DKEY=2164 " EXE,
		  "CPython 3.13.1", "layout not verified: _PyRuntime has no "
		  "debug offsets", PYIMAGE_CPYTHON },
		{ V315 " -DVARIABLE= -ftls-model=initial-exec " LIB,
		  "CPython 3.15.1", "cannot tell from its code",
		  PYIMAGE_CPYTHON },
		{ V311 " -DALSO='int pypy_execute_source(void){return 0;}"
		  "const char *pypy = \"[PyPy 7.3.11 with GCC]\";' " EXE,
		  "PyPy 7.3.11", "PyPy, whose frames", PYIMAGE_PYPY },
	};
	char what[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct pyimage p;

		find(rows[i].flags, &p);
		assert_false(p.walk);
		assert_string_equal(pyimage_describe(&p, what, sizeof(what)),
				    rows[i].what);
		if (strncmp(p.why, rows[i].why, strlen(rows[i].why)))
			fail_msg("%s: %s", rows[i].flags, p.why);
		assert_int_equal(p.kind, rows[i].kind);
		assert_true(*p.hint);
		assert_int_equal(p.image.code_type, 0);
	}
}

static void not_an_interpreter(void **state)
{
	struct elfimg *img;
	struct err e = { 0 };
	struct pyimage p;

	(void)state;
	assert_true(elf_cc("other", "c", "int main(void) { return 0; }",
			   "-Wl,--no-as-needed -Wl,--allow-shlib-undefined"));
	assert_int_equal(elfimg_open(&img, "other", &e), 0);
	assert_int_not_equal(pyimage_find(img, &p, &e), 0);
	assert_string_equal(e.text, "no Python interpreter in 'other'");
	assert_string_equal(e.hint, "");
	elfimg_close(img);
	assert_true(build(V39 " -o libpythonic.so " LIB));
	e = (struct err){ 0 };
	assert_true(elf_cc("other", "c", "int main(void) { return 0; }",
			   "-Wl,--no-as-needed -L. -lpythonic"));
	assert_int_equal(elfimg_open(&img, "other", &e), 0);
	assert_int_not_equal(pyimage_find(img, &p, &e), 0);
	assert_string_equal(e.hint, "it uses the one in libpythonic.so");
	elfimg_close(img);
}

/* The first numbers of a _PyRuntime, to be included by fake_python.c. */
static int write_offsets(const char *name, uint16_t version, bool free_threaded)
{
	uint8_t bytes[OFFSETS_ROOM];
	const struct debug_slots *s = debug_slot_rows;
	FILE *f = fopen(name, "we");
	uint64_t v;

	if (!f)
		return -1;
	while (s->version != version)
		s++;
	offsets_make(bytes, s);
	offsets_put(bytes, s->free_threaded, free_threaded);
	for (size_t i = 0; i < s->size; i += sizeof(v)) {
		memcpy(&v, bytes + i, sizeof(v));
		fprintf(f, "%lluull,\n", (unsigned long long)v);
	}
	return fclose(f);
}

static int prepare(void **state)
{
	(void)state;
	return elf_dir_enter() || write_offsets("030d.h", 0x030d, false) ||
	       write_offsets("030f.h", 0x030f, false) ||
	       write_offsets("free.h", 0x030d, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_file),
		cmocka_unit_test(a_static_key),
		cmocka_unit_test(a_thread_variable),
		cmocka_unit_test(stripped_of_symbols),
		cmocka_unit_test(stripped_too_far),
		cmocka_unit_test(refused_by_name),
		cmocka_unit_test(not_an_interpreter),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
