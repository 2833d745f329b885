/* SPDX-License-Identifier: MIT */
/* shebang, where, whatis: what names and first lines tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "target/shebang.h"
#include "target/whatis.h"
#include "target/where.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* ---- first lines ------------------------------------------------------ */

static const struct {
	const char *text, *program, *arg;
} lines[] = {
	{ "#!/bin/sh\necho", "/bin/sh", "" },
	{ "#!/bin/sh", "/bin/sh", "" },
	{ "#! \t/bin/sh -e  -x \t\n", "/bin/sh", "-e  -x" },
	{ "#!/usr/bin/env python3\n", "/usr/bin/env", "python3" },
	{ "#!python\n", "python", "" },
	{ "#!\n", NULL, NULL },
	{ "#! \n/bin/sh", NULL, NULL },
	{ "#!", NULL, NULL },
	{ "#", NULL, NULL },
	{ "", NULL, NULL },
	{ "# !/bin/sh\n", NULL, NULL },
	{ "\x7f" "ELF", NULL, NULL },
};

static void first_lines_are_parsed(void **state)
{
	struct shebang s;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(lines); i++) {
		bool yes = shebang_parse(lines[i].text, strlen(lines[i].text),
					 &s);

		print_message("# %s\n", lines[i].text);
		assert_int_equal(yes, lines[i].program != NULL);
		if (!yes)
			continue;
		assert_string_equal(s.program, lines[i].program);
		assert_string_equal(s.arg, lines[i].arg);
	}
}

/* The kernel reads 256 bytes: a name that goes on after them is refused. */
static void long_first_lines(void **state)
{
	char text[600] = "#!/";
	struct shebang s;

	(void)state;
	memset(text + 3, 'a', sizeof(text) - 4);
	assert_false(shebang_parse(text, sizeof(text) - 1, &s));
	text[100] = ' ';
	assert_true(shebang_parse(text, sizeof(text) - 1, &s));
	assert_int_equal(strlen(s.program), 98);
	assert_int_equal(strlen(s.arg), SHEBANG_BYTES - 101);
}

static const struct {
	const char *args[6];
	const char *program;
} env_lines[] = {
	{ { "python3" }, "python3" },
	{ { "python3 -u" }, "python3 -u" },	/* one word for env */
	{ { "-S", "python3 -u" }, "python3" },
	{ { "-S python3 -u" }, "python3" },
	{ { "-Spython3" }, "python3" },
	{ { "-vS", "A=1 python3" }, "python3" },
	{ { "--split-string=-i A=1 'my python' -u" }, "my python" },
	{ { "-i", "-u", "HOME", "A=1", "python3", "x.py" }, "python3" },
	{ { "-S", "-i A=1", "python3" }, "python3" },
	{ { "--", "-odd" }, "-odd" },
	{ { "-u" }, NULL },
	{ { "-S" }, NULL },
	{ { "A=1" }, NULL },
	{ { NULL }, NULL },
};

static void env_is_seen_through(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(env_lines); i++) {
		const char *args[7] = { NULL };
		char buf[SHEBANG_BYTES];
		const char *got;

		memcpy(args, env_lines[i].args, sizeof(env_lines[i].args));
		got = shebang_env_program(args, buf, sizeof(buf));
		print_message("# %s\n", args[0] ? args[0] : "");
		if (env_lines[i].program)
			assert_string_equal(got, env_lines[i].program);
		else
			assert_null(got);
	}
}

static void env_words_fit_or_are_refused(void **state)
{
	const char *args[] = { "-S", "aaaaaaaaaaaaaaaaaaaaaaaa", NULL };
	char buf[8];

	(void)state;
	assert_null(shebang_env_program(args, buf, sizeof(buf)));
}

/* ---- control groups --------------------------------------------------- */

