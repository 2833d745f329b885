/* SPDX-License-Identifier: MIT */
/*
 * charge_off: a time off the CPU to cells: what the thread waited for, who ended
 * that, and what the one who had the lock did meanwhile.
 */
#include "analysis/analysis_priv.h"

#include "stack/cause.h"

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
	key->state = (uint8_t)charge_state(a, m, &w, key->stack,
					      before);
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
		      (a->began && off->h.t <= a->first);
	struct cell_key key = {
		.kind = CELL_TIME, .thread = c->thread, .stack = stack,
		.kernel = charge_kstack(a, m),
	};
	const struct clock *holder;
	uint64_t addr;
	uint32_t cell, doing;
	bool again;

	describe_wait(a, m, &key, before);
	again = c->gil && key.cause == SPENT_GIL;
	c->gil = key.cause == SPENT_GIL && off->waker == PT_WAKER_TIMER;
	cell = ledger_cell(&a->ledger, &key);
	if (again && cell == c->gil_cell) {
		ledger_longer(&a->ledger, cell, c->gil_ns, ns);
		c->gil_ns += ns;
	} else {
		ledger_event(&a->ledger, cell, ns);
		c->gil_cell = cell;
		c->gil_ns = ns;
	}
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

static void charge_waiting(struct analysis *a, const struct moment *m,
			   struct clock *c, uint32_t stack, enum spent cause,
			   uint64_t t, uint64_t ns)
{
	const struct cell_key key = {
		.kind = CELL_TIME, .cause = (uint8_t)cause, .stack = stack,
		.call = SPENT_NO_CALL, .kernel = charge_kstack(a, m),
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

void charge_offcpu(struct analysis *a, const struct moment *m)
{
	const struct pt_offcpu *off = (const void *)m->rec;
	struct clock *c = task_clock(a, m, off->h.t);
	uint64_t t = off->h.t, blocked = off->blocked, runq = off->runq;
	uint64_t preempted = off->preempted, left, cut;
	bool open = off->state == PT_OFF_UNFINISHED;
	uint32_t stack = charge_stack(a, m);

	if (!c)
		return;
	c->seen = true;
	left = clock_off(c, &t, off->dur);
	/* of the record, for what was clipped of it is as much of the trace */
	if (open && off->h.t + off->dur > a->unfinished_end &&
	    off->h.t + off->dur >= off->h.t)
		a->unfinished_end = off->h.t + off->dur;
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
	charge_waiting(a, m, c, stack, SPENT_RUNQ, t, runq);
	t += runq;
	charge_waiting(a, m, c, stack, SPENT_PREEMPTED, t, preempted);
	charge_waiting(a, m, c, stack, SPENT_UNKNOWN, t + preempted, left);
}
