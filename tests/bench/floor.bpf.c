// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * floor: the least that a record of a system call costs, to measure ours by.
 *
 * One 64-byte record for entry and exit, paired through a hash map keyed by
 * the thread, without a stack and without waking anybody.  Inert unless
 * floor_pid is the process that makes the call.
 */
#include "kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* Written by the benchmark while the programs are attached; 0: off. */
pt_u32 floor_pid = 0;
pt_u64 floor_lost = 0;

struct entry {
	u64 t;
	u64 nr;
	u64 arg;
};

struct floor_record {
	u64 t;
	u64 dur;
	u32 pid, tid;
	u64 nr;
	u64 ret;
	u64 arg;
	u64 pad[2];
};
_Static_assert(sizeof(struct floor_record) == 64, "the floor's record");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 10240);
	__type(key, u32);
	__type(value, struct entry);
} entries SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} floor_ring SEC(".maps");

SEC("tp_btf/sys_enter")
int BPF_PROG(floor_enter, struct pt_regs *regs, long id)
{
	struct entry e = { 0 };
	u64 who;
	u32 tid;

	if (!floor_pid)
		return 0;
	who = bpf_get_current_pid_tgid();
	if (who >> 32 != floor_pid)
		return 0;
	tid = (u32)who;
	e.t = bpf_ktime_get_ns();
	e.nr = (u64)id;
	e.arg = regs->di;
	bpf_map_update_elem(&entries, &tid, &e, BPF_ANY);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(floor_exit, struct pt_regs *regs, long ret)
{
	struct floor_record *r;
	struct entry *e;
	u64 who;
	u32 tid;

	if (!floor_pid)
		return 0;
	who = bpf_get_current_pid_tgid();
	if (who >> 32 != floor_pid)
		return 0;
	tid = (u32)who;
	e = bpf_map_lookup_elem(&entries, &tid);
	if (!e)
		return 0;
	r = bpf_ringbuf_reserve(&floor_ring, sizeof(*r), 0);
	if (!r) {
		__sync_fetch_and_add(&floor_lost, 1);
		return 0;
	}
	r->t = e->t;
	r->dur = bpf_ktime_get_ns() - e->t;
	r->pid = (u32)(who >> 32);
	r->tid = tid;
	r->nr = e->nr;
	r->ret = (u64)ret;
	r->arg = e->arg;
	r->pad[0] = r->pad[1] = 0;
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	bpf_map_delete_elem(&entries, &tid);
	return 0;
}
