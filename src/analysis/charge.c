/* SPDX-License-Identifier: MIT */
/* charge: the time, count and bytes of calls, faults and samples to cells. */
#include "analysis/analysis_priv.h"

#include "event/record.h"
#include "stack/cause.h"

void charge_time(struct analysis *a, const struct clock *c,
		 struct cell_key key, uint64_t ns)
{
	key.thread = c->thread;
	ledger_event(&a->ledger, ledger_cell(&a->ledger, &key), ns);
}

uint32_t charge_stack(struct analysis *a, const struct moment *m)
{
	return ledger_stack(&a->ledger, record_event(m->rec)->stack, &m->stack);
}

uint32_t charge_kstack(struct analysis *a, const struct moment *m)
{
	return a->kernel ? ledger_kernel(&a->ledger, m->kernel) : 0;
}

/* ---- idle ----------------------------------------------------------------- */

static bool is_idle_stack(struct analysis *a, uint32_t stack,
			  const struct pystack *st)
{
	uint32_t cap = a->idle_cap ? a->idle_cap : 256;
	uint8_t *more;

	if (!stack)
		return idle_matches(a->idle, st);
	while (cap <= stack)
		cap *= 2;
	if (cap > a->idle_cap) {
		more = realloc(a->idle_stack, cap);
		if (!more) {
			a->failed = true;
			return false;
		}
		memset(more + a->idle_cap, 0, cap - a->idle_cap);
		a->idle_stack = more;
		a->idle_cap = cap;
	}
	if (!a->idle_stack[stack])
		a->idle_stack[stack] = idle_matches(a->idle, st) ? 2 : 1;
	return a->idle_stack[stack] == 2;
}

/*
 * A thread that has been blocked since before the trace, its stack unknown, in
 * a call in which threads wait for work: nobody can say whether it did.
 */
enum cell_state charge_state(struct analysis *a, const struct moment *m,
			     const struct spent_wait *w, uint32_t stack,
			     bool before)
{
	if (!spent_may_be_idle(w))
		return TIME_BUSY;
	if (m->stack.known && is_idle_stack(a, stack, &m->stack))
		return TIME_IDLE;
	return !m->stack.known && before ? TIME_UNSEEN : TIME_BUSY;
}

/* ---- calls, faults, samples ----------------------------------------------- */

