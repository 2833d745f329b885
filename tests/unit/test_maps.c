/* SPDX-License-Identifier: MIT */
/* maps: names are the rest of their line, and nothing in them is believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "target/maps.h"
#include "target/proc.h"
#include "target/through.h"

#include "reader_abi.h"

#define HEAD "55d0c000-55d1f000 r-xp 00002000 fd:01 1234"

struct row {
	const char *line;
	enum map_kind kind;
	const char *path;
	bool deleted, doubtful;
};

static const struct row rows[] = {
	{ HEAD "\n", MAPS_ANON, "", false, false },
	{ HEAD " \n", MAPS_ANON, "", false, false },
	{ HEAD "      /bin/a\n", MAPS_FILE, "/bin/a", false, false },
	{ HEAD " /tmp/libpython3.11.so.1.0 evil\n", MAPS_FILE,
	  "/tmp/libpython3.11.so.1.0 evil", false, false },
	{ HEAD " /a  b \n", MAPS_FILE, "/a  b ", false, false },
	{ HEAD " /a (deleted)\n", MAPS_FILE, "/a", true, true },
	{ HEAD " /a (deleted) (deleted)\n", MAPS_FILE, "/a (deleted)", true,
	  true },
	{ HEAD " /a(deleted)\n", MAPS_FILE, "/a(deleted)", false, false },
	{ HEAD " /a\\012b\n", MAPS_FILE, "/a\nb", false, true },
	{ HEAD " /a\\011b\\\n", MAPS_FILE, "/a\\011b\\", false, false },
	{ HEAD " /a\tb\n", MAPS_FILE, "/a\tb", false, false },
	{ HEAD " /a\\01", MAPS_FILE, NULL, false, false },
	{ HEAD " [uprobes]\n", MAPS_PSEUDO, "[uprobes]", false, false },
	{ HEAD " [vvar]\n", MAPS_PSEUDO, "[vvar]", false, false },
	{ HEAD " [anon:libpython3.11.so (deleted)]\n", MAPS_PSEUDO,
	  "[anon:libpython3.11.so (deleted)]", false, false },
	{ HEAD " anon_inode:[perf_event]\n", MAPS_PSEUDO,
	  "anon_inode:[perf_event]", false, false },
	{ HEAD " /memfd:x (deleted)\n", MAPS_FILE, "/memfd:x", true, true },
	/* Not lines of maps: path NULL. */
	{ "55d0c000-55d1f000 r-xp 00002000 fd:01\n", 0, NULL, false, false },
	{ "55d0c000-55d0c000 r-xp 00002000 fd:01 1\n", 0, NULL, false, false },
	{ "55d0c00055d1f000 r-xp 00002000 fd:01 1\n", 0, NULL, false, false },
	{ "10000000000000000-2 r-xp 0 0:0 1\n", 0, NULL, false, false },
	{ "1-2 r-xq 0 0:0 1\n", 0, NULL, false, false },
	{ "1-2 r-xp 0 0:0 1x\n", 0, NULL, false, false },
	{ "1-2 r-xp 0 100000000:0 1\n", 0, NULL, false, false },
	{ "\n", 0, NULL, false, false },
};

static void lines_are_parsed(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *r = &rows[i];
		struct err err = { 0 };
		struct maps m = { 0 };
		int rc;

		print_message("# %s", r->line);
		rc = maps_parse(&m, r->line, strlen(r->line), &err);
		assert_int_equal(rc, r->path ? 0 : -EBADMSG);
		if (!r->path)
			continue;
		assert_int_equal(m.nr, 1);
		assert_string_equal(m.v[0].path, r->path);
		assert_int_equal(m.v[0].kind, r->kind);
		assert_int_equal(m.v[0].deleted, r->deleted);
		assert_int_equal(m.v[0].doubtful, r->doubtful);
		maps_fini(&m);
	}
}

static void fields_are_parsed(void **state)
{
	static const char text[] =
		"400000-401000 r--p 00000000 08:01 7 /a\n"
		"401000-402000 r-xs 00001000 08:01 7 /a\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0"
		"                  [vsyscall]\n";
	struct maps m = { 0 };

	(void)state;
	assert_int_equal(maps_parse(&m, text, sizeof(text) - 1, NULL), 0);
	assert_int_equal(m.nr, 3);
	assert_int_equal(m.v[1].start, 0x401000);
	assert_int_equal(m.v[1].end, 0x402000);
	assert_int_equal(m.v[1].offset, 0x1000);
	assert_int_equal(m.v[1].dev, makedev(8, 1));
	assert_int_equal(m.v[1].inode, 7);
	assert_true(m.v[1].read && m.v[1].exec && m.v[1].shared);
	assert_false(m.v[1].write);
	assert_ptr_equal(maps_at(&m, 0x401fff), &m.v[1]);
	assert_null(maps_at(&m, 0x402000));
	assert_true(map_same_file(&m.v[0], &m.v[1]));
	assert_false(map_same_file(&m.v[0], &m.v[2]));
	maps_fini(&m);
}

