/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * sched: a thread that leaves the CPU is one record, sent when it is back.
 *
 *	switched out ──► waking ──► wakeup ──► switched in
 *	      └──── blocked ──────────┘└── runq ──┘
 *
 * One that could have gone on running was preempted, all of that time.  At the
 * switch the thread is `current`, and its stack is walked, unless it is in a
 * call whose entry was seen: then it is known.
 *
 * All this runs with locks of the scheduler held: look-ups, per-CPU arrays and
 * the ring, but no update of a hash map and nothing that allocates.  A thread's
 * storage was made before: when the trace began, at its fork, or at its first
 * system call.
 */
#ifndef PT_SCHED_BPF_H
#define PT_SCHED_BPF_H

#include "syscall.bpf.h"

/* include/linux/sched.h; the same from 5.14 on */
#define TASK_STOPPED_OR_TRACED	(0x4 | 0x8)
#define TASK_UNINTERRUPTIBLE	0x2
#define PF_EXITING		0x4
#define PF_USER_WORKER		0x4000

/* include/linux/interrupt.h */
#define TIMER_SOFTIRQ		1
#define HRTIMER_SOFTIRQ		8

/* Stacks of the kernel by number: user space reads them out, and names them. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, PT_MAX_KSTACKS);	/* 1 if nobody asked for them */
	__uint(key_size, sizeof(u32));
	__uint(value_size, PT_KERNEL_FRAMES * sizeof(u64));
} kstacks SEC(".maps");

/*
 * The number of the kernel's stack here; 0: none.  Two stacks of one hash cannot
 * both be kept: the second has no number.
 */
static __always_inline u32 kernel_stack(void *ctx)
{
	long id;

	if (!cfg.kernel_stacks)
		return 0;
	id = bpf_get_stackid(ctx, &kstacks, 0);
	return id < 0 ? 0 : (u32)id + 1;
}

/* Which interrupts a CPU is in.  They nest: hard ones come on top. */
struct interrupts {
	u32 timer;		/* that of the CPU: it does not nest */
	u32 hard;		/* others: how many */
	u32 soft;		/* number of the softirq plus 1; 0: none */
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct interrupts);
} interrupted SEC(".maps");

/* Threads that are not traced but woke one that is: named once, about. */
#define NAMED	256

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NAMED);
	__type(key, u32);
	__type(value, u32);
} named SEC(".maps");

static __always_inline struct interrupts *interrupts_here(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&interrupted, &zero);
}

static __always_inline int hard_began(void)
{
	struct interrupts *i = interrupts_here();

	if (i)
		i->hard++;
	return 0;
}

/* Its begin may not have been seen. */
static __always_inline int hard_ended(void)
{
	struct interrupts *i = interrupts_here();

	if (i && i->hard)
		i->hard--;
	return 0;
}

static __always_inline int timer_is(u32 on)
{
	struct interrupts *i = interrupts_here();

	if (i)
		i->timer = on;
	return 0;
}

static __always_inline int soft_is(u32 nr)
{
	struct interrupts *i = interrupts_here();

	if (i)
		i->soft = nr;
	return 0;
}

/* What wakes here?  In an interrupt `current` has nothing to do with it. */
static __always_inline u8 waker_kind(void)
{
	const struct interrupts *i = interrupts_here();

	if (i && i->timer)
		return PT_WAKER_TIMER;
	if (i && i->hard)
		return PT_WAKER_INTERRUPT;
	if (i && (i->soft == TIMER_SOFTIRQ + 1 || i->soft == HRTIMER_SOFTIRQ + 1))
		return PT_WAKER_TIMER;
	if (i && i->soft)
		return PT_WAKER_INTERRUPT;
	return PT_WAKER_TASK;
}

static __noinline void name_waker(struct task_struct *task)
{
	struct pt_thread r = { 0 };
	u32 tid = task_tid(task), slot = tid & (NAMED - 1);
	u32 *last = bpf_map_lookup_elem(&named, &slot);

	if (!last || *last == tid)
		return;
	fill_hdr(&r.h, PT_THREAD, sizeof(r), task, 0, bpf_ktime_get_ns());
	r.start_ns = task->start_boottime;
	bpf_probe_read_kernel(r.comm, sizeof(r.comm), task->comm);
	if (!emit(&r, sizeof(r)))
		*last = tid;
}

/*
 * The stack of the current thread where it is not known yet.  It may come here
 * from an interrupt in the midst of a program that is about to set t->why.
 */
