/* SPDX-License-Identifier: MIT */
/* cgroup: where control groups are mounted, and what their files say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "target/cgroup.h"

#define V2 "35 30 0:30 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n"
#define ACCT "36 30 0:31 / /mnt/acct rw - cgroup cgroup rw,cpuacct\n"
#define V1 "37 30 0:32 /docker/a /mnt/cpu rw - cgroup cgroup rw,cpuacct,cpu\n"

static void version_1_goes_first(void **state)
{
	struct cgroup_mount m;

	(void)state;
	assert_int_equal(cgroup_parse_mounts(V2 ACCT V1, &m), 0);
	assert_true(m.v1);
	assert_string_equal(m.where, "/mnt/cpu");
	assert_string_equal(m.root, "/docker/a");
	cgroup_mount_fini(&m);
	/* one without the cpu controller is none */
	assert_int_equal(cgroup_parse_mounts(ACCT V2, &m), 0);
	assert_false(m.v1);
	assert_string_equal(m.where, "/sys/fs/cgroup");
	cgroup_mount_fini(&m);
	assert_int_equal(cgroup_parse_mounts(ACCT, &m), -ENOENT);
	assert_int_equal(cgroup_parse_mounts("", &m), -ENOENT);
	assert_int_equal(cgroup_parse_mounts("1 2 - cgroup2", &m), -ENOENT);
}

/* ---- groups made of plain files ------------------------------------------- */

static char folder[] = "/tmp/test_cgroup.XXXXXX";

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void make(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	make("two");
	make("two/pod");
	put("two/cpu.max", "50000 100000\n");
	put("two/cpu.stat", "usage_usec 7\nnr_periods 100\nnr_throttled 61\n"
	    "throttled_usec 6900000\nnr_bursts 3\n");
	put("two/memory.events.local", "low 1\nhigh 12\nmax 3\n");
	put("two/pod/cpu.max", "max 100000\n");
	make("one");
	put("one/cpu.cfs_quota_us", "20000\n");
	put("one/cpu.cfs_period_us", "100000\n");
	put("one/cpu.stat", "nr_periods 4\nnr_throttled 3\n"
	    "throttled_time 1234567\n");
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void version_2_is_read(void **state)
{
	char root[] = "/";
	struct cgroup_mount m = { .where = folder, .root = root };
	struct cgroup_stat s;

	(void)state;
	assert_int_equal(cgroup_read(&m, "/two", &s), 0);
	assert_int_equal(s.quota_us, 50000);
	assert_int_equal(s.period_us, 100000);
	assert_int_equal(s.nr_periods, 100);
	assert_int_equal(s.nr_throttled, 61);
	assert_int_equal(s.throttled_us, 6900000);
	assert_int_equal(s.memory_high, 12);
	assert_int_equal(cgroup_read(&m, "/two/pod", &s), 0);
	assert_int_equal(s.quota_us, 0);
	assert_int_equal(s.nr_throttled, 0);
	assert_int_equal(cgroup_read(&m, "/none", &s), -ENOENT);
	/* another's, seen from inside a namespace */
	assert_int_equal(cgroup_read(&m, "/../two", &s), -ENOENT);
}

static void version_1_is_read(void **state)
{
	char root[] = "/";
	struct cgroup_mount m = { .where = folder, .root = root, .v1 = true };
	struct cgroup_stat s;

	(void)state;
	assert_int_equal(cgroup_read(&m, "/one", &s), 0);
	assert_int_equal(s.quota_us, 20000);
	assert_int_equal(s.period_us, 100000);
	assert_int_equal(s.nr_throttled, 3);
	assert_int_equal(s.throttled_us, 1234);
	put("one/cpu.cfs_quota_us", "-1\n");
	assert_int_equal(cgroup_read(&m, "/one", &s), 0);
	assert_int_equal(s.quota_us, 0);
}

/* A container sees its own part: names outside are other groups. */
static void part_of_the_hierarchy(void **state)
{
	char root[] = "/docker/a";
	struct cgroup_mount m = { .where = folder, .root = root };
	struct cgroup_stat s;

	(void)state;
	assert_int_equal(cgroup_read(&m, "/docker/a/two", &s), 0);
	assert_int_equal(s.quota_us, 50000);
	assert_int_equal(cgroup_read(&m, "/docker/ab", &s), -ENOENT);
	assert_int_equal(cgroup_read(&m, "/two", &s), -ENOENT);
}

static void parents(void **state)
{
	char path[] = "/a/bc";

	(void)state;
	assert_true(cgroup_parent(path));
	assert_string_equal(path, "/a");
	assert_true(cgroup_parent(path));
	assert_string_equal(path, "/");
	assert_false(cgroup_parent(path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_1_goes_first),
		cmocka_unit_test(version_2_is_read),
		cmocka_unit_test(version_1_is_read),
		cmocka_unit_test(part_of_the_hierarchy),
		cmocka_unit_test(parents),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