static void a_nul_is_no_name(void **state)
{
	static const char text[] = HEAD " /a\0b\n";
	struct maps m = { 0 };

	(void)state;
	assert_int_equal(maps_parse(&m, text, sizeof(text) - 1, NULL),
			 -EBADMSG);
	assert_null(m.v);
}

/* ---- with files that really have such names --------------------------- */

static char dir[] = "/tmp/test_maps.XXXXXX";

static void *map_file(const char *name, bool unlinked)
{
	char path[256];
	void *p;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	close(fd);
	if (unlinked)
		assert_int_equal(unlink(path), 0);
	return p;
}

static void assert_mapped(const struct maps *m, const void *at,
			  const char *name, bool deleted)
{
	const struct map *map = maps_at(m, (uintptr_t)at);
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_non_null(map);
	assert_string_equal(map->path, path);
	assert_int_equal(map->deleted, deleted);
	assert_false(map->doubtful);
}

static void live_names_are_settled(void **state)
{
	struct proc p = PROC_NONE;
	struct err err = { 0 };
	struct maps m = { 0 };
	void *real, *gone, *newline, *slash, *twin, *both;

	(void)state;
	assert_non_null(mkdtemp(dir));
	real = map_file("a (deleted)", false);
	gone = map_file("b", true);
	twin = map_file("c", true);
	map_file("c (deleted)", false);	/* lives, but is another file */
	newline = map_file("n\nl", false);
	slash = map_file("n\\012l", false);
	both = map_file("x\ny (deleted)", true);
	assert_int_equal(proc_open(&p, getpid(), &err), 0);
	assert_int_equal(maps_read(&m, &p, &err), 0);
	assert_mapped(&m, real, "a (deleted)", false);
	assert_mapped(&m, gone, "b", true);
	assert_mapped(&m, twin, "c", true);
	assert_mapped(&m, newline, "n\nl", false);
	assert_mapped(&m, slash, "n\\012l", false);
	assert_mapped(&m, both, "x\ny (deleted)", true);
	maps_fini(&m);
	proc_close(&p);
}

static int remove_dir(void **state)
{
	static const char *const names[] = {
		"a (deleted)", "c (deleted)", "n\nl", "n\\012l", ".",
	};
	char path[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	return rmdir(dir);
}

/* What the kernel half wrote becomes lines that are parsed like any other. */
static void from_the_iterator(void **state)
{
	struct {
		struct pt_reader_vma v;
		char path[16];
	} all[2] = {
		{ { .start = 0x1000, .end = 0x3000, .offset = 0x1000, .ino = 7,
		    .dev = 8 << 20 | 1, .flags = 5, .path_len = 9 }, "/a\nb\\c d" },
		{ { .start = 0x4000, .end = 0x5000, .flags = 3 | 8,
		    .path_len = 12 }, "/ (deleted)" },
	};
	struct proc_text t;
	struct maps m;

	(void)state;
	assert_int_equal(through_format(all, sizeof(all), &t), 0);
	assert_int_equal(maps_parse(&m, t.s, t.len, NULL), 0);
	free(t.s);
	assert_int_equal(m.nr, 2);
	assert_string_equal(m.v[0].path, "/a\nb\\c d");
	assert_int_equal(m.v[0].start, 0x1000);
	assert_int_equal(m.v[0].offset, 0x1000);
	assert_int_equal(m.v[0].inode, 7);
	assert_int_equal(m.v[0].dev, makedev(8, 1));
	assert_true(m.v[0].read && m.v[0].exec && !m.v[0].write);
	assert_true(m.v[1].shared && m.v[1].deleted);
	maps_fini(&m);
	/* cut short, without its NUL, longer than it is */
	assert_int_equal(through_format(all, sizeof(all) - 1, &t), -EBADMSG);
	assert_int_equal(through_format(all, 8, &t), -EBADMSG);
	all[0].v.path_len = 4;
	assert_int_equal(through_format(all, sizeof(all), &t), -EBADMSG);
	all[0].v.path_len = UINT32_MAX;
	assert_int_equal(through_format(all, sizeof(all), &t), -EBADMSG);
	assert_int_equal(through_format(all, 0, &t), 0);
	assert_int_equal(t.len, 0);
	free(t.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_parsed),
		cmocka_unit_test(fields_are_parsed),
		cmocka_unit_test(a_nul_is_no_name),
		cmocka_unit_test_teardown(live_names_are_settled, remove_dir),
		cmocka_unit_test(from_the_iterator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
