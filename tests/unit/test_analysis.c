/* SPDX-License-Identifier: MIT */
/* analysis: accounts that close, whatever comes; idle and causes told apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "analysis/analysis.h"
#include "analysis/rows.h"
#include "event/record.h"
#include "event/text.h"

#define S UINT64_C(1000000000)

struct run {
	struct engine *engine;
	struct analysis *a;
	struct recbuf buf;
	uint64_t fed[PT_TYPE_END];
	uint64_t before;	/* events before PT_BEGIN */
};

static bool is_event(int type)
{
	return type == PT_SYSCALL || type == PT_FAULT || type == PT_OFFCPU ||
	       type == PT_SAMPLE;
}

static void start(struct run *r, const struct analysis_opts *opts)
{
	struct err err = { 0 };

	*r = (struct run){ 0 };
	assert_int_equal(engine_new(&r->engine, NULL, &err), 0);
	assert_int_equal(analysis_new(&r->a, opts, &err), 0);
}

static void feed(struct run *r, const struct pt_hdr *rec)
{
	struct err err = { 0 };
	struct moment m;

	assert_int_equal(engine_feed(r->engine, rec, &m, &err), 0);
	assert_int_equal(analysis_add(r->a, &m, &err), 0);
	r->fed[rec->type]++;
	if (rec->type == PT_BEGIN && !r->before) {
		/* what came before does not count, and is counted apart */
		for (int i = 0; i < PT_TYPE_END; i++) {
			r->before += is_event(i) ? r->fed[i] : 0;
			r->fed[i] = 0;
		}
	}
}

static void line(struct run *r, const char *text)
{
	const struct pt_hdr *rec = NULL;
	struct err err = { 0 };

	if (text_parse(text, strlen(text), &r->buf, &rec, &err) != 1)
		fail_msg("%s: %s", text, err.text);
	feed(r, rec);
}

static void define(struct run *r, unsigned int code, const char *func,
		   const char *file)
{
	char text[400];

	snprintf(text, sizeof(text), "1 part code=%u part=name data=\"%s\"",
		 code, func);
	line(r, text);
	snprintf(text, sizeof(text), "1 part code=%u part=filename data=\"%s\"",
		 code, file);
	line(r, text);
	snprintf(text, sizeof(text), "1 code code=%u version=3.9 firstline=1 "
		 "name=sent,%zu,1,1 filename=sent,%zu,1,1 linetable=sent,0,1",
		 code, strlen(func), strlen(file));
	line(r, text);
}

static const struct model *finish(struct run *r)
{
	struct err err = { 0 };

	assert_int_equal(analysis_end(r->a, &err), 0);
	return analysis_model(r->a);
}

static void stop(struct run *r)
{
	analysis_free(r->a);
	engine_free(r->engine);
	recbuf_free(&r->buf);
}

/* ---- what always holds ---------------------------------------------------- */

static bool is_cpu(const struct cell *c, const void *arg)
{
	(void)arg;
	return c->key->cause == SPENT_CPU_USER ||
	       c->key->cause == SPENT_CPU_KERNEL;
}

static void assert_rows_sum_up(const struct run *r)
{
	const struct model *m = analysis_model(r->a);
	struct err err = { 0 };

	for (int by = BY_ALL; by <= BY_PROCESS; by++) {
		struct rows_query q = {
			.by = (enum rows_by)by, .kinds = 1u << CELL_TIME,
			.by_cause = by % 2, .idle = true,
		};
		struct rows rows;
		uint64_t ns = 0, count = 0;

		assert_int_equal(rows_make(&rows, r->a, &q, &err), 0);
		for (uint32_t i = 0; i < rows.nr; i++) {
			ns += rows.row[i].is.ns;
			assert_true(!i || rows.row[i - 1].is.ns >=
				    rows.row[i].is.ns);
		}
		assert_int_equal(ns, m->account.thread_ns);
		assert_int_equal(rows.total.ns, m->account.thread_ns);
		rows_free(&rows);

		q.kinds = 1u << CELL_CALLS | 1u << CELL_FAULTS;
		q.by_call = true;
		assert_int_equal(rows_make(&rows, r->a, &q, &err), 0);
		for (uint32_t i = 0; i < rows.nr; i++)
			count += rows.row[i].is.count;
		if (!m->chosen)
			assert_int_equal(count, r->fed[PT_SYSCALL] +
					 r->fed[PT_FAULT]);
		rows_free(&rows);

		/* the time on CPUs counts its samples */
		q.kinds = 1u << CELL_TIME;
		q.wants = is_cpu;
		assert_int_equal(rows_make(&rows, r->a, &q, &err), 0);
		assert_int_equal(rows.total.count, r->fed[PT_SAMPLE]);
		assert_int_equal(rows.total.ns,
				 m->account.busy[SPENT_CPU_USER] +
				 m->account.busy[SPENT_CPU_KERNEL]);
		rows_free(&rows);
	}
}

