/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * tracepoint: any tracepoint of the kernel is a record of its raw bytes.
 *
 * What they mean user space knows (pt_named); here they are cut at a bound and
 * copied.  The event is charged to `current`, as perf does: in an interrupt
 * that is a bystander, and the record says so.
 */
#ifndef PT_TRACEPOINT_BPF_H
#define PT_TRACEPOINT_BPF_H

#include "sched.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PT_MAX_NAMED + 1);
	__type(key, u32);
	__type(value, struct pt_shape);
} shapes SEC(".maps");

static __always_inline bool in_interrupt(void)
{
	const struct interrupts *i = interrupts_here();

	return i && (i->timer || i->hard || i->soft);
}

/* Bytes of all of it: the end of the field that ends last. */
static __always_inline u32 whole_size(const struct pt_shape *s, u64 from)
{
	u32 size = s->size, word, end;

	for (u32 i = 0; i < PT_MAX_DYN; i++) {
		if (i >= s->nr_dyn)
			break;
		if (bpf_probe_read_kernel(&word, sizeof(word),
					  (void *)(from + s->dyn[i])))
			continue;
		end = (word & 0xffff) + (word >> 16);
		if (s->relative & (1U << i))
			end += s->dyn[i] + sizeof(word);
		if (end > size)
			size = end;
	}
	return size;
}

/*
 * A record with room for `room` bytes, of which `nr` are filled; it is as long
 * as these are.  Not by way of a buffer: tracepoints nest.  The first word of
 * what is no argument is the kernel's own: where registers are, while programs
 * run (perf_trace_run_bpf_submit()).
 */
#define TRACEPOINT_RECORD(room)						\
static __noinline int send_tracepoint_##room(				\
	const struct pt_tracepoint *head, u64 from, u32 nr, u32 is_args) \
{									\
	struct record {							\
		struct pt_tracepoint head;				\
		u64 data[(room) / 8];					\
	} *r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);		\
	u32 last = (nr - 1) / 8;					\
									\
	if (!r)								\
		return -1;						\
	if (last < (room) / 8)						\
		r->data[last] = 0;	/* the padding */		\
	if (nr > (room))						\
		nr = (room);						\
	r->head = *head;						\
	r->head.nr = (u16)nr;						\
	r->head.h.size = sizeof(r->head) + ((nr + 7) & ~7U);		\
	if (bpf_probe_read_kernel(r->data, nr, (void *)from)) {		\
		r->head.nr = 0;						\
		r->head.h.size = sizeof(r->head);			\
	}								\
	if (!is_args)							\
		r->data[0] = 0;						\
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);			\
	return 0;							\
}

TRACEPOINT_RECORD(64)
TRACEPOINT_RECORD(256)
TRACEPOINT_RECORD(PT_MAX_DATA)

static __always_inline int send_tracepoint(struct pt_tracepoint *head, u64 from,
					   u32 size, u32 is_args)
{
	u32 nr = size;

	if (nr > PT_MAX_DATA) {
		nr = PT_MAX_DATA;
		head->total = size;
	}
	if (nr <= 64)
		return send_tracepoint_64(head, from, nr, is_args);
	if (nr <= 256)
		return send_tracepoint_256(head, from, nr, is_args);
	return send_tracepoint_PT_MAX_DATA(head, from, nr, is_args);
}

static __always_inline int tracepoint_hit(u64 from, u32 event)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct pt_shape *s = bpf_map_lookup_elem(&shapes, &event);
	struct pt_tracepoint r = { 0 };
	struct pt_regs *regs;

	if (!s || !t || (!t->known && !t->exits))
		return 0;
	fill_hdr(&r.h, PT_TRACEPOINT, sizeof(r), task, t->proc,
		 bpf_ktime_get_ns());
	r.event = event;
	r.interrupt = in_interrupt();
	regs = (void *)bpf_task_pt_regs(task);
	r.ip = regs->ip;
	r.stack = stack_here(task, t, &r.why);
	if (send_tracepoint(&r, from, whole_size(s, from), s->is_args)) {
		count_loss(PT_LOSS_RING_FULL);
		return 0;
	}
	cost_here()->sent++;
	return 0;
}

#endif /* PT_TRACEPOINT_BPF_H */
