/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* emit: records into the ring; what does not fit is counted by reason. */
#ifndef PT_EMIT_BPF_H
#define PT_EMIT_BPF_H

#include "state.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);	/* user space sets its size */
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, PT_NR_LOSSES);
	__type(key, u32);
	__type(value, struct pt_loss_count);
} losses SEC(".maps");

/*
 * What each CPU has sent and spent.  No map of its own: here it lies in the
 * page of the switches, which each event has looked at already.
 */
struct pt_cost costs[PT_MAX_CPUS] = { 0 };

static __noinline void count_loss(u32 reason)
{
	struct pt_loss_count *l = bpf_map_lookup_elem(&losses, &reason);

	if (!l)
		return;
	l->last = bpf_ktime_get_ns();
	if (!l->count)
		l->first = l->last;
	l->count++;
	l->tid = (u32)bpf_get_current_pid_tgid();
}

/* For whom a program ran. */
enum { OURS, OTHERS };

static __always_inline struct pt_cost *cost_here(void)
{
	return &costs[bpf_get_smp_processor_id() & (PT_MAX_CPUS - 1)];
}

static __always_inline void fill_hdr(struct pt_hdr *h, u16 type, u32 size,
				     struct task_struct *task, u32 proc, u64 now)
{
	h->size = size;
	h->type = type;
	h->cpu = (u16)bpf_get_smp_processor_id();
	h->t = now;
	h->pid = task_tgid(task);
	h->tid = task_tid(task);
	h->proc = proc;
	h->flags = 0;
}

/*
 * Nobody is woken: a wake-up costs four times the record.  User space looks
 * at the ring on a timer.
 */
static __always_inline long emit(void *record, u64 size)
{
	long rc = bpf_ringbuf_output(&ring, record, size, BPF_RB_NO_WAKEUP);

	if (rc)
		count_loss(PT_LOSS_RING_FULL);
	return rc;
}

#endif /* PT_EMIT_BPF_H */