/* Nobody had a lock for longer than somebody waited for it. */
static void assert_holds_are_parts(const struct run *r)
{
	uint64_t *sums = calloc(model_cells(r->a) + 1, sizeof(*sums));

	assert_non_null(sums);
	for (uint32_t i = 1; i <= model_holds(r->a); i++) {
		struct hold h;

		model_hold(r->a, i, &h);
		sums[h.cell] += h.ns;
	}
	for (uint32_t i = 1; i <= model_cells(r->a); i++) {
		struct cell c;

		model_cell(r->a, i, &c);
		assert_true(sums[i] <= c.is.ns);
	}
	free(sums);
}

static void assert_closes(struct run *r)
{
	const struct model *m = finish(r);
	const struct account *sum = &m->account;
	uint64_t lives = 0, busy = 0, cells = 0;

	for (uint32_t i = 0; i <= m->nr_threads; i++) {
		const struct thread_info *t = &m->threads[i];

		lives += t->left_out ? 0 : t->life_ns;
		assert_true(t->off_ns + t->kernel_ns <= t->life_ns);
	}
	for (int c = 0; c < SPENT_NR; c++)
		busy += sum->busy[c];
	for (uint32_t i = 1; i <= model_cells(r->a); i++) {
		struct cell c;

		model_cell(r->a, i, &c);
		if (c.key->kind == CELL_TIME && !c.left_out)
			cells += c.is.ns;
	}
	assert_int_equal(sum->thread_ns, lives);
	assert_int_equal(sum->busy_ns, busy);
	assert_int_equal(sum->thread_ns,
			 sum->idle_ns + sum->unseen_ns + sum->busy_ns);
	assert_int_equal(cells, sum->thread_ns);
	assert_int_equal(m->before, r->before);
	assert_rows_sum_up(r);
	assert_holds_are_parts(r);
}

/* ---- streams of any kind -------------------------------------------------- */

static uint64_t seed;

static uint64_t any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* Mostly what could be, now and then what cannot. */
static uint64_t any_ns(uint64_t below)
{
	switch (any(40)) {
	case 0:
		return UINT64_MAX - any(3);
	case 1:
		return 0;
	case 2:
		return any(below) * 100;
	default:
		return any(below);
	}
}

static struct pt_hdr any_task(uint16_t type, uint32_t size, uint64_t now)
{
	uint32_t tid = 100 + (uint32_t)any(6);

	/* no time is so late that sums of nanoseconds overflow */
	return (struct pt_hdr){
		.size = size, .type = type, .proc = 1 + tid % 2,
		.pid = 7 + tid % 2, .tid = tid,
		.t = any(30) ? now - any(2000) : any(10 * now),
	};
}

static uint64_t any_stack(void)
{
	return any(8) ? 16 + any(40) : any(3);
}

static uint64_t short_of(uint64_t ns)
{
	return ns < 1000 * S ? ns : 1000 * S;
}

static void any_offcpu(struct run *r, uint64_t now)
{
	struct pt_offcpu o = {
		.h = any_task(PT_OFFCPU, sizeof(o), now),
		.blocked = any_ns(5000), .runq = any_ns(200),
		.preempted = any_ns(100), .stack = any_stack(),
		.nr = any(2) ? 202 : (uint32_t)any(400), .abi = (uint8_t)any(4),
		.args = { any(3) },
		.reason = (uint8_t)any(6), .state = (uint8_t)any(20),
		.why = (uint8_t)any(12), .waker = (uint8_t)any(4),
		.waker_tid = 100 + (uint32_t)any(8), .waker_stack = any_stack(),
		.iowait = (uint8_t)any(2),
	};

	o.dur = any(10) ? o.blocked + o.runq + o.preempted : any_ns(6000);
	o.dur = short_of(o.dur);
	feed(r, &o.h);
}

static void any_syscall(struct run *r, uint64_t now)
{
	struct pt_syscall s = {
		.h = any_task(PT_SYSCALL, sizeof(s), now),
		.dur = short_of(any_ns(3000)), .stack = any_stack(),
		.nr = (uint32_t)any(400), .state = (uint8_t)any(12),
		.ret = (int64_t)any(8000) - 4000,
	};

	s.state = s.state < 4 ? s.state : 0;
	feed(r, &s.h);
}

static void any_other(struct run *r, uint64_t now)
{
	struct pt_fault f = {
		.h = any_task(PT_FAULT, sizeof(f), now),
		.dur = any(300), .stack = any_stack(), .kind = (uint8_t)any(6),
		.kernel = (uint8_t)any(2), .bytes = 4096,
	};
	struct pt_sample s = {
		.h = any_task(PT_SAMPLE, sizeof(s), now),
		.dur = any(3) * 1000, .stack = any_stack(),
		.kernel = (uint8_t)any(2),
	};

	feed(r, any(2) ? &f.h : &s.h);
}

