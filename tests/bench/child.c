/* SPDX-License-Identifier: MIT */
/* child: a tool that runs beside the workload, and what it cost. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(char *const argv[], int says)
{
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
	    dup2(says, 2) < 0)
		_exit(125);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

int child_start(struct child *c, char *const argv[], struct err *err)
{
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC))
		return err_set(err, -errno, "no pipe: %s", strerror(errno));
	fcntl(pipes[0], F_SETPIPE_SZ, 1 << 20);	/* it must never wait for us */
	c->pid = fork();
	if (!c->pid)
		become(argv, pipes[1]);
	close(pipes[1]);
	c->says = pipes[0];
	if (c->pid < 0)
		return err_set(err, -errno, "cannot start %s", argv[0]);
	return 0;
}

bool child_runs(const struct child *c)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       !info.si_pid;
}

void child_wait(struct child *c, struct child_end *end)
{
	struct rusage use = { 0 };
	ssize_t n;

	wait4(c->pid, NULL, 0, &use);
	n = read(c->says, end->said, sizeof(end->said) - 1);
	end->said[n > 0 ? n : 0] = 0;
	close(c->says);
	end->cpu = (double)use.ru_utime.tv_sec + (double)use.ru_stime.tv_sec +
		   1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
	end->peak_kb = use.ru_maxrss;
}

void child_stop(struct child *c, struct child_end *end)
{
	kill(c->pid, SIGINT);
	child_wait(c, end);
}

bool child_exists(const char *name)
{
	char path[4096];
	const char *p = getenv("PATH");
	size_t len;

	if (strchr(name, '/'))
		return !access(name, X_OK);
	for (; p && *p; p += len + (p[len] == ':')) {
		len = strcspn(p, ":");
		snprintf(path, sizeof(path), "%.*s/%s", (int)len, p, name);
		if (!access(path, X_OK))
			return true;
	}
	return false;
}
