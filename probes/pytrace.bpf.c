// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * pytrace: the programs of the kernel half, one a line of what they do.
 *
 * All are BTF or raw tracepoints, perf events or uprobes: a classic tracepoint
 * program is skipped silently while another program runs on its CPU.  Only those
 * that users name are classic, for their fields; what is skipped there newer
 * kernels count.  The work is in the headers, in the order in which they build
 * on one another:
 *
 *	state ─► emit ─► proc ─► walk ─► define ─► collector ─► fault ─►
 *	syscall ─► sched ─► tracepoint ─► usdt, process; define ─► callees ─► calls ─► synth
 */
#include "synth.bpf.h"
#include "process.bpf.h"
#include "usdt.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/*
 * Every 64th run is timed: what we cost is measured, not guessed.  What took
 * longer than that was interrupted, and 64 times an interrupt is no measure.
 */
#define LONGEST_RUN 100000	/* ns: a walk of 512 frames is a quarter of it */

struct watch {
	struct pt_cost *cost;
	u64 began;
};

static __always_inline struct watch watch_start(void)
{
	struct watch w = { .cost = cost_here() };

	if (!(w.cost->ticks++ & 63))
		w.began = bpf_ktime_get_ns();
	return w;
}

/*
 * A tracepoint fires for everybody: what others pay is no cost of a target, but
 * one of the machine.
 */
static __always_inline int watch_stop(struct watch w, int whose)
{
	u64 ns = w.began ? bpf_ktime_get_ns() - w.began : 0;

	if (ns > LONGEST_RUN)
		ns = LONGEST_RUN;
	if (whose == OTHERS) {
		if (w.began) {
			w.cost->others_timed++;
			w.cost->others_ns += ns;
		}
		return 0;
	}
	w.cost->runs++;
	if (w.began) {
		w.cost->timed++;
		w.cost->timed_ns += ns;
	}
	return 0;
}

/* To get into a uprobe costs many times what it does: the hits are counted. */
static __always_inline int watch_probe(struct watch w, int whose)
{
	if (whose == OURS)
		w.cost->probes++;
	return watch_stop(w, whose);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_sys_enter, struct pt_regs *regs, long id)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	return watch_stop(w, enter(regs, id));
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit, struct pt_regs *regs, long ret)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	return watch_stop(w, leave(regs, ret));
}

/*
 * page_fault_user and page_fault_kernel alike: for a second program the
 * verifier would walk through all of the walk once more.
 */
SEC("raw_tp")
int on_fault(struct bpf_raw_tracepoint_args *ctx)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	return watch_stop(w, fault_begins(ctx->args[0], ctx->args[2]));
}

SEC("perf_event")
int on_fault_minor(struct bpf_perf_event_data *ctx)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	return watch_stop(w, fault_ends(ctx->addr, PT_NO));
}

SEC("perf_event")
int on_fault_major(struct bpf_perf_event_data *ctx)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	return watch_stop(w, fault_ends(ctx->addr, PT_YES));
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next)
{
	struct thread *t;
	int whose = OTHERS;
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	t = bpf_task_storage_get(&threads, prev, NULL, 0);
	if (t && t->known) {
		switched_out(prev, t, preempt);
		t->off.kernel = kernel_stack(ctx);
		whose = OURS;
	}
	t = bpf_task_storage_get(&threads, next, NULL, 0);
	if (t && switched_in(next, t))
		whose = OURS;
	return watch_stop(w, whose);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct thread *t;
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!t || !t->known)
		return watch_stop(w, OTHERS);
	waking(t, true);
	return watch_stop(w, OURS);
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *task)
{
	struct watch w = watch_start();

	return watch_stop(w, woken(task));
}

/*
 * In an interrupt `current` is a bystander.  One program for several
 * tracepoints: irq_handler_entry, and on x86 irq_work_entry,
 * call_function_entry, call_function_single_entry.
 */
SEC("raw_tp")
int on_interrupt(void *unused)
{
	struct watch w = watch_start();

	(void)unused;
	hard_began();
	return watch_stop(w, OTHERS);
}

SEC("raw_tp")
int on_interrupt_end(void *unused)
{
	struct watch w = watch_start();

	(void)unused;
	hard_ended();
	return watch_stop(w, OTHERS);
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq, unsigned int nr)
{
	struct watch w = watch_start();

	soft_is(nr + 1);
	return watch_stop(w, OTHERS);
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_end)
{
	struct watch w = watch_start();

	soft_is(0);
	return watch_stop(w, OTHERS);
}

SEC("tp_btf/local_timer_entry")
int BPF_PROG(on_timer)
{
	struct watch w = watch_start();

	timer_is(1);
	return watch_stop(w, OTHERS);
}

