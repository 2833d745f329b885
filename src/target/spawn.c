/* SPDX-License-Identifier: MIT */
/* spawn: start a command, held just before its exec until we are ready. */
#include "target/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/which.h"

#include "target/nofile.h"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static ssize_t read_some(int fd, void *buf, size_t len)
{
	ssize_t n;

	do
		n = read(fd, buf, len);
	while (n < 0 && errno == EINTR);
	return n;
}

/*
 * The child: nothing here that is not safe after fork() of a threaded process.
 * End of file instead of the byte: the tracer has died or given up.
 */
static void __attribute__((noreturn)) child(int go, int failed,
					    char *const argv[])
{
	int number;
	char byte;

	if (read_some(go, &byte, 1) != 1)
		_exit(SPAWN_NOT_TRACED);
	nofile_restore();
	execvp(argv[0], argv);
	number = errno;
	if (write(failed, &number, sizeof(number)) < 0)
		_exit(SPAWN_NOT_TRACED);
	_exit(number == ENOENT ? SPAWN_NOT_FOUND : SPAWN_NOT_RUNNABLE);
}

int spawn_hold(struct spawn *s, char *const argv[], struct err *err)
{
	int go[2] = { -1, -1 }, failed[2] = { -1, -1 };
	int rc = 0;

	*s = SPAWN_NONE;
	s->name = argv[0];
	/* A socket, because writing to one can do without SIGPIPE. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) < 0 ||
	    pipe2(failed, O_CLOEXEC) < 0) {
		rc = err_set(err, -errno, "cannot make a pipe: %s",
			     strerror(errno));
		goto out;
	}
	s->pid = fork();
	if (s->pid < 0) {
		rc = err_set(err, -errno, "cannot fork: %s", strerror(errno));
		goto out;
	}
	if (!s->pid) {
		/* Its own copies would keep the end of file from it. */
		close(go[1]);
		close(failed[0]);
		child(go[0], failed[1], argv);
	}
	s->go = go[1];
	s->failed = failed[0];
	go[1] = failed[0] = -1;
	s->pidfd = (int)syscall(SYS_pidfd_open, s->pid, 0);
	if (s->pidfd < 0)
		rc = err_set(err, -errno, "cannot open a pidfd: %s",
			     strerror(errno));
out:
	close_fd(&go[0]);
	close_fd(&go[1]);
	close_fd(&failed[0]);
	close_fd(&failed[1]);
	if (rc < 0)
		spawn_close(s);
	return rc;
}

static int cannot_run(const char *name, int number, int *exit_code,
		      struct err *err)
{
	*exit_code = number == ENOENT ? SPAWN_NOT_FOUND : SPAWN_NOT_RUNNABLE;
	return err_kind(err, ERR_NO_TARGET, -number,
			"cannot run '%s': %s", name, strerror(number));
}

static int exec_failed(struct spawn *s, int number, int *exit_code,
		       struct err *err)
{
	int status;

	while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
	s->pid = -1;
	return cannot_run(s->name, number, exit_code, err);
}

/*
 * Of what execvp() may say only this: that the interpreter of a script is not
 * there, or that a format is unknown, is found out by trying.
 */
int spawn_check(char *const argv[], int *exit_code, struct err *err)
{
	char *found = strchr(argv[0], '/') ? strdup(argv[0]) :
					     which_path(argv[0]);
	int number = found ? 0 : ENOENT;
	struct stat st;

	if (found && (stat(found, &st) ||
		      faccessat(AT_FDCWD, found, X_OK, AT_EACCESS)))
		number = errno;
	else if (found && S_ISDIR(st.st_mode))
		number = EACCES;
	free(found);
	return number ? cannot_run(argv[0], number, exit_code, err) : 0;
}

int spawn_release(struct spawn *s, int *exit_code, struct err *err)
{
	int number = 0;
	ssize_t n;

	/*
	 * A child that was killed while held has closed its end; that is the
	 * command's end, and its status says so.
	 */
	(void)send(s->go, "", 1, MSG_NOSIGNAL);
	close_fd(&s->go);
	n = read_some(s->failed, &number, sizeof(number));
	close_fd(&s->failed);
	if (n == (ssize_t)sizeof(number))
		return exec_failed(s, number, exit_code, err);
	return 0;
}

int spawn_wait(struct spawn *s, int *status)
{
	if (waitpid(s->pid, status, 0) < 0)
		return -errno;
	s->pid = -1;
	return 0;
}

int spawn_exit_code(int status)
{
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

void spawn_close(struct spawn *s)
{
	bool held = s->pid > 0 && s->go >= 0;

	close_fd(&s->go);
	while (held && waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close_fd(&s->failed);
	close_fd(&s->pidfd);
	*s = SPAWN_NONE;
}
