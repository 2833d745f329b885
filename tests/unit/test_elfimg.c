/* SPDX-License-Identifier: MIT */
/*
 * elfimg: addresses, symbols and relocations of real and of broken files.
 *
 * Its own executable and the C library are in memory beside it, so most answers
 * are compared with what the loader really did.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>

#include "elf/elfimg.h"
#include "elf_build.h"

/* Found again in the file; not static, so that .symtab has a global of it. */
extern const char pt_marker[];
const char pt_marker[] = "the bytes of this string";
extern const char *const volatile pt_pointer;
const char *const volatile pt_pointer = pt_marker;
extern uint64_t pt_zeroes[64];
uint64_t pt_zeroes[64];

static struct elfimg *must_open(const char *path)
{
	struct elfimg *img = NULL;
	struct err err = { 0 };

	if (elfimg_open(&img, path, &err) < 0)
		fail_msg("%s", err.text);
	return img;
}

/* The mapping of this process that holds `addr`. */
static void mapping_of(const void *addr, uint64_t *start, uint64_t *offset,
		       bool *exec)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t lo, hi, off;
	char line[512], prot[8];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64, &lo,
			   &hi, prot, &off) != 4 || (uintptr_t)addr < lo ||
		    (uintptr_t)addr >= hi)
			continue;
		*start = lo;
		*offset = off;
		*exec = prot[2] == 'x';
		fclose(f);
		return;
	}
	fclose(f);
	fail_msg("no mapping holds %p", addr);
}

static uint64_t bias_of(const struct elfimg *img, const void *addr)
{
	uint64_t start, offset, bias;
	bool exec;

	mapping_of(addr, &start, &offset, &exec);
	assert_int_equal(elfimg_bias(img, start, offset, exec, &bias), 0);
	return bias;
}

static void own_addresses(void **state)
{
	struct elfimg *img = must_open("/proc/self/exe");
	uint64_t bias = bias_of(img, (void *)(uintptr_t)own_addresses);
	uint64_t vaddr, size, offset;
	char buf[sizeof(pt_marker)];
	struct elfmem m;

	(void)state;
	assert_int_equal(bias, bias_of(img, pt_marker));
	assert_int_equal(elfimg_sym(img, "pt_marker", &vaddr, &size), 0);
	assert_int_equal(vaddr + bias, (uintptr_t)pt_marker);
	assert_true(size >= sizeof(pt_marker));	/* ASan pads it */
	assert_int_equal(elfimg_read(img, vaddr, buf, sizeof(buf)), 0);
	assert_memory_equal(buf, pt_marker, sizeof(buf));
	assert_int_equal(elfimg_offset(img, vaddr, 0, &offset), 0);
	memset(buf, 0, sizeof(buf));
	assert_int_equal(elfimg_bytes(img, offset, buf, sizeof(buf)), 0);
	assert_memory_equal(buf, pt_marker, sizeof(buf));
	assert_int_equal(elfimg_offset(img, vaddr, PF_X, &offset), -ENOENT);
	elfmem_init(&m, img, bias);
	memset(buf, 0, sizeof(buf));
	assert_int_equal(mem_read(&m.mem, (uintptr_t)pt_marker, buf,
				  sizeof(buf)), 0);
	assert_memory_equal(buf, pt_marker, sizeof(buf));
	assert_int_equal(elfimg_sym(img, "no_such_symbol", &vaddr, NULL),
			 -ENOENT);
	elfimg_close(img);
}

static void own_strings_and_zeroes(void **state)
{
	struct elfimg *img = must_open("/proc/self/exe");
	uint64_t vaddr, words[64];
	char buf[sizeof(pt_marker)];

	(void)state;
	assert_int_equal(elfimg_sym(img, "pt_marker", &vaddr, NULL), 0);
	assert_int_equal(elfimg_read_str(img, vaddr, buf, sizeof(buf)),
			 sizeof(pt_marker) - 1);
	assert_string_equal(buf, pt_marker);
	assert_int_equal(elfimg_read_str(img, vaddr, buf, 4), 3);
	assert_string_equal(buf, "the");
	memset(words, 1, sizeof(words));
	assert_int_equal(elfimg_sym(img, "pt_zeroes", &vaddr, NULL), 0);
	assert_int_equal(elfimg_read(img, vaddr, words, sizeof(words)), 0);
	assert_memory_equal(words, pt_zeroes, sizeof(words));
	assert_int_equal(elfimg_read(img, UINT64_MAX - 3, words, 8), -EFAULT);
	assert_int_equal(elfimg_read(img, (uint64_t)1 << 60, words, 8),
			 -EFAULT);
	elfimg_close(img);
}