static __noinline u64 stack_now(struct task_struct *task, struct thread *t,
				u8 *why)
{
	struct proc *p = proc_met(task, t);
	u64 kept_interp = t->interp, id;
	u8 kept = t->why, got;

	*why = PT_WHY_NONE;
	if (!task->mm)
		return PT_STACK_EMPTY;	/* it exits: its Python is over */
	if (!p) {
		*why = PT_WHY_UNRECOGNISED;
		return PT_STACK_UNKNOWN;
	}
	id = current_stack(p, t);
	got = t->why;
	t->why = kept;
	if (got == PT_WHY_NESTED)
		t->interp = kept_interp;
	*why = got;		/* which may be t->why */
	return id;
}

/* Where the current thread is: in the kernel it may have been walked before. */
static __always_inline u64 stack_here(struct task_struct *task, struct thread *t,
				      u8 *why)
{
	if (t->entry != PT_ENTRY_WALKED)
		return stack_now(task, t, why);
	*why = t->why;
	return t->stack;
}

static __always_inline u8 in_collector(struct task_struct *task, struct thread *t)
{
	struct proc *p = proc_met(task, t);

	return p ? (u8)collector_runs(p, t) : PT_UNKNOWN;
}

/* ---- off the CPU ------------------------------------------------------- */

/*
 * The call that a thread is in, from its registers; its entry was not seen, or
 * was filtered out.  False: it came by a fault or an interrupt, of which the
 * entry code says -1 (arch/x86/entry/entry_64.S).
 */
static __always_inline bool call_from_regs(struct task_struct *task,
					   struct thread *t)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	long id = (long)regs->orig_ax;
	struct pt_sysargs *a;

	t->ip = regs->ip;
	t->socket_arg = 0;
	if (id < 0)
		return false;
	t->abi = call_abi(task, id);
	t->nr = (u32)id & ~X32_BIT;
	note_args(t, regs, t->abi);
	a = sysargs_of(t->nr, t->abi);
	if (a && a->has_fd)
		note_socket(task, t, a);
	return true;
}

/* Why did a thread in this state leave the CPU, if it could not run? */
static __always_inline u8 blocked_by(const struct task_struct *task,
				     const struct thread *t, u32 state,
				     bool in_call)
{
	if (state & TASK_STOPPED_OR_TRACED)
		return PT_OFF_STOPPED;
	if (t->fault.pending && t->fault.kernel == in_call)
		return PT_OFF_FAULT;
	if (in_call)
		return PT_OFF_SYSCALL;
	/* where faults are not traced: no signal waits like that */
	if (!(cfg.events & (1U << PT_FAULT)) && !(task->flags & PF_EXITING) &&
	    state & TASK_UNINTERRUPTIBLE)
		return PT_OFF_FAULT;
	return PT_OFF_UNKNOWN;
}

static __always_inline void begin_off(struct task_struct *task, struct thread *t,
				      bool preempted, u8 state)
{
	bool in_call = t->in_syscall || call_from_regs(task, t);

	t->off.reason = preempted ? PT_OFF_PREEMPTED :
			blocked_by(task, t, task->__state, in_call);
	t->off.state = state;
	t->off.iowait = BPF_CORE_READ_BITFIELD(task, in_iowait);
	t->off.in_gc = PT_UNKNOWN;
	t->off.woken = 0;
	t->off.kernel = 0;
}

/*
 * The current thread leaves its CPU.  A signal that came at the last moment
 * keeps it runnable: its state says so, the tracepoint's argument may not.
 */
static __always_inline void switched_out(struct task_struct *task,
					 struct thread *t, bool preempt)
{
	u64 now = bpf_ktime_get_ns();

	if (t->off.since && t->off.state == PT_OFF_DONE)
		count_loss(PT_LOSS_UNSEEN);	/* it came back */
	begin_off(task, t, preempt || !task->__state, PT_OFF_DONE);
	if (t->entry != PT_ENTRY_WALKED) {
		t->stack = stack_now(task, t, &t->why);
		if (t->entry == PT_ENTRY_KNOWN)
			t->entry = PT_ENTRY_WALKED;
	}
	t->off.in_gc = in_collector(task, t);
	t->off.since = now;
}

/* The three parts of an interval; their sum is its length. */
static __always_inline void split_off(struct pt_offcpu *rec,
				      const struct off *off, u64 from, u64 now)
{
	u64 woken = off->woken ? off->woken : now;

	rec->dur = now - from;
	rec->blocked = rec->runq = rec->preempted = 0;
	if (off->reason == PT_OFF_PREEMPTED) {
		rec->preempted = rec->dur;
		return;
	}
	if (woken < from)
		woken = from;
	if (woken > now)
		woken = now;
	rec->blocked = woken - from;
	rec->runq = now - woken;
}

