// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * pytrace: the programs of the kernel half, one a line of what they do.
 *
 * All are BTF or raw tracepoints, perf events or uprobes: a classic tracepoint program is skipped
 * silently while another program runs on its CPU.  The work is in the headers,
 * in the order in which they build on one another:
 *
 *	state ─► emit ─► proc ─► walk ─► define ─► collector ─► fault ─►
 *	syscall ─► process
 */
#include "process.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Every 64th run is timed: what we cost is measured, not guessed. */
struct watch {
	struct pt_cost *cost;
	u64 began;
};

static __always_inline struct watch watch_start(void)
{
	struct watch w = { .cost = cost_here() };

	if (w.cost && !(w.cost->runs++ & 63))
		w.began = bpf_ktime_get_ns();
	return w;
}

static __always_inline int watch_stop(struct watch w)
{
	if (w.cost && w.began) {
		w.cost->timed++;
		w.cost->timed_ns += bpf_ktime_get_ns() - w.began;
	}
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_sys_enter, struct pt_regs *regs, long id)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	enter(regs, id);
	return watch_stop(w);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit, struct pt_regs *regs, long ret)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	leave(regs, ret);
	return watch_stop(w);
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
	fault_begins(ctx->args[0], ctx->args[2]);
	return watch_stop(w);
}

SEC("perf_event")
int on_fault_minor(struct bpf_perf_event_data *ctx)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	fault_ends(ctx->addr, PT_NO);
	return watch_stop(w);
}

SEC("perf_event")
int on_fault_major(struct bpf_perf_event_data *ctx)
{
	struct watch w;

	if (!sw.on)
		return 0;
	w = watch_start();
	fault_ends(ctx->addr, PT_YES);
	return watch_stop(w);
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

SEC("iter/task")
int find_blocked(struct bpf_iter__task *ctx)
{
	return blocked(ctx->task);
}

/* Run once by user space: in which pid namespace does it live, how deep? */
SEC("syscall")
int find_pidns_level(void *unused)
{
	struct task_struct *task = bpf_get_current_task_btf();

	(void)unused;
	sw.pidns_level = task->thread_pid->level;
	return 0;
}