static void own_pointer_is_relocated(void **state)
{
	struct elfimg *img = must_open("/proc/self/exe");
	uint64_t bias = bias_of(img, pt_marker), value;

	(void)state;
	assert_int_equal(elfimg_pointer(img, (uintptr_t)&pt_pointer - bias,
					&value), 0);
	assert_int_equal(value + bias, (uintptr_t)pt_pointer);
	elfimg_close(img);
}

/* What a file is, told apart from what it is not. */
static void refusals(void **state)
{
	static const struct {
		const char *path, *says;
		int rc;
		enum err_kind kind;
	} rows[] = {
		{ ".", "directory", -EISDIR, ERR_NOT_PYTHON },
		{ "none", "No such file", -ENOENT, ERR_NO_TARGET },
		{ "text", "text file", -ENOEXEC, ERR_NOT_PYTHON },
		{ "script", "script", -ENOEXEC, ERR_NOT_PYTHON },
		{ "empty", "empty", -ENOEXEC, ERR_NOT_PYTHON },
		{ "fifo", "pipe", -EINVAL, ERR_NOT_PYTHON },
		{ "/dev/null", "device", -EINVAL, ERR_NOT_PYTHON },
		{ "bytes", "is not an ELF", -ENOEXEC, ERR_NOT_PYTHON },
		{ "short", "cut short", -EBADMSG, ERR_INPUT },
		{ "cut", "cut short", -EBADMSG, ERR_INPUT },
		{ "class", "damaged", -EBADMSG, ERR_INPUT },
	};
	struct elfimg *img = NULL;
	size_t i, len;
	uint8_t *self = slurp("/proc/self/exe", &len);

	(void)state;
	assert_true(write_file("text", "hello\n", 6));
	assert_true(write_file("script", "#!/bin/sh\n", 10));
	assert_true(write_file("empty", "", 0));
	assert_true(write_file("bytes", "\0\1\2\3ELF", 7));
	assert_true(write_file("short", self, 20));
	assert_true(write_file("cut", self, len - 1));
	self[EI_CLASS] = 7;
	assert_true(write_file("class", self, len));
	free(self);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = { 0 };

		assert_int_equal(elfimg_open(&img, rows[i].path, &err),
				 rows[i].rc);
		assert_int_equal(err.kind, rows[i].kind);
		assert_non_null(strstr(err.text, rows[i].says));
		assert_non_null(strstr(err.text, rows[i].path));
	}
}

static void unreadable_is_not_permitted(void **state)
{
	struct elfimg *img;
	struct err err = { 0 };

	(void)state;
	assert_true(write_file("secret", "x", 1));
	assert_int_equal(chmod("secret", 0), 0);
	assert_int_equal(chmod(".", 0755), 0);
	if (geteuid() == 0 && seteuid(65534) < 0)
		skip();
	assert_int_equal(elfimg_open(&img, "./secret", &err), -EACCES);
	assert_int_equal(err.kind, ERR_NOT_PERMITTED);
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
}