static __always_inline void fill_waker(struct pt_offcpu *rec,
				       const struct off *off)
{
	bool woken = off->woken && off->reason != PT_OFF_PREEMPTED;

	rec->waker = woken ? off->waker.kind : PT_WAKER_NONE;
	rec->waker_why = woken ? off->waker.why : PT_WHY_NONE;
	rec->waker_stack = woken ? off->waker.stack : PT_STACK_UNKNOWN;
	rec->waker_pid = woken ? off->waker.pid : 0;
	rec->waker_tid = woken ? off->waker.tid : 0;
	rec->waker_proc = woken ? off->waker.proc : 0;
}

/* Where it was: as its system call has it. */
static __always_inline void fill_where(struct pt_offcpu *rec,
				       const struct thread *t)
{
	bool in_call = t->off.reason == PT_OFF_SYSCALL;

	rec->stack = t->stack;
	rec->why = t->why;
	rec->ip = t->ip;
	rec->nr = in_call ? t->nr : 0;
	rec->abi = in_call ? t->abi : 0;
	rec->args[0] = in_call ? t->args[0] : 0;
	rec->args[1] = in_call ? t->args[1] : 0;
	if (in_call && t->socket_arg)
		rec->socket = t->socket;
	else
		__builtin_memset(&rec->socket, 0, sizeof(rec->socket));
}

static __noinline void send_off(struct task_struct *task, struct thread *t,
				u64 now)
{
	u64 from = t->off.since;
	struct waker *w = &t->off.waker;
	struct pt_offcpu *rec;

	t->off.since = 0;
	if (!t->off.woken && w->at > from)
		t->off.woken = w->at;	/* its wake-up was not seen */
	if (t->off.state == PT_OFF_BEFORE && from < begun_ns)
		from = begun_ns;
	if (from > now || (t->off.state == PT_OFF_BEFORE && !begun_ns))
		return;		/* over before the trace began */
	rec = bpf_ringbuf_reserve(&ring, sizeof(*rec), 0);
	if (!rec) {
		count_loss(PT_LOSS_RING_FULL);
		return;
	}
	fill_hdr(&rec->h, PT_OFFCPU, sizeof(*rec), task, t->proc, from);
	rec->h.flags = t->off.kernel;
	fill_where(rec, t);
	fill_waker(rec, &t->off);
	split_off(rec, &t->off, from, now);
	rec->reason = t->off.reason;
	rec->state = t->off.state;
	rec->iowait = t->off.iowait;
	rec->in_gc = t->off.in_gc;
	bpf_ringbuf_submit(rec, BPF_RB_NO_WAKEUP);
	cost_here()->sent++;
}

/*
 * The thread is on a CPU again.  On some machines the tracepoint does not fire
 * for a switch now and then, for perf neither (seen with 6.18): then a thread
 * leaves its CPU twice, or comes back twice, and an interval is lost.
 */
static __always_inline bool switched_in(struct task_struct *task,
					struct thread *t)
{
	if (t->off.since) {
		send_off(task, t, bpf_ktime_get_ns());
		return true;
	}
	if (t->known && t->off.reason != PT_OFF_UNKNOWN)
		count_loss(PT_LOSS_UNSEEN);	/* it left */
	return false;
}

/*
 * Thread t is being woken; what by is known here only.  Where it need not be,
 * the walk is left out: the verifier takes its time with it.
 */
static __always_inline void waking(struct thread *t, bool walk)
{
	struct task_struct *by = bpf_get_current_task_btf();
	struct waker *w = &t->off.waker;
	struct thread *wt;

	w->at = bpf_ktime_get_ns();
	w->kind = waker_kind();
	w->stack = PT_STACK_UNKNOWN;
	w->why = PT_WHY_NONE;
	w->pid = w->tid = w->proc = 0;
	if (w->kind != PT_WAKER_TASK)
		return;
	if (!by->pid) {		/* the idle task does nothing by itself */
		w->kind = PT_WAKER_INTERRUPT;
		return;
	}
	w->pid = task_tgid(by);
	w->tid = task_tid(by);
	wt = bpf_task_storage_get(&threads, by, NULL, 0);
	if (wt && wt->known) {
		w->proc = wt->proc;
		if (walk) {
			w->stack = stack_here(by, wt, &w->why);
		} else if (wt->entry == PT_ENTRY_WALKED) {
			w->stack = wt->stack;
			w->why = wt->why;
		} else {
			w->why = PT_WHY_NOT_WALKED;
		}
	} else {
		w->why = PT_WHY_NOT_WALKED;
		name_waker(by);
	}
}

/* It is in a run queue now. */
static __always_inline int woken(struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);

	if (!t || !t->known)
		return OTHERS;
	if (t->off.since && !t->off.woken)
		t->off.woken = bpf_ktime_get_ns();
	return OURS;
}

/* ---- the begin and the end --------------------------------------------- */

/*
 * A new thread of p, at its fork.  It waits for a CPU until it first runs: what
 * its stack will be is known for one that begins without Python only.
 */
