/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * state: what the kernel half knows between two events, all of it in maps.
 *
 *	targets   process id -> what user space says of it
 *	procs     address space -> the process, once it was met
 *	threads   task -> the call it is in, and the stack it made it with
 *	images    number -> an interpreter's file: layout and symbols
 *	exes      (device, inode) -> the image that such an executable will run
 *
 * The key of procs is task->mm and not the process id: a vfork child resolves
 * to its parent's frames, and what an exec replaced can never be mistaken for
 * what it brought.
 */
#ifndef PT_STATE_BPF_H
#define PT_STATE_BPF_H

#include "kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "pytrace_control.h"

/* Set before the programs are loaded. */
const volatile struct pt_config cfg = { 0 };

/* Are records of this type sent?  What is not is not even loaded. */
#define WANTED(type) (cfg.events & (1U << (type)))

/* What may change while they run. */
struct pt_switches sw = { 0 };

struct proc {
	u64 mm;
	u64 bias;
	u64 gen;		/* raised when a code object that was sent dies */
	u64 shim;		/* its code object of no function, once met */
	u64 start;		/* when the process began: pids are reused */
	u64 skipped;		/* calls while it was not recognised */
	u64 skipped_ns;		/* the first of them */
	u32 proc;		/* serial number, from 1 */
	u32 pid;		/* tgid in the first namespace */
	u32 image;
	u32 state;		/* enum pt_proc_state */
	u32 key;		/* pthread key of the thread state, plus 1 */
	u32 exec_id;
	u32 held;		/* not the command yet: nothing to count */
	u32 mapped;		/* has an interpreter mapped; may map another */
};

/* What is known of the stack of a thread that is in the kernel. */
enum pt_entry {
	PT_ENTRY_UNSEEN,	/* it is not, or came by another way */
	PT_ENTRY_KNOWN,		/* it made a call; not walked yet */
	PT_ENTRY_WALKED,	/* and its stack is thread.stack */
};

/* What is known of the mapping that an address is in. */
struct area {
	u64 start, end;
	u64 flags;
	u8 found;
	u8 anonymous;
	u8 file;
	u8 pad[5];
};

#define PT_OUTERMOST	16	/* remembered of each thread, a power of two */
#define PT_AREAS	4	/* remembered of each thread, a power of two */

/* A page fault that is being handled. */
struct pending {
	u64 at;			/* since when */
	u64 addr;
	u64 ip;
	u64 stack;
	u64 min_flt, maj_flt;	/* the thread's counters then */
	u32 proc;
	u32 error;		/* the processor's error code */
	u8 pending;		/* 0: there is none */
	u8 kernel;
	u8 in_gc;
	u8 why;
	u8 pad[4];
	u32 seq;		/* of the memory, when the areas were looked up */
	u32 next;		/* the area to forget */
	u64 mm;			/* theirs */
	struct area areas[PT_AREAS];
};

/* Who made a thread runnable: the last one before it ran. */
struct waker {
	u64 at;
	u64 stack;
	u32 pid, tid, proc;
	u8 kind;		/* enum pt_waker */
	u8 why;			/* enum pt_why, if the stack is unknown */
	u8 pad[2];
};

/*
 * A thread that is not on a CPU: see sched.bpf.h.  Where it was is in struct
 * thread, as for a call: it can make no other before it runs again.
 */
struct off {
	u64 since;		/* 0: it is on one */
	u64 woken;		/* in the run queue since then; 0: blocked */
	struct waker waker;
	u8 reason;		/* enum pt_off_reason */
	u8 state;		/* enum pt_off_state */
	u8 iowait;
	u8 in_gc;		/* enum pt_tristate */
	u32 kernel;		/* of a PT_KSTACK; 0: not asked for, or lost */
};