static void any_life(struct run *r, uint64_t now)
{
	struct pt_thread t = { .h = any_task(PT_THREAD, sizeof(t), now) };
	struct pt_exit e = { .h = any_task(PT_EXIT, sizeof(e), now) };
	struct pt_fork f = {
		.h = any_task(PT_FORK, sizeof(f), now),
		.child_pid = 7 + (uint32_t)any(2),
		.child_tid = 100 + (uint32_t)any(8),
		.child_proc = (uint32_t)any(4),
	};

	switch (any(4)) {
	case 0:
		feed(r, &t.h);
		break;
	case 1:
		feed(r, &e.h);
		break;
	case 2:
		feed(r, &f.h);
		break;
	default:
		line(r, any(2) ? "5000 exec pid=7 tid=102 proc=3 file=\"x\"" :
		     "5000 process pid=7 tid=102 proc=3 walk=no");
		break;
	}
}

static void any_stream(struct run *r, unsigned int records)
{
	uint64_t now = 10000;

	for (unsigned int i = 0; i < 20; i++) {
		char text[100];

		snprintf(text, sizeof(text), "1 stack stack=%u frame=%u@0 "
			 "frame=%u@0", 16 + i, 1 + i % 4, 1 + i / 7);
		line(r, text);
	}
	for (unsigned int i = 0; i < records; i++) {
		now += any(1500);
		if (i == records / 10 && any(5))
			line(r, any(3) ? "10000 begin events=0x38400 sample_hz=49" :
			     "10000 begin events=0x10400");
		switch (any(12)) {
		case 0:
			any_life(r, now);
			break;
		case 1:
		case 2:
			any_other(r, now);
			break;
		case 3:
		case 4:
		case 5:
			any_syscall(r, now);
			break;
		default:
			any_offcpu(r, now);
			break;
		}
	}
	if (any(2))
		line(r, "900000 end");
}

static void closes_whatever_comes(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 400; round++) {
		struct run r;

		seed = 0x9e3779b97f4a7c15 + round;
		start(&r, NULL);
		define(&r, 1, "wait", "/usr/lib/python3.9/threading.py");
		define(&r, 2, "_worker",
		       "/usr/lib/python3.9/concurrent/futures/thread.py");
		define(&r, 3, "f", "/srv/app.py");
		define(&r, 4, "g", "/srv/lib/site-packages/x.py");
		any_stream(&r, 20 + (unsigned int)any(600));
		assert_closes(&r);
		stop(&r);
	}
}

/* With hardly any memory keys are coarse, and sums are what they were. */
/* Some threads and all others: each account closes, and they sum to the whole. */
static void chosen_threads(void **state)
{
	static const pid_t some[] = { 100, 102, 105 };
	static const pid_t rest[] = { 101, 103, 104, 106, 107 };
	const struct analysis_opts opts[] = {
		{ 0 },
		{ .tids = some, .nr_tids = ARRAY_LEN(some) },
		{ .tids = rest, .nr_tids = ARRAY_LEN(rest) },
	};
	uint64_t ns[3], busy[3];
	uint32_t nr[3], all;

	(void)state;
	for (uint64_t n = 1; n <= 200; n++) {
		for (size_t i = 0; i < ARRAY_LEN(opts); i++) {
			const struct model *m;
			struct run r;

			seed = n * UINT64_C(0x9e3779b97f4a7c15);
			start(&r, &opts[i]);
			any_stream(&r, 200);
			assert_closes(&r);
			m = analysis_model(r.a);
			ns[i] = m->account.thread_ns;
			busy[i] = m->account.busy_ns;
			nr[i] = model_threads(m, &all);
			stop(&r);
		}
		assert_int_equal(ns[0], ns[1] + ns[2]);
		assert_int_equal(busy[0], busy[1] + busy[2]);
		assert_int_equal(nr[0], all);
		assert_int_equal(nr[0], nr[1] + nr[2]);
	}
}

static void closes_without_room(void **state)
{
	const struct analysis_opts little = { .memory = 20000 };
	uint64_t busy[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct run r;

		seed = 42;
		start(&r, i ? &little : NULL);
		define(&r, 3, "f", "/srv/app.py");
		any_stream(&r, 5000);
		assert_closes(&r);
		busy[i] = analysis_model(r.a)->account.thread_ns;
		assert_int_equal(analysis_model(r.a)->coarse != 0, i);
		stop(&r);
	}
	assert_int_equal(busy[0], busy[1]);
}

/* ---- single rules --------------------------------------------------------- */

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
	assert_int_equal(rows.total.ns, 98);
	assert_int_equal(rows.total.count, 2);
	rows_free(&rows);
	q.idle = true;
	assert_int_equal(rows_make(&rows, r.a, &q, NULL), 0);
	assert_int_equal(rows.total.ns, 798);
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
		cmocka_unit_test(closes_whatever_comes),
		cmocka_unit_test(closes_without_room),
		cmocka_unit_test(chosen_threads),
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
