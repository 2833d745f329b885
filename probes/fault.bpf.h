/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * fault: a page fault is one record, sent when the kernel has handled it.
 *
 *	exception (page_fault_user, page_fault_kernel)
 *		the stack is walked, the fault noted with its thread
 *	PERF_COUNT_SW_PAGE_FAULTS_MIN or _MAJ
 *		it is over: minor or major, how long, what kind of memory
 *
 * One that ends otherwise (SIGSEGV, or a signal before it was done: then it
 * comes again) is sent when its thread next enters the kernel, or ends.  So
 * are all where the kernel refuses the two events: then the thread's own
 * counters tell minor from major, and how long they took is not known.
 */
#ifndef PT_FAULT_BPF_H
#define PT_FAULT_BPF_H

#include "collector.bpf.h"

/* Bits of the error code: arch/x86/include/asm/trap_pf.h */
#define PF_PRESENT	1	/* the page was there, but not for this */
#define PF_WRITE	2
#define PF_USER		4	/* in user mode */

/* include/linux/mm.h */
#define VM_MAYSHARE	0x80
#define VM_UFFD_MISSING	0x200
#define VM_HUGETLB	0x400000
#define VM_HUGEPAGE	0x20000000
#define VM_NOHUGEPAGE	0x40000000

/* include/linux/sched.h: threads of the kernel that have a process's memory */
#define PF_IO_WORKER	0x10
#define PF_KTHREAD	0x200000

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct vm_area_struct___fault {
	unsigned long vm_start, vm_end, vm_flags;
	const void *vm_ops;
	struct file *vm_file;
};

#pragma clang attribute pop

static long note_area(struct task_struct *task,
		      struct vm_area_struct___fault *vma, struct area *a)
{
	a->start = vma->vm_start;
	a->end = vma->vm_end;
	a->flags = vma->vm_flags;
	a->anonymous = !vma->vm_ops;	/* vma_is_anonymous() */
	a->file = vma->vm_file != NULL;
	a->found = 1;
	return 0;
}

/*
 * A number that is another one after each change of the mappings; 0: there is
 * none, as in kernels that do not count them (before 6.4).
 */
static __always_inline u32 mappings_seq(struct mm_struct *mm)
{
	struct mm_struct___counted *counted = (void *)mm;
	struct mm_struct___int *plain = (void *)mm;
	u32 seq = 0;

	if (bpf_core_field_exists(counted->mm_lock_seq.sequence))
		seq = BPF_CORE_READ(counted, mm_lock_seq.sequence);
	else if (bpf_core_field_exists(plain->mm_lock_seq))
		seq = (u32)BPF_CORE_READ(plain, mm_lock_seq);
	return seq;
}

/*
 * The mapping of the fault, into *a.  To look for it can cost as much as the
 * fault: where interrupts are off, as they are in perf events since 6.18, the
 * lock is given back by an interrupt that the processor sends itself.  So
 * the last few are remembered for as long as nothing is mapped or unmapped.
 */
static __noinline void find_area(struct task_struct *task, struct thread *t,
				 struct area *a)
{
	struct pending *f;
	u32 seq, next;

	if (!t || !a)
		return;
	f = &t->fault;
	seq = mappings_seq(task->mm);
	if (seq && f->seq == seq && f->mm == (u64)task->mm) {
		for (u32 i = 0; i < PT_AREAS; i++) {
			if (f->addr - f->areas[i].start <
			    f->areas[i].end - f->areas[i].start) {
				*a = f->areas[i];
				return;
			}
		}
	} else {
		for (u32 i = 0; i < PT_AREAS; i++)
			f->areas[i].start = f->areas[i].end = 0;
		f->seq = seq;
		f->mm = (u64)task->mm;
	}
	bpf_find_vma(task, f->addr, note_area, a, 0);
	next = f->next++ & (PT_AREAS - 1);
	if (a->found)
		f->areas[next] = *a;
}