static bool moves_bytes(const char *name)
{
	static const char *const names[] = {
		"read", "write", "pread64", "pwrite64", "readv", "writev",
		"preadv", "pwritev", "preadv2", "pwritev2", "recvfrom",
		"sendto", "recvmsg", "sendmsg", "recv", "send", "sendfile",
		"sendfile64", "splice", "tee", "vmsplice", "copy_file_range",
		"getrandom", "getdents", "getdents64",
	};

	for (size_t i = 0; name && i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* What is counted of time on the CPU is samples: settle.c. */
static void charge_kernel(struct analysis *a, struct clock *c, uint32_t stack,
			  uint16_t call, uint64_t ns)
{
	const struct cell_key key = {
		.kind = CELL_TIME, .cause = SPENT_CPU_KERNEL, .stack = stack,
		.call = call, .thread = c->thread,
	};

	if (ns)
		ledger_add(&a->ledger, ledger_cell(&a->ledger, &key), 0, ns);
}

/* What a call may have waited for; false: a wait for the GIL. */
static bool describe_call(struct analysis *a, const struct moment *m,
			  struct spent_wait *w)
{
	const struct pt_syscall *sys = (const void *)m->rec;

	*w = (struct spent_wait){
		.call = spent_call(sys->abi, sys->nr),
		.args = { sys->args[0], sys->args[1] },
		.socket = record_arg(sys, 0, PT_ARG_SOCKET),
		.file = files_path(&a->files, sys->h.pid,
				   (int32_t)sys->args[0]),
	};
	return !cause_is_gil(m->process, sys->abi, sys->nr, sys->args[0]);
}

/* Without events of time off the CPU, the call stands for it. */
static void charge_whole_call(struct analysis *a, const struct moment *m,
			      struct clock *c, uint32_t stack)
{
	const struct pt_syscall *sys = (const void *)m->rec;
	const struct pt_arg *arg = record_arg(sys, 0, PT_ARG_SOCKET);
	struct cell_key key = { .kind = CELL_TIME, .stack = stack };
	struct pt_socket socket;
	struct spent_wait w;
	uint64_t t = sys->h.t, ns = clock_off(c, &t, sys->dur);

	if (arg && arg->len >= sizeof(socket)) {
		memcpy(&socket, record_arg_bytes(arg), sizeof(socket));
		key.object = ledger_socket(&a->ledger, &socket);
	}
	key.cause = SPENT_GIL;
	if (describe_call(a, m, &w)) {
		key.cause = (uint8_t)spent_of_call(&w);
		key.state = (uint8_t)charge_state(a, m, &w, stack, false);
	}
	key.call = w.call;
	if (ns)
		charge_time(a, c, key, ns);
}

/*
 * Calls in which a thread waits for work are counted apart, as their time is.
 * What one that was entered before the trace took is not known.
 */
static void count_call(struct analysis *a, const struct moment *m,
		       const struct clock *c, uint32_t stack)
{
	const struct pt_syscall *sys = (const void *)m->rec;
	bool failed = sys->state != PT_SYS_NO_RETURN && sys->ret < 0 &&
		      sys->ret >= -4095;
	struct cell_key key = {
		.kind = CELL_CALLS, .thread = c->thread, .stack = stack,
	};
	struct spent_wait w;
	uint32_t cell;

	if (describe_call(a, m, &w) &&
	    charge_state(a, m, &w, stack, false) == TIME_IDLE)
		key.state = TIME_IDLE;
	key.call = w.call;
	if (failed)
		key.object = ledger_number(&a->ledger, OBJECT_ERRNO,
					   (uint32_t)-sys->ret);
	cell = ledger_cell(&a->ledger, &key);
	if (sys->state == PT_SYS_DONE)
		ledger_event(&a->ledger, cell, sys->dur);
	else
		ledger_add(&a->ledger, cell, 1, sys->dur);
	if (!cell)
		return;
	a->ledger.sums[cell].errors += failed;
	if (sys->ret > 0 && moves_bytes(spent_call_name(key.call)))
		a->ledger.sums[cell].bytes += (uint64_t)sys->ret;
}

static void charge_syscall(struct analysis *a, const struct moment *m)
{
	const struct pt_syscall *sys = (const void *)m->rec;
	bool before = sys->state == PT_SYS_NO_ENTRY;
	struct clock *c = task_clock(a, m, before && a->began ?
				     a->first : sys->h.t);
	uint32_t stack = charge_stack(a, m);

	if (!c)
		return;
	c->seen = true;
	if (c->last < sys->h.t)
		c->last = sys->h.t;
	count_call(a, m, c, stack);
	files_call(&a->files, sys);
	if (sys->state != PT_SYS_DONE)
		return;
	if (a->model.off == NOT_KNOWN)
		charge_whole_call(a, m, c, stack);
	else if (a->model.kernel == EXACT)
		charge_kernel(a, c, stack, spent_call(sys->abi, sys->nr),
			      clock_kernel(c, sys->h.t, sys->dur));
}

static uint8_t fault_flags(const struct pt_fault *f)
{
	return (uint8_t)((f->major == PT_YES ? FAULT_MAJOR : 0) |
			 (f->write ? FAULT_WRITE : 0) |
			 (f->kernel ? FAULT_KERNEL : 0) |
			 (f->in_gc == PT_YES ? FAULT_IN_GC : 0) |
			 (f->bytes ? 0 : FAULT_NO_SIZE));
}

static enum age age_at(struct analysis *a, const struct pt_hdr *rec)
{
	static const uint64_t limits[] = {
		[AGE_1S] = 1, [AGE_5S] = 5, [AGE_30S] = 30, [AGE_300S] = 300,
	};
	const struct process_info *p = task_process(a, rec->proc);
	int age = AGE_1S;

	if (!p || !p->since || p->since > rec->t)
		return AGE_UNKNOWN;
	while (age < AGE_OLDER &&
	       rec->t - p->since >= limits[age] * UINT64_C(1000000000))
		age++;
	return (enum age)age;
}

/* Those in kernel mode are part of the call that they happen in. */
static void charge_fault(struct analysis *a, const struct moment *m)
{
	const struct pt_fault *f = (const void *)m->rec;
	struct clock *c = task_clock(a, m, f->h.t);
	uint32_t stack = charge_stack(a, m), cell;
	struct cell_key key = {
		.kind = CELL_FAULTS, .stack = stack, .call = f->kind,
		.flags = fault_flags(f), .cause = (uint8_t)age_at(a, &f->h),
	};

	if (!c)
		return;
	c->seen = true;
	if (c->last < f->h.t)
		c->last = f->h.t;
	key.thread = c->thread;
	cell = ledger_cell(&a->ledger, &key);
	if (f->dur)			/* else its end was not seen */
		ledger_event(&a->ledger, cell, f->dur);
	else
		ledger_add(&a->ledger, cell, 1, 0);
	if (cell)
		a->ledger.sums[cell].bytes += f->bytes;
	if (f->dur && !f->kernel && a->model.off != NOT_KNOWN &&
	    a->model.kernel == EXACT)
		charge_kernel(a, c, stack, SPENT_NO_CALL,
			      clock_kernel(c, f->h.t, f->dur));
}

/* A counter has come round: so many events, about, are this stack's. */
static void count_sample(struct analysis *a, const struct moment *m,
			 const struct clock *c, struct cell_key key)
{
	const struct pt_sample *s = (const void *)m->rec;
	uint32_t cell;

	if (s->event > UINT16_MAX)
		return;
	key.kind = CELL_COUNTED;
	key.call = (uint16_t)s->event;
	key.flags = s->kernel ? COUNTED_KERNEL : 0;
	key.thread = c->thread;
	cell = ledger_cell(&a->ledger, &key);
	ledger_add(&a->ledger, cell, 1, 0);
	if (cell)
		a->ledger.sums[cell].events += s->dur;
}

static void charge_sample(struct analysis *a, const struct moment *m)
{
	const struct pt_sample *s = (const void *)m->rec;
	struct clock *c = task_clock(a, m, s->h.t);
	struct cell_key key = {
		.kind = CELL_SAMPLES, .stack = charge_stack(a, m),
		.call = s->kernel != 0, .kernel = charge_kstack(a, m),
	};

	if (c && s->event)
		count_sample(a, m, c, key);
	if (!c || s->event)		/* another event than the CPU clock */
		return;
	c->seen = true;
	if (c->last < s->h.t)
		c->last = s->h.t;
	key.thread = c->thread;
	ledger_add(&a->ledger, ledger_cell(&a->ledger, &key), 1, s->dur);
}

void charge_event(struct analysis *a, const struct moment *m)
{
	switch (m->rec->type) {
	case PT_SYSCALL:
		charge_syscall(a, m);
		break;
	case PT_FAULT:
		charge_fault(a, m);
		break;
	case PT_OFFCPU:
		charge_offcpu(a, m);
		break;
	case PT_SAMPLE:
		charge_sample(a, m);
		break;
	default:
		break;
	}
}
