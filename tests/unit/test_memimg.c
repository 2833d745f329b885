/* SPDX-License-Identifier: MIT */
/* memimg: a library made again from memory says what its file says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "elf/elfimg.h"
#include "target/memimg.h"
#include "target/proc.h"

#define SYMBOL "_cmocka_run_group_tests"

/* Ourselves, and what is not there is an error and no signal. */
static int read_self(const struct mem *m, uint64_t addr, void *buf, size_t len)
{
	struct iovec to = { buf, len };
	struct iovec from = { (void *)(uintptr_t)addr, len };

	(void)m;
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) ==
		(ssize_t)len ? 0 : -EFAULT;
}

static const struct mem self = { .read = read_self };

struct fixture {
	struct maps maps;
	const struct map *code;		/* of the library that has SYMBOL */
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	uint64_t addr = (uintptr_t)_cmocka_run_group_tests;
	struct proc p;

	if (!f || proc_open(&p, getpid(), NULL))
		return -1;
	if (maps_read(&f->maps, &p, NULL))
		return -1;
	proc_close(&p);
	f->code = maps_at(&f->maps, addr);
	*state = f;
	return f->code && f->code->kind == MAPS_FILE ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	maps_fini(&f->maps);
	free(f);
	return 0;
}

static void the_same(void **state)
{
	const struct fixture *f = *state;
	struct elfimg *file, *copy;
	uint64_t a, b, size;
	int fd = memimg_make(&f->maps, f->code, &self, "cmocka");
	char x[4096], y[4096];

	assert_true(fd >= 0);
	assert_int_equal(elfimg_open_fd(&copy, fd, "copy", NULL), 0);
	assert_int_equal(elfimg_open(&file, f->code->path, NULL), 0);
	assert_int_equal(elfimg_nr_segs(copy), elfimg_nr_segs(file));
	assert_int_equal(elfimg_nr_secs(copy), 0);
	assert_int_equal(elfimg_sym(copy, SYMBOL, &a, &size), 0);
	assert_int_equal(elfimg_sym(file, SYMBOL, &b, NULL), 0);
	assert_int_equal(a, b);
	if (size > sizeof(x))
		size = sizeof(x);
	assert_int_equal(elfimg_read(copy, a, x, size), 0);
	assert_int_equal(elfimg_read(file, a, y, size), 0);
	assert_memory_equal(x, y, size);
	assert_string_equal(elfimg_dyn_str(copy, DT_SONAME, 0),
			    elfimg_dyn_str(file, DT_SONAME, 0));
	/* an address that the loader has relocated in place */
	assert_int_equal(elfimg_dyn(copy, DT_STRTAB, &a), 0);
	assert_int_equal(elfimg_dyn(file, DT_STRTAB, &b), 0);
	assert_int_equal(a, b);
	elfimg_close(file);
	elfimg_close(copy);
	close(fd);
}

struct pointers {
	struct elfimg *file, *copy;
	int nr;
};

/* Whatever the loader wrote there, the pointer is the one of the file. */
static int same_pointer(const struct elfreloc *rel, void *ctx)
{
	struct pointers *p = ctx;
	uint64_t a = 1, b = 2;

	if (!rel->is_relative)
		return 0;
	p->nr++;
	assert_int_equal(elfimg_pointer(p->file, rel->vaddr, &a), 0);
	assert_int_equal(elfimg_pointer(p->copy, rel->vaddr, &b), 0);
	assert_int_equal(a, b);
	return 0;
}

static void pointers(void **state)
{
	const struct fixture *f = *state;
	struct pointers p = { 0 };
	int fd = memimg_make(&f->maps, f->code, &self, "cmocka");

	assert_true(fd >= 0);
	assert_int_equal(elfimg_open_fd(&p.copy, fd, "copy", NULL), 0);
	assert_int_equal(elfimg_open(&p.file, f->code->path, NULL), 0);
	assert_int_equal(elfimg_each_reloc(p.file, same_pointer, &p), 0);
	assert_true(p.nr > 0);
	elfimg_close(p.file);
	elfimg_close(p.copy);
	close(fd);
}

static int damaged(const struct mem *m, uint64_t addr, void *buf, size_t len)
{
	int rc = read_self(m, addr, buf, len);

	if (!rc)
		memset(buf, 0xff, len);
	return rc;
}

static int nothing(const struct mem *m, uint64_t addr, void *buf, size_t len)
{
	(void)m;
	(void)addr;
	(void)buf;
	(void)len;
	return -ESRCH;
}

static void refused(void **state)
{
	const struct fixture *f = *state;
	const struct mem bad = { .read = damaged }, gone = { .read = nothing };

	assert_int_equal(memimg_make(&f->maps, f->code, &self, "Py_no_such"),
			 -ENOENT);
	assert_int_equal(memimg_make(&f->maps, f->code, &bad, "cmocka"),
			 -ENOEXEC);
	assert_int_equal(memimg_make(&f->maps, f->code, &gone, "cmocka"),
			 -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same),
		cmocka_unit_test(pointers),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
