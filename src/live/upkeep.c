/* SPDX-License-Identifier: MIT */
/*
 * upkeep: what must happen whether anybody reads or not: the end, the budget.
 *
 * A reader that does not read (a pipe into a pager) holds us in write(), and the
 * traced processes would pay for it as long as it likes.  So the end comes in a
 * thread of its own.  Whatever both threads use is used with session.lock held,
 * which the reading thread lets go of while it writes.
 */
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/session_priv.h"

#define LOOK_NS		UINT64_C(250000000)	/* the budget: four times a second */
#define LOOK_NS_EACH	UINT64_C(5000000)	/* and more processes: less often */
#define NAP_NS		50000000L
#define SLOWER_NS	UINT64_C(1000000)

/* ---- CPU time of the targets ----------------------------------------------- */

/*
 * A process that came and went between two looks is in its parent's account of
 * its children, as are those that were looked at: these are not counted twice.
 */
static void count_children(struct session *s, struct known_pid *t)
{
	uint64_t ticks = budget_children_of((pid_t)t->pid);
	uint64_t ns = 0, known;

	if (t->clocked && ticks > t->children)
		ns = (ticks - t->children) * UINT64_C(1000000000) /
		     (uint64_t)sysconf(_SC_CLK_TCK);
	t->children = ticks;
	known = ns < s->dead_ns ? ns : s->dead_ns;
	s->dead_ns -= known;
	s->cpu_ns += ns - known;
}

static void count_process(struct session *s, struct known_pid *t)
{
	uint64_t ns, more;

	if (!t->alive || !budget_cpu_of((pid_t)t->pid, &ns)) {
		s->dead_ns += t->counted_ns;
		t->counted_ns = 0;
		t->clocked = false;
		return;
	}
	more = t->clocked && ns > t->cpu_ns ? ns - t->cpu_ns : 0;
	t->cpu_ns = ns;
	t->counted_ns += more;
	s->cpu_ns += more;
	count_children(s, t);
	t->clocked = true;
}

/* ---- the budget ------------------------------------------------------------ */

/* Steps that would make a difference to what is traced. */
static uint32_t steps_of(const struct session *s)
{
	uint32_t steps = 0;

	/* nothing else is as dear as the probes, and these are all or none */
	if (s->events_asked & 1u << PT_CALL)
		return 0;
	if (s->events_asked & 1u << PT_SYSCALL)
		steps |= 1u << PT_SHED_STACKS | 1u << PT_SHED_CALLS;
	if (s->events_asked & 1u << PT_SAMPLE)
		steps |= 1u << PT_SHED_SAMPLES;
	return steps;
}

static int shed(struct session *s, struct pt_shed *step, uint64_t now)
{
	step->h.size = sizeof(*step);
	step->h.type = PT_SHED;
	step->h.t = now;
	s->shed = *step;
	if (step->step == PT_SHED_CALLS)
		step->slower_ns = s->slower_ns ? s->slower_ns : SLOWER_NS;
	if (step->step == PT_SHED_DETACH)
		session_end(s);
	else
		tracer_shed(s->tracer, step);
	return queue_put(&s->said, &step->h);
}

static int look_at_budget(struct session *s, uint64_t now)
{
	struct budget_look look = { .now = now };
	struct known_pid *t, *next;
	struct pt_cost cost;
	struct pt_shed step;

	if (!s->budget.percent || s->stopped || (!s->budget.first_ns &&
	    now - s->budget_ns < LOOK_NS +
	    LOOK_NS_EACH * HASH_COUNT(s->known.pids)))
		return 0;
	s->budget_ns = now;
	HASH_ITER(hh, s->known.pids, t, next)
		count_process(s, t);
	tracer_cost(s->tracer, &cost);
	look.cost = tracer_cost_ns(s->tracer, &cost);
	look.timed = cost.timed;
	look.target = s->cpu_ns;
	look.own = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	s->budget.steps = steps_of(s);
	return budget_exceeded(&s->budget, &look, &step) ?
		shed(s, &step, now) : 0;
}

bool session_over_budget(const struct session *s)
{
	return s->budget.step == PT_SHED_DETACH;
}

/* ---- the thread ------------------------------------------------------------ */

static void *keep(void *arg)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	struct session *s = arg;

	while (!atomic_load(&s->leave)) {
		uint64_t now = now_ns();

		pthread_mutex_lock(&s->lock);
		if ((s->end_ns && now >= s->end_ns) || (s->asked && s->asked()))
			session_end(s);
		/* a step that could not be told of is taken all the same */
		(void)!look_at_budget(s, now);
		pthread_mutex_unlock(&s->lock);
		nanosleep(&nap, NULL);
	}
	return NULL;
}

/* Signals are for the reading thread: it sleeps in what they are to end. */
int session_keep(struct session *s, uint64_t end_ns, bool (*asked)(void),
		 struct err *err)
{
	sigset_t all, old;
	int rc;

	s->end_ns = end_ns;
	s->asked = asked;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&s->keeper, NULL, keep, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc)
		return err_set(err, -rc, "cannot start a thread: %s",
			       strerror(rc));
	s->kept = true;
	return 0;
}

void upkeep_stop(struct session *s)
{
	if (!s->kept)
		return;
	atomic_store(&s->leave, true);
	pthread_join(s->keeper, NULL);
	s->kept = false;
}