static __always_inline void meet_thread(struct task_struct *task, struct proc *p)
{
	struct thread *t;

	if (p->state == PT_PROC_UNKNOWN)
		return;
	t = thread_get(task, p);
	if (!t)
		return;
	t->unmet = 1;
	if (!(cfg.events & (1U << PT_OFFCPU)))
		return;
	t->stack = task->tgid != task->pid ? PT_STACK_EMPTY : PT_STACK_UNKNOWN;
	t->why = task->tgid != task->pid ? PT_WHY_NONE : PT_WHY_NOT_WALKED;
	t->off.kernel = 0;
	t->off.reason = PT_OFF_UNKNOWN;
	t->off.state = PT_OFF_DONE;
	t->off.in_gc = PT_UNKNOWN;
	waking(t, false);	/* there is no such event for a new one */
	t->off.since = t->off.woken = bpf_ktime_get_ns();
}

/* A thread that is on no CPU and waits for something, for user space. */
static __always_inline void say_sleeper(struct seq_file *seq,
					struct task_struct *task)
{
	struct pt_sleeper s = { 0 };

	s.switches = BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
	s.fs = BPF_CORE_READ(task, thread.fsbase);
	s.pid = task_tgid(task);
	s.tid = task_tid(task);
	if (task->__state && !*(volatile int *)&task->on_cpu)
		bpf_seq_write(seq, &s, sizeof(s));
}

/* Threads of targets that sleep, before anything else is known of them. */
static __always_inline int list_sleeper(struct seq_file *seq,
					struct task_struct *task)
{
	struct pt_target *target;
	u32 pid;

	if (!task || !task->mm)
		return 0;
	pid = task_tgid(task);
	target = bpf_map_lookup_elem(&targets, &pid);
	if (target && target->state == PT_PROC_RUNNING)
		say_sleeper(seq, task);
	return 0;
}

/*
 * What a thread does that is there when the trace begins.  That it has not run
 * since it was listed is for user space to see: then it knows its stack.
 */
static __always_inline int seed_thread(struct seq_file *seq,
				       struct task_struct *task)
{
	struct thread *t;
	struct proc *p;

	if (!task || task->exit_state ||
	    task->flags & (PF_KTHREAD | PF_USER_WORKER | PF_IO_WORKER |
			   PF_EXITING))
		return 0;
	p = proc_of_task(task);
	if (!p || p->state == PT_PROC_UNKNOWN)
		return 0;
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	if (t && t->known && t->proc == p->proc)
		return 0;	/* it came by itself */
	t = thread_get(task, p);
	if (!t)
		return 0;
	t->unmet = 1;
	if (!(cfg.events & (1U << PT_OFFCPU)) || task->on_cpu)
		return 0;
	begin_off(task, t, !task->__state, PT_OFF_BEFORE);
	t->stack = PT_STACK_UNKNOWN;
	t->why = PT_WHY_BEFORE;
	t->off.since = bpf_ktime_get_ns();
	/* it may have come back meanwhile */
	if (*(volatile int *)&task->on_cpu)
		t->off.since = 0;
	else
		say_sleeper(seq, task);
	return 0;
}

/* At the end of the trace: thread t has not come back. */
static __always_inline void still_off(struct task_struct *task, struct thread *t)
{
	struct off *off = &t->off;

	if (!off->since)
		return;
	if (off->state == PT_OFF_BEFORE) {
		if (task->on_cpu)
			return;		/* seed_thread() was mistaken */
		if (off->since < begun_ns)
			off->since = begun_ns;
	}
	off->state = PT_OFF_UNFINISHED;
	send_off(task, t, sw.stopped_ns);
}

/* ---- on the CPU -------------------------------------------------------- */

/* The clock of this CPU has ticked, or a counter: where is the current thread? */
static __always_inline void sampled(struct bpf_perf_event_data *c, u32 event)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct pt_sample r = { 0 };
	struct pt_regs *regs;

	if (!t || !t->known)
		return;
	fill_hdr(&r.h, PT_SAMPLE, sizeof(r), task, t->proc, bpf_ktime_get_ns());
	r.dur = c->sample_period;
	r.event = event;
	r.kernel = !(c->regs.words[REGS_CS] & 3);
	r.ip = c->regs.words[REGS_IP];
	if (r.kernel) {
		regs = (void *)bpf_task_pt_regs(task);
		r.ip = regs->ip;
		r.h.flags = kernel_stack(c);
	}
	r.stack = stack_here(task, t, &r.why);
	r.in_gc = in_collector(task, t);
	if (!emit(&r, sizeof(r)))
		cost_here()->sent++;
}

#endif /* PT_SCHED_BPF_H */
