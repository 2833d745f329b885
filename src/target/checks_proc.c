/* SPDX-License-Identifier: MIT */
/* checks_proc: one process: what of it may be looked at, and what is in it. */
#include "target/checks.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "target/cgroup.h"
#include "target/find.h"
#include "target/maps.h"
#include "target/where.h"

static struct check *add(struct checks *c, const char *id, const char *what)
{
	struct check *row = checks_add(c, id, what);

	row->of_target = true;
	return row;
}

static bool is_refusal(int rc)
{
	return rc == -EPERM || rc == -EACCES;
}

/* ---- who it is -------------------------------------------------------- */

static const char *user_name(uid_t uid, char *buf, size_t size)
{
	const struct passwd *pw = getpwuid(uid);

	snprintf(buf, size, "%u", (unsigned int)uid);
	return pw ? pw->pw_name : buf;
}

static bool check_process(struct checks *c, struct proc *p,
			  struct proc_info *info)
{
	struct check *row = add(c, "process", "process");
	char user[16], where[200];
	struct where w;
	int rc = proc_open(p, c->pid, &row->why);

	row->needed = true;
	if (!rc)
		rc = proc_info(p, info, &row->why);
	if (rc) {
		row->state = CHECK_NO;
		return false;
	}
	c->pid = p->pid;
	where_of(p, &w);
	where_text(&w, where, sizeof(where));
	check_say(row, CHECK_OK, "%d %s, user %s, %d thread%s%s%s%s", p->pid,
		  info->comm, user_name(info->uid, user, sizeof(user)),
		  info->nr_threads, info->nr_threads == 1 ? "" : "s",
		  strcmp(where, "-") ? ", in " : "",
		  strcmp(where, "-") ? where : "",
		  info->state == 'T' ? ", stopped" : "");
	return true;
}

/* ---- what we may read ------------------------------------------------- */

