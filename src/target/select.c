/* SPDX-License-Identifier: MIT */
/* select: processes that somebody wants without knowing their numbers. */
#include "target/select_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target/bounded.h"
#include "target/where.h"

struct value {
	char *text;		/* as it was given, or its whole id */
	char *other;		/* the file that a link leads to; or NULL */
	struct select_group group;
};

struct select {
	struct value *v[SELECT_NR];
	size_t nr[SELECT_NR];
	struct bounded *bounded;	/* for command lines; NULL: none was read */
};

static const char *const options[SELECT_NR] = {
	[SELECT_EXE] = "--exe",
	[SELECT_NAME] = "--name",
	[SELECT_CGROUP] = "--cgroup",
	[SELECT_UNIT] = "--unit",
	[SELECT_CONTAINER] = "--container",
};

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

int select_new(struct select **out, struct err *err)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : no_memory(err);
}

static void value_fini(struct value *v)
{
	free(v->text);
	free(v->other);
	free(v->group.path);
	free(v->group.controllers);
}

void select_rest(struct select *s)
{
	bounded_free(s->bounded);
	s->bounded = NULL;
}

void select_free(struct select *s)
{
	if (!s)
		return;
	for (int k = 0; k < SELECT_NR; k++) {
		for (size_t i = 0; i < s->nr[k]; i++)
			value_fini(&s->v[k][i]);
		free(s->v[k]);
	}
	bounded_free(s->bounded);
	free(s);
}

bool select_has(const struct select *s, enum select_kind kind)
{
	return s->nr[kind] > 0;
}

/* ---- what was asked for --------------------------------------------------- */

static const char group_hint[] =
	"a folder below /sys/fs/cgroup, or a path as /proc/PID/cgroup has it";

static int bad_group(const char *path, struct err *err)
{
	err_kind(err, ERR_USAGE, -EINVAL, "--cgroup takes a path from / on, not "
		 "'%s'", path);
	err_hint(err, "%s", group_hint);
	return -EINVAL;
}

/* A path that exists is of a hierarchy's mount; else it is the group's own. */
static int find_group(struct value *v, struct err *err)
{
	struct proc self;
	struct proc_text mounts;
	char *folder = realpath(v->text, NULL);
	int rc;

	if (!folder) {
		v->group.path = strdup(v->text);
		return v->group.path ? 0 : no_memory(err);
	}
	rc = proc_open(&self, getpid(), err);
	if (!rc) {
		rc = proc_read(&self, "mountinfo", 16U << 20, &mounts, err);
		proc_close(&self);
	}
	if (!rc) {
		rc = select_group_of(mounts.s, folder, &v->group);
		free(mounts.s);
	}
	free(folder);
	if (rc != -ENOENT)
		return rc;
	err_kind(err, ERR_NO_TARGET, rc, "'%s' is no control group", v->text);
	err_hint(err, "%s", group_hint);
	return rc;
}

static int understand(enum select_kind kind, struct value *v, struct err *err)
{
	switch (kind) {
	case SELECT_EXE:
		/* /usr/bin/python3 is a link; what runs is what it leads to */
		v->other = strchr(v->text, '/') ? realpath(v->text, NULL) : NULL;
		return 0;
	case SELECT_CGROUP:
		return *v->text == '/' ? find_group(v, err) :
					 bad_group(v->text, err);
	case SELECT_CONTAINER:
		v->other = select_id_of_name(v->text);
		return 0;
	case SELECT_NAME:
	case SELECT_UNIT:
	case SELECT_NR:
		break;
	}
	return 0;
}

int select_add(struct select *s, enum select_kind kind, const char *value,
	       struct err *err)
{
	struct value v = { .text = strdup(value) }, *more;
	int rc;

	more = reallocarray(s->v[kind], s->nr[kind] + 1, sizeof(*more));
	if (more)
		s->v[kind] = more;
	if (!more || !v.text) {
		free(v.text);
		return no_memory(err);
	}
	rc = *value ? understand(kind, &v, err) :
		err_kind(err, ERR_USAGE, -EINVAL, "%s names nothing",
			 options[kind]);
	if (rc) {
		value_fini(&v);
		return rc;
	}
	s->v[kind][s->nr[kind]++] = v;
	return 0;
}

/* ---- does it match? ------------------------------------------------------- */