/*
 * A write to a private page of a file copies it, at once if it was not mapped
 * yet: the program sees a copy on write either way.  What was anonymous and
 * had to be read from a disk had been swapped out.
 */
static __always_inline u8 fault_kind(const struct area *a, u32 error, u8 major)
{
	bool write = error & PF_WRITE, present = error & PF_PRESENT;

	if (!a->found)		/* somebody held the lock of the mappings */
		return present && write ? PT_FAULT_COW : PT_FAULT_OTHER;
	if (a->anonymous) {
		if (present)
			return write ? PT_FAULT_COW : PT_FAULT_OTHER;
		return major == PT_YES && !(a->flags & VM_UFFD_MISSING) ?
		       PT_FAULT_SWAP : PT_FAULT_FIRST_TOUCH;
	}
	if (!a->file)
		return PT_FAULT_OTHER;	/* of a device, the vDSO */
	return write && !(a->flags & VM_MAYSHARE) ? PT_FAULT_COW :
						    PT_FAULT_FILE;
}

/* Could the kernel have used a page larger than the least? */
static __always_inline bool may_be_huge(const struct area *a, u64 addr)
{
	u64 huge = a->flags & VM_HUGEPAGE ? cfg.huge_advised : cfg.huge_always;
	u64 from = addr & ~(huge - 1);

	if (a->flags & VM_HUGETLB)
		return true;
	if (!huge || a->flags & VM_NOHUGEPAGE)
		return false;
	return from >= a->start && from + huge <= a->end;
}

/* 0: not known.  A read maps the page of zeros, or some of a file at once. */
static __always_inline u32 fault_bytes(const struct area *a, u64 addr,
				       u32 error, u8 kind)
{
	if (!a->found || kind == PT_FAULT_OTHER)
		return 0;
	if (kind != PT_FAULT_SWAP && !(error & PF_WRITE))
		return 0;
	return may_be_huge(a, addr) ? 0 : PAGE;
}

/* The fault that is noted with the thread, ended at `end` (0: unknown). */
static __always_inline void send_fault(struct task_struct *task,
				       struct thread *t, u64 end, u8 major)
{
	const struct pending *f = &t->fault;
	struct area a = { 0 };
	struct pt_fault *r;

	t->fault.pending = 0;
	if (major != PT_UNKNOWN)
		find_area(task, t, &a);
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r) {
		count_loss(PT_LOSS_RING_FULL);
		return;
	}
	fill_hdr(&r->h, PT_FAULT, sizeof(*r), task, f->proc, f->at);
	r->dur = end ? end - f->at : 0;
	r->stack = f->stack;
	r->ip = f->ip;
	r->addr = f->addr;
	r->kind = major == PT_UNKNOWN ? PT_FAULT_OTHER :
					fault_kind(&a, f->error, major);
	r->bytes = fault_bytes(&a, f->addr, f->error, r->kind);
	r->major = major;
	r->write = !!(f->error & PF_WRITE);
	r->kernel = f->kernel;
	r->in_gc = f->in_gc;
	r->why = f->why;
	__builtin_memset(r->pad, 0, sizeof(r->pad));
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	cost_here()->sent++;
}

/* A fault whose end nobody has seen, if there is one. */
static __noinline void flush_fault(struct task_struct *task, struct thread *t)
{
	if (!t || !t->fault.pending)
		return;
	if (task->maj_flt != t->fault.maj_flt)
		send_fault(task, t, 0, PT_YES);
	else if (task->min_flt != t->fault.min_flt)
		send_fault(task, t, 0, PT_NO);
	else
		send_fault(task, t, 0, PT_UNKNOWN);
}

/*
 * Where the thread is.  In the kernel nothing of its Python moves: the walk of
 * the system call's entry, or of the first fault in it, still holds.
 */
