/* SPDX-License-Identifier: MIT */
/* rights: what we may do here. */
#include "target/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define USER_INIT_INO	0xEFFFFFFDU	/* include/linux/proc_ns.h */

/* As much of a small file of /proc or /sys as fits, NUL-terminated. */
static bool read_small(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0)
		return false;
	while (len + 1 < size &&
	       (n = read(fd, buf + len, size - len - 1)) > 0)
		len += (size_t)n;
	close(fd);
	buf[len] = '\0';
	return n >= 0;
}

static int read_number(const char *path)
{
	char buf[32], *end;
	long v;

	if (!read_small(path, buf, sizeof(buf)))
		return INT_MIN;
	v = strtol(buf, &end, 10);
	return end == buf || v < INT_MIN || v > INT_MAX ? INT_MIN : (int)v;
}

/* The value of a line "Key:\tvalue" of status. */
static const char *value_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text && *text) {
		if (!strncmp(text, key, len) && text[len] == ':')
			return text + len + 1;
		text = strchr(text, '\n');
		text += text != NULL;
	}
	return NULL;
}

static uint64_t number(const char *text, const char *key, int base)
{
	const char *v = value_of(text, key);

	return v ? strtoull(v, NULL, base) : 0;
}

void rights_parse_status(struct rights *out, const char *text)
{
	const char *uids = value_of(text, "Uid");
	char *after = NULL;

	out->uid = (uid_t)-1;
	if (uids && strtoul(uids, &after, 10) != ULONG_MAX && after)
		out->uid = (uid_t)strtoul(after, NULL, 10);
	out->effective = number(text, "CapEff", 16);
	out->permitted = number(text, "CapPrm", 16);
	out->bounding = number(text, "CapBnd", 16);
	out->no_new_privs = number(text, "NoNewPrivs", 10) != 0;
	out->seccomp = (int)number(text, "Seccomp", 10);
}

enum rights_lockdown rights_parse_lockdown(const char *text)
{
	if (strstr(text, "[none]"))
		return RIGHTS_LOCKDOWN_NONE;
	if (strstr(text, "[integrity]"))
		return RIGHTS_LOCKDOWN_INTEGRITY;
	if (strstr(text, "[confidentiality]"))
		return RIGHTS_LOCKDOWN_CONFIDENTIALITY;
	return RIGHTS_LOCKDOWN_UNKNOWN;
}

void rights_parse_uid_map(struct rights *out, const char *text)
{
	size_t n = 0;

	while (*text && *text != '\n' && n + 1 < sizeof(out->uid_map)) {
		bool blank = *text == ' ' || *text == '\t';

		if (!blank)
			out->uid_map[n++] = *text;
		else if (n && out->uid_map[n - 1] != ' ')
			out->uid_map[n++] = ' ';
		text++;
	}
	out->uid_map[n] = '\0';
}

/*
 * Does a call reach the kernel at all?  In a child: a filter may kill.  Asked
 * so that only the kernel proper can give the answer `expect`.
 */
static bool is_filtered(long nr, long a, long b, long c, long d, long e,
			int expect)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		long rc = syscall(nr, a, b, c, d, e);

		_exit(rc < 0 && errno == expect ? 0 : 1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/*
 * Looked at by the kernel before any capability is (kernel/bpf/syscall.c:
 * bpf_check_uarg_tail_zero, more than a page; kernel/events/core.c: unknown
 * flags).
 */
static void try_calls(struct rights *r)
{
	r->bpf_filtered = is_filtered(SYS_bpf, INT_MAX, 0, 1 << 20, 0, 0, E2BIG);
	r->perf_filtered = is_filtered(SYS_perf_event_open, 0, 0, -1, -1, -1,
				       EINVAL);
}

static bool is_first_userns(void)
{
	struct stat st;

	/* without user namespaces in the kernel there is but one */
	return stat("/proc/self/ns/user", &st) || st.st_ino == USER_INIT_INO;
}

void rights_read(struct rights *out)
{
	struct rlimit lim;
	char buf[8192];

	memset(out, 0, sizeof(*out));
	if (read_small("/proc/self/status", buf, sizeof(buf)))
		rights_parse_status(out, buf);
	out->uid = geteuid();
	out->first_userns = is_first_userns();
	if (read_small("/proc/self/uid_map", buf, sizeof(buf)))
		rights_parse_uid_map(out, buf);
	out->perf_paranoid = read_number("/proc/sys/kernel/perf_event_paranoid");
	out->bpf_disabled =
		read_number("/proc/sys/kernel/unprivileged_bpf_disabled");
	if (read_small("/sys/kernel/security/lockdown", buf, sizeof(buf)))
		out->lockdown = rights_parse_lockdown(buf);
	out->memlock = UINT64_MAX;
	if (!getrlimit(RLIMIT_MEMLOCK, &lim) && lim.rlim_cur != RLIM_INFINITY)
		out->memlock = lim.rlim_cur;
	if (out->seccomp)
		try_calls(out);
}

bool rights_has(const struct rights *r, int cap)
{
	return r->effective >> cap & 1;
}

bool rights_suffice(const struct rights *r)
{
	bool both = rights_has(r, RIGHTS_BPF) && rights_has(r, RIGHTS_PERFMON);

	return (both || rights_has(r, RIGHTS_SYS_ADMIN)) && r->first_userns &&
	       !r->bpf_filtered;
}
