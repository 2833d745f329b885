// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * reader: what /proc/PID/mem and maps would tell, for one who may load BPF
 * programs and may not look at the process of another user.
 *
 * Both are iterators of one task, which their link names.
 */
#include "kernel_types.h"
#include "reader_abi.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct path___reader {
	void *dentry;
};

struct file___reader {
	struct path___reader f_path;
	struct inode *f_inode;
};

struct mm_struct___reader {
	struct file___reader *exe_file;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	struct file___reader *vm_file;
};

struct bpf_iter__task___reader {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

struct bpf_iter__task_vma {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	struct vm_area_struct *vma;
};

#pragma clang attribute pop

/* include/linux/mm.h: what maps shows as s */
#define VM_MAYSHARE 0x80

static __always_inline void say_who(struct seq_file *seq,
				    struct task_struct *task)
{
	struct mm_struct___reader *mm = (void *)task->mm;
	struct pt_reader_reply r = { 0 };
	struct inode *inode;

	r.start = task->group_leader->start_boottime;
	r.exec_id = task->self_exec_id;
	inode = BPF_CORE_READ(mm, exe_file, f_inode);
	if (inode) {
		r.exe_ino = BPF_CORE_READ(inode, i_ino);
		r.exe_dev = BPF_CORE_READ(inode, i_sb, s_dev);
	}
	bpf_seq_write(seq, &r, sizeof(r));
}

SEC("iter.s/task")
int read_memory(struct bpf_iter__task___reader *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	struct pt_reader_request q;
	struct pt_regs *regs;
	u8 piece[PT_READER_PIECE];

	if (!task || !task->mm)
		return 0;
	/* ours: read(fd, buffer, count), x86-64 */
	regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	if (bpf_copy_from_user(&q, sizeof(q), (void *)BPF_CORE_READ(regs, si)) ||
	    q.magic != PT_READER_MAGIC)
		return 0;
	say_who(seq, task);
	for (u32 i = 0; i < PT_READER_PIECES && q.len; i++) {
		u32 n = q.len < sizeof(piece) ? (u32)q.len : sizeof(piece);

		if (n > sizeof(piece))
			break;
		if (bpf_copy_from_user_task(piece, n, (void *)q.addr, task, 0))
			break;
		bpf_seq_write(seq, piece, n);
		q.addr += n;
		q.len -= n;
	}
	return 0;
}

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u8[PT_READER_PATH]);
} paths SEC(".maps");

SEC("iter/task_vma")
int read_maps(struct bpf_iter__task_vma *ctx)
{
	static const u64 zero;
	struct vm_area_struct *vma = ctx->vma;
	struct pt_reader_vma r = { 0 };
	struct file___reader *file;
	long n = 0, padded;
	u32 key = 0;
	u8 *path;

	path = bpf_map_lookup_elem(&paths, &key);
	if (!ctx->task || !vma || !path)
		return 0;
	r.start = vma->vm_start;
	r.end = vma->vm_end;
	r.flags = (u32)vma->vm_flags & 7;
	if (vma->vm_flags & VM_MAYSHARE)
		r.flags |= PT_READER_SHARED;
	file = vma->vm_file;
	if (file) {
		r.offset = vma->vm_pgoff << 12;
		r.ino = file->f_inode->i_ino;
		r.dev = file->f_inode->i_sb->s_dev;
		n = bpf_d_path((struct path *)&file->f_path, (char *)path,
			       PT_READER_PATH);
	}
	if (n < 0 || n > PT_READER_PATH)
		n = 0;
	r.path_len = (u32)n;
	bpf_seq_write(ctx->meta->seq, &r, sizeof(r));
	if (n > 0 && n <= PT_READER_PATH)
		bpf_seq_write(ctx->meta->seq, path, (u32)n);
	padded = -n & 7;
	if (padded > 0 && padded < 8)
		bpf_seq_write(ctx->meta->seq, &zero, (u32)padded);
	return 0;
}