static __always_inline void fault_stack(struct task_struct *task,
					struct proc *p, struct thread *t,
					bool kernel)
{
	if (task->flags & (PF_IO_WORKER | PF_KTHREAD)) {
		/* its registers are a copy of another thread's */
		t->stack = PT_STACK_EMPTY;
		t->why = PT_WHY_NONE;
		t->interp = 0;
		return;
	}
	if (kernel && t->entry == PT_ENTRY_WALKED)
		return;
	t->stack = current_stack(p, t);
	if (kernel && t->entry == PT_ENTRY_KNOWN)
		t->entry = PT_ENTRY_WALKED;
}

static __always_inline void note_fault(struct task_struct *task,
				       struct thread *t, u64 addr, u32 error)
{
	struct pending *f = &t->fault;
	struct pt_regs *user = (struct pt_regs *)bpf_task_pt_regs(task);

	f->proc = t->proc;
	f->addr = addr;
	f->ip = task->flags & PF_KTHREAD ? 0 : user->ip;
	f->error = error;
	f->kernel = !(error & PF_USER);
	f->stack = t->stack;
	f->why = t->why;
	f->min_flt = task->min_flt;
	f->maj_flt = task->maj_flt;
	f->pending = 1;
}

/*
 * An execve that has taken its new memory, and is not done: the new program
 * does not run yet, what is touched is for the call of the old one.
 */
static __always_inline bool in_exec(struct task_struct *task,
				    const struct thread *t, bool kernel)
{
	return kernel && t && t->proc && t->mm != (u64)task->mm;
}

/* In the memory of a process that is known: its thread, or NULL. */
static __always_inline struct thread *fault_thread(struct task_struct *task,
						   struct thread *t,
						   struct proc *p, bool kernel)
{
	if (p->state == PT_PROC_UNKNOWN) {
		count_skipped(p);
		return NULL;
	}
	if (!t || t->proc != p->proc || !t->seen)
		t = thread_get(task, p);
	if (!t)
		return NULL;
	flush_fault(task, t);
	fault_stack(task, p, t, kernel);
	t->fault.in_gc = (u8)collector_runs(p, t);
	return t;
}

static __always_inline struct thread *exec_thread(struct task_struct *task,
						  struct thread *t)
{
	struct proc *old = proc_find(t->mm);

	if (!old)
		return NULL;
	if (old->state == PT_PROC_UNKNOWN) {
		count_skipped(old);
		return NULL;
	}
	flush_fault(task, t);
	if (t->entry != PT_ENTRY_WALKED) {
		t->stack = PT_STACK_UNKNOWN;
		t->why = PT_WHY_UNRECOGNISED;
	}
	t->fault.in_gc = PT_UNKNOWN;
	return t;
}

static __always_inline int fault_begins(u64 addr, u64 error)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool kernel = !(error & PF_USER);
	u64 now = bpf_ktime_get_ns();
	struct thread *t;
	struct proc *p;

	/*
	 * Not of the process; or by somebody (we ourselves, when we walk) who
	 * reads what may not be there, and is told so: nothing is faulted in.
	 */
	if ((s64)addr < 0 || task->pagefault_disabled)
		return OTHERS;
	t = bpf_task_storage_get(&threads, task, NULL, 0);
	if (in_exec(task, t, kernel)) {
		t = exec_thread(task, t);
	} else {
		p = proc_of(task, t);
		t = p ? fault_thread(task, t, p, kernel) : NULL;
	}
	if (!t)
		return OTHERS;
	t->fault.at = now;
	note_fault(task, t, addr, (u32)error);
	return 0;
}

/* Is this the fault that is noted? */
static __always_inline bool fault_is(const struct thread *t, u64 addr)
{
	return t && t->fault.pending &&
	       !((t->fault.addr ^ addr) & ~(u64)(PAGE - 1));
}

static __always_inline int fault_ends(u64 addr, u8 major)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);

	if (!t)
		return OTHERS;
	if (fault_is(t, addr))
		send_fault(task, t, bpf_ktime_get_ns(), major);
	return 0;
}

#endif /* PT_FAULT_BPF_H */