static int try_open(const struct proc *p, const char *name)
{
	int fd = openat(p->dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* A byte at the start of its code, which any process has. */
static int try_memory(const struct proc *p)
{
	struct maps maps = { 0 };
	int rc = maps_read(&maps, p, NULL);
	uint64_t at = 0;
	struct iovec local, remote;
	char byte;

	for (size_t i = 0; !rc && !at && i < maps.nr; i++)
		if (maps.v[i].exec && maps.v[i].kind == MAPS_FILE &&
		    !maps.v[i].may_hang)
			at = maps.v[i].start;
	maps_fini(&maps);
	if (rc)
		return rc;
	local = (struct iovec){ &byte, 1 };
	remote = (struct iovec){ (void *)(uintptr_t)at, 1 };
	return process_vm_readv(p->pid, &local, 1, &remote, 1, 0) < 0 ?
		-errno : 0;
}

static void check_access(struct checks *c, const struct proc *p)
{
	static const char *const names[] = { "maps", "mem", "exe", "root" };
	struct check *row = add(c, "access", "its memory and files");
	char yes[64] = "", no[64] = "";
	int refused = 0;

	for (size_t i = 0; i <= ARRAY_LEN(names); i++) {
		bool last = i == ARRAY_LEN(names);
		int rc = last ? try_memory(p) : try_open(p, names[i]);
		char *list = rc ? no : yes;
		size_t len = strlen(list);

		snprintf(list + len, sizeof(yes) - len, "%s%s", len ? ", " : "",
			 last ? "process_vm_readv" : names[i]);
		if (rc && !refused)
			refused = rc;
	}
	if (!refused) {
		check_say(row, CHECK_OK, "%s", yes);
		return;
	}
	if (!is_refusal(refused)) {
		check_say(row, CHECK_NO, "%s: %s", no, strerror(-refused));
		row->why.kind = ERR_FAILED;
		return;
	}
	check_refused(row, CHECK_NO, &c->rights, RIGHTS_TO_READ, refused);
	err_wrap(&row->why, 0, "refused: %s", no);
	if (c->kernel_reads) {
		row->why.hint[0] = '\0';
		check_say(row, CHECK_PARTLY, "refused: %s; the kernel half "
			  "reads instead", no);
	}
}

/* ---- what is in it ---------------------------------------------------- */

static void check_interpreter(struct checks *c)
{
	struct check *row = add(c, "interpreter", "interpreter");
	struct target t = TARGET_NONE;
	char name[128];
	int rc = target_find_all(c->pid, &t, &row->why);

	row->needed = true;
	if (rc || !t.main) {
		row->state = CHECK_NO;
		row->why.kind = row->why.kind ? row->why.kind : ERR_FAILED;
	} else {
		check_say(row, t.main->from_memory ? CHECK_PARTLY : CHECK_OK,
			  "%s, stacks by walking%s%s%s%s",
			  pyimage_describe(&t.main->image, name, sizeof(name)),
			  t.main->walk == PT_WALK_STARTING ?
			  " as soon as it has started" : "",
			  t.embedded ? ", embedded" : "",
			  t.main->deleted ? "; its file has been replaced" : "",
			  t.main->from_memory ? "; its file is out of reach and "
			  "was read from memory, so no probe can be put there, "
			  "and an interpreter that starts later is not seen" :
			  "");
		if (t.nr > 1)
			err_hint(&row->why, "%zu interpreters are in it", t.nr);
	}
	target_fini(&t);
}

static void check_family(struct checks *c)
{
	struct check *row = add(c, "children", "children");
	struct pids pids = { 0 };

	if (proc_descendants(c->pid, &pids, &row->why)) {
		row->state = CHECK_NO;
		return;
	}
	if (pids.nr)
		check_say(row, CHECK_NOTE, "%zu descendants; -f traces them, too",
			  pids.nr);
	else
		check_say(row, CHECK_OK, "none");
	pids_fini(&pids);
}

/* ---- what it lives in ------------------------------------------------- */

/* Which namespaces are others than ours, in words; "?": may not look. */
static void check_namespaces(struct checks *c, const struct proc *p,
			     const struct proc_info *info)
{
	static const char *const kinds[] = { "pid", "mnt", "user", "time" };
	struct check *row = add(c, "namespaces", "namespaces");
	char other[64] = "";

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		char ns[16], own[32];
		struct stat a, b;
		size_t len = strlen(other);

		snprintf(ns, sizeof(ns), "ns/%s", kinds[i]);
		snprintf(own, sizeof(own), "/proc/self/%s", ns);
		if (fstatat(p->dir, ns, &a, 0)) {
			if (is_refusal(-errno)) {
				check_say(row, CHECK_NOTE, "may not be looked at"
					  "; its own pid is %d", info->nspid);
				return;
			}
			continue;
		}
		if (!stat(own, &b) && a.st_ino != b.st_ino)
			snprintf(other + len, sizeof(other) - len, "%s%s",
				 len ? ", " : "", kinds[i]);
	}
	if (*other)
		check_say(row, CHECK_NOTE, "other than ours: %s; its own pid is "
			  "%d", other, info->nspid);
	else
		check_say(row, CHECK_OK, "the same as ours");
}

static void check_filters(struct checks *c, const struct proc_info *info)
{
	struct check *row = add(c, "seccomp", "seccomp, no_new_privs");
	bool plain = info->seccomp <= 0 && info->no_new_privs <= 0;

	check_say(row, plain ? CHECK_OK : CHECK_NOTE, "%s%s: %s",
		  info->seccomp > 0 ? "seccomp" : "no seccomp",
		  info->no_new_privs > 0 ? ", no_new_privs" : "",
		  plain ? "nothing to mind" : "no hindrance to tracing it");
	if (!info->tracer)
		return;
	row = add(c, "ptrace", "ptrace");
	check_say(row, CHECK_NOTE, "process %d (a debugger, strace) has it; its "
		  "stops show as time off the CPU", info->tracer);
}

static void check_bits(struct checks *c, const struct proc *p)
{
	struct check *row = add(c, "bits", "64 bit");
	unsigned char id[EI_NIDENT];
	int fd = openat(p->dir, "exe", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, id, sizeof(id));

	if (fd >= 0)
		close(fd);
	if (n != sizeof(id))
		check_say(row, CHECK_NOTE, "not known: its executable may not be "
			  "read");
	else if (id[EI_CLASS] == ELFCLASS64)
		check_say(row, CHECK_OK, "yes");
	else
		check_say(row, CHECK_NOTE, "no: a 32-bit program; its system "
			  "calls have their own numbers, its stacks cannot be "
			  "walked");
}

/* The group that holds it back: its own, or the first above it with a quota. */
static bool find_quota(const struct cgroup_mount *m, char *group,
		       struct cgroup_stat *stat)
{
	do {
		if (!cgroup_read(m, group, stat) && stat->quota_us)
			return true;
	} while (cgroup_parent(group));
	return false;
}

static void say_quota(struct check *row, const struct cgroup_stat *stat,
		      const char *group)
{
	uint64_t of = stat->nr_periods ? stat->nr_periods : 1;

	check_say(row, CHECK_NOTE, "%.2f CPUs (cpu.max %" PRIu64 " %" PRIu64
		  " of %.200s), throttled in %" PRIu64 " %% of its %" PRIu64
		  " periods so far, %.1f s in all",
		  (double)stat->quota_us /
		  (double)(stat->period_us ? stat->period_us : 1),
		  stat->quota_us, stat->period_us, group,
		  (uint64_t)((double)stat->nr_throttled * 100 / (double)of),
		  stat->nr_periods, (double)stat->throttled_us / 1e6);
}

static void check_quota(struct checks *c, const struct proc *p)
{
	struct check *row = add(c, "cpu-quota", "CPU quota");
	char *group = where_group_of(p);
	struct cgroup_mount mount;
	struct cgroup_stat stat;
	int rc = cgroup_find_mount(&mount);

	if (!group || rc || cgroup_read(&mount, group, &stat))
		check_say(row, CHECK_NOTE, "not known: its control group is not "
			  "in what is mounted here");
	else if (find_quota(&mount, group, &stat))
		say_quota(row, &stat, group);
	else
		check_say(row, CHECK_OK, "none");
	if (!rc)
		cgroup_mount_fini(&mount);
	free(group);
}

void checks_target(struct checks *c, pid_t pid)
{
	struct proc p = PROC_NONE;
	struct proc_info info;

	c->pid = pid;
	if (check_process(c, &p, &info)) {
		check_access(c, &p);
		check_interpreter(c);
		check_family(c);
		check_namespaces(c, &p, &info);
		check_filters(c, &info);
		check_bits(c, &p);
		check_quota(c, &p);
	}
	proc_close(&p);
}
