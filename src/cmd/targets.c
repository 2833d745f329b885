/* SPDX-License-Identifier: MIT */
/* targets: whom the options mean, before and after they are traced. */
#include "cmd/targets.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "target/proc.h"

/* ---- threads -------------------------------------------------------------- */

static bool is_below(pid_t pid, pid_t root)
{
	struct pids pids = { 0 };
	bool is = false;

	if (proc_descendants(root, &pids, NULL))
		return false;
	for (size_t i = 0; i < pids.nr; i++)
		is |= pids.v[i] == pid;
	pids_fini(&pids);
	return is;
}

static bool is_traced(const struct opts *o, pid_t pid)
{
	for (size_t i = 0; i < o->nr_pids; i++) {
		struct proc p;
		bool same;

		if (o->follow && is_below(pid, o->pids[i]))
			return true;
		if (proc_open(&p, o->pids[i], NULL))
			continue;
		same = p.pid == pid;
		proc_close(&p);
		if (same)
			return true;
	}
	return !o->nr_pids;	/* a command, or what is selected */
}

static int check_thread(const struct opts *o, pid_t tid, struct err *err)
{
	struct proc p;
	pid_t pid;
	int rc = proc_open(&p, tid, err);

	if (rc == -ESRCH)
		return err_kind(err, ERR_NO_TARGET, rc,
				"there is no thread %d", (int)tid);
	if (rc)
		return rc;
	pid = p.pid;
	proc_close(&p);
	if (is_traced(o, pid))
		return 0;
	return err_kind(err, ERR_NO_TARGET, -ESRCH, "thread %d is of process "
			"%d, which is not traced", (int)tid, (int)pid);
}

int targets_check_threads(const struct opts *o, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < o->nr_tids; i++)
		rc = check_thread(o, o->tids[i], err);
	return rc;
}

/* Each event of ours would make another one. */
int targets_check_self(const struct opts *o, struct err *err)
{
	for (size_t i = 0; i < o->nr_pids; i++) {
		struct proc p;
		bool self;

		if (proc_open(&p, o->pids[i], NULL))
			continue;	/* said by whoever needs it */
		self = p.pid == getpid();
		proc_close(&p);
		if (!self)
			continue;
		err_kind(err, ERR_USAGE, -EINVAL, "process %d is pytrace "
			 "itself: what it did would be traced for ever",
			 (int)o->pids[i]);
		err_hint(err, "'pytrace ps' lists the processes that can be "
			 "traced");
		return -EINVAL;
	}
	return 0;
}

/* ---- by what they are ----------------------------------------------------- */

int targets_select(const struct opts *o, struct select **out, struct err *err)
{
	int rc;

	*out = NULL;
	if (!o->selects)
		return 0;
	rc = select_new(out, err);
	for (int k = 0; !rc && k < SELECT_NR; k++)
		for (size_t i = 0; !rc && i < o->selected[k].nr; i++)
			rc = select_add(*out, (enum select_kind)k,
					o->selected[k].v[i], err);
	if (rc) {
		select_free(*out);
		*out = NULL;
	}
	return rc;
}

/* ---- a next command ------------------------------------------------------- */

struct words {
	char *s;
	size_t len, size;
	bool failed;
};

PT_PRINTF(2, 3)
static void add(struct words *w, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(w->s + w->len, w->size - w->len, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= w->size - w->len)
		w->failed = true;
	else
		w->len += (size_t)n;
}

static bool is_plain(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
			       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			       "/._-+:@=,%")];
}

/* As one word for a shell; what needs more than quotes is not repeated. */
static void add_word(struct words *w, const char *option, const char *s)
{
	for (const char *p = s; *p; p++)
		w->failed |= (unsigned char)*p < ' ' || *p == '\'' ||
			     *p == 0x7f;
	add(w, is_plain(s) ? " %s%s" : " %s'%s'", option, s);
}

static void add_ids(struct words *w, const char *option, const pid_t *ids,
		    size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		add(w, "%s%d", i ? "," : option, (int)ids[i]);
}

const char *targets_again(const struct opts *o, char *buf, size_t size)
{
	static const char *const names[SELECT_NR] = {
		[SELECT_EXE] = "--exe ",
		[SELECT_NAME] = "--name ",
		[SELECT_CGROUP] = "--cgroup ",
		[SELECT_UNIT] = "--unit ",
		[SELECT_CONTAINER] = "--container ",
	};
	struct words w = { .s = buf, .size = size };

	if (o->command)
		return NULL;
	if (o->input)
		add_word(&w, "-i ", o->input);
	else if (!o->by_tid)
		add_ids(&w, " -p ", o->pids, o->nr_pids);
	if (o->all)
		add(&w, " -a");
	for (int k = 0; k < SELECT_NR; k++)
		for (size_t i = 0; i < o->selected[k].nr; i++)
			add_word(&w, names[k], o->selected[k].v[i]);
	add_ids(&w, " -t ", o->tids, o->nr_tids);
	for (size_t i = 0; i < o->threads.nr; i++)
		add_word(&w, "--thread ", o->threads.v[i]);
	if (o->follow)
		add(&w, " -f");
	return w.failed || !w.len ? NULL : buf + 1;
}

/* ---- why nothing happens -------------------------------------------------- */

const char *targets_why_still(pid_t pid, bool lasting, char *buf, size_t size)
{
	struct proc_info info = { 0 };
	struct proc p;
	int rc;

	if (proc_open(&p, pid, NULL))
		return NULL;
	rc = proc_info(&p, &info, NULL);
	proc_close(&p);
	if (rc)
		return NULL;
	switch (info.state) {
	case 'T':
		snprintf(buf, size, "process %d is stopped (state T): "
			 "'kill -CONT %d' lets it go on", (int)pid, (int)pid);
		return buf;
	case 't':
		snprintf(buf, size, "process %d is held by a debugger (state t, "
			 "traced by %d)", (int)pid, (int)info.tracer);
		return buf;
	case 'D':
		if (lasting)
			return NULL;
		snprintf(buf, size, "process %d cannot be interrupted (state "
			 "D): it waits for a disk or a network file system",
			 (int)pid);
		return buf;
	default:
		return NULL;
	}
}
