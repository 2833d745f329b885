/* SPDX-License-Identifier: MIT */
/* select: each way to name a process, against what processes say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "target/select_priv.h"

#define ID  "4f1c9a0000000000000000000000000000000000000000000000000000000001"
#define ID2 "4f1c9b0000000000000000000000000000000000000000000000000000000002"

struct row {
	const char *value, *fact;
	bool matches;
};

static void by_exe(void **state)
{
	static const struct row rows[] = {
		{ "python3.11", "/usr/bin/python3.11", true },
		{ "python3*", "/usr/bin/python3.11", true },
		{ "/usr/bin/python3.11", "/usr/bin/python3.11", true },
		{ "/usr/bin/*", "/usr/bin/python3.11", true },
		{ "/opt/*", "/usr/bin/python3.11", false },
		{ "python", "/usr/bin/python3.11", false },
		{ "python3.11", "/srv/python3.11 (deleted)", true },
		{ "/srv/python3.11", "/srv/python3.11 (deleted)", true },
		{ "x (deleted)", "/srv/x (deleted)", true },
		{ "[", "/usr/bin/[", true },
		{ "", "/usr/bin/python3.11", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (select_exe(rows[i].value, rows[i].fact) != rows[i].matches)
			fail_msg("%s, %s", rows[i].value, rows[i].fact);
}

static void by_name(void **state)
{
	static const char args[] = "/usr/bin/python3\0/usr/bin/gunicorn\0"
				   "-w\0" "4\0shop.wsgi\0";
	static const char title[] = "gunicorn: worker [shop]\0\0\0\0";
	char hostile[6000];

	(void)state;
	assert_true(select_name("gunicorn", "x", args, sizeof(args) - 1));
	assert_true(select_name("gunicorn*", "x", args, sizeof(args) - 1));
	assert_true(select_name("/usr/bin/gunicorn", "x", args,
				sizeof(args) - 1));
	assert_true(select_name("*gunicorn -w 4*", "x", args, sizeof(args) - 1));
	assert_true(select_name("*shop.wsgi", "x", args, sizeof(args) - 1));
	assert_true(select_name("job", "job", NULL, 0));
	assert_false(select_name("corn", "x", args, sizeof(args) - 1));
	assert_false(select_name("", "x", args, sizeof(args) - 1));
	assert_false(select_name("*", "", "", 0));
	assert_true(select_name("gunicorn: worker*", "x", title,
				sizeof(title) - 1));
	assert_true(select_name("*[[]shop]", "x", title, sizeof(title) - 1));
	memset(hostile, 'a', sizeof(hostile));	/* no NUL at all */
	assert_true(select_name("aaa*", "x", hostile, sizeof(hostile)));
	assert_false(select_name("b*", "x", hostile, sizeof(hostile)));
}

static const char v1[] = "9:name=systemd:/system.slice/shop.service\n"
			 "4:memory:/shop\n"
			 "1:cpu,cpuacct:/\n"
			 "0::/\n";

static void by_cgroup(void **state)
{
	static const char v2[] = "0::/shop.slice/web.service/inner\n";

	(void)state;
	assert_true(select_cgroup("/shop.slice", NULL, v2));
	assert_true(select_cgroup("/shop.slice/", NULL, v2));
	assert_true(select_cgroup("/shop.slice/web.service", "", v2));
	assert_true(select_cgroup("/", NULL, v2));
	assert_false(select_cgroup("/shop", NULL, v2));
	assert_false(select_cgroup("/shop.slice/web", NULL, v2));
	assert_false(select_cgroup("/shop.slice/web.service/inner/x", NULL, v2));
	assert_true(select_cgroup("/shop", NULL, v1));
	assert_true(select_cgroup("/shop", "rw,memory", v1));
	assert_false(select_cgroup("/shop", "rw,cpu,cpuacct", v1));
	assert_false(select_cgroup("/shop", "", v1));
	assert_false(select_cgroup("/", "rw,pids", v1));
	assert_false(select_cgroup("/", NULL, ""));
	assert_false(select_cgroup("/", NULL, "nonsense\n1:\n\n"));
}

static void by_unit(void **state)
{
	static const char user[] = "0::/user.slice/user-1000.slice/"
		"user@1000.service/app.slice/jobs@7.service\n";

	(void)state;
	assert_true(select_unit("shop", v1));
	assert_true(select_unit("shop.service", v1));
	assert_true(select_unit("sh*", v1));
	assert_true(select_unit("system.slice", v1));
	assert_false(select_unit("shop.scope", v1));
	assert_false(select_unit("hop", v1));
	assert_true(select_unit("jobs@7", user));
	assert_true(select_unit("jobs@*", user));
	assert_true(select_unit("user-1000.slice", user));
	assert_false(select_unit("jobs", user));
	/* a group of another hierarchy is nobody's unit */
	assert_false(select_unit("x", "4:memory:/x.service\n"));
}

