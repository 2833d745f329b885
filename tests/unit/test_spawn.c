/* SPDX-License-Identifier: MIT */
/* spawn: a held command runs when released, as if the shell had started it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/spawn.h"

/* A command line: execvp() wants strings that are not const. */
struct command {
	char bytes[1024];
	char *argv[8];
};

static char **command(struct command *c, const char *const *words)
{
	size_t used = 0, i;

	for (i = 0; words[i]; i++) {
		size_t len = strlen(words[i]) + 1;

		assert_true(i + 1 < ARRAY_LEN(c->argv));
		assert_true(used + len <= sizeof(c->bytes));
		c->argv[i] = memcpy(c->bytes + used, words[i], len);
		used += len;
	}
	c->argv[i] = NULL;
	return c->argv;
}

#define CMD(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define SH(script) CMD("sh", "-c", script)

static int run(const char *const *words, int *exit_code)
{
	struct command c;
	char **argv = command(&c, words);
	struct spawn s;
	struct err err = { 0 };
	int status, rc;

	assert_int_equal(spawn_hold(&s, argv, &err), 0);
	rc = spawn_release(&s, exit_code, &err);
	if (!rc) {
		assert_int_equal(spawn_wait(&s, &status), 0);
		*exit_code = spawn_exit_code(status);
	} else {
		assert_non_null(strstr(err.text, argv[0]));
	}
	spawn_close(&s);
	return rc;
}

static void statuses_pass_through(void **state)
{
	char text[] = "/tmp/test_spawn.XXXXXX";
	int code, fd;

	(void)state;
	assert_int_equal(run(SH("exit 0"), &code), 0);
	assert_int_equal(code, 0);
	assert_int_equal(run(SH("exit 77"), &code), 0);
	assert_int_equal(code, 77);
	assert_int_equal(run(SH("kill -TERM $$"), &code), 0);
	assert_int_equal(code, 128 + SIGTERM);
	assert_int_equal(run(CMD("/no/such"), &code), -ENOENT);
	assert_int_equal(code, 127);
	assert_int_equal(run(CMD("no-such-command-x"), &code),
			 -ENOENT);
	assert_int_equal(code, 127);
	assert_int_equal(run(CMD("/"), &code), -EACCES);
	assert_int_equal(code, 126);
	fd = mkstemp(text);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(run(CMD(text), &code), -EACCES);
	assert_int_equal(code, 126);
	unlink(text);
}

static void a_held_command_has_not_run(void **state)
{
	struct spawn s;
	struct stat st;
	struct pollfd pfd = { .events = POLLIN };
	char link[64], to[256] = "";
	char mark[] = "/tmp/test_spawn.XXXXXX";
	struct command c;
	int code, status, fd = mkstemp(mark);
	char **argv = command(&c, CMD("touch", mark));

	(void)state;
	close(fd);
	unlink(mark);
	assert_int_equal(spawn_hold(&s, argv, NULL), 0);
	usleep(20000);
	snprintf(link, sizeof(link), "/proc/%d/exe", s.pid);
	assert_true(readlink(link, to, sizeof(to) - 1) > 0);
	assert_non_null(strstr(to, "test_spawn"));
	assert_int_equal(stat(mark, &st), -1);
	assert_int_equal(spawn_release(&s, &code, NULL), 0);
	pfd.fd = s.pidfd;
	assert_int_equal(poll(&pfd, 1, 10000), 1);
	assert_int_equal(spawn_wait(&s, &status), 0);
	assert_int_equal(stat(mark, &st), 0);
	spawn_close(&s);
	unlink(mark);
	/* Given up: never runs, leaves no zombie. */
	assert_int_equal(spawn_hold(&s, argv, NULL), 0);
	spawn_close(&s);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(stat(mark, &st), -1);
}

