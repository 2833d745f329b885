/* SPDX-License-Identifier: MIT */
/* lives: threads and processes of the trace, as they come and go. */
#include "analysis/analysis_priv.h"
#include "event/record.h"

/* ---- processes ------------------------------------------------------------ */

struct process_info *task_process(struct analysis *a, uint32_t proc)
{
	struct model *m = &a->model;

	/* events of one process come in runs, and late ones are of late ones */
	for (uint32_t i = m->nr_processes; i-- > 0;)
		if (a->processes[i].proc == proc)
			return &a->processes[i];
	return NULL;
}

static const char *keep(struct analysis *a, const char *s)
{
	uint32_t nr = intern_get(&a->ledger.strings, s, strlen(s));

	a->failed |= !nr;
	return nr ? intern_bytes(&a->ledger.strings, nr, NULL) : "";
}

static struct process_info *add_process(struct analysis *a, uint32_t proc,
					uint32_t pid)
{
	struct model *m = &a->model;
	uint32_t cap = a->processes_cap ? a->processes_cap * 2 : 16;
	struct process_info *p = task_process(a, proc);

	if (p)
		return p;
	if (m->nr_processes == PROCESSES_MAX) {
		m->more_processes++;
		return NULL;
	}
	if (m->nr_processes == a->processes_cap) {
		p = reallocarray(a->processes, cap, sizeof(*p));
		if (!p) {
			a->failed = true;
			return NULL;
		}
		m->processes = a->processes = p;
		a->processes_cap = cap;
	}
	p = &a->processes[m->nr_processes++];
	*p = (struct process_info){
		.proc = proc, .pid = pid, .exe = "", .python = "",
		.born = a->began,
	};
	return p;
}

/*
 * The boot clock of a start is the stream's clock but for the time that the
 * machine was suspended: what is later than now is of no use.
 */
static void learn_start(struct process_info *p, const struct pt_hdr *rec)
{
	uint64_t start = 0;

	if (rec->type == PT_PROCESS)
		start = ((const struct pt_process *)(const void *)rec)->start_ns;
	if (start && start <= rec->t)
		p->since = start;
	else if (p->born && !p->since)
		p->since = rec->t;
}

static void learn_process(struct analysis *a, const struct process *from,
			  const struct pt_hdr *rec)
{
	struct process_info *p = add_process(a, from->proc, rec->pid);

	if (!p)
		return;
	learn_start(p, rec);
	p->version = from->version;
	if (from->exe[0])
		p->exe = keep(a, from->exe);
	if (from->python[0])
		p->python = keep(a, from->python);
}

/* ---- threads -------------------------------------------------------------- */

static uint32_t add_thread(struct analysis *a, const struct clock *c)
{
	struct model *m = &a->model;
	uint32_t cap = a->threads_cap ? a->threads_cap * 2 : 64;
	struct thread_info *more;

	if (m->nr_threads + 1 >= THREADS_MAX)
		return 0;
	if (m->nr_threads + 1 >= a->threads_cap) {
		more = reallocarray(a->threads, cap, sizeof(*more));
		if (!more) {
			a->failed = true;
			return 0;
		}
		memset(more + a->threads_cap, 0,
		       (cap - a->threads_cap) * sizeof(*more));
		m->threads = a->threads = more;
		a->threads_cap = cap;
	}
	m->nr_threads++;
	a->threads[m->nr_threads] = (struct thread_info){
		.tid = c->tid, .pid = c->pid, .proc = c->proc, .born = c->born,
	};
	return m->nr_threads;
}

static struct clock *begin_thread(struct analysis *a, uint32_t tid,
				  uint32_t pid, uint32_t proc, uint64_t born)
{
	struct clock *c = clocks_add(&a->clocks, tid);

	if (!c) {
		a->failed = true;
		return NULL;
	}
	c->pid = pid;
	c->proc = proc;
	c->born = c->booked = c->last = born;
	c->thread = add_thread(a, c);
	return c;
}

/* It turns out to be older than what was first seen of it. */
static void is_older(struct analysis *a, struct clock *c, uint64_t since)
{
	uint64_t oldest = c->cut ? c->oldest : c->born;

	if (a->began && since < a->first)
		since = a->first;
	if (since >= oldest ||
	    (c->announced && (c->settled || c->booked != c->born)))
		return;
	if (c->cut) {		/* what its intervals lack comes in this one */
		c->born -= oldest - since;
		c->oldest = since;
	} else {
		if (c->booked == c->born)
			c->booked = since;
		c->born = since;
	}
	if (c->thread)
		a->threads[c->thread].born = since;
}

struct clock *task_clock(struct analysis *a, const struct moment *m,
			 uint64_t since)
{
	const struct pt_hdr *rec = m->rec;
	struct clock *c = clocks_find(&a->clocks, rec->tid);

	if (c && c->pid == rec->pid) {
		is_older(a, c, since);
		return c;
	}
	if (c)				/* its end was not seen */
		task_end(a, c, c->last, false);
	if (a->began && since < a->first)
		since = a->first;
	return begin_thread(a, rec->tid, rec->pid, rec->proc, since);
}

/* Threads of no process that is known are told of as wakers, too. */
static void name_thread(struct analysis *a, const struct moment *m)
{
	struct clock *c = m->rec->proc ? task_clock(a, m, m->rec->t) :
					 clocks_find(&a->clocks, m->rec->tid);
	struct process_info *p;

	if (!c)
		return;
	if (m->rec->proc)
		c->announced = true;
	if (!m->thread)
		return;
	if (c->thread)
		memcpy(a->threads[c->thread].comm, m->thread->comm,
		       sizeof(m->thread->comm));
	p = task_process(a, m->rec->proc);
	/* a vfork child lives in the address space of its parent */
	if (p && m->rec->tid == p->pid)
		memcpy(p->comm, m->thread->comm, sizeof(p->comm));
}

