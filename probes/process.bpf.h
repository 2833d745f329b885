/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * process: the life of what is traced: fork, exec, interpreter, exit.
 *
 * A process is known before its first event: a fork copies what its parent
 * is, an exec of a known file says which interpreter will come up, and that
 * interpreter's initialisation (a uprobe that is hit once) says where.
 */
#ifndef PT_PROCESS_BPF_H
#define PT_PROCESS_BPF_H

#include "sched.bpf.h"

struct exec_record {
	struct pt_exec rec;
	char path[256];
};

/*
 * It may become a target: user space is asked, and what it does until the
 * answer is counted.
 */
static __noinline void ask_for(struct task_struct *task)
{
	struct pt_target target = { 0 };
	struct pt_mapped r = { 0 };
	u32 pid = task_tgid(task);

	if (!pid)		/* outside of the reader's namespace */
		return;
	target.exec_id = task->self_exec_id;
	target.candidate = 1;
	if (bpf_map_update_elem(&targets, &pid, &target, BPF_ANY)) {
		count_loss(PT_LOSS_MAP_FULL);
		return;
	}
	fill_hdr(&r.h, PT_MAPPED, sizeof(r), task, 0, bpf_ktime_get_ns());
	r.exec_id = target.exec_id;
	r.candidate = 1;
	emit(&r, sizeof(r));
}

static __always_inline bool is_candidate(struct task_struct *task)
{
	u32 pid = task_tgid(task);
	struct pt_target *target = bpf_map_lookup_elem(&targets, &pid);

	return target && target->candidate;
}

static __always_inline int forked(struct task_struct *parent,
				  struct task_struct *child)
{
	u64 mm = (u64)parent->mm, child_mm = (u64)child->mm;
	struct pt_target target = { .exec_id = PT_ANY_EXEC };
	struct pt_fork r = { 0 };
	struct proc *p, *c;
	u32 pid;

	if (child->tgid != parent->tgid && !cfg.follow && !cfg.select)
		return 0;
	p = proc_of_task(parent);
	if (!p) {
		if (cfg.select && child->tgid != parent->tgid &&
		    is_candidate(parent))
			ask_for(child);
		return 0;
	}
	if (child->tgid == parent->tgid) {
		meet_thread(child, p);
		return 0;
	}
	c = p;
	if (child_mm && child_mm != mm) {
		c = proc_add(child, child_mm, p, BPF_ANY);
		if (!c) {
			count_loss(PT_LOSS_MAP_FULL);
			return 0;
		}
	}
	pid = task_tgid(child);
	if (bpf_map_update_elem(&targets, &pid, &target, BPF_ANY)) {
		count_loss(PT_LOSS_MAP_FULL);
		return 0;
	}
	fill_hdr(&r.h, PT_FORK, sizeof(r), parent, p->proc, bpf_ktime_get_ns());
	r.child_pid = pid;
	r.child_tid = task_tid(child);
	r.child_proc = c->proc;
	emit(&r, sizeof(r));
	meet_thread(child, c);
	return 0;
}

/* Which image the executable will run, if that is known. */
static __always_inline u32 *exe_image(struct linux_binprm *bprm)
{
	struct inode *inode = bprm->file->f_inode;
	struct pt_exe key = { 0 };

	key.ino = inode->i_ino;
	key.dev = inode->i_sb->s_dev;
	return bpf_map_lookup_elem(&exes, &key);
}

static __always_inline void send_exec(struct task_struct *task, u32 proc,
				      u32 old, const char *path)
{
	struct exec_record r;
	u32 size;
	long n;

	__builtin_memset(&r, 0, sizeof(r));
	n = bpf_probe_read_kernel_str(r.path, sizeof(r.path), path);
	if (n <= 0)
		n = 1;
	size = sizeof(r.rec) + (((u32)n + 7) & ~7U);
	if (size > sizeof(r))
		size = sizeof(r);
	fill_hdr(&r.rec.h, PT_EXEC, size, task, proc, bpf_ktime_get_ns());
	r.rec.old_proc = old;
	emit(&r, size);
}

/*
 * What is executed is a target because its process was one, or because of the
 * file.  Where processes are selected without -f user space must look again.
 */
static __always_inline struct pt_target *target_of_exec(struct task_struct *task,
							const u32 *image)
{
	u32 pid = task_tgid(task);
	struct pt_target *target = bpf_map_lookup_elem(&targets, &pid);
	struct pt_target taken = { 0 };

	if (!cfg.select)
		return target;
	if (image && *image & PT_EXE_TAKE && pid) {
		if (!target || target->candidate) {
			if (bpf_map_update_elem(&targets, &pid, &taken, BPF_ANY))
				count_loss(PT_LOSS_MAP_FULL);
			target = bpf_map_lookup_elem(&targets, &pid);
		}
		return target;
	}
	if (target && !target->candidate && (cfg.follow || target->held))
		return target;
	ask_for(task);
	return NULL;
}

