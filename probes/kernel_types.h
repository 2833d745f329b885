/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * kernel_types: the kernel structs that are read, cut to the fields used.
 *
 * CO-RE finds the real offsets of the running kernel at load time, so that no
 * vmlinux.h of one kernel is needed to build.
 */
#ifndef PT_KERNEL_TYPES_H
#define PT_KERNEL_TYPES_H

#include "pytrace_abi.h"

typedef pt_u8 u8;
typedef pt_u16 u16;
typedef pt_u32 u32;
typedef pt_u64 u64;
typedef pt_s32 s32;
typedef pt_s64 s64;
/* The names that bpf_helpers.h expects to find. */
typedef pt_u8 __u8;
typedef pt_u16 __u16;
typedef pt_u32 __u32;
typedef pt_u64 __u64;
typedef pt_s32 __s32;
typedef pt_s64 __s64;
typedef pt_u16 __be16;
typedef pt_u32 __be32;
typedef pt_u32 __wsum;

typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

enum {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_STACK_TRACE = 7,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum { BPF_F_NO_PREALLOC = 1 };
enum { BPF_ANY = 0, BPF_NOEXIST = 1 };
enum { BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };
enum { BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	unsigned int status;		/* x86: TS_COMPAT */
};

struct thread_struct {
	unsigned long fsbase;		/* x86 */
};

struct super_block {
	u32 s_dev;
};

struct inode {
	u16 i_mode;
	unsigned long i_ino;
	struct super_block *i_sb;
};

struct file {
	struct inode *f_inode;
	void *private_data;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

typedef struct {
	int counter;
} atomic_t;

struct pid_namespace;

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];		/* really level + 1 of them */
};

struct signal_struct {
	atomic_t live;
	struct pid *pids[4];
};

/* Counts the changes of the mappings: from 6.4 an int, from 6.14 a struct. */
struct seqcount {
	unsigned int sequence;
};

struct mm_struct___counted {
	struct seqcount mm_lock_seq;
};

struct mm_struct___int {
	int mm_lock_seq;
};

struct mm_struct;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int on_cpu;
	int exit_state;
	unsigned int in_iowait : 1;
	struct mm_struct *mm;
	int pagefault_disabled;
	unsigned long min_flt;
	unsigned long maj_flt;
	unsigned long nvcsw;
	unsigned long nivcsw;
	int pid;
	int tgid;
	int exit_code;
	u64 start_boottime;
	u32 self_exec_id;
	char comm[16];
	struct pid *thread_pid;
	struct signal_struct *signal;
	struct files_struct *files;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct thread_struct thread;
};

struct linux_binprm {
	struct file *file;
	const char *filename;
};

struct in6_addr {
	u8 bytes[16];
};

struct sock_common {
	u16 skc_family;
	u16 skc_dport;			/* network order */
	u32 skc_daddr;
	struct in6_addr skc_v6_daddr;
};

struct sock {
	struct sock_common __sk_common;
	u16 sk_type;
	u16 sk_protocol;
};

struct socket {
	struct sock *sk;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx;
	unsigned long r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};

#pragma clang attribute pop

/* The context of a raw_tp program: include/uapi/linux/bpf.h */
struct bpf_raw_tracepoint_args {
	u64 args[0];
};

/* The context of a perf_event program: include/uapi/linux/bpf_perf_event.h */
struct bpf_perf_event_data {
	struct {
		unsigned long words[21];	/* struct pt_regs */
	} regs;
	u64 sample_period;
	u64 addr;
};
enum { REGS_IP = 16, REGS_CS = 17 };	/* of these words, on x86 */

#endif /* PT_KERNEL_TYPES_H */