static void fork_task(struct analysis *a, const struct pt_fork *rec)
{
	struct clock *c = clocks_find(&a->clocks, rec->child_tid);
	uint64_t born = rec->h.t < a->first ? a->first : rec->h.t;
	struct process_info *parent;

	if (!rec->child_proc)
		return;
	if (c)				/* the same, or its end was not seen */
		task_end(a, c, c->last, false);
	c = begin_thread(a, rec->child_tid, rec->child_pid, rec->child_proc,
			 born);
	if (c)
		c->announced = true;
	parent = task_process(a, rec->h.proc);
	if (c && c->thread && parent)
		memcpy(a->threads[c->thread].comm, parent->comm,
		       sizeof(parent->comm));
}

/* The other program has a life of its own, if it is a Python at all. */
static void exec_task(struct analysis *a, const struct pt_exec *rec)
{
	struct clock *c = clocks_find(&a->clocks, rec->h.tid);

	a->model.program = keep(a, record_string(&rec->h, 0));
	a->model.program_pid = rec->h.pid;
	files_forget(&a->files, rec->h.pid);
	if (c)
		task_end(a, c, rec->h.t, false);
	if (!rec->h.proc)
		return;
	c = begin_thread(a, rec->h.tid, rec->h.pid, rec->h.proc, rec->h.t);
	if (c)
		c->by_exec = c->announced = true;
}

static void describe_task(struct analysis *a, const struct moment *m)
{
	struct clock *c = clocks_find(&a->clocks, m->rec->tid);
	struct process_info *p;

	if (!m->process)
		return;
	learn_process(a, m->process, m->rec);
	p = task_process(a, m->rec->proc);
	if (!c)
		c = clocks_find(&a->clocks, m->rec->pid);
	if (!p || !c || !c->by_exec || c->proc != m->rec->proc)
		return;
	p->left_out = m->process->walk == PT_WALK_NO;
	if (m->process->walk == PT_WALK_YES)
		c->by_exec = false;
}

/* ---- the end of one ------------------------------------------------------- */

static void unknown(struct analysis *a, const struct clock *c, uint64_t ns,
		    enum cell_state state)
{
	const struct cell_key key = {
		.kind = CELL_TIME, .cause = SPENT_UNKNOWN,
		.call = SPENT_NO_CALL, .state = (uint8_t)state,
	};

	if (ns)
		charge_time(a, c, key, ns);
}

/*
 * What is left of its time behind its last piece.  A wait that had no end goes
 * on; a thread that was there before and never seen was blocked; of a stream that was cut nobody
 * knows; else it was on the CPU.
 */
static void account_rest(struct analysis *a, struct clock *c, uint64_t end,
			 bool cut)
{
	uint64_t rest = end - c->booked, off;

	if (c->open) {
		off = clock_off(c, &c->booked, rest);
		ledger_add(&a->ledger, c->open, 0, off);
	} else if (!c->seen && !c->by_exec && c->born <= a->first) {
		a->model.account.unseen_threads++;
		off = clock_off(c, &c->booked, rest);
		unknown(a, c, off, TIME_UNSEEN);
	} else if (cut && end > c->last) {
		uint64_t from = c->last;

		off = clock_off(c, &from, end - from);
		unknown(a, c, off, TIME_BUSY);
	}
}

void task_book(struct analysis *a, struct clock *c, uint64_t end)
{
	struct thread_info *t = &a->threads[c->thread];
	uint64_t life = end - c->born;
	struct process_info *p;

	if (c->by_exec) {		/* never understood: left out */
		life = c->off_ns + c->kernel_ns;
		p = task_process(a, c->proc);
		if (p)
			p->left_out = true;
	}
	if (a->model.off == NOT_KNOWN)
		unknown(a, c, life - c->off_ns, TIME_BUSY);
	t->life_ns += life;
	t->off_ns += a->model.off == NOT_KNOWN ? life : c->off_ns;
	t->kernel_ns += c->kernel_ns;
	t->ended = end;
}

void task_end(struct analysis *a, struct clock *c, uint64_t end, bool cut)
{
	if (end < c->last)
		end = c->last;
	if (end < c->booked)
		end = c->booked;
	if (end > c->born)
		account_rest(a, c, end, cut);
	task_book(a, c, end);
	clocks_drop(&a->clocks, c);
}

void tasks_of_moment(struct analysis *a, const struct moment *m)
{
	const struct pt_hdr *rec = m->rec;
	struct clock *c;

	switch (rec->type) {
	case PT_PROCESS:
		describe_task(a, m);
		break;
	case PT_THREAD:
		if (m->process)
			learn_process(a, m->process, rec);
		name_thread(a, m);
		break;
	case PT_FORK:
		fork_task(a, (const void *)rec);
		break;
	case PT_EXEC:
		exec_task(a, (const void *)rec);
		break;
	case PT_EXIT:
		c = clocks_find(&a->clocks, rec->tid);
		if (c)
			task_end(a, c, rec->t, false);
		if (((const struct pt_exit *)(const void *)rec)->last)
			files_forget(&a->files, rec->pid);
		break;
	default:
		break;
	}
}
