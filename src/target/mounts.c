/* SPDX-License-Identifier: MIT */
/* mounts: which files of a process may not answer when they are touched. */
#include "target/mounts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_INFO	(16U << 20)
#define ANSWER_MS	1000

/*
 *	36 35 98:0 /root /where rw,noatime master:1 - ext3 /dev/root rw
 *
 * The type is what follows " - ".  False: another device.
 */
static bool line_is_of(const char *line, size_t len, dev_t dev, bool *fuse)
{
	static const char dash[] = " - ";
	unsigned int major, minor;
	const char *type;

	if (sscanf(line, "%*d %*d %u:%u", &major, &minor) != 2 ||
	    makedev(major, minor) != dev)
		return false;
	type = memmem(line, len, dash, sizeof(dash) - 1);
	*fuse = !type || !strncmp(type + sizeof(dash) - 1, "fuse", 4);
	return true;
}

/* What is mounted nowhere, and is no file of a mount, cannot be told. */
static bool may_hang(const char *info, dev_t dev)
{
	bool fuse = true;

	while (*info) {
		size_t len = strcspn(info, "\n");

		if (line_is_of(info, len, dev, &fuse))
			return fuse;
		info += len + (info[len] == '\n');
	}
	return true;
}

void mounts_mark(struct maps *maps, const struct proc *p)
{
	struct proc_text t = { 0 };
	struct map *m, *last = NULL;

	if (proc_read(p, "mountinfo", MAX_INFO, &t, NULL) < 0)
		t.s = NULL;
	for (m = maps->v; m < maps->v + maps->nr; m++) {
		if (m->kind != MAPS_FILE)
			continue;
		if (last && last->dev == m->dev)
			m->may_hang = last->may_hang;
		else
			m->may_hang = may_hang(t.s ? t.s : "", m->dev);
		last = m;
	}
	free(t.s);
}

/*
 * Only calls that are safe after fork() of a threaded process.  It may stay for
 * ever, so it keeps nothing of ours open.
 */
static void __attribute__((noreturn)) child(int dir, const char *name)
{
	static char buf[65536];
	struct stat st;
	int fd;

	if (dup2(dir, 0) < 0 || syscall(SYS_close_range, 1, ~0U, 0) < 0)
		_exit(1);
	if (fstatat(0, name, &st, 0) < 0 || !S_ISREG(st.st_mode))
		_exit(0);		/* answered, and nothing to read */
	fd = openat(0, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	while (fd >= 0 && read(fd, buf, sizeof(buf)) > 0)
		;
	_exit(0);
}

bool mounts_answers(const struct map *m, const struct proc *p)
{
	struct pollfd pfd = { .events = POLLIN };
	bool answers = false;
	char name[64];
	pid_t pid;

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, m->start,
		 m->end);
	pid = fork();
	if (!pid)
		child(p->dir, name);
	if (pid < 0)
		return false;
	pfd.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pfd.fd >= 0) {
		answers = poll(&pfd, 1, ANSWER_MS) == 1;
		close(pfd.fd);
	}
	if (!answers)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, answers ? 0 : WNOHANG);
	return answers;
}
