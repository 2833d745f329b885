/* SPDX-License-Identifier: MIT */
/* switches: what is attached for time off the CPU, and for interrupts. */
#include "live/attach.h"
#include "live/tracer_priv.h"
#include "pytrace.skel.h"

/*
 * Interrupts that a tracepoint tells of.  Those without a program of their own
 * share one; only the first pair is there on other machines than x86.
 */
static const struct interrupt {
	const char *begin, *end;
	bool optional;
} interrupts[] = {
	{ "irq_handler_entry", "irq_handler_exit", false },
	{ "irq_work_entry", "irq_work_exit", true },
	{ "call_function_entry", "call_function_exit", true },
	{ "call_function_single_entry", "call_function_single_exit", true },
};

/* The end before the begin: an interrupt whose end goes unseen never ends. */
static int attach_interrupts(struct tracer *t, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(interrupts); i++) {
		const struct interrupt *in = &interrupts[i];
		struct bpf_link *link;
		int rc;

		rc = attach_raw_tracepoint(&link,
					   t->skel->progs.on_interrupt_end,
					   in->end, err);
		if (!rc)
			rc = tracer_keep_link(t, link, err);
		if (!rc)
			rc = attach_raw_tracepoint(&link,
						   t->skel->progs.on_interrupt,
						   in->begin, err);
		if (!rc)
			rc = tracer_keep_link(t, link, err);
		if (rc && !in->optional)
			return rc;
	}
	return 0;
}

/* In the order in which they are attached. */
#define NR_TIMERS 4
#define NR_SWITCHES 3

static void timers(const struct pytrace_bpf *skel,
		   struct bpf_program *out[NR_TIMERS])
{
	struct bpf_program *const all[NR_TIMERS] = {
		skel->progs.on_softirq_end, skel->progs.on_softirq,
		skel->progs.on_timer_end, skel->progs.on_timer,
	};

	memcpy(out, all, sizeof(all));
}

static void switches(const struct pytrace_bpf *skel,
		     struct bpf_program *out[NR_SWITCHES])
{
	struct bpf_program *const all[NR_SWITCHES] = {
		skel->progs.on_wakeup, skel->progs.on_waking,
		skel->progs.on_switch,
	};

	memcpy(out, all, sizeof(all));
}

void switches_leave_out(struct tracer *t)
{
	struct bpf_program *progs[NR_SWITCHES];

	switches(t->skel, progs);
	for (size_t i = 0; i < NR_SWITCHES; i++)
		bpf_program__set_autoload(progs[i], false);
}

void interrupts_leave_out(struct tracer *t)
{
	struct bpf_program *progs[NR_TIMERS];

	timers(t->skel, progs);
	for (size_t i = 0; i < NR_TIMERS; i++)
		bpf_program__set_autoload(progs[i], false);
	bpf_program__set_autoload(t->skel->progs.on_interrupt, false);
	bpf_program__set_autoload(t->skel->progs.on_interrupt_end, false);
}

static int attach_each(struct tracer *t, struct bpf_program *const *progs,
		       size_t nr, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++) {
		struct bpf_link *link;

		rc = attach_tracepoint(&link, progs[i], err);
		if (!rc)
			rc = tracer_keep_link(t, link, err);
	}
	return rc;
}

int interrupts_attach(struct tracer *t, struct err *err)
{
	struct bpf_program *progs[NR_TIMERS];
	int rc = attach_interrupts(t, err);

	timers(t->skel, progs);
	return rc ? rc : attach_each(t, progs, NR_TIMERS, err);
}

int switches_attach(struct tracer *t, struct err *err)
{
	struct bpf_program *progs[NR_SWITCHES];

	switches(t->skel, progs);
	return attach_each(t, progs, NR_SWITCHES, err);
}
