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
	assert_int_equal(size, sizeof(pt_marker));
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
	};

	if (elf_dir_enter() < 0)
		return 99;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