static const struct {
	const char *text, *words, *unit;
} groups[] = {
	{ "0::/system.slice/gunicorn.service\n", "gunicorn.service",
	  "gunicorn.service" },
	{ "0::/user.slice/user-0.slice/user@0.service/app.slice/a\\x2db.service"
	  "/x\n", "a\\x2db.service", "a\\x2db.service" },
	{ "0::/user.slice/user-0.slice/session-3.scope\n", "session-3.scope",
	  "session-3.scope" },
	{ "0::/system.slice/docker-" ID ".scope\n", "docker 012345",
	  "docker-" ID ".scope" },
	{ "12:pids:/docker/" ID "\n1:name=systemd:/docker/" ID "\n",
	  "docker 012345", "" },
	{ "0::/machine.slice/libpod-" ID ".scope/container\n", "podman 012345",
	  "libpod-" ID ".scope" },
	{ "0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID
	  ".scope\n", "containerd 012345", "cri-containerd-" ID ".scope" },
	{ "0::/kubepods/besteffort/pod12/" ID "\n", "container 012345", "" },
	{ "0::/kubepods.slice/crio-" ID ".scope\n", "cri-o 012345",
	  "crio-" ID ".scope" },
	{ "0::/lxc/web/init.scope\n", "lxc web", "init.scope" },
	{ "0::/lxc.payload.web/a\n", "lxc web", "" },
	{ "0::/machine.slice/systemd-nspawn@deb.service/payload\n",
	  "nspawn deb", "systemd-nspawn@deb.service" },
	{ "0::/docker-0123.scope\n", "docker-0123.scope",
	  "docker-0123.scope" },
	{ "0::/\n", "-", "" },
	{ "0::/.service\n", "-", "" },
	{ "5:cpu:/a.service\n", "-", "" },
	{ "nonsense\n:\n::\n0::", "-", "" },
	{ "", "-", "" },
};

static void control_groups_tell_where(void **state)
{
	char buf[128];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(groups); i++) {
		struct where w;

		print_message("# %s\n", groups[i].text);
		where_parse(groups[i].text, &w);
		assert_string_equal(where_text(&w, buf, sizeof(buf)),
				    groups[i].words);
		assert_string_equal(w.unit, groups[i].unit);
	}
}

static void group_of_the_cpu(void **state)
{
	static const struct {
		const char *text, *group;
	} rows[] = {
		{ "0::/system.slice/shop.service\n", "/system.slice/shop.service" },
		{ "0::/\n", "/" },
		{ "0::/a:b", "/a:b" },
		{ "5:memory:/m\n4:cpu,cpuacct:/c\n0::/two\n", "/c" },
		{ "0::/two\n4:cpuacct,cpu:/c\n", "/c" },
		{ "3:cpuacct:/x\n2:cpuset:/y\n1:name=systemd:/z\n", NULL },
		{ "0:\n:/x\n7\n", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *group = where_group(rows[i].text);

		print_message("# %s\n", rows[i].text);
		assert_int_equal(!group, !rows[i].group);
		if (group)
			assert_string_equal(group, rows[i].group);
		free(group);
	}
}

static void long_control_groups_are_cut(void **state)
{
	char text[2000] = "0::/lxc/";
	struct where w;

	(void)state;
	memset(text + 8, 'a', 1000);
	snprintf(text + 1008, sizeof(text) - 1008, ".service\n");
	where_parse(text, &w);
	assert_int_equal(strlen(w.container), sizeof(w.container) - 1);
	assert_int_equal(strlen(w.unit), sizeof(w.unit) - 1);
}

/* ---- names of programs ------------------------------------------------ */

static void names_tell(void **state)
{
	(void)state;
	assert_string_equal(whatis_name("/usr/bin/node"), "Node.js");
	assert_string_equal(whatis_name("/x/libjvm.so"), "Java");
	assert_string_equal(whatis_name("perl5.36"), "Perl");
	assert_null(whatis_name("/usr/bin/nodename"));
	assert_null(whatis_name("/bash/sleep"));
	assert_null(whatis_name(""));
	assert_string_equal(whatis_other_python("/opt/bin/pypy3.10"), "PyPy");
	assert_string_equal(whatis_other_python("libpypy3-c.so"), "PyPy");
	assert_null(whatis_other_python("/usr/bin/python3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_lines_are_parsed),
		cmocka_unit_test(long_first_lines),
		cmocka_unit_test(env_is_seen_through),
		cmocka_unit_test(env_words_fit_or_are_refused),
		cmocka_unit_test(control_groups_tell_where),
		cmocka_unit_test(group_of_the_cpu),
		cmocka_unit_test(long_control_groups_are_cut),
		cmocka_unit_test(names_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