struct thread {
	u64 mm;			/* kept: task->mm is NULL when it exits */
	/* Copies: each map that an event looks into costs it a page that the
	 * processor has to translate, and mostly anew at each system call. */
	u64 of_version;		/* of procs, when `of` was copied */
	struct proc of;		/* its process */
	u32 image_nr;		/* of the image that was copied, plus 1 */
	u32 pad_image;
	struct pt_image image;	/* that its process runs; these never change */
	u64 defined;		/* the last of its stacks that was sent */
	u64 tstate;		/* in the slot when it was last looked at */
	u64 interp;		/* of the thread state of the last walk; 0: none */
	u64 enter_ns;
	u64 stack;
	u64 ip;
	u64 low;		/* where its last walk ended: see load_frames() */
	u64 args[6];
	struct pt_socket socket;
	u32 proc;
	u32 nr;
	u8 abi;
	u8 why;
	u8 in_syscall;
	u8 seen;		/* a PT_THREAD was sent */
	u8 socket_arg;		/* index of the argument plus 1; 0: none */
	u8 has_tail;		/* something may follow its record */
	u8 refused;		/* its process was, when the call began */
	u8 entry;		/* enum pt_entry */
	u8 known;		/* what it does is sent */
	u8 unmet;		/* made for it before it came by itself */
	u8 exits;		/* PT_EXIT was sent: the kernel is winding it up */
	u8 pad[5];
	u32 calls_epoch;	/* sw.calls when its stack was sent; 0: it is to be */
	u32 calls_lost;		/* calls and returns that could not be, since */
	u64 call_frame;		/* of its last PT_CALL, if that has not returned
				 * and is no generator's; 0: none */
	u64 call_filtered;	/* likewise of its last call, left out by -F */
	/* of its last event of calls, if that was a call: synth.bpf.h */
	u64 entered;		/* the frame; 0: it was not */
	u64 entered_back;	/* what called it */
	u64 outer[PT_OUTERMOST];	/* frames that nothing called, of greenlets */
	u32 too_deep;		/* calls that went beyond the recursion limit */
	u32 tracked;		/* what each frame calls is noted: callees.bpf.h */
	u8 look[512];		/* what calls.bpf.h looks at: half of it at once */
	struct pending fault;
	struct off off;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PT_MAX_PROCS);
	__type(key, u32);
	__type(value, struct pt_target);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PT_MAX_PROCS);
	__type(key, u64);
	__type(value, struct proc);
} procs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PT_MAX_IMAGES);
	__type(key, u32);
	__type(value, struct pt_image);
} images SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PT_MAX_IMAGES);
	__type(key, struct pt_exe);
	__type(value, u32);
} exes SEC(".maps");

/* 1: all places of that file are in (struct pt_place) */
pt_u8 placed[PT_MAX_PLACED] = { 0 };

/* One serial number for address spaces; only ever added to. */
pt_u32 last_proc = 0;

/* Raised after each change of a process in procs: copies are out of date. */
pt_u64 procs_version = 0;
#define NO_VERSION	(~0ULL)

/* When PT_BEGIN was sent; 0: not yet. */
pt_u64 begun_ns = 0;

static __always_inline u64 mix(u64 h, u64 v)
{
	h = (h ^ v) * 0xff51afd7ed558ccdULL;	/* MurmurHash3's finaliser */
	return h ^ (h >> 32);
}

/*
 * Pointers of the kernel's structs are read with BPF_CORE_READ() where an event
 * can wait for it: for each load of one through a typed pointer that it meets
 * the verifier searches the kernel's type information by name, which takes
 * half a millisecond (btf_nested_type_is_trusted(), Linux 6.2 and later).
 */

/*
 * The number of a pid in the namespace of the reader; 0 if it has none there.
 * Other namespaces are as deep, and have numbers of their own.
 */
__noinline u32 pid_nr(u64 pid)
{
	struct pid *from = (void *)pid;
	u32 level = sw.pidns_level;
	struct upid *at;

	if (level > BPF_CORE_READ(from, level) || level > 32)
		return 0;
	at = (void *)from + bpf_core_field_offset(from->numbers) +
	     level * bpf_core_type_size(struct upid);
	if ((u64)BPF_CORE_READ(at, ns) != sw.pidns)
		return 0;
	return (u32)BPF_CORE_READ(at, nr);
}

/* The process id as the reader of the trace counts it, of a task anywhere. */
static __always_inline u32 tgid_at(struct task_struct *task)
{
	if (!sw.pidns_level)
		return BPF_CORE_READ(task, tgid);
	return pid_nr((u64)BPF_CORE_READ(task, group_leader, thread_pid));
}

/* The same of one that the verifier knows. */
static __always_inline u32 task_tgid(struct task_struct *task)
{
	return sw.pidns_level ? tgid_at(task) : task->tgid;
}

static __always_inline u32 task_tid(struct task_struct *task)
{
	if (!sw.pidns_level)
		return task->pid;
	return pid_nr((u64)BPF_CORE_READ(task, thread_pid));
}

/* When its process began: tells reused ids apart. */
static __always_inline u64 start_of(struct task_struct *task)
{
	return BPF_CORE_READ(task, group_leader, start_boottime);
}

#endif /* PT_STATE_BPF_H */
