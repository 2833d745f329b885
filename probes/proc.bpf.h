/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * proc: which process the current task is in, and whether it is traced; and
 * what is kept with its thread.
 */
#ifndef PT_PROC_BPF_H
#define PT_PROC_BPF_H

#include "emit.bpf.h"

static __always_inline struct proc *proc_find(u64 mm)
{
	return mm ? bpf_map_lookup_elem(&procs, &mm) : NULL;
}

/* Whoever has changed a process in the table, or its place there, says so. */
static __always_inline void procs_changed(void)
{
	__sync_fetch_and_add(&procs_version, 1);
}

/*
 * A new address space, that of this task; NULL when the table is full.  It is
 * complete when others see it: two threads can meet their process at once.
 */
static __noinline struct proc *proc_add(struct task_struct *task, u64 mm,
					const struct proc *from, u64 flags)
{
	struct proc p = { 0 };

	if (from)
		p = *from;
	p.mm = mm;
	p.pid = task_tgid(task);
	p.start = start_of(task);
	p.exec_id = task->self_exec_id;
	p.skipped = 0;
	p.proc = __sync_fetch_and_add(&last_proc, 1) + 1;
	if (bpf_map_update_elem(&procs, &mm, &p, flags) &&
	    flags != BPF_NOEXIST)
		return NULL;
	procs_changed();
	return bpf_map_lookup_elem(&procs, &mm);
}

/* Tell that a process is recognised; user space adds what it knows of it. */
static __noinline void announce(const struct proc *p, u8 walk)
{
	struct pt_process r = { 0 };

	fill_hdr(&r.h, PT_PROCESS, sizeof(r), bpf_get_current_task_btf(), p->proc,
		 bpf_ktime_get_ns());
	r.h.pid = r.h.tid = p->pid;
	r.walk = walk;
	r.bias = p->bias;
	r.image = p->image;
	emit(&r, sizeof(r));
}

/* Calls made while nobody knew what it is: counted, for they were not sent. */
static __noinline void tell_skipped(struct proc *p, u32 reason)
{
	struct pt_lost r = { 0 };
	u64 now = bpf_ktime_get_ns();

	if (!p->skipped)
		return;
	fill_hdr(&r.h, PT_LOST, sizeof(r), bpf_get_current_task_btf(), p->proc,
		 p->skipped_ns);
	r.h.pid = p->pid;
	r.h.tid = 0;
	r.until = now;
	r.count = p->skipped;
	r.reason = reason;
	if (!emit(&r, sizeof(r)))
		p->skipped = 0;
}

static __always_inline void count_skipped(struct proc *p)
{
	if (p->held)
		return;
	if (!p->skipped)
		p->skipped_ns = bpf_ktime_get_ns();
	__sync_fetch_and_add(&p->skipped, 1);
}

/* What user space says of a process that it looked at. */
static __always_inline void proc_learn(struct proc *p, const struct pt_target *t)
{
	if (t->exec_id != PT_ANY_EXEC && t->exec_id != p->exec_id)
		return;		/* it speaks of a program that is gone */
	if (t->state == PT_PROC_UNKNOWN || p->state >= t->state)
		return;
	p->image = t->image;
	p->bias = t->bias;
	p->state = t->state;
	p->mapped = t->state == PT_PROC_STARTING;
	p->key = 0;
	procs_changed();
	tell_skipped(p, PT_LOSS_UNRECOGNISED);
	announce(p, t->state == PT_PROC_RUNNING ? PT_WALK_YES :
		    t->state == PT_PROC_STARTING ? PT_WALK_STARTING : PT_WALK_NO);
}

static __noinline struct proc *proc_meet(struct task_struct *task, u64 mm,
					 struct pt_target *t, u64 flags)
{
	struct proc *p = proc_add(task, mm, NULL, flags);

	if (!p)
		return NULL;
	p->held = t->held;
	p->skipped = t->skipped;
	p->skipped_ns = t->skipped_ns;
	proc_learn(p, t);
	return p;
}

/*
 * An address space can be left behind in the table (a thread that was killed
 * tells nothing), and its address be used again: only its own process has it.
 */
static __always_inline bool proc_owns(const struct proc *p,
				      struct task_struct *task)
{
	return p->pid == task_tgid(task) && p->start == start_of(task);
}

/* Between vfork and exec a child runs in its parent's memory. */
static __always_inline bool proc_lends(const struct proc *p,
				       struct task_struct *task)
{
	struct task_struct *parent = BPF_CORE_READ(task, real_parent);

