/* SPDX-License-Identifier: MIT */
/* tasks: processes and threads through fork, exec and exit. */
#include "stack/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/record.h"
#include "stack/table.h"

enum { EXE, PYTHON, LIBRARY, WHY, NR_STRINGS };

/* From 3.12 each sub-interpreter may have one of its own; the oldest goes. */
#define MAX_GILS 8

struct proc_entry {
	struct process public;
	struct gil_range gil[MAX_GILS];
	uint32_t next_gil;
	bool dead;
	char *string[NR_STRINGS];	/* NULL: "" */
	UT_hash_handle hh;
	struct proc_entry *prev, *next;
};

struct thread_entry {
	struct thread public;
	bool dead;
	UT_hash_handle hh;
	struct thread_entry *prev, *next;
};

/* Each table has two lists, in order of age. */
struct tasks {
	struct proc_entry *procs, *proc_alive, *proc_dead;
	struct thread_entry *threads, *thread_alive, *thread_dead;
	uint32_t nr_proc_dead, nr_thread_dead;
};

struct tasks *tasks_new(void)
{
	return calloc(1, sizeof(struct tasks));
}

/* ---- processes ------------------------------------------------------------ */

static void free_proc(struct proc_entry *p)
{
	for (size_t i = 0; i < NR_STRINGS; i++)
		free(p->string[i]);
	free(p);
}

static void forget_proc(struct tasks *t, struct proc_entry *p)
{
	HASH_DEL(t->procs, p);
	if (p->dead) {
		DL_DELETE(t->proc_dead, p);
		t->nr_proc_dead--;
	} else {
		DL_DELETE(t->proc_alive, p);
	}
	free_proc(p);
}

static struct proc_entry *find_proc(const struct tasks *t, uint32_t proc)
{
	struct proc_entry *p;

	HASH_FIND(hh, t->procs, &proc, sizeof(proc), p);
	return p;
}

static struct proc_entry *get_proc(struct tasks *t, uint32_t proc,
				   uint32_t pid)
{
	struct proc_entry *p = find_proc(t, proc);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->public = (struct process){
		.proc = proc, .pid = pid,
		.exe = "", .python = "", .library = "", .why = "",
		.gil = p->gil,
	};
	HASH_ADD(hh, t->procs, public.proc, sizeof(proc), p);
	if (!p->hh.tbl) {
		free_proc(p);
		return NULL;
	}
	DL_APPEND(t->proc_alive, p);
	if (HASH_COUNT(t->procs) > TASKS_MAX_PROCESSES)
		forget_proc(t, t->proc_alive);
	return p;
}

static int set_string(struct proc_entry *p, size_t nr, const char *s)
{
	char *copy = strdup(s);

	if (!copy)
		return -ENOMEM;
	free(p->string[nr]);
	p->string[nr] = copy;
	p->public.exe = p->string[EXE] ? p->string[EXE] : "";
	p->public.python = p->string[PYTHON] ? p->string[PYTHON] : "";
	p->public.library = p->string[LIBRARY] ? p->string[LIBRARY] : "";
	p->public.why = p->string[WHY] ? p->string[WHY] : "";
	return 0;
}

static int feed_process(struct tasks *t, const struct pt_process *rec)
{
	struct proc_entry *p;
	int rc = 0;

	if (!rec->h.proc)
		return 0;
	p = get_proc(t, rec->h.proc, rec->h.pid);
	if (!p)
		return -ENOMEM;
	p->public.pid = rec->h.pid;
	p->public.nspid = rec->nspid;
	p->public.version = rec->version;
	p->public.walk = rec->walk;
	p->public.described = true;
	for (size_t i = 0; i < NR_STRINGS && !rc; i++)
		rc = set_string(p, i, record_string(&rec->h, i));
	return rc;
}

static void add_gil(struct proc_entry *p, const struct gil_range *gil)
{
	for (uint32_t i = 0; i < p->public.nr_gil; i++)
		if (p->gil[i].from == gil->from && p->gil[i].to == gil->to)
			return;
	p->gil[p->next_gil++ % MAX_GILS] = *gil;
	if (p->public.nr_gil < MAX_GILS)
		p->public.nr_gil++;
}

static int feed_gil(struct tasks *t, const struct pt_gil *rec)
{
	const struct gil_range gil = { rec->from, rec->to };
	struct proc_entry *p;

	if (!rec->h.proc || rec->from >= rec->to)
		return 0;
	p = get_proc(t, rec->h.proc, rec->h.pid);
	if (!p)
		return -ENOMEM;
	add_gil(p, &gil);
	return 0;
}

/* A forked child runs what its parent runs, until it says otherwise. */
static int inherit(struct tasks *t, const struct pt_fork *rec)
{
	struct proc_entry *parent = find_proc(t, rec->h.proc), *child;
	int rc = 0;

	if (!rec->child_proc || rec->child_proc == rec->h.proc || !parent ||
	    find_proc(t, rec->child_proc))
		return 0;
	child = get_proc(t, rec->child_proc, rec->child_pid);
	if (!child)
		return -ENOMEM;
	parent = find_proc(t, rec->h.proc);	/* it may have been the oldest */
	if (!parent)
		return 0;
	child->public.version = parent->public.version;
	child->public.walk = parent->public.walk;
	for (uint32_t i = 0; i < parent->public.nr_gil; i++)
		add_gil(child, &parent->gil[i]);
	for (size_t i = 0; i < NR_STRINGS && !rc; i++)
		if (parent->string[i])
			rc = set_string(child, i, parent->string[i]);
	return rc;
}