/* A tracer that is killed takes the held command with it. */
static void it_dies_with_the_tracer(void **state)
{
	char mark[] = "/tmp/test_spawn.XXXXXX";
	struct command c;
	int tell[2], fd = mkstemp(mark);
	char **argv = command(&c, CMD("touch", mark));
	struct stat st;
	pid_t tracer, held = 0;
	char end;

	(void)state;
	close(fd);
	unlink(mark);
	assert_int_equal(pipe(tell), 0);
	tracer = fork();
	if (!tracer) {
		struct spawn s;

		if (spawn_hold(&s, argv, NULL) < 0 ||
		    write(tell[1], &s.pid, sizeof(s.pid)) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(tell[1]);
	assert_int_equal(read(tell[0], &held, sizeof(held)), sizeof(held));
	kill(tracer, SIGKILL);
	waitpid(tracer, NULL, 0);
	/* The held child has the other end of `tell`, too: wait for its end. */
	assert_int_equal(read(tell[0], &end, 1), 0);
	assert_int_equal(stat(mark, &st), -1);
}

/* What a shell's child sees, a spawned one sees: /proc/self tells. */
static void nothing_is_different(void **state)
{
	static const char script[] =
		"grep -E '^(Sig[PBIC]|Shd|NoNewPrivs|Seccomp|Umask)' /proc/self/status;"
		" ls /proc/self/fd | wc -l; ulimit -a; ps -o pgid=,sid=,tty= $$";
	char out[2][8192];
	int i, pipes[2], code;

	(void)state;
	for (i = 0; i < 2; i++) {
		int saved = dup(1);
		ssize_t n, len = 0;

		fcntl(saved, F_SETFD, FD_CLOEXEC);
		assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
		dup2(pipes[1], 1);
		close(pipes[1]);
		if (i) {
			code = -1;
			if (run(SH(script), &code) < 0)
				code = -1;
		} else {
			code = system(script);
		}
		dup2(saved, 1);
		close(saved);
		assert_int_equal(code, 0);
		while ((n = read(pipes[0], out[i] + len,
				 sizeof(out[i]) - 1 - (size_t)len)) > 0)
			len += n;
		out[i][len] = '\0';
		close(pipes[0]);
	}
	assert_string_equal(out[0], out[1]);
	assert_non_null(strstr(out[0], "SigIgn"));
}

static void a_child_killed_while_held(void **state)
{
	struct spawn s;
	struct command c;
	int code = 0, status;

	(void)state;
	assert_int_equal(spawn_hold(&s, command(&c, SH("exit 0")), NULL), 0);
	kill(s.pid, SIGKILL);
	usleep(20000);
	assert_int_equal(spawn_release(&s, &code, NULL), 0);
	assert_int_equal(spawn_wait(&s, &status), 0);
	assert_int_equal(spawn_exit_code(status), 128 + SIGKILL);
	spawn_close(&s);
}

static void what_files_tell(void **state)
{
	struct command c;
	struct err err = { 0 };
	int code = 0;

	(void)state;
	assert_int_equal(spawn_check(command(&c, CMD("sh")), &code, NULL),
			 0);
	assert_int_equal(spawn_check(command(&c, CMD("/bin/sh")), &code, NULL),
			 0);
	assert_int_equal(spawn_check(command(&c, CMD("no-such-program")), &code,
				     &err), -ENOENT);
	assert_int_equal(code, SPAWN_NOT_FOUND);
	assert_string_equal(err.text, "cannot run 'no-such-program': No such "
			    "file or directory");
	assert_int_equal(spawn_check(command(&c, CMD("/etc/passwd")), &code, NULL),
			 -EACCES);
	assert_int_equal(code, SPAWN_NOT_RUNNABLE);
	assert_int_equal(spawn_check(command(&c, CMD("/")), &code, NULL),
			 -EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses_pass_through),
		cmocka_unit_test(a_held_command_has_not_run),
		cmocka_unit_test(it_dies_with_the_tracer),
		cmocka_unit_test(nothing_is_different),
		cmocka_unit_test(a_child_killed_while_held),
		cmocka_unit_test(what_files_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