	return (u64)BPF_CORE_READ(parent, mm) == p->mm &&
	       p->pid == tgid_at(parent) && p->start == start_of(parent);
}

/*
 * The process of the task if it is traced, else NULL.  Every thread of
 * the host comes by here at its calls: of those that are not meant one look-up
 * must tell.
 */
static __noinline struct proc *proc_of_task(struct task_struct *task)
{
	u32 pid = task_tgid(task);
	struct pt_target *t = bpf_map_lookup_elem(&targets, &pid);
	u64 mm = (u64)task->mm, flags = BPF_NOEXIST;
	struct proc *p;

	if (!t || !mm || t->candidate)
		return NULL;
	p = proc_find(mm);
	if (p && !proc_owns(p, task)) {
		if (proc_lends(p, task))
			return cfg.follow ? p : NULL;
		p = NULL;
		flags = BPF_ANY;
	}
	if (!p)
		return proc_meet(task, mm, t, flags);
	if (p->state < PT_PROC_RUNNING)
		proc_learn(p, t);
	return p;
}

/* A record PT_THREAD at first sight and at a change of name. */
static __noinline void send_thread(struct task_struct *task, struct thread *t,
				   const char *comm)
{
	struct pt_thread r = { 0 };

	fill_hdr(&r.h, PT_THREAD, sizeof(r), task, t->proc, bpf_ktime_get_ns());
	r.start_ns = task->start_boottime;
	bpf_probe_read_kernel(r.comm, sizeof(r.comm), comm);
	t->seen = !emit(&r, sizeof(r));
}

static __noinline struct thread *thread_get(struct task_struct *task,
					    struct proc *p)
{
	struct thread *t;

	t = bpf_task_storage_get(&threads, task, NULL,
				 BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t)		/* it is being made elsewhere: by its own first call */
		t = bpf_task_storage_get(&threads, task, NULL,
					 BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		count_loss(PT_LOSS_NO_STORAGE);
		return NULL;
	}
	t->mm = p->mm;
	if (t->proc != p->proc) {	/* an exec, or first sight */
		t->proc = p->proc;
		t->seen = 0;
		t->tstate = 0;
	}
	t->known = 1;
	if (!t->seen)
		send_thread(task, t, task->comm);
	return t;
}

/* What the thread has of its process, if that is still so. */
static __always_inline struct proc *proc_copy(const struct task_struct *task,
					      struct thread *t)
{
	if (t->of_version == procs_version && t->proc &&
	    t->of.proc == t->proc && t->of.mm == (u64)task->mm)
		return &t->of;
	return NULL;
}

/*
 * The version is read first: what changes meanwhile is copied once more.  Until
 * it is whole the copy is of no version: an interrupt that wakes somebody walks
 * this thread, too.
 */
static __noinline void copy_proc(struct thread *t, const struct proc *p)
{
	u64 version = *(volatile u64 *)&procs_version;

	t->of_version = NO_VERSION;
	barrier();
	t->of = *p;
	barrier();
	t->of_version = version;
}

/* The process that the thread was met in, if it is in it still. */
static __always_inline struct proc *proc_met(const struct task_struct *task,
					     struct thread *t)
{
	struct proc *p = proc_copy(task, t);

	if (p)
		return p;
	p = proc_find((u64)task->mm);
	return p && p->proc == t->proc ? p : NULL;
}

/*
 * The process of a thread, which was here before, is known; not looking for it
 * by its id again saves a look-up or two in most calls.  It may be a copy: what
 * is learnt of it is told by publish_proc().
 */
static __always_inline struct proc *proc_of(struct task_struct *task,
					    struct thread *t)
{
	struct proc *p;

	if (!t || !t->proc || t->mm != (u64)task->mm)
		return proc_of_task(task);
	p = proc_copy(task, t);
	if (p)
		return p;
	p = proc_find(t->mm);
	if (!p || p->proc != t->proc || p->state < PT_PROC_RUNNING)
		return proc_of_task(task);
	copy_proc(t, p);
	return &t->of;
}

/* What a walk has learnt of the process, for all others. */
static __noinline void publish_proc(const struct proc *p)
{
	struct proc *known = proc_find(p->mm);

	if (!known || known->proc != p->proc)
		return;
	known->key = p->key;
	known->shim = p->shim;
	procs_changed();
}

#endif /* PT_PROC_BPF_H */