static int feed_exec(struct tasks *t, const struct pt_exec *rec)
{
	struct proc_entry *p;

	if (!rec->h.proc)
		return 0;
	p = get_proc(t, rec->h.proc, rec->h.pid);
	if (!p)
		return -ENOMEM;
	if (p->public.described)
		return 0;
	return set_string(p, EXE, record_string(&rec->h, 0));
}

static void bury_proc(struct tasks *t, uint32_t proc)
{
	struct proc_entry *p = find_proc(t, proc);

	if (!p || p->dead)
		return;
	p->dead = true;
	DL_DELETE(t->proc_alive, p);
	DL_APPEND(t->proc_dead, p);
	if (t->nr_proc_dead++ == TASKS_MAX_DEAD)
		forget_proc(t, t->proc_dead);
}

/* ---- threads -------------------------------------------------------------- */

static void forget_thread(struct tasks *t, struct thread_entry *th)
{
	HASH_DEL(t->threads, th);
	if (th->dead) {
		DL_DELETE(t->thread_dead, th);
		t->nr_thread_dead--;
	} else {
		DL_DELETE(t->thread_alive, th);
	}
	free(th);
}

static struct thread_entry *find_thread(const struct tasks *t, uint32_t tid)
{
	struct thread_entry *th;

	HASH_FIND(hh, t->threads, &tid, sizeof(tid), th);
	return th;
}

/* A new one of that id: whoever had it before is forgotten. */
static struct thread_entry *add_thread(struct tasks *t, uint32_t tid,
				       uint32_t pid)
{
	struct thread_entry *th = find_thread(t, tid);

	if (th)
		forget_thread(t, th);
	th = calloc(1, sizeof(*th));
	if (!th)
		return NULL;
	th->public.tid = tid;
	th->public.pid = pid;
	HASH_ADD(hh, t->threads, public.tid, sizeof(tid), th);
	if (!th->hh.tbl) {
		free(th);
		return NULL;
	}
	DL_APPEND(t->thread_alive, th);
	if (HASH_COUNT(t->threads) > TASKS_MAX_THREADS)
		forget_thread(t, t->thread_alive);
	return th;
}

static int feed_thread(struct tasks *t, const struct pt_thread *rec)
{
	struct thread_entry *th = add_thread(t, rec->h.tid, rec->h.pid);

	if (!th)
		return -ENOMEM;
	th->public.start_ns = rec->start_ns;
	memcpy(th->public.comm, rec->comm, sizeof(rec->comm));
	return 0;
}

static int feed_fork(struct tasks *t, const struct pt_fork *rec)
{
	struct thread_entry *parent = find_thread(t, rec->h.tid), *child;
	char comm[sizeof(child->public.comm)] = "";

	if (parent)
		memcpy(comm, parent->public.comm, sizeof(comm));
	child = add_thread(t, rec->child_tid, rec->child_pid);
	if (!child)
		return -ENOMEM;
	memcpy(child->public.comm, comm, sizeof(comm));
	return inherit(t, rec);
}

static void feed_exit(struct tasks *t, const struct pt_exit *rec)
{
	struct thread_entry *th = find_thread(t, rec->h.tid);

	if (rec->last)
		bury_proc(t, rec->h.proc);
	if (!th || th->dead)
		return;
	th->dead = true;
	DL_DELETE(t->thread_alive, th);
	DL_APPEND(t->thread_dead, th);
	if (t->nr_thread_dead++ == TASKS_MAX_DEAD)
		forget_thread(t, t->thread_dead);
}

/* ---- all of them ---------------------------------------------------------- */

int tasks_feed(struct tasks *t, const struct pt_hdr *rec)
{
	switch (rec->type) {
	case PT_PROCESS:
		return feed_process(t, (const void *)rec);
	case PT_GIL:
		return feed_gil(t, (const void *)rec);
	case PT_THREAD:
		return feed_thread(t, (const void *)rec);
	case PT_FORK:
		return feed_fork(t, (const void *)rec);
	case PT_EXEC:
		return feed_exec(t, (const void *)rec);
	case PT_EXIT:
		feed_exit(t, (const void *)rec);
		return 0;
	default:
		return 0;
	}
}

const struct process *tasks_process(const struct tasks *t, uint32_t proc)
{
	struct proc_entry *p = find_proc(t, proc);

	return p ? &p->public : NULL;
}

const struct thread *tasks_thread(const struct tasks *t, uint32_t tid)
{
	struct thread_entry *th = find_thread(t, tid);

	return th ? &th->public : NULL;
}

void tasks_free(struct tasks *t)
{
	if (!t)
		return;
	while (t->procs)
		forget_proc(t, t->procs);	/* NOLINT: takes it out */
	while (t->threads)
		forget_thread(t, t->threads);	/* NOLINT: takes it out */
	free(t);
}
