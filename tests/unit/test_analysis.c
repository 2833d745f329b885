/* SPDX-License-Identifier: MIT */
/* analysis: idle and causes told apart, lives, locks and their holders. */
#include "rnd_stream.h"

#include <errno.h>

#define BEGIN "1000000000 begin events=0x38400 sample_hz=49"
#define END "11000000000 end"

static uint64_t busy(const struct model *m, enum spent c)
{
	return m->account.busy[c];
}

static void user_and_kernel(void **state)
{
	const struct model *m;
	struct run r;

	(void)state;
	start(&r, NULL);
	line(&r, BEGIN);
	/* 2 s in a call, 500 ms of them blocked and 100 in the run queue */
	line(&r, "3000000000 offcpu pid=7 tid=7 reason=syscall nr=0 iowait=1 "
	     "dur=600000000 blocked=500000000 runq=100000000");
	line(&r, "2500000000 syscall pid=7 tid=7 nr=0 dur=2000000000");
	/* preempted in user mode; a fault there, one in a call */
	line(&r, "5000000000 offcpu pid=7 tid=7 reason=preempted "
	     "dur=1000000000 preempted=1000000000");
	line(&r, "6100000000 fault pid=7 tid=7 dur=1000000");
	line(&r, "7100000000 fault pid=7 tid=7 dur=1000000 kernel=1");
	line(&r, "7000000000 syscall pid=7 tid=7 nr=1 dur=300000000");
	line(&r, "10000000000 exit pid=7 tid=7");
	line(&r, END);
	m = finish(&r);
	assert_int_equal(m->kernel, EXACT);
	assert_int_equal(m->account.thread_ns, 7 * S + S / 2);
	assert_int_equal(busy(m, SPENT_FILE), S / 2);
	assert_int_equal(busy(m, SPENT_RUNQ), S / 10);
	assert_int_equal(busy(m, SPENT_PREEMPTED), S);
	assert_int_equal(busy(m, SPENT_CPU_KERNEL),
			 1400 * S / 1000 + S / 1000 + 300 * S / 1000);
	assert_int_equal(busy(m, SPENT_CPU_USER), 7 * S + S / 2 -
			 S / 2 - S / 10 - S - 1701 * S / 1000);
	stop(&r);
}

/* A thread's life begins and ends in the trace, or lasts longer than it. */
static void lives(void **state)
{
	const struct model *m;
	struct run r;

	(void)state;
	start(&r, NULL);
	line(&r, "900000000 thread pid=7 tid=7 proc=1");
	line(&r, BEGIN);
	line(&r, "2000000000 thread pid=7 tid=8 proc=1 comm=\"first\"");
	line(&r, "2500000000 sample pid=7 tid=8 proc=1");
	line(&r, "3000000000 exit pid=7 tid=8 proc=1");
	/* the id again */
	line(&r, "6000000000 thread pid=7 tid=8 proc=1 comm=\"second\"");
	line(&r, "6500000000 sample pid=7 tid=8 proc=1");
	line(&r, "1000000000 offcpu pid=7 tid=7 proc=1 state=before "
	     "reason=stopped dur=4000000000 blocked=4000000000");
	line(&r, END);
	m = finish(&r);
	assert_int_equal(m->nr_threads, 3);
	assert_int_equal(m->threads[1].life_ns, 10 * S);
	assert_int_equal(m->threads[2].life_ns, S);
	assert_int_equal(m->threads[3].life_ns, 5 * S);
	assert_string_equal(m->threads[3].comm, "second");
	assert_int_equal(busy(m, SPENT_STOPPED), 4 * S);
	assert_int_equal(busy(m, SPENT_CPU_USER), 12 * S);
	stop(&r);
}

/* A recording that ends early: what a thread did after its last sign of life. */
static void cut_short(void **state)
{
	const struct model *m;
	struct run r;

	(void)state;
	start(&r, NULL);
	line(&r, BEGIN);
	line(&r, "2000000000 syscall pid=7 tid=7 nr=39 dur=1000");
	line(&r, "1000000000 syscall pid=7 tid=8 nr=39 dur=1000");
	line(&r, "5000000000 syscall pid=7 tid=8 nr=39 dur=0");
	m = finish(&r);
	assert_false(m->complete);
	assert_int_equal(busy(m, SPENT_UNKNOWN), 3 * S - 1000);
	stop(&r);
}

