/* SPDX-License-Identifier: MIT */
/* charge: an event's time, count and bytes to cells. */
#include "analysis/analysis_priv.h"

#include "event/record.h"
#include "stack/cause.h"

void charge_time(struct analysis *a, const struct clock *c,
		 struct cell_key key, uint64_t ns)
{
	key.thread = c->thread;
	ledger_add(&a->ledger, ledger_cell(&a->ledger, &key), 1, ns);
}

static uint32_t stack_of(struct analysis *a, const struct moment *m)
{
	return ledger_stack(&a->ledger, record_event(m->rec)->stack, &m->stack);
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
static enum cell_state state_of(struct analysis *a, const struct moment *m,
				const struct spent_wait *w, uint32_t stack,
				bool before)
{
	if (!spent_may_be_idle(w))
		return TIME_BUSY;
	if (m->stack.known && is_idle_stack(a, stack, &m->stack))
		return TIME_IDLE;
	return !m->stack.known && before ? TIME_UNSEEN : TIME_BUSY;
}

/* ---- off the CPU ---------------------------------------------------------- */

static uint32_t object_of(struct analysis *a, const struct pt_offcpu *off,
			  enum spent cause, const char *path)
{
	if (off->socket.family)
		return ledger_socket(&a->ledger, &off->socket);
	if (path)
		return ledger_path(&a->ledger, path, strlen(path));
	if (cause == SPENT_PIPE)
		return ledger_number(&a->ledger, OBJECT_FD,
				     (uint32_t)off->args[0]);
	return 0;
}

/* The call it was blocked in: cause, object, idle or not. */
static void describe_call(struct analysis *a, const struct moment *m,
			  struct cell_key *key, bool before)
{
	const struct pt_offcpu *off = (const void *)m->rec;
	const char *path = files_path(&a->files, off->h.pid,
				      (int32_t)off->args[0]);
	const struct spent_wait w = {
		.call = spent_call(off->abi, off->nr),
		.args = { off->args[0], off->args[1] },
		.socket = off->socket.family,
		.iowait = off->iowait,
		.file = path,
	};
	enum spent cause = spent_of_call(&w);

	key->call = w.call;
	if (cause_is_gil(m->process, off->abi, off->nr, off->args[0])) {
		key->cause = SPENT_GIL;
		return;
	}
	key->cause = (uint8_t)cause;
	key->object = object_of(a, off, cause,
				cause == SPENT_FILE ? path : NULL);
	key->state = (uint8_t)state_of(a, m, &w, key->stack, before);
}

static void describe_wait(struct analysis *a, const struct moment *m,
			  struct cell_key *key, bool before)
{
	const struct pt_offcpu *off = (const void *)m->rec;

	key->call = SPENT_NO_CALL;
	switch ((enum pt_off_reason)off->reason) {
	case PT_OFF_SYSCALL:
		describe_call(a, m, key, before);
		return;
	case PT_OFF_FAULT:
		key->cause = SPENT_FAULT;
		return;
	case PT_OFF_STOPPED:
		key->cause = SPENT_STOPPED;
		return;
	case PT_OFF_PREEMPTED:
		key->cause = SPENT_RUNQ;
		return;
	case PT_OFF_UNKNOWN:
		break;
	}
	key->cause = SPENT_UNKNOWN;
	if (before && !m->stack.known)
		key->state = TIME_UNSEEN;
}

static void charge_wake(struct analysis *a, const struct moment *m,
			uint32_t cell, uint64_t ns)
{
	const struct pt_offcpu *off = (const void *)m->rec;
	struct wake_key key = { .cell = cell, .kind = off->waker };
	struct clock *waker;

	if (off->waker == PT_WAKER_NONE || !cell)
		return;
	if (off->waker == PT_WAKER_TASK) {
		waker = clocks_find(&a->clocks, off->waker_tid);
		key.thread = waker ? waker->thread : 0;
		key.stack = ledger_stack(&a->ledger, off->waker_stack,
					 &m->waker);
	}
	ledger_wake(&a->ledger, &key, ns);
}

/* ---- who had the lock ------------------------------------------------------ */

static uint32_t note_piece(struct analysis *a, struct clock *c,
			   const struct cell_key *key, uint64_t addr,
			   uint64_t from, uint64_t to)
{
	const struct doing doing = {
		.place = key->stack ? a->ledger.info[key->stack].app : 0,
		.object = key->object, .call = key->call, .cause = key->cause,
	};

	uint32_t nr = ledger_doing(&a->ledger, &doing);

	c->piece[c->nr_pieces++ % CLOCK_PIECES] =
		(struct clock_piece){ from, to, addr, nr };
	return nr;
}

static void hold(struct analysis *a, uint32_t cell, uint32_t doing,
		 uint64_t from, uint64_t to)
{
	const struct hold_key key = { cell, doing };

	if (doing && to > from)
		ledger_hold(&a->ledger, &key, to - from);
}

/*
 * `holder` has released the lock for which somebody waited in `wait`: what he
 * did, back to where he got it himself, is what that one really waited for.
 * From 3.13 each thread waits at a futex of its own (Python/parking_lot.c), so
 * that the same lock is also one that was waited for at the same line.
 */
static void charge_hold(struct analysis *a, const struct clock *holder,
			uint32_t cell, const struct clock_piece *wait)
{
	uint64_t from = wait->from, to = wait->to;
	const struct doing on_cpu = {
		.cause = SPENT_CPU_USER, .call = SPENT_NO_CALL,
	};
	uint32_t cpu = ledger_doing(&a->ledger, &on_cpu);
	uint32_t nr = holder->nr_pieces, kept = nr;

	for (; nr && kept - nr < CLOCK_PIECES; nr--) {
		const struct clock_piece *p =
			&holder->piece[(nr - 1) % CLOCK_PIECES];

		if (p->from >= to)
			continue;
		if (p->to <= from)
			break;
		if (p->to < to)
			hold(a, cell, cpu, p->to, to);
		to = p->to < to ? p->to : to;
		if (p->addr == wait->addr || (p->addr && p->doing == wait->doing))
			return;
		hold(a, cell, p->doing, p->from > from ? p->from : from, to);
		to = p->from;
	}
	/* of what the ring has forgotten nothing is said */
	if (to > from && kept - nr < CLOCK_PIECES)
		hold(a, cell, cpu, from, to);
}

/*
 * Blocked comes first, then the run queue.  A wait for the GIL is many: it times
 * out every few milliseconds, and goes on.
 */
static void charge_blocked(struct analysis *a, const struct moment *m,
			   struct clock *c, uint32_t stack, uint64_t from,
			   uint64_t ns)
{
	const struct pt_offcpu *off = (const void *)m->rec;
	bool before = off->state == PT_OFF_BEFORE ||
		      off->why == PT_WHY_BEFORE ||
		      (a->began && off->h.t <= a->model.begin);
	struct cell_key key = {
		.kind = CELL_TIME, .thread = c->thread, .stack = stack,
	};
	const struct clock *holder;
	uint64_t addr;
	uint32_t cell, doing;
	bool again;

	describe_wait(a, m, &key, before);
	again = c->gil && key.cause == SPENT_GIL;
	c->gil = key.cause == SPENT_GIL && off->waker == PT_WAKER_TIMER;
	cell = ledger_cell(&a->ledger, &key);
	ledger_add(&a->ledger, cell, !again, ns);
	if (off->state == PT_OFF_UNFINISHED)
		c->open = cell;
	if (key.state == TIME_BUSY)
		charge_wake(a, m, cell, ns);
	addr = key.cause == SPENT_LOCK ? off->args[0] : 0;
	doing = note_piece(a, c, &key, addr, from, from + ns);
	holder = addr && key.state == TIME_BUSY && off->waker == PT_WAKER_TASK ?
		clocks_find(&a->clocks, off->waker_tid) : NULL;
	if (holder && cell)
		charge_hold(a, holder, cell, &(const struct clock_piece){
			from, from + ns, addr, doing });
}

static void charge_waiting(struct analysis *a, struct clock *c, uint32_t stack,
			   enum spent cause, uint64_t t, uint64_t ns)
{
	const struct cell_key key = {
		.kind = CELL_TIME, .cause = (uint8_t)cause, .stack = stack,
		.call = SPENT_NO_CALL,
	};

	if (!ns)
		return;
	charge_time(a, c, key, ns);
	note_piece(a, c, &key, 0, t, t + ns);
}

/* A part of what is left of a piece. */
static uint64_t take(uint64_t *left, uint64_t part)
{
	uint64_t ns = part < *left ? part : *left;

	*left -= ns;
	return ns;
}

/* What was clipped in front is no longer part of what came first. */
static void clip(uint64_t *part, uint64_t *ns)
{
	uint64_t n = *part < *ns ? *part : *ns;

	*part -= n;
	*ns -= n;
}

static void charge_offcpu(struct analysis *a, const struct moment *m)
{
	const struct pt_offcpu *off = (const void *)m->rec;
	struct clock *c = task_clock(a, m, off->h.t);
	uint64_t t = off->h.t, blocked = off->blocked, runq = off->runq;
	uint64_t preempted = off->preempted, left, cut;
	bool open = off->state == PT_OFF_UNFINISHED;
	uint32_t stack = stack_of(a, m);

	if (!c)
		return;
	c->seen = true;
	left = clock_off(c, &t, off->dur);
	if (open && t + left > a->unfinished_end)
		a->unfinished_end = t + left;
	cut = t - off->h.t;
	clip(&blocked, &cut);
	clip(&runq, &cut);
	clip(&preempted, &cut);
	blocked = take(&left, blocked);
	runq = take(&left, runq);
	preempted = take(&left, preempted);
	if (blocked || open)
		charge_blocked(a, m, c, stack, t, blocked);
	t += blocked;
	charge_waiting(a, c, stack, SPENT_RUNQ, t, runq);
	t += runq;
	charge_waiting(a, c, stack, SPENT_PREEMPTED, t, preempted);
	charge_waiting(a, c, stack, SPENT_UNKNOWN, t + preempted, left);
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

static void charge_kernel(struct analysis *a, struct clock *c, uint32_t stack,
			  uint16_t call, uint64_t ns)
{
	const struct cell_key key = {
		.kind = CELL_TIME, .cause = SPENT_CPU_KERNEL, .stack = stack,
		.call = call,
	};

	if (ns)
		charge_time(a, c, key, ns);
}

/* Without events of time off the CPU, the call stands for it. */
static void charge_whole_call(struct analysis *a, const struct moment *m,
			      struct clock *c, uint32_t stack)
{
	const struct pt_syscall *sys = (const void *)m->rec;
	const struct pt_arg *arg = record_arg(sys, 0, PT_ARG_SOCKET);
	const struct spent_wait w = {
		.call = spent_call(sys->abi, sys->nr),
		.args = { sys->args[0], sys->args[1] },
		.socket = arg,
	};
	struct cell_key key = {
		.kind = CELL_TIME, .stack = stack, .call = w.call,
		.cause = (uint8_t)spent_of_call(&w),
	};
	struct pt_socket socket;
	uint64_t t = sys->h.t, ns = clock_off(c, &t, sys->dur);

	if (arg && arg->len >= sizeof(socket)) {
		memcpy(&socket, record_arg_bytes(arg), sizeof(socket));
		key.object = ledger_socket(&a->ledger, &socket);
	}
	if (cause_is_gil(m->process, sys->abi, sys->nr, sys->args[0]))
		key.cause = SPENT_GIL;
	else
		key.state = (uint8_t)state_of(a, m, &w, stack, false);
	if (ns)
		charge_time(a, c, key, ns);
}

static void count_call(struct analysis *a, const struct pt_syscall *sys,
		       const struct clock *c, uint32_t stack)
{
	bool failed = sys->state != PT_SYS_NO_RETURN && sys->ret < 0 &&
		      sys->ret >= -4095;
	struct cell_key key = {
		.kind = CELL_CALLS, .thread = c->thread, .stack = stack,
		.call = spent_call(sys->abi, sys->nr),
	};
	uint32_t cell;

	if (failed)
		key.object = ledger_number(&a->ledger, OBJECT_ERRNO,
					   (uint32_t)-sys->ret);
	cell = ledger_cell(&a->ledger, &key);
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
				     a->model.begin : sys->h.t);
	uint32_t stack = stack_of(a, m);

	if (!c)
		return;
	c->seen = true;
	if (c->last < sys->h.t)
		c->last = sys->h.t;
	files_call(&a->files, sys);
	count_call(a, sys, c, stack);
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
			 (f->in_gc == PT_YES ? FAULT_IN_GC : 0));
}

