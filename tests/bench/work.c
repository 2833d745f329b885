/* SPDX-License-Identifier: MIT */
/* work: a Python that runs workload.py, told what to do through pipes. */
#include "work.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(char *const argv[], int in, int out)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0)
		_exit(125);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static int open_pipes(int to[2], int from[2], struct err *err)
{
	if (pipe(to))
		return err_set(err, -errno, "no pipe: %s", strerror(errno));
	if (pipe(from)) {
		close(to[0]);
		close(to[1]);
		return err_set(err, -errno, "no pipe: %s", strerror(errno));
	}
	return 0;
}

int work_start(struct work *w, char *const argv[], struct err *err)
{
	uint64_t hello[2];
	int to[2], from[2], rc;
	pid_t pid;

	*w = (struct work){ 0 };
	rc = open_pipes(to, from, err);
	if (rc)
		return rc;
	pid = fork();
	if (!pid) {
		close(to[1]);
		close(from[0]);
		become(argv, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	w->pid = pid;
	w->to = fdopen(to[1], "w");
	w->from = fdopen(from[0], "r");
	if (pid < 0 || !w->to || !w->from)
		return err_set(err, -errno, "cannot start %s", argv[0]);
	rc = work_hear(w, hello, err);
	if (rc)
		return err_wrap(err, rc, "%s", argv[0]);
	if ((pid_t)hello[0] != pid)
		return err_set(err, -EINVAL, "%s does not keep its pid", argv[0]);
	w->hexversion = (uint32_t)hello[1];
	return 0;
}

void work_stop(struct work *w)
{
	if (w->to)
		fclose(w->to);
	if (w->from)
		fclose(w->from);
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, 0);
	}
	*w = (struct work){ 0 };
}

int work_pin(const struct work *w, int cpu, struct err *err)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(w->pid, sizeof(set), &set))
		return err_set(err, -errno, "cannot pin %d: %s", (int)w->pid,
			       strerror(errno));
	return 0;
}

int work_tell(struct work *w, struct err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(w->to, fmt, ap);
	va_end(ap);
	if (fputc('\n', w->to) == EOF || fflush(w->to))
		return err_set(err, -EPIPE, "the workload is gone");
	return 0;
}

int work_hear(struct work *w, uint64_t out[2], struct err *err)
{
	char line[128];

	out[0] = out[1] = 0;
	if (!fgets(line, sizeof(line), w->from) ||
	    sscanf(line, "%" SCNu64 " %" SCNu64, &out[0], &out[1]) < 1)
		return err_set(err, -EPIPE, "the workload gave no answer");
	return 0;
}

int work_calls(struct work *w, int depth, int n, struct block *out,
	       struct err *err)
{
	return work_block(w, "calls", depth, n, out, err);
}

int work_block(struct work *w, const char *command, int depth, int n,
	       struct block *out, struct err *err)
{
	uint64_t ns[2];
	int rc;

	rc = work_tell(w, err, "%s %d %d", command, depth, n);
	if (!rc)
		rc = work_hear(w, ns, err);
	if (rc)
		return rc;
	out->wall = (double)ns[0] / n;
	out->cpu = (double)ns[1] / n;
	return 0;
}