static void gil_waits_are_merged(void **state)
{
	const struct rows_query q = {
		.by = BY_ALL, .kinds = 1u << CELL_TIME, .by_cause = true,
	};
	const struct model *m;
	struct rows rows;
	struct run r;

	(void)state;
	start(&r, NULL);
	line(&r, BEGIN);
	line(&r, "1000000000 gil pid=7 proc=1 from=0x5000 to=0x5080");
	for (int i = 0; i < 10; i++) {
		char text[200];

		snprintf(text, sizeof(text), "%d000000000 offcpu pid=7 tid=7 "
			 "proc=1 reason=syscall nr=202 arg0=0x5040 waker=%s "
			 "dur=5000000 blocked=5000000", 2 + i,
			 i == 4 || i == 9 ? "task" : "timer");
		line(&r, text);
	}
	/* at its end, and of another process: locks */
	line(&r, "1500000000 offcpu pid=7 tid=8 proc=1 reason=syscall nr=202 "
	     "arg0=0x5080 dur=5000000 blocked=5000000");
	line(&r, "1500000000 offcpu pid=9 tid=9 proc=2 reason=syscall nr=202 "
	     "arg0=0x5040 dur=5000000 blocked=5000000");
	line(&r, END);
	m = finish(&r);
	assert_int_equal(busy(m, SPENT_GIL), 10 * 5000000);
	assert_int_equal(busy(m, SPENT_LOCK), 2 * 5000000);
	assert_int_equal(rows_make(&rows, r.a, &q, NULL), 0);
	for (uint32_t i = 0; i < rows.nr; i++)
		if (rows.row[i].cause == SPENT_GIL)
			assert_int_equal(rows.row[i].is.count, 2);
	rows_free(&rows);
	stop(&r);
}