/* Those in kernel mode are part of the call that they happen in. */
static void charge_fault(struct analysis *a, const struct moment *m)
{
	const struct pt_fault *f = (const void *)m->rec;
	struct clock *c = task_clock(a, m, f->h.t);
	uint32_t stack = stack_of(a, m), cell;
	struct cell_key key = {
		.kind = CELL_FAULTS, .stack = stack, .call = f->kind,
		.flags = fault_flags(f),
	};

	if (!c)
		return;
	c->seen = true;
	if (c->last < f->h.t)
		c->last = f->h.t;
	key.thread = c->thread;
	cell = ledger_cell(&a->ledger, &key);
	ledger_add(&a->ledger, cell, 1, f->dur);
	if (cell)
		a->ledger.sums[cell].bytes += f->bytes;
	if (f->dur && !f->kernel && a->model.off != NOT_KNOWN &&
	    a->model.kernel == EXACT)
		charge_kernel(a, c, stack, SPENT_NO_CALL,
			      clock_kernel(c, f->h.t, f->dur));
}

static void charge_sample(struct analysis *a, const struct moment *m)
{
	const struct pt_sample *s = (const void *)m->rec;
	struct clock *c = task_clock(a, m, s->h.t);
	struct cell_key key = {
		.kind = CELL_SAMPLES, .stack = stack_of(a, m),
		.call = s->kernel != 0,
	};

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
