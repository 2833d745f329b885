/* SPDX-License-Identifier: MIT */
/* losses: what the kernel half counted, as records and sums. */
#include <errno.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "live/tracer_priv.h"
#include "pytrace.skel.h"

struct teller {
	int (*put)(const struct pt_hdr *record, void *arg);
	void *arg;
};

static int tell(const struct teller *to, uint32_t reason, int cpu, uint32_t tid,
		uint64_t first, uint64_t last, uint64_t count)
{
	struct pt_lost r = {
		.h = {
			.size = sizeof(r),
			.type = PT_LOST,
			.cpu = (uint16_t)cpu,
			.t = first,
			.tid = tid,
		},
		.until = last,
		.count = count,
		.reason = reason,
	};

	return to->put(&r.h, to->arg);
}

static int tell_reason(struct tracer *t, uint32_t reason, const struct teller *to)
{
	int fd = bpf_map__fd(t->skel->maps.losses), rc;

	if (bpf_map_lookup_elem(fd, &reason, t->loss_rows))
		return -errno;
	for (int cpu = 0; cpu < t->nr_cpus; cpu++) {
		const struct pt_loss_count *row = &t->loss_rows[cpu];
		uint64_t *told = &t->loss_told[reason * (uint32_t)t->nr_cpus +
					       (uint32_t)cpu];

		if (row->count == *told)
			continue;
		rc = tell(to, reason, cpu, row->tid, row->first, row->last,
			  row->count - *told);
		if (rc)
			return rc;
		*told = row->count;
	}
	return 0;
}

/* Runs that the kernel skipped: a program was already running on that CPU. */
static uint64_t recursion_misses(const struct tracer *t)
{
	struct bpf_program *prog;
	uint64_t sum = 0;

	bpf_object__for_each_program(prog, t->skel->obj) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);

		/* nested in itself it would be a read of our own walk */
		if (prog == t->skel->progs.on_fault)
			continue;
		if (!bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
			sum += info.recursion_misses;
	}
	return sum;
}

int tracer_losses(struct tracer *t,
		  int (*put)(const struct pt_hdr *record, void *arg), void *arg)
{
	const struct teller to = { put, arg };
	uint64_t misses = recursion_misses(t), now;
	int rc;

	for (uint32_t reason = 1; reason < PT_NR_LOSSES; reason++) {
		rc = tell_reason(t, reason, &to);
		if (rc)
			return rc;
	}
	if (misses == t->misses_told)
		return 0;
	now = now_ns();
	rc = tell(&to, PT_LOSS_RECURSION, 0, 0, now, now, misses - t->misses_told);
	t->misses_told = misses;
	return rc;
}

void tracer_cost(const struct tracer *t, struct pt_cost *out)
{
	memset(out, 0, sizeof(*out));
	for (int cpu = 0; cpu < PT_MAX_CPUS; cpu++) {
		const volatile struct pt_cost *here = &t->skel->bss->costs[cpu];

		out->ticks += here->ticks;
		out->runs += here->runs;
		out->others_timed += here->others_timed;
		out->others_ns += here->others_ns;
		out->timed += here->timed;
		out->timed_ns += here->timed_ns;
		out->sent += here->sent;
		out->filtered += here->filtered;
		out->probes += here->probes;
	}
}

uint64_t tracer_cost_ns(const struct tracer *t, const struct pt_cost *c)
{
	if (!c->timed)
		return 0;
	return (uint64_t)((double)c->timed_ns / (double)c->timed *
			  (double)c->runs) + c->probes * t->probe_ns;
}

uint64_t tracer_probe_ns(const struct tracer *t)
{
	return t->probe_ns;
}

uint64_t tracer_cost_of_others(const struct pt_cost *c)
{
	uint64_t runs = c->ticks > c->runs ? c->ticks - c->runs : 0;

	if (!c->others_timed)
		return 0;
	return (uint64_t)((double)c->others_ns / (double)c->others_timed *
			  (double)runs);
}