static void by_container(void **state)
{
	static const struct row rows[] = {
		{ "4f1c", "0::/system.slice/docker-" ID ".scope\n", true },
		{ ID, "0::/system.slice/docker-" ID ".scope\n", true },
		{ "4f1c9b", "0::/system.slice/docker-" ID ".scope\n", false },
		{ "4f1c", "4:memory:/docker/" ID "\n0::/\n", true },
		{ "4f1c", "0::/machine.slice/libpod-" ID ".scope/container\n",
		  true },
		{ "4f1c", "0::/kubepods.slice/kubepods-burstable.slice/kubepods-"
		  "burstable-pod1.slice/cri-containerd-" ID ".scope\n", true },
		{ "web", "0::/lxc.payload.web\n", true },
		{ "we", "0::/lxc.payload.web\n", false },
		{ "4f1c", "0::/user.slice\n", false },
		{ "", "0::/system.slice/docker-" ID ".scope\n", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (select_container(rows[i].value, rows[i].fact) !=
		    rows[i].matches)
			fail_msg("%s, %s", rows[i].value, rows[i].fact);
}

/* Of several of a kind any, and each kind that is given. */
static void several(void **state)
{
	const struct select_facts f = {
		.exe = "/usr/bin/python3.11", .comm = "shop",
		.cgroup = v1,
	};
	const struct select_facts nothing = { .comm = "x" };
	struct err err = { 0 };
	struct select *s;

	(void)state;
	assert_int_equal(select_new(&s, &err), 0);
	assert_true(select_matches(s, &f));
	assert_true(select_matches(s, &nothing));
	assert_int_equal(select_add(s, SELECT_EXE, "ruby", &err), 0);
	assert_false(select_matches(s, &f));
	assert_int_equal(select_add(s, SELECT_EXE, "python*", &err), 0);
	assert_true(select_matches(s, &f));
	assert_false(select_matches(s, &nothing));
	assert_int_equal(select_add(s, SELECT_UNIT, "shop", &err), 0);
	assert_true(select_matches(s, &f));
	assert_int_equal(select_add(s, SELECT_NAME, "job", &err), 0);
	assert_false(select_matches(s, &f));
	assert_int_equal(select_add(s, SELECT_NAME, "", &err), -EINVAL);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(select_add(s, SELECT_CGROUP, "x", &err), -EINVAL);
	assert_int_equal(select_add(s, SELECT_CGROUP, "/proc/self", &err),
			 -ENOENT);
	assert_int_equal(err.kind, ERR_NO_TARGET);
	select_free(s);
}

/* This very process; and not by another name. */
static void a_live_one(void **state)
{
	struct err err = { 0 };
	struct select *s;
	struct proc p;

	(void)state;
	assert_int_equal(proc_open(&p, getpid(), &err), 0);
	assert_int_equal(select_new(&s, &err), 0);
	assert_int_equal(select_add(s, SELECT_EXE, "*test_select", &err), 0);
	assert_int_equal(select_process(s, &p), 1);
	assert_int_equal(select_add(s, SELECT_NAME, "*test_select", &err), 0);
	assert_int_equal(select_process(s, &p), 1);
	assert_int_equal(select_add(s, SELECT_CONTAINER, ID, &err), 0);
	assert_int_equal(select_process(s, &p), 0);
	select_free(s);
	proc_close(&p);
}

static void group_of_folder(void **state)
{
	static const char mounts[] =
		"20 1 0:1 / / rw - ext4 /dev/sda rw\n"
		"30 20 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
		"31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup "
		"cgroup rw,cpu,cpuacct\n"
		"32 30 0:28 /docker/x /sys/fs/cgroup/unified rw - cgroup2 "
		"cgroup2 rw\n"
		"nonsense\n";
	struct select_group g;

	(void)state;
	assert_int_equal(select_group_of(mounts, "/sys/fs/cgroup/cpu,cpuacct/a",
					 &g), 0);
	assert_string_equal(g.path, "/a");
	assert_true(select_cgroup(g.path, g.controllers, "3:cpu,cpuacct:/a/b"));
	assert_false(select_cgroup(g.path, g.controllers, "3:memory:/a/b"));
	free(g.path);
	free(g.controllers);
	assert_int_equal(select_group_of(mounts, "/sys/fs/cgroup/unified/a", &g),
			 0);
	assert_string_equal(g.path, "/docker/x/a");
	assert_string_equal(g.controllers, "");
	free(g.path);
	free(g.controllers);
	assert_int_equal(select_group_of(mounts, "/sys/fs/cgroup/x", &g),
			 -ENOENT);
	assert_int_equal(select_group_of(mounts, "/tmp", &g), -ENOENT);
	assert_int_equal(select_group_of("", "/", &g), -ENOENT);
}

static void names_of_containers(void **state)
{
	static const char podman[] =
		"[{\"id\":\"" ID "\",\"names\":[\"db\"]},"
		"{\"id\":\"" ID2 "\",\"names\":[\"web\",\"shop\"]},{\"id\":7}]";
	static const char docker[] = "{\"ID\":\"" ID "\",\"Name\":\"/web\"}";
	char *id;

	(void)state;
	id = select_podman_id(podman, "shop");
	assert_string_equal(id, ID2);
	free(id);
	assert_null(select_podman_id(podman, "we"));
	assert_null(select_podman_id("{", "web"));
	assert_null(select_podman_id("", "web"));
	id = select_docker_id(docker, "web");
	assert_string_equal(id, ID);
	free(id);
	assert_null(select_docker_id(docker, "we"));
	assert_null(select_docker_id("[1]", "web"));
	assert_null(select_docker_id("nonsense", "web"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_exe),
		cmocka_unit_test(by_name),
		cmocka_unit_test(by_cgroup),
		cmocka_unit_test(by_unit),
		cmocka_unit_test(by_container),
		cmocka_unit_test(several),
		cmocka_unit_test(a_live_one),
		cmocka_unit_test(group_of_folder),
		cmocka_unit_test(names_of_containers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