SEC("tp_btf/local_timer_exit")
int BPF_PROG(on_timer_end)
{
	struct watch w = watch_start();

	timer_is(0);
	return watch_stop(w, OTHERS);
}

SEC("perf_event")
int on_sample(struct bpf_perf_event_data *ctx)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	sampled(ctx, 0);
	return watch_stop(w, OURS);
}

/* What was asked for by name; 0 hides the sample from nobody: it is our own. */
SEC("perf_event")
int on_counter(struct bpf_perf_event_data *ctx)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	sampled(ctx, (u32)bpf_get_attach_cookie(ctx));
	return watch_stop(w, OURS);
}

/*
 * Any tracepoint, with its fields as tracefs describes them.  What returns 0
 * here hides the event from perf and from every other tracer
 * (perf_trace_run_bpf_submit()).
 */
SEC("tracepoint")
int on_tracepoint(void *ctx)
{
	struct watch w;

	if (!sw.on)
		return 1;
	w = watch_start();
	tracepoint_hit((u64)ctx, (u32)bpf_get_attach_cookie(ctx));
	watch_stop(w, OURS);
	return 1;
}

/* Any tracepoint, with its arguments: where tracefs may not be read. */
SEC("raw_tp")
int on_raw_tracepoint(struct bpf_raw_tracepoint_args *ctx)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	if (cfg.only_raw)
		tracepoint_hit((u64)ctx, cfg.only_raw);
	else
		tracepoint_hit((u64)ctx, (u32)bpf_get_attach_cookie(ctx));
	return watch_stop(w, OURS);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	return forked(parent, child);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_pid,
	     struct linux_binprm *bprm)
{
	return execed(task, bprm);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *task)
{
	return exited(task);
}

SEC("tp_btf/task_rename")
int BPF_PROG(on_rename, struct task_struct *task, const char *comm)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);

	if (t && t->seen)
		send_thread(task, t, comm);
	return 0;
}

SEC("uprobe")
int on_init(struct pt_regs *regs)
{
	return initialised(regs, (u32)bpf_get_attach_cookie(regs));
}

SEC("uprobe")
int on_dealloc(struct pt_regs *regs)
{
	return code_died(BPF_CORE_READ(regs, di));
}

/* A USDT probe, of which user space says where its arguments are. */
SEC("uprobe")
int on_usdt(struct pt_regs *regs)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	usdt_hit(regs, (u32)bpf_get_attach_cookie(regs));
	return watch_stop(w, OURS);
}

/* function__entry and function__return of CPython. */
SEC("uprobe")
int on_call(struct pt_regs *regs)
{
	struct watch w;

	(void)regs;
	if (!sw.on)
		return 0;
	w = watch_start();
	return watch_probe(w, call_hit(false));
}

SEC("uprobe")
int on_return(struct pt_regs *regs)
{
	struct watch w;

	(void)regs;
	if (!sw.on)
		return 0;
	w = watch_start();
	return watch_probe(w, call_hit(true));
}

/* Where the interpreter's own code begins or ends a frame. */
SEC("uprobe")
int on_place(struct pt_regs *regs)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	return watch_probe(w, place_hit(regs, bpf_get_attach_cookie(regs)));
}

SEC("iter/task")
int find_blocked(struct bpf_iter__task *ctx)
{
	return blocked(ctx->task);
}

/* When the trace begins: the threads that are there. */
SEC("iter/task")
int find_threads(struct bpf_iter__task *ctx)
{
	if (sw.list_only)
		return list_sleeper(ctx->meta->seq, ctx->task);
	return seed_thread(ctx->meta->seq, ctx->task);
}

/* Run once by user space, when all targets are told and their threads found. */
SEC("syscall")
int begin(void *unused)
{
	struct pt_begin r = { 0 };

	(void)unused;
	fill_hdr(&r.h, PT_BEGIN, sizeof(r), bpf_get_current_task_btf(), 0,
		 bpf_ktime_get_ns());
	r.h.pid = r.h.tid = 0;
	r.events = cfg.events;
	r.sample_hz = cfg.sample_hz;
	begun_ns = r.h.t;
	return (int)emit(&r, sizeof(r));
}

/* Run once by user space: in which pid namespace does it live, how deep? */
SEC("syscall")
int find_pidns_level(void *unused)
{
	struct task_struct *task = bpf_get_current_task_btf();

	struct upid *at;

	(void)unused;
	sw.pidns_level = task->thread_pid->level;
	at = (void *)task->thread_pid +
	     bpf_core_field_offset(task->thread_pid->numbers) +
	     sw.pidns_level * bpf_core_type_size(struct upid);
	sw.pidns = (u64)BPF_CORE_READ(at, ns);
	return 0;
}