static void the_fd_stays_the_callers(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elfimg *img;
	uint64_t vaddr;

	(void)state;
	assert_int_equal(elfimg_open_fd(&img, fd, "self", NULL), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	assert_int_equal(elfimg_sym(img, "pt_marker", &vaddr, NULL), 0);
	assert_string_equal(elfimg_name(img), "self");
	assert_true(elfimg_is_64(img) == (sizeof(void *) == 8));
	elfimg_close(img);
}

/* Without section headers the dynamic table must do. */
static struct elfimg *without_sections(uint8_t *bytes, size_t len)
{
	ElfW(Ehdr) *h = (ElfW(Ehdr) *)(void *)bytes;
	struct elfimg *img = NULL;

	h->e_shoff = 0;
	h->e_shnum = h->e_shstrndx = h->e_shentsize = 0;
	assert_int_equal(elfimg_open_bytes(&img, bytes, len, "bare", NULL), 0);
	assert_int_equal(elfimg_nr_secs(img), 0);
	return img;
}

static int count_defined(const struct elfsym *sym, void *ctx)
{
	*(size_t *)ctx += sym->defined && sym->dynamic;
	return 0;
}

static void libc_with_and_without_sections(void **state)
{
	Dl_info info;
	struct elfimg *img, *bare;
	uint64_t vaddr, bare_vaddr;
	size_t len, nr = 0, nr_bare = 0;
	uint8_t *bytes;

	(void)state;
	/* Not a function that a sanitizer puts itself in front of. */
	assert_true(dladdr((void *)(uintptr_t)getpid, &info));
	img = must_open(info.dli_fname);
	bytes = slurp(info.dli_fname, &len);
	bare = without_sections(bytes, len);
	assert_int_equal(elfimg_sym(img, "getpid", &vaddr, NULL), 0);
	assert_int_equal(vaddr + bias_of(img, (void *)(uintptr_t)getpid),
			 (uintptr_t)dlsym(RTLD_NEXT, "getpid"));
	assert_int_equal(elfimg_sym(bare, "getpid", &bare_vaddr, NULL), 0);
	assert_int_equal(vaddr, bare_vaddr);
	elfimg_each_sym(img, count_defined, &nr);
	elfimg_each_sym(bare, count_defined, &nr_bare);
	assert_int_equal(nr, nr_bare);
	assert_true(nr > 1000);
	assert_string_equal(elfimg_dyn_str(bare, DT_SONAME, 0), "libc.so.6");
	assert_string_equal(elfimg_dyn_str(img, DT_SONAME, 0), "libc.so.6");
	assert_null(elfimg_dyn_str(img, DT_SONAME, 1));
	assert_string_equal(elfimg_build_id(img), elfimg_build_id(bare));
	assert_int_equal(strlen(elfimg_build_id(img)), 40);
	elfimg_close(img);
	elfimg_close(bare);
	free(bytes);
}

/* A library with a table of pointers, thread-local storage and an import. */
static const char lib_source[] =
	"extern int imported(void);\n"
	"extern int elsewhere;\n"
	"int first, second;\n"
	"static int hidden = 7;\n"
	"__thread int tls_var = 3;\n"
	"int *pointers[] = { &first, &second, 0, &hidden, &hidden + 1,\n"
	"	&elsewhere, (int *)0x1234 };\n"
	"int lib_function(void)\n"
	"{\n"
	"	return imported() + tls_var + *pointers[0];\n"
	"}\n";

static bool make_lib(const char *flags)
{
	char all[256];

	snprintf(all, sizeof(all), "-shared -fPIC -O1 -nostdlib -Wl,-soname,so "
		 "%s", flags);
	if (elf_cc("lib", "c", lib_source, all))
		return true;
	print_message("# no such build here: cc %s\n", all);
	return false;
}

static void check_symbols(struct elfimg *img)
{
	struct elfsym sym;
	uint64_t vaddr, size;

	assert_int_equal(elfimg_sym(img, "pointers", &vaddr, &size), 0);
	assert_int_equal(size, 7 * sizeof(void *));
	assert_int_equal(elfimg_sym(img, "imported", &vaddr, NULL), -ENOENT);
	assert_int_equal(elfimg_sym(img, "tls_var", &vaddr, NULL), -ENOENT);
	assert_int_equal(elfimg_symbol(img, "tls_var", &sym), 0);
	assert_int_equal(sym.type, STT_TLS);
	assert_int_equal(sym.value, 0);
	assert_non_null(elfimg_seg_of_type(img, PT_TLS));
	assert_string_equal(elfimg_dyn_str(img, DT_SONAME, 0), "so");
	assert_true(elfimg_is_dynamic(img));
	assert_null(elfimg_interp(img));
}

/* However the symbols are hashed, and without section headers too. */
static void symbols_of_all_hash_styles(void **state)
{
	static const char *const flags[] = {
		"-Wl,--hash-style=gnu", "-Wl,--hash-style=sysv",
		"-Wl,--hash-style=both -s", "-fuse-ld=lld",
		"-fuse-ld=lld -Wl,--hash-style=gnu",
	};
	struct elfimg *img;
	uint8_t *bytes;
	size_t i, len, made = 0;

	(void)state;
	for (i = 0; i < ARRAY_LEN(flags); i++) {
		size_t nr = 0, nr_bare = 0;

		if (!make_lib(flags[i]))
			continue;
		made++;
		img = must_open("lib");
		check_symbols(img);
		elfimg_each_sym(img, count_defined, &nr);
		elfimg_close(img);
		bytes = slurp("lib", &len);
		img = without_sections(bytes, len);
		check_symbols(img);
		elfimg_each_sym(img, count_defined, &nr_bare);
		assert_int_equal(nr, nr_bare);
		elfimg_close(img);
		free(bytes);
	}
	assert_true(made >= 3);
}

/* A program that exports nothing: DT_GNU_HASH does not count its imports. */
static void imports_without_exports(void **state)
{
	struct elfimg *img, *bare;
	size_t len;
	uint8_t *bytes;
	struct elfreloc rel;
	const struct elfseg *relro;
	uint64_t v;
	bool seen = false;

	(void)state;
	assert_true(elf_cc("prog", "c", "#include <unistd.h>\n"
			   "int main(void) { return getpid() == 1; }\n",
			   "-O1 -Wl,-z,now"));
	bytes = slurp("prog", &len);
	bare = without_sections(bytes, len);
	img = must_open("prog");
	relro = elfimg_seg_of_type(bare, PT_GNU_RELRO);
	assert_non_null(relro);
	for (v = relro->vaddr; v < relro->vaddr + relro->memsz; v += 8) {
		if (elfimg_reloc_at(bare, v, &rel) < 0 || !rel.sym_name ||
		    strcmp(rel.sym_name, "getpid"))
			continue;
		seen = true;
		assert_int_equal(elfimg_pointer(bare, v, &v), -ENXIO);
		break;
	}
	assert_true(seen);
	assert_string_equal(elfimg_interp(img), elfimg_interp(bare));
	assert_string_equal(elfimg_dyn_str(bare, DT_NEEDED, 0), "libc.so.6");
	elfimg_close(img);
	elfimg_close(bare);
	free(bytes);
}

static void check_pointers(struct elfimg *img)
{
	uint64_t table, first, second, hidden, v;

	assert_int_equal(elfimg_sym(img, "pointers", &table, NULL), 0);
	assert_int_equal(elfimg_sym(img, "first", &first, NULL), 0);
	assert_int_equal(elfimg_sym(img, "second", &second, NULL), 0);
	assert_int_equal(elfimg_sym(img, "hidden", &hidden, NULL), 0);
	assert_int_equal(elfimg_pointer(img, table, &v), 0);
	assert_int_equal(v, first);
	assert_int_equal(elfimg_pointer(img, table + 8, &v), 0);
	assert_int_equal(v, second);
	assert_int_equal(elfimg_pointer(img, table + 16, &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(elfimg_pointer(img, table + 24, &v), 0);
	assert_int_equal(v, hidden);
	assert_int_equal(elfimg_pointer(img, table + 32, &v), 0);
	assert_int_equal(v, hidden + sizeof(int));
	assert_int_equal(elfimg_pointer(img, table + 40, &v), -ENXIO);
	assert_int_equal(elfimg_pointer(img, table + 48, &v), 0);
	assert_int_equal(v, 0x1234);
	assert_int_equal(elfimg_pointer(img, 1, &v), 0);
	assert_int_equal(elfimg_pointer(img, UINT64_MAX - 8, &v), -EFAULT);
}

static int count_relr(const struct elfreloc *rel, void *ctx)
{
	*(size_t *)ctx += rel->is_relative && rel->in_place;
	return 0;
}

#if defined(__x86_64__) && defined(__LP64__)

/* RELA, RELR of both linkers, and -Bsymbolic, which makes all relative. */
static void pointers_as_the_loader_makes_them(void **state)
{
	static const struct {
		const char *flags;
		bool relr;
	} rows[] = {
		{ "", false },
		{ "-fuse-ld=lld", false },
		{ "-Wl,-z,pack-relative-relocs", true },
		{ "-fuse-ld=lld -Wl,--pack-dyn-relocs=relr", true },
		{ "-Wl,-Bsymbolic -Wl,-z,pack-relative-relocs", true },
	};
	struct elfimg *img;
	size_t i, nr;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		if (!make_lib(rows[i].flags))
			continue;
		img = must_open("lib");
		check_pointers(img);
		nr = 0;
		assert_int_equal(elfimg_each_reloc(img, count_relr, &nr), 0);
		assert_true(rows[i].relr ? nr >= 2 : nr == 0);
		elfimg_close(img);
	}
}

static int find_tls(const struct elfreloc *rel, void *ctx)
{
	if (!rel->sym_name || strcmp(rel->sym_name, "tls_var"))
		return 0;
	*(uint32_t *)ctx = rel->type;
	return 1;
}

/* How code reaches a thread-local variable shows in its relocation. */
static void thread_local_relocations(void **state)
{
	static const struct {
		const char *flags;
		uint32_t type;
	} rows[] = {
		{ "", R_X86_64_DTPMOD64 },
		{ "-ftls-model=initial-exec", R_X86_64_TPOFF64 },
		{ "-mtls-dialect=gnu2", R_X86_64_TLSDESC },
	};
	struct elfimg *img;
	uint32_t type = 0;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		if (!make_lib(rows[i].flags))
			continue;
		img = must_open("lib");
		assert_int_equal(elfimg_each_reloc(img, find_tls, &type), 1);
		assert_int_equal(type, rows[i].type);
		elfimg_close(img);
	}
}

#else

static void pointers_as_the_loader_makes_them(void **state)
{
	(void)state;
	(void)check_pointers;
	(void)count_relr;
	skip();
}

static void thread_local_relocations(void **state)
{
	(void)state;
	skip();
}

#endif

static void search_paths(void **state)
{
	struct elfimg *img;

	(void)state;
	assert_true(elf_cc("prog", "c", "int main(void) { return 0; }\n",
			   "-Wl,--enable-new-dtags,-rpath,'$ORIGIN/../lib'"));
	img = must_open("prog");
	assert_string_equal(elfimg_dyn_str(img, DT_RUNPATH, 0),
			    "$ORIGIN/../lib");
	assert_null(elfimg_dyn_str(img, DT_RPATH, 0));
	elfimg_close(img);
	assert_true(elf_cc("prog", "c", "int main(void) { return 0; }\n",
			   "-Wl,--disable-new-dtags,-rpath,/a:/b"));
	img = must_open("prog");
	assert_string_equal(elfimg_dyn_str(img, DT_RPATH, 0), "/a:/b");
	elfimg_close(img);
}

/* A global wins over locals of that name, wherever they stand. */
static void a_global_wins(void **state)
{
	uint64_t vaddr, global;
	struct elfimg *img;

	(void)state;
	assert_true(elf_cc("a.o", "c", "static int twin = 1;\n"
			   "int *a_twin(void) { return &twin; }\n", "-c"));
	assert_true(elf_cc("prog", "c", "int twin = 2, marker = 3;\n"
			   "int *a_twin(void);\n"
			   "int main(void) { return a_twin() == &twin; }\n",
			   "a.o"));
	img = must_open("prog");
	assert_int_equal(elfimg_sym(img, "twin", &vaddr, NULL), 0);
	assert_int_equal(elfimg_sym(img, "marker", &global, NULL), 0);
	assert_true(vaddr == global - 4 || vaddr == global + 4);
	elfimg_close(img);
}

/*
 * lld puts the end of one LOAD and the beginning of the next in one page of the
 * file, which is then mapped at two addresses: only one of them is the code's.
 */
static void pages_that_are_mapped_twice(void **state)
{
	struct elfimg *img;
	uint64_t text, bias, offset;

	(void)state;
	if (!elf_cc("prog", "c", "int main(void) { return 0; }\n",
		    "-pie -fPIE -fuse-ld=lld")) {
		print_message("# needs ld.lld\n");
		skip();
	}
	img = must_open("prog");
	assert_int_equal(elfimg_sym(img, "main", &text, NULL), 0);
	assert_int_equal(elfimg_offset(img, text, PF_X, &offset), 0);
	assert_true(offset != text);
	offset &= ~(uint64_t)0xfff;
	text &= ~(uint64_t)0xfff;
	assert_int_equal(elfimg_bias(img, 0x555500000000 + text, offset, true,
				     &bias), 0);
	assert_int_equal(bias, 0x555500000000);
	assert_int_equal(elfimg_bias(img, 0x555500000000, 0, false, &bias), 0);
	assert_int_equal(bias, 0x555500000000);
	assert_int_equal(elfimg_bias(img, 0x555500000000, 0x100000000, true,
				     &bias), -ENOENT);
	elfimg_close(img);
}

static void a_file_that_shrinks(void **state)
{
	struct elfimg *img;
	uint64_t v;

	(void)state;
	assert_true(make_lib(""));
	img = must_open("lib");
	assert_int_equal(elfimg_read(img, 0, &v, sizeof(v)), 0);
	assert_int_equal(truncate("lib", 1), 0);
	assert_int_equal(elfimg_read(img, 0, &v, sizeof(v)), -EFAULT);
	assert_int_equal(elfimg_sym(img, "pointers", &v, NULL), -ENOENT);
	elfimg_close(img);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_addresses),
		cmocka_unit_test(own_strings_and_zeroes),
		cmocka_unit_test(own_pointer_is_relocated),
		cmocka_unit_test(refusals),
		cmocka_unit_test(unreadable_is_not_permitted),
		cmocka_unit_test(the_fd_stays_the_callers),
		cmocka_unit_test(libc_with_and_without_sections),
		cmocka_unit_test(symbols_of_all_hash_styles),
		cmocka_unit_test(imports_without_exports),
		cmocka_unit_test(pointers_as_the_loader_makes_them),
		cmocka_unit_test(thread_local_relocations),
		cmocka_unit_test(search_paths),
		cmocka_unit_test(a_global_wins),
		cmocka_unit_test(pages_that_are_mapped_twice),
		cmocka_unit_test(a_file_that_shrinks),
	};

	if (elf_dir_enter() < 0)
		return 99;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