static bool value_matches(enum select_kind kind, const struct value *v,
			  const struct select_facts *f)
{
	switch (kind) {
	case SELECT_EXE:
		return f->exe && (select_exe(v->text, f->exe) ||
				  (v->other && select_exe(v->other, f->exe)));
	case SELECT_NAME:
		return select_name(v->text, f->comm, f->args, f->args_len);
	case SELECT_CGROUP:
		return f->cgroup && select_cgroup(v->group.path,
						  v->group.controllers,
						  f->cgroup);
	case SELECT_UNIT:
		return f->cgroup && select_unit(v->text, f->cgroup);
	case SELECT_CONTAINER:
		return f->cgroup && select_container(v->other ? v->other :
						     v->text, f->cgroup);
	case SELECT_NR:
		break;
	}
	return false;
}

static bool kind_matches(const struct select *s, enum select_kind kind,
			 const struct select_facts *f)
{
	for (size_t i = 0; i < s->nr[kind]; i++)
		if (value_matches(kind, &s->v[kind][i], f))
			return true;
	return !s->nr[kind];
}

bool select_matches(const struct select *s, const struct select_facts *f)
{
	for (int k = 0; k < SELECT_NR; k++)
		if (!kind_matches(s, (enum select_kind)k, f))
			return false;
	return true;
}

/* ---- a process ------------------------------------------------------------ */

#define ARGS_MS	200		/* then it has no command line */

struct reading {		/* owns what it touches */
	struct proc p;
	struct proc_text args;
};

static void read_cmdline(void *arg)
{
	struct reading *r = arg;

	(void)!proc_read(&r->p, "cmdline", 8U << 20, &r->args, NULL);
}

static void reading_free(void *arg)
{
	struct reading *r = arg;

	proc_close(&r->p);
	free(r->args.s);
	free(r);
}

/*
 * Its command line.  Of hundreds of processes: not by a remote, which takes ten
 * times as long.  The kernel reads it from anonymous memory alone (7f7ccc2ccc2e,
 * Linux 4.17), but may have to wait for the lock of its mappings.
 */
static void read_args(struct select *s, const struct proc *p,
		      struct proc_text *args)
{
	struct reading *r = calloc(1, sizeof(*r));

	if (!s->bounded)
		s->bounded = bounded_new();
	if (!r || !s->bounded) {
		free(r);
		return;
	}
	r->p = PROC_NONE;
	r->p.pid = p->pid;
	r->p.dir = fcntl(p->dir, F_DUPFD_CLOEXEC, 0);
	if (r->p.dir >= 0 && bounded_run(s->bounded, read_cmdline, reading_free,
					 r, ARGS_MS) == -ETIMEDOUT)
		return;
	*args = r->args;
	r->args = (struct proc_text){ 0 };
	reading_free(r);
}

static bool name_matches(struct select *s, const struct proc *p,
			 const struct proc_info *info)
{
	struct select_facts f = { .comm = info->comm };
	struct proc_text args = { 0 };
	bool matches = kind_matches(s, SELECT_NAME, &f);

	if (matches)
		return true;
	read_args(s, p, &args);
	f.args = args.s;
	f.args_len = args.len;
	matches = kind_matches(s, SELECT_NAME, &f);
	free(args.s);
	return matches;
}

static bool groups_match(const struct select *s, const struct proc *p)
{
	struct proc_text groups = { 0 };
	struct select_facts f;
	bool matches;

	if (!s->nr[SELECT_CGROUP] && !s->nr[SELECT_UNIT] &&
	    !s->nr[SELECT_CONTAINER])
		return true;
	if (proc_read(p, "cgroup", 1U << 20, &groups, NULL))
		return false;
	f = (struct select_facts){ .cgroup = groups.s };
	matches = kind_matches(s, SELECT_CGROUP, &f) &&
		  kind_matches(s, SELECT_UNIT, &f) &&
		  kind_matches(s, SELECT_CONTAINER, &f);
	free(groups.s);
	return matches;
}

/* What costs least is asked first. */
int select_process(struct select *s, const struct proc *p)
{
	struct proc_info info;
	char *exe;
	bool matches;
	int rc = proc_info(p, &info, NULL);

	if (rc)
		return rc;
	if (info.is_kernel || info.state == 'Z' || info.state == 'X')
		return 0;
	exe = s->nr[SELECT_EXE] ? proc_link(p, "exe") : NULL;
	matches = kind_matches(s, SELECT_EXE,
			       &(struct select_facts){ .exe = exe });
	free(exe);
	if (!matches || !groups_match(s, p))
		return 0;
	return !s->nr[SELECT_NAME] || name_matches(s, p, &info);
}

/* ---- all of them ---------------------------------------------------------- */

