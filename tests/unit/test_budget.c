/* SPDX-License-Identifier: MIT */
/* budget: when tracing has cost too much, and what is left out for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target/budget.h"

#define MS UINT64_C(1000000)
#define ALL (1u << PT_SHED_STACKS | 1u << PT_SHED_CALLS | 1u << PT_SHED_SAMPLES)

/* `ms` later, in which so much of a thousandth was used. */
static bool later(struct budget *b, struct budget_look *l, uint64_t ms,
		  uint64_t cost, uint64_t target, uint64_t own,
		  struct pt_shed *out)
{
	l->now += ms * MS;
	l->cost += cost * ms * MS / 1000;
	l->target += target * ms * MS / 1000;
	l->own += own * ms * MS / 1000;
	l->timed += ms;
	return budget_exceeded(b, l, out);
}

static void steps_in_their_order(void **state)
{
	struct budget b = { .percent = 25, .steps = ALL };
	struct budget_look l = { .now = 5 };
	struct pt_shed s;

	(void)state;
	assert_false(later(&b, &l, 0, 0, 0, 0, &s));
	/* not before half a second has passed */
	assert_false(later(&b, &l, 250, 500, 1000, 0, &s));
	assert_true(later(&b, &l, 250, 500, 1000, 0, &s));
	assert_int_equal(s.step, PT_SHED_STACKS);
	assert_int_equal(s.why, PT_SHED_TARGET);
	assert_int_equal(s.limit, 25);
	assert_int_equal(s.span_ns, 500 * MS);
	assert_int_equal(s.cost_ns, 250 * MS);
	assert_int_equal(s.target_ns, 500 * MS);
	assert_false(later(&b, &l, 250, 500, 1000, 0, &s));
	assert_true(later(&b, &l, 250, 500, 1000, 0, &s));
	assert_int_equal(s.step, PT_SHED_CALLS);
	assert_true(later(&b, &l, 500, 500, 1000, 0, &s));
	assert_int_equal(s.step, PT_SHED_SAMPLES);
	assert_true(later(&b, &l, 500, 500, 1000, 0, &s));
	assert_int_equal(s.step, PT_SHED_DETACH);
	assert_false(later(&b, &l, 500, 500, 1000, 0, &s));
}

/* 25 % on top: 200 of the 1000 that were used. */
static void what_it_is_a_share_of(void **state)
{
	struct budget b = { .percent = 25, .steps = ALL };
	struct budget_look l = { .now = 5 };
	struct pt_shed s;

	(void)state;
	assert_false(later(&b, &l, 0, 0, 0, 0, &s));
	for (int i = 0; i < 8; i++)
		assert_false(later(&b, &l, 250, 198, 1000, 400, &s));
	assert_true(later(&b, &l, 1000, 202, 1000, 0, &s));
	/* a fiftieth of a CPU is nothing, though it is all of it */
	b = (struct budget){ .percent = 25, .steps = ALL };
	for (int i = 0; i < 8; i++)
		assert_false(later(&b, &l, 250, 19, 19, 0, &s));
	/* and one long run of 64 is no measurement */
	b = (struct budget){ .percent = 25, .steps = ALL };
	assert_false(later(&b, &l, 0, 0, 0, 0, &s));
	l.timed -= 1000 - 15;
	assert_false(later(&b, &l, 1000, 1000, 1000, 0, &s));
	b = (struct budget){ .steps = ALL };
	for (int i = 0; i < 8; i++)
		assert_false(later(&b, &l, 250, 900, 1000, 1000, &s));
}

static void steps_that_do_not_help_are_left_out(void **state)
{
	struct budget b = { .percent = 10, .steps = 1u << PT_SHED_SAMPLES };
	struct budget_look l = { .now = 5 };
	struct pt_shed s;

	(void)state;
	assert_false(later(&b, &l, 0, 0, 0, 0, &s));
	assert_true(later(&b, &l, 1000, 500, 1000, 0, &s));
	assert_int_equal(s.step, PT_SHED_SAMPLES);
	assert_true(later(&b, &l, 1000, 500, 1000, 0, &s));
	assert_int_equal(s.step, PT_SHED_DETACH);
}

/* What costs us alone is shed, too, but is no reason to give up. */
static void own_time(void **state)
{
	struct budget b = { .percent = 25, .steps = 1u << PT_SHED_STACKS };
	struct budget_look l = { .now = 5 };
	struct pt_shed s;

	(void)state;
	assert_false(later(&b, &l, 0, 0, 0, 0, &s));
	assert_false(later(&b, &l, 1000, 0, 1000, 490, &s));
	assert_true(later(&b, &l, 1000, 0, 1000, 510, &s));
	assert_int_equal(s.step, PT_SHED_STACKS);
	assert_int_equal(s.why, PT_SHED_OWN);
	assert_int_equal(s.limit, BUDGET_OWN_PERCENT);
	for (int i = 0; i < 8; i++)
		assert_false(later(&b, &l, 1000, 0, 1000, 900, &s));
}

static void clocks_of_others(void **state)
{
	uint64_t before, after, children = budget_children_of(getpid());
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		alarm(60);
		for (;;)
			getppid();
	}
	assert_true(pid > 0);
	assert_true(budget_cpu_of(pid, &before));
	do {	/* until it has run for some ticks, however long that takes */
		usleep(10000);
		assert_true(budget_cpu_of(pid, &after));
	} while (after - before < 50 * MS);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(budget_cpu_of(pid, &after));
	assert_true(budget_children_of(getpid()) > children);
}

/* A trial decides early, and once: then it is as ever. */
static void the_first_decision_can_be_early(void **state)
{
	struct budget b = { .percent = 10, .first_ns = 100 * MS };
	struct budget_look l = { .now = 5 };
	struct pt_shed step;

	(void)state;
	assert_false(later(&b, &l, 0, 0, 0, 0, &step));
	assert_false(later(&b, &l, 60, 50, 1000, 0, &step));
	assert_false(later(&b, &l, 60, 50, 1000, 0, &step));
	assert_int_equal(b.first_ns, 0);
	assert_false(later(&b, &l, 200, 900, 1000, 0, &step));
	b = (struct budget){ .percent = 10, .first_ns = 100 * MS };
	l = (struct budget_look){ .now = 5 };
	assert_false(later(&b, &l, 0, 0, 0, 0, &step));
	assert_true(later(&b, &l, 120, 900, 1000, 0, &step));
	assert_int_equal(step.step, PT_SHED_DETACH);
	assert_int_equal(step.span_ns, 120 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_decision_can_be_early),
		cmocka_unit_test(steps_in_their_order),
		cmocka_unit_test(what_it_is_a_share_of),
		cmocka_unit_test(steps_that_do_not_help_are_left_out),
		cmocka_unit_test(own_time),
		cmocka_unit_test(clocks_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
