/* SPDX-License-Identifier: MIT */
/* proc: one process, held so that its number cannot come to mean another. */
#include "target/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PF_KTHREAD	0x00200000	/* include/linux/sched.h */

int proc_error(const struct proc *p, int rc, const char *what, struct err *err)
{
	switch (-rc) {
	case ESRCH:
	case ENOENT:
		return err_kind(err, ERR_NO_TARGET, -ESRCH,
				"process %d is gone", p->pid);
	case EACCES:
	case EPERM:
		err_kind(err, ERR_NOT_PERMITTED, rc,
			 "cannot look at %s of process %d: %s", what, p->pid,
			 strerror(-rc));
		if (geteuid())
			err_hint(err, "it belongs to somebody else, or has "
				 "more rights than you: run as root");
		else
			err_hint(err, "you are root, so something else forbids "
				 "it: CAP_SYS_PTRACE is missing, or it is in "
				 "another user namespace, or a security module "
				 "(SELinux, AppArmor, Yama) is in the way");
		return rc;
	default:
		return err_set(err, rc, "cannot read %s of process %d: %s",
			       what, p->pid, strerror(-rc));
	}
}

int proc_open_file(const struct proc *p, const char *name, struct err *err)
{
	int fd = openat(p->dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? proc_error(p, -errno, name, err) : fd;
}

/* Files of /proc have no size: read until there is no more. */
static int read_all(int fd, size_t max, struct proc_text *out)
{
	size_t room = 4096;
	ssize_t n;

	out->len = 0;
	out->s = malloc(room);
	if (!out->s)
		return -ENOMEM;
	for (;;) {
		if (out->len + 1 >= room) {
			char *more = realloc(out->s, room * 2);

			if (!more)
				return -ENOMEM;
			out->s = more;
			room *= 2;
		}
		n = read(fd, out->s + out->len, room - out->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		out->len += (size_t)n;
		out->s[out->len] = '\0';
		if (!n)
			return 0;
		if (out->len > max)
			return -EFBIG;
	}
}

int proc_read(const struct proc *p, const char *name, size_t max,
	      struct proc_text *out, struct err *err)
{
	int fd, rc;

	*out = (struct proc_text){ 0 };
	fd = proc_open_file(p, name, err);
	if (fd < 0)
		return fd;
	rc = read_all(fd, max, out);
	close(fd);
	if (rc < 0) {
		free(out->s);
		*out = (struct proc_text){ 0 };
		return proc_error(p, rc, name, err);
	}
	return 0;
}

char *proc_link(const struct proc *p, const char *name)
{
	char buf[PATH_MAX];
	ssize_t n = readlinkat(p->dir, name, buf, sizeof(buf));

	if (n < 0 || (size_t)n >= sizeof(buf))
		return NULL;
	return strndup(buf, (size_t)n);
}

/* /proc may be hiding what kill() admits to (mount option hidepid). */
static int no_such(pid_t id, struct err *err)
{
	struct statfs fs;

	if (kill(id, 0) < 0 && errno == ESRCH)
		return err_kind(err, ERR_NO_TARGET, -ESRCH,
				"there is no process %d", id);
	if (statfs("/proc", &fs) || fs.f_type != PROC_SUPER_MAGIC) {
		err_kind(err, ERR_NO_TARGET, -ENOENT,
			 "process %d cannot be seen: /proc is not mounted", id);
		err_hint(err, "mount -t proc proc /proc");
		return -ENOENT;
	}
	err_kind(err, ERR_NOT_PERMITTED, -EACCES,
		 "process %d is not shown to you in /proc", id);
	err_hint(err, "/proc is mounted with hidepid: run as root");
	return -EACCES;
}

static int open_dir(pid_t id, struct err *err)
{
	char path[32];
	int fd;

	if (id <= 0)
		return err_kind(err, ERR_NO_TARGET, -ESRCH,
				"there is no process %d", id);
	snprintf(path, sizeof(path), "/proc/%d", id);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (errno == ENOENT || errno == EACCES || errno == EPERM)
		return no_such(id, err);
	return err_set(err, -errno, "cannot open '%s': %s", path,
		       strerror(errno));
}

static const char *status_line(const struct proc_text *t, const char *key)
{
	const char *p = t->s;
	size_t len = strlen(key);

	while (p) {
		if (!strncmp(p, key, len))
			return p + len;
		p = strchr(p, '\n');
		if (p)
			p++;
	}
	return NULL;
}

static long status_number(const struct proc_text *t, const char *key)
{
	const char *p = status_line(t, key);

	return p ? strtol(p, NULL, 10) : -1;
}

#define STATUS_MAX	(1U << 20)	/* it names groups: up to 64 Ki of them */

/* The thread group that the thread belongs to. */
static int group_of(const struct proc *p, pid_t *group, struct err *err)
{
	struct proc_text t;
	int rc = proc_read(p, "status", STATUS_MAX, &t, err);

	if (rc < 0)
		return rc;
	*group = (pid_t)status_number(&t, "Tgid:");
	free(t.s);
	if (*group <= 0)
		return proc_error(p, -ESRCH, "status", err);
	return 0;
}

bool proc_parse_stat(const char *text, size_t len, struct proc_info *out,
		     uint64_t *start_ticks)
{
	const char *open = memchr(text, '(', len);
	const char *close = memrchr(text, ')', len);
	unsigned int flags;
	int n = 0;

	*out = (struct proc_info){ 0 };
	if (!open || !close || close < open ||
	    (size_t)(close - open - 1) >= sizeof(out->comm))
		return false;
	memcpy(out->comm, open + 1, (size_t)(close - open - 1));
	/* From 3, state, to 22, starttime, and on to 51; see proc(5). */
	n = sscanf(close + 1,
		   " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u"
		   " %*d %*d %*d %*d %d %*d %" SCNu64
		   " %*u %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u"
		   " %*u %*d %*d %*u %*u %*u %*u %*d %*u %*u %*u"
		   " %" SCNu64 " %" SCNu64 " %*u %" SCNu64,
		   &out->state, &out->ppid, &flags, &out->nr_threads,
		   start_ticks, &out->arg_start, &out->arg_end, &out->env_end);
	out->is_kernel = n >= 5 && (flags & PF_KTHREAD);
	return n >= 5;
}

static int read_stat(const struct proc *p, struct proc_info *out,
		     uint64_t *start_ticks, struct err *err)
{
	struct proc_text t;
	int rc = proc_read(p, "stat", 4096, &t, err);

	if (rc < 0)
		return rc;
	if (!proc_parse_stat(t.s, t.len, out, start_ticks))
		rc = err_set(err, -EBADMSG, "stat of process %d is damaged",
			     p->pid);
	free(t.s);
	return rc;
}

static uint64_t ticks_to_ns(uint64_t ticks)
{
	long hz = sysconf(_SC_CLK_TCK);

	return hz > 0 ? ticks * (UINT64_C(1000000000) / (uint64_t)hz) : 0;
}

/* Descriptors of `id`; `tgid` tells whether it was only a thread. */
static int open_once(struct proc *p, pid_t id, pid_t *tgid, struct err *err)
{
	struct proc_info info;
	int rc;

	p->pid = id;
	p->dir = open_dir(id, err);
	if (p->dir < 0)
		return p->dir;
	rc = group_of(p, tgid, err);
	if (rc < 0 || *tgid != id)
		return rc;
	p->pidfd = (int)syscall(SYS_pidfd_open, id, 0);
	if (p->pidfd < 0)
		return proc_error(p, -errno, "pidfd", err);
	/*
	 * The directory still answers: the number had not been given away when
	 * the pidfd was opened, so that both are of one process.
	 */
	rc = read_stat(p, &info, &p->start_ticks, err);
	p->start_ns = ticks_to_ns(p->start_ticks);
	return rc;
}

int proc_open(struct proc *out, pid_t id, struct err *err)
{
	struct proc p = PROC_NONE;
	pid_t tgid = id;
	int rc = open_once(&p, id, &tgid, err);

	if (!rc && tgid != id) {
		proc_close(&p);
		rc = open_once(&p, tgid, &tgid, err);
	}
	if (rc < 0) {
		proc_close(&p);
		return rc;
	}
	*out = p;
	return 0;
}

void proc_close(struct proc *p)
{
	if (p->dir >= 0)
		close(p->dir);
	if (p->pidfd >= 0)
		close(p->pidfd);
	*p = PROC_NONE;
}

bool proc_is_alive(const struct proc *p)
{
	/* A pidfd is readable once its process is a zombie or reaped. */
	struct pollfd pfd = { .fd = p->pidfd, .events = POLLIN };

	return poll(&pfd, 1, 0) == 0;
}

/* "NSpid:\t812\t7\n": the last is the innermost. */
static pid_t innermost_pid(const struct proc_text *t, pid_t outer)
{
	const char *p = status_line(t, "NSpid:");
	pid_t pid = outer;
	char *end;
	long v;

	while (p && *p && *p != '\n') {
		v = strtol(p, &end, 10);
		if (end == p)
			break;
		pid = (pid_t)v;
		p = end;
	}
	return pid;
}

static uid_t effective_uid(const struct proc_text *t)
{
	const char *p = status_line(t, "Uid:");
	unsigned int uid;

	if (!p || sscanf(p, "%*u %u", &uid) != 1)
		return (uid_t)-1;
	return uid;
}

int proc_info(const struct proc *p, struct proc_info *out, struct err *err)
{
	struct proc_text t;
	uint64_t ticks;
	int rc;

	rc = read_stat(p, out, &ticks, err);
	if (rc < 0)
		return rc;
	rc = proc_read(p, "status", STATUS_MAX, &t, err);
	if (rc < 0)
		return rc;
	out->uid = effective_uid(&t);
	out->nspid = innermost_pid(&t, p->pid);
	out->tracer = (pid_t)status_number(&t, "TracerPid:");
	out->no_new_privs = (int)status_number(&t, "NoNewPrivs:");
	out->seccomp = (int)status_number(&t, "Seccomp:");
	free(t.s);
	return 0;
}