/* The address space of this program; what user space knew was of the last one. */
static __always_inline struct proc *new_program(struct task_struct *task,
						struct pt_target *target,
						const u32 *image)
{
	struct proc *met = proc_find((u64)task->mm), *p;
	u64 skipped = 0, skipped_ns = 0;

	if (met && proc_owns(met, task)) {
		/* by faults of the exec itself, in what is its new memory */
		skipped = met->skipped;
		skipped_ns = met->skipped_ns;
	}
	p = proc_add(task, (u64)task->mm, NULL, BPF_ANY);
	if (!p) {
		count_loss(PT_LOSS_MAP_FULL);
		return NULL;
	}
	p->skipped = skipped;
	p->skipped_ns = skipped_ns;
	if (image) {
		p->image = *image & ~PT_EXE_TAKE;
		p->state = PT_PROC_STARTING;
		procs_changed();
		announce(p, PT_WALK_STARTING);
	}
	target->state = PT_PROC_UNKNOWN;
	target->exec_id = p->exec_id;
	return p;
}

static __always_inline int execed(struct task_struct *task,
				  struct linux_binprm *bprm)
{
	u32 pid = task_tgid(task), old = 0, *image;
	struct pt_target *target;
	struct proc *p = NULL;
	struct thread *t;

	if (!cfg.select && !bpf_map_lookup_elem(&targets, &pid))
		return 0;
	image = exe_image(bprm);
	target = target_of_exec(task, image);
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	if (target) {
		p = new_program(task, target, image);
		if (!p)
			return 0;
	} else if (!t || !t->proc) {
		return 0;
	}
	if (t) {
		struct proc *before = proc_find(t->mm);

		old = t->proc;
		if (t->in_syscall)
			send_call(task, t, PT_SYS_DONE, 0, bprm->filename);
		if (before && before->pid == pid && before != p) {
			tell_skipped(before, PT_LOSS_NOT_PYTHON);
			bpf_map_delete_elem(&procs, &t->mm);
			procs_changed();
		}
	}
	send_exec(task, p ? p->proc : 0, old, bprm->filename);
	if (t) {
		t->proc = 0;
		t->known = 0;
		t->seen = 0;
		if (p && p->state != PT_PROC_UNKNOWN)
			thread_get(task, p);
	}
	return 0;
}

static __always_inline int exited(struct task_struct *task)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	u32 pid = task_tgid(task);
	struct pt_exit r = { 0 };
	struct proc *p;
	u64 mm;

	if (!t || !t->proc) {
		struct pt_target *target = bpf_map_lookup_elem(&targets, &pid);

		if (!target)
			return 0;
		if (target->candidate) {
			if (!task->signal->live.counter)
				bpf_map_delete_elem(&targets, &pid);
			return 0;
		}
	}
	flush_fault(task, t);
	if (t && t->proc && t->in_syscall) {
		bool asked = t->nr == 60 || t->nr == 231;

		send_call(task, t, asked ? PT_SYS_NO_RETURN : PT_SYS_UNFINISHED,
			  0, NULL);
	}
	if (t) {
		t->exits = t->known;
		t->known = 0;	/* what is left of its life is none of its own */
	}
	r.last = !task->signal->live.counter;
	r.code = (u32)task->exit_code;
	fill_hdr(&r.h, PT_EXIT, sizeof(r), task, t ? t->proc : 0,
		 bpf_ktime_get_ns());
	emit(&r, sizeof(r));
	if (!r.last)
		return 0;
	mm = t ? t->mm : (u64)task->mm;
	p = proc_find(mm);
	if (p && p->pid == pid) {	/* not a vfork child's loan */
		tell_skipped(p, PT_LOSS_NOT_PYTHON);
		bpf_map_delete_elem(&procs, &mm);
		procs_changed();
	}
	bpf_map_delete_elem(&targets, &pid);
	return 0;
}

/*
 * At the end of the trace: a call that has not returned is told as it is, and
 * so is a thread that is not on a CPU.  Not in the context of its thread: what
 * its arguments point to cannot be read.
 */
static __always_inline int blocked(struct task_struct *task)
{
	struct thread *t;

	if (!task)
		return 0;
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	flush_fault(task, t);
	if (t && t->in_syscall)
		send_call(task, t, PT_SYS_UNFINISHED, 0, NULL);
	if (t)
		still_off(task, t);
	return 0;
}

/* The interpreter of image `nr` initialises itself in the current process. */
static __always_inline int initialised(struct pt_regs *regs, u32 nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_image *img = bpf_map_lookup_elem(&images, &nr);
	struct proc *p = proc_of_task(task);

	if (!img || !p || p->state == PT_PROC_RUNNING)
		return 0;
	p->image = nr;
	/* a uprobe on function entry: the ip is the address of the probe */
	p->bias = BPF_CORE_READ(regs, ip) - img->init;
	p->key = 0;
	p->state = PT_PROC_RUNNING;
	procs_changed();
	tell_skipped(p, PT_LOSS_UNRECOGNISED);
	announce(p, PT_WALK_YES);
	return 0;
}

/* A code object dies: whatever comes to lie at its address is another one. */
static __always_inline int code_died(u64 code)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct proc *p = proc_find((u64)task->mm);

	if (!p || !was_seen(p->proc, code))
		return 0;
	__sync_fetch_and_add(&p->gen, 1);
	procs_changed();
	return 0;
}

#endif /* PT_PROCESS_BPF_H */