/* The container that the value means is this one, and no other. */
static int is_the_one(struct value *v, const struct proc *p, struct err *err)
{
	struct proc_text groups;
	struct where w;
	bool is;

	if (proc_read(p, "cgroup", 1U << 20, &groups, NULL))
		return 0;
	is = select_container(v->text, groups.s);
	where_parse(groups.s, &w);
	free(groups.s);
	if (v->other && is && strcmp(v->other, w.container) != 0) {
		err_kind(err, ERR_USAGE, -EINVAL, "'%s' is the beginning of "
			 "more than one container's id", v->text);
		err_hint(err, "%.12s... and %.12s...", v->other, w.container);
		return -EINVAL;
	}
	if (!v->other && is)
		v->other = strdup(w.container);
	return 0;
}

static int check_containers(const struct select *s, const struct proc *p,
			    struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < s->nr[SELECT_CONTAINER]; i++) {
		struct value *v = &s->v[SELECT_CONTAINER][i];

		/* a name of docker's or podman's was looked up */
		if (!v->other || !strncmp(v->other, v->text, strlen(v->text)))
			rc = is_the_one(v, p, err);
	}
	return rc;
}

/* sudo, timeout, a shell: they have all that we were told in their own words. */
static void add_ancestors(pid_t *skip, size_t nr)
{
	struct proc_info info;
	struct proc p;

	skip[0] = getpid();
	for (size_t i = 1; i < nr && skip[i - 1] > 1; i++) {
		if (proc_open(&p, skip[i - 1], NULL))
			return;
		if (!proc_info(&p, &info, NULL))
			skip[i] = info.ppid;
		proc_close(&p);
	}
}

static bool is_one_of(pid_t pid, const pid_t *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (v[i] == pid)
			return true;
	return false;
}

int select_list(struct select *s, struct pids *out, struct err *err)
{
	pid_t skip[16] = { 0 };
	struct pids all;
	size_t nr = 0;
	int rc = proc_list(&all, err);

	if (rc)
		return rc;
	add_ancestors(skip, s->nr[SELECT_NAME] ? ARRAY_LEN(skip) : 1);
	for (size_t i = 0; !rc && i < all.nr; i++) {
		struct proc p;

		if (is_one_of(all.v[i], skip, ARRAY_LEN(skip)) ||
		    proc_open(&p, all.v[i], NULL))
			continue;
		rc = check_containers(s, &p, err);
		if (!rc && select_process(s, &p) == 1)
			all.v[nr++] = all.v[i];
		proc_close(&p);
	}
	all.nr = nr;
	*out = all;
	if (rc)
		pids_fini(out);
	return rc;
}

static void hint_none(const struct select *s, struct err *err)
{
	struct stat st;

	if (s->nr[SELECT_UNIT] && stat("/run/systemd/system", &st))
		err_hint(err, "no systemd runs this machine, or it is out of "
			 "sight of this container: /run/systemd/system is not "
			 "there; --cgroup and --name need none");
	else if (s->nr[SELECT_UNIT])
		err_hint(err, "'systemctl status %s' says whether it runs",
			 s->v[SELECT_UNIT][0].text);
	if (s->nr[SELECT_CONTAINER] && !s->v[SELECT_CONTAINER][0].other)
		err_hint(err, "control groups tell ids, and names only of lxc, "
			 "nspawn, docker and podman: 'pytrace ps' shows which "
			 "there are");
	err_hint(err, "'pytrace ps' lists the Python processes; one that is yet "
		 "to start is traced by: pytrace -- COMMAND");
}

int select_found_none(const struct select *s, size_t matched, struct err *err)
{
	char what[200] = "";
	size_t len = 0;

	for (int k = 0; k < SELECT_NR; k++)
		for (size_t i = 0; i < s->nr[k] && len < sizeof(what) - 1; i++)
			len += (size_t)snprintf(what + len, sizeof(what) - len,
						" %s %s", options[k],
						s->v[k][i].text);
	if (!*what)
		err_kind(err, ERR_NO_TARGET, -ESRCH,
			 "no Python process is running that can be traced");
	else if (matched)
		err_kind(err, ERR_NO_TARGET, -ESRCH, "of %zu process%s that "
			 "match%s%s none is a Python that can be traced",
			 matched, matched == 1 ? "" : "es",
			 matched == 1 ? "es" : "", what);
	else
		err_kind(err, ERR_NO_TARGET, -ESRCH, "no process matches%s",
			 what);
	if (*what)
		hint_none(s, err);
	return -ESRCH;
}