static void causes(void **state)
{
	static const struct {
		const char *what;
		enum spent is;
	} rows[] = {
		{ "reason=syscall nr=45", SPENT_SOCKET },	/* recvfrom */
		{ "reason=syscall nr=0 socket.family=2", SPENT_SOCKET },
		{ "reason=syscall nr=0", SPENT_PIPE },
		{ "reason=syscall nr=0 iowait=1", SPENT_FILE },
		{ "reason=syscall nr=74", SPENT_FILE },		/* fsync */
		{ "reason=syscall nr=257", SPENT_FILE },	/* openat */
		{ "reason=syscall nr=202 arg0=0x10", SPENT_LOCK },
		{ "reason=syscall nr=73", SPENT_LOCK },		/* flock */
		{ "reason=syscall nr=72 arg1=7", SPENT_LOCK },	/* F_SETLKW */
		{ "reason=syscall nr=7 arg1=1", SPENT_POLL },
		{ "reason=syscall nr=7", SPENT_SLEEP },
		{ "reason=syscall nr=23", SPENT_SLEEP },	/* select */
		{ "reason=syscall nr=23 arg0=4", SPENT_POLL },
		{ "reason=syscall nr=232 arg0=4", SPENT_POLL },
		{ "reason=syscall nr=230", SPENT_SLEEP },
		{ "reason=syscall nr=61", SPENT_PROCESS },	/* wait4 */
		{ "reason=syscall nr=34", SPENT_SIGNAL },	/* pause */
		{ "reason=syscall nr=11", SPENT_MEMORY },	/* munmap */
		{ "reason=syscall nr=317", SPENT_OTHER },	/* seccomp */
		{ "reason=syscall nr=240 abi=i386", SPENT_LOCK },
		{ "reason=syscall nr=102 abi=i386", SPENT_SOCKET },
		{ "reason=syscall nr=999", SPENT_OTHER },
		{ "reason=fault", SPENT_FAULT },
		{ "reason=stopped", SPENT_STOPPED },
		{ "reason=unknown", SPENT_UNKNOWN },
		{ "reason=200", SPENT_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char text[200];
		struct run r;

		start(&r, NULL);
		line(&r, BEGIN);
		define(&r, 3, "f", "/srv/app.py");
		line(&r, "1 stack stack=0x20 frame=3@0");
		snprintf(text, sizeof(text), "2000000000 offcpu pid=7 tid=7 "
			 "proc=1 stack=0x20 dur=77 blocked=77 %s", rows[i].what);
		line(&r, text);
		line(&r, END);
		if (busy(finish(&r), rows[i].is) != 77)
			fail_msg("%s is not '%s'", rows[i].what,
				 spent_words(rows[i].is));
		stop(&r);
	}
}

/* A descriptor is a file as long as nothing says that it is closed. */
static void files(void **state)
{
	static const char read[] = "3000000000 offcpu pid=7 tid=7 proc=1 nr=0 "
				   "reason=syscall arg0=9 dur=5 blocked=5";
	const struct model *m;
	struct run r;

	(void)state;
	start(&r, NULL);
	line(&r, BEGIN);
	line(&r, "2000000000 syscall pid=7 tid=7 nr=257 ret=9 "
	     "arg=1:path:\"/srv/x\"");
	line(&r, read);
	line(&r, "4000000000 syscall pid=7 tid=7 nr=3 args=9");
	line(&r, "5000000000 offcpu pid=7 tid=7 proc=1 nr=0 reason=syscall "
	     "arg0=9 dur=3 blocked=3");
	line(&r, "5500000000 syscall pid=7 tid=7 nr=257 ret=9 "
	     "arg=1:path:\"/srv/y\"");
	/* a close on its way, overtaken by the open that got its number */
	line(&r, "5400000000 syscall pid=7 tid=8 nr=3 args=9 dur=200000000");
	line(&r, "5590000000 offcpu pid=7 tid=7 proc=1 nr=0 reason=syscall "
	     "arg0=9 dur=6 blocked=6");
	line(&r, "5600000000 lost count=1 reason=ring-full");
	line(&r, "6000000000 offcpu pid=7 tid=7 proc=1 nr=0 reason=syscall "
	     "arg0=9 dur=4 blocked=4");
	line(&r, END);
	m = finish(&r);
	assert_int_equal(busy(m, SPENT_FILE), 5 + 6);
	assert_int_equal(busy(m, SPENT_PIPE), 3 + 4);
	assert_true(m->lossy);
	stop(&r);
}

/* A call at a place where one waits for work is apart; so is its time. */
static void idle_calls(void **state)
{
	static const char *const places[] = { "app.py:nowhere", "app.py:f" };
	const struct analysis_opts opts = { .idle_at = places,
					    .nr_idle_at = 2, .app = places,
					    .nr_app = 1 };
	struct rows_query q = { .by = BY_ALL, .kinds = 1u << CELL_CALLS };
	struct rows rows;
	struct run r;

	(void)state;
	start(&r, &opts);
	line(&r, "900000000 sample pid=7 tid=7 proc=1");
	line(&r, BEGIN);
	define(&r, 3, "f", "/srv/app.py");
	define(&r, 4, "g", "/srv/app.py");
	line(&r, "1 stack stack=0x20 frame=3@0");
	line(&r, "1 stack stack=0x21 frame=4@0 frame=3@0");
	line(&r, "2000000000 offcpu pid=7 tid=7 proc=1 reason=syscall nr=202 "
	     "stack=0x20 dur=500 blocked=500");
	line(&r, "2000000000 syscall pid=7 tid=7 proc=1 nr=202 stack=0x20 "
	     "dur=700");
	line(&r, "3000000000 syscall pid=7 tid=7 proc=1 nr=202 stack=0x21 "
	     "dur=90");
	/* one cannot wait for work in it, wherever it is */
	line(&r, "4000000000 syscall pid=7 tid=7 proc=1 nr=39 stack=0x20 "
	     "dur=8");
	line(&r, END);
	assert_int_equal(finish(&r)->account.idle_ns, 500);
	assert_int_equal(analysis_model(r.a)->before, 1);
	assert_int_equal(rows_make(&rows, r.a, &q, NULL), 0);
	assert_int_equal(rows.total.is.ns, 98);
	assert_int_equal(rows.total.is.count, 2);
	rows_free(&rows);
	q.idle = true;
	assert_int_equal(rows_make(&rows, r.a, &q, NULL), 0);
	assert_int_equal(rows.total.is.ns, 798);
	rows_free(&rows);
	assert_false(analysis_idle_at_matched(r.a, 0));
	assert_true(analysis_idle_at_matched(r.a, 1));
	assert_false(analysis_app_matched(r.a, 0));
	stop(&r);
}

/* An exec into what is no Python ends what is accounted for. */
static void other_programs_are_left_out(void **state)
{
	const struct model *m;
	struct run r;

	(void)state;
	start(&r, NULL);
	line(&r, BEGIN);
	line(&r, "1000000000 process pid=7 proc=1 walk=yes version=3.11");
	line(&r, "2000000000 fork pid=7 tid=7 proc=1 child_pid=9 child_tid=9 "
	     "child_proc=2");
	line(&r, "2500000000 syscall pid=9 tid=9 proc=2 nr=59 state=no-return");
	line(&r, "3000000000 exec pid=9 tid=9 proc=3 old_proc=2 file=\"/bin/ls\"");
	line(&r, "3000000000 process pid=9 proc=3 walk=no exe=\"/bin/ls\"");
	line(&r, "6000000000 exit pid=9 tid=9 proc=3 last=1");
	/* and one that is */
	line(&r, "6000000000 fork pid=7 tid=7 proc=1 child_pid=10 child_tid=10 "
	     "child_proc=4");
	line(&r, "7000000000 exec pid=10 tid=10 proc=5 old_proc=4 file=\"py\"");
	line(&r, "7000000000 process pid=10 proc=5 walk=starting");
	line(&r, "7500000000 process pid=10 proc=5 walk=yes version=3.11");
	line(&r, "8000000000 sample pid=10 tid=10 proc=5");
	line(&r, "9000000000 exit pid=10 tid=10 proc=5 last=1");
	line(&r, END);
	m = finish(&r);
	assert_int_equal(busy(m, SPENT_CPU_USER), 1 * S + 1 * S + 2 * S);
	stop(&r);
}

/*
 * Two wait for a lock one after the other; who had it slept and was on a CPU.
 * What a holder did before he had it is none of their business.
 */
static void who_had_the_lock(void **state)
{
	const struct rows_query q = {
		.by = BY_ALL, .kinds = 1u << CELL_TIME, .by_cause = true,
	};
	const struct detail *d;
	struct rows rows;
	struct run r;

	(void)state;
	start(&r, NULL);
	line(&r, BEGIN);
	/* 7 has it from the start and sleeps from 2 to 4 s, releases at 5 */
	line(&r, "2000000000 offcpu pid=7 tid=7 proc=1 reason=syscall nr=35 "
	     "dur=2000000000 blocked=2000000000 waker=timer");
	line(&r, "2500000000 offcpu pid=7 tid=8 proc=1 reason=syscall nr=202 "
	     "arg0=0x70 dur=2500000000 blocked=2500000000 waker=task "
	     "waker_tid=7 waker_pid=7");
	/* 8 has it from 5, sleeps from 6 to 9, releases at 10 */
	line(&r, "6000000000 offcpu pid=7 tid=8 proc=1 reason=syscall nr=35 "
	     "dur=3000000000 blocked=3000000000 waker=timer");
	line(&r, "2000000000 offcpu pid=7 tid=9 proc=1 reason=syscall nr=202 "
	     "arg0=0x70 dur=8000000000 blocked=8000000000 waker=task "
	     "waker_tid=8 waker_pid=7");
	line(&r, END);
	finish(&r);
	assert_int_equal(rows_make(&rows, r.a, &q, NULL), 0);
	for (uint32_t i = 0; i < rows.nr; i++) {
		if (rows.row[i].cause != SPENT_LOCK)
			continue;
		d = rows_detail(&rows, &rows.row[i], DETAIL_HOLD);
		/* 1.5 + 3 s of sleep, 1 + 2 s on CPU */
		assert_int_equal(d->weight, 4 * S + S / 2);
		assert_int_equal(d->all, 7 * S + S / 2);
		assert_int_equal(model_doing(r.a, d->value)->cause,
				 SPENT_SLEEP);
	}
	rows_free(&rows);
	stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_had_the_lock),
		cmocka_unit_test(user_and_kernel),
		cmocka_unit_test(lives),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(gil_waits_are_merged),
		cmocka_unit_test(causes),
		cmocka_unit_test(files),
		cmocka_unit_test(idle_calls),
		cmocka_unit_test(other_programs_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
