/* SPDX-License-Identifier: MIT */
/* calls: what is counted of known calls; sums that hold for any stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "analysis/calls.h"
#include "event/record.h"
#include "event/text.h"
#include "stack/engine.h"

static struct engine *engine;
static struct calls *calls;
static struct recbuf buf;

static void begin(const struct calls_opts *opts)
{
	assert_int_equal(engine_new(&engine, NULL, NULL), 0);
	assert_int_equal(calls_new(&calls, opts, NULL), 0);
}

static void end(void)
{
	calls_free(calls);
	engine_free(engine);
	recbuf_free(&buf);
}

static void take(const struct pt_hdr *rec)
{
	struct err err = { 0 };
	struct moment m;

	assert_int_equal(engine_feed(engine, rec, &m, &err), 0);
	assert_int_equal(calls_add(calls, &m, &err), 0);
}

static void feed(const char *line)
{
	const struct pt_hdr *rec = NULL;
	struct err err = { 0 };

	if (text_parse(line, strlen(line), &buf, &rec, &err) != 1)
		fail_msg("%s: %s", line, err.text);
	take(rec);
}

static void finish(void)
{
	struct err err = { 0 };
	struct moment m;

	assert_int_equal(engine_finish(engine, engine_totals(engine)->last_t, &m,
				       &err), 0);
	assert_int_equal(calls_add(calls, &m, &err), 0);
}

/* Code objects 1 to 5: functions a to e of /x.py, each in the line of its id. */
static void define(void)
{
	char line[160];

	for (int i = 1; i <= 5; i++) {
		snprintf(line, sizeof(line), "1 part code=%d part=name data=\"%c\"",
			 i, 'a' + i - 1);
		feed(line);
		snprintf(line, sizeof(line),
			 "1 part code=%d part=filename data=\"/x.py\"", i);
		feed(line);
		snprintf(line, sizeof(line), "1 code code=%d addr=%d firstline=%d "
			 "version=3.9 name=sent,1,1,1 filename=sent,5,1,1 "
			 "linetable=sent,0,1", i, i * 64, i);
		feed(line);
	}
}

static const struct call_row *row_of(char func)
{
	uint32_t nr;
	const struct call_row *row = calls_rows(calls, &nr);

	for (uint32_t i = 1; i < nr; i++)
		if (row[i].func && row[i].func[0] == func)
			return &row[i];
	fail_msg("no row of %c", func);
	return NULL;
}

static void recursion_is_counted_once(void **state)
{
	const struct calls_opts opts = { .tree = true };
	const struct call_node *node;
	uint32_t nr;

	(void)state;
	begin(&opts);
	define();
	feed("100 call tid=7 pid=7 frame=1 code=1");
	feed("200 call tid=7 pid=7 frame=2 caller=1 code=2");
	feed("300 call tid=7 pid=7 frame=3 caller=2 code=1");
	feed("350 offcpu tid=7 pid=7 dur=30 blocked=30 reason=syscall");
	feed("400 return tid=7 pid=7 frame=3");
	feed("600 return tid=7 pid=7 frame=2 flags=2");
	feed("1000 return tid=7 pid=7 frame=1");
	assert_int_equal(row_of('a')->is.calls, 2);
	assert_int_equal(row_of('a')->is.total_ns, 900);
	assert_int_equal(row_of('a')->is.self_ns, 600);
	assert_int_equal(row_of('a')->is.off_ns, 30);
	assert_int_equal(calls_cpu_ns(&row_of('a')->is), 870);
	assert_int_equal(row_of('a')->is.max_ns, 900);
	assert_int_equal(row_of('b')->is.total_ns, 400);
	assert_int_equal(row_of('b')->is.self_ns, 300);
	assert_int_equal(row_of('b')->is.raised, 1);
	node = calls_nodes(calls, &nr);
	assert_int_equal(nr, 4);		/* root, a, b below it, a below that */
	assert_int_equal(node[1].is.total_ns, 900);
	assert_int_equal(node[2].parent, 1);
	assert_int_equal(node[3].parent, 2);
	assert_int_equal(node[3].is.total_ns, 100);
	assert_int_equal(node[3].depth, 3);
	end();
}

static void generators_are_calls_and_resumes(void **state)
{
	const struct calls_opts opts = { 0 };

	(void)state;
	begin(&opts);
	define();
	feed("100 call tid=7 pid=7 frame=1 code=1");
	feed("110 call tid=7 pid=7 frame=9 caller=1 code=3 flags=12");
	feed("200 call tid=7 pid=7 frame=2 caller=1 code=3 flags=4");
	feed("300 return tid=7 pid=7 frame=2 flags=5");
	feed("500 call tid=7 pid=7 frame=2 caller=1 code=3 flags=5");
	feed("550 return tid=7 pid=7 frame=2 flags=4");
	finish();
	assert_int_equal(row_of('c')->is.made, 1);
	assert_int_equal(row_of('c')->is.calls, 1);
	assert_int_equal(row_of('c')->is.resumes, 1);
	assert_int_equal(row_of('c')->is.total_ns, 150);
	assert_int_equal(row_of('c')->is.suspended_ns, 200);
	assert_int_equal(row_of('a')->is.cut, 1);	/* the stream ended */
	assert_true(row_of('a')->is.max_cut);
	assert_int_equal(hist_count(&row_of('a')->hist), 0);
	assert_int_equal(hist_count(&row_of('c')->hist), 2);
	end();
}

static bool only_b(void *arg, const struct frame *func)
{
	(void)arg;
	return func->func && func->func[0] == 'b';
}

static void of_one_function_and_what_it_calls(void **state)
{
	const struct calls_opts opts = { .tree = true, .wants = only_b };
	const struct call_node *node;
	uint32_t nr;

	(void)state;
	begin(&opts);
	define();
	feed("100 call tid=7 pid=7 frame=1 code=1");
	feed("200 call tid=7 pid=7 frame=2 caller=1 code=2");
	feed("300 call tid=7 pid=7 frame=3 caller=2 code=3");
	feed("400 return tid=7 pid=7 frame=3");
	feed("500 return tid=7 pid=7 frame=2");
	feed("600 return tid=7 pid=7 frame=1");
	node = calls_nodes(calls, &nr);
	assert_int_equal(nr, 3);
	assert_int_equal(node[1].parent, CALLS_ROOT);
	assert_int_equal(node[1].is.total_ns, 300);
	assert_int_equal(node[2].parent, 1);
	assert_int_equal(node[CALLS_ROOT].is.total_ns, 300);
	assert_int_equal(row_of('a')->is.calls, 0);
	assert_int_equal(row_of('b')->is.calls, 1);
	end();
}

/* ---- any stream ---------------------------------------------------------------- */

static uint64_t rnd_state;

static uint32_t rnd(uint32_t n)
{
	rnd_state ^= rnd_state << 13;
	rnd_state ^= rnd_state >> 7;
	rnd_state ^= rnd_state << 17;
	return (uint32_t)(rnd_state >> 11) % n;
}

static uint64_t now;

static void set_head(struct pt_hdr *h)
{
	h->t = now += rnd(1000);
	h->pid = 7 + rnd(2);
	h->tid = h->pid * 10 + rnd(3);
	h->proc = h->pid;
	h->flags = rnd(4) ? 0 : rnd(32);
}

static const struct pt_hdr *any_record(void)
{
	struct pt_call *call;
	struct pt_return *ret;
	struct pt_offcpu *off;

	switch (rnd(5)) {
	case 0:
		off = recbuf_begin(&buf, PT_OFFCPU);
		set_head(&off->h);
		off->dur = rnd(2000);
		off->reason = PT_OFF_SYSCALL;
		break;
	case 1:
	case 2:
		ret = recbuf_begin(&buf, PT_RETURN);
		set_head(&ret->h);
		ret->frame = 8 * rnd(20);
		break;
	default:
		call = recbuf_begin(&buf, PT_CALL);
		set_head(&call->h);
		call->frame = 8 * rnd(20);
		call->caller = 8 * rnd(20);
		call->code = 1 + rnd(rnd(4) ? 5 : 500);
		break;
	}
	return recbuf_end(&buf);
}

static void add(struct call_sums *sum, const struct call_sums *s)
{
	sum->calls += s->calls;
	sum->resumes += s->resumes;
	sum->self_ns += s->self_ns;
	sum->cut += s->cut;
	assert_true(s->off_ns + s->aside_ns <= s->total_ns);
	assert_true(s->sys_ns <= s->total_ns && s->cut_ns <= s->total_ns);
}

static void same(const struct call_sums *a, const struct call_sums *b)
{
	assert_int_equal(a->calls, b->calls);
	assert_int_equal(a->resumes, b->resumes);
	assert_int_equal(a->self_ns, b->self_ns);
	assert_int_equal(a->cut, b->cut);
}

static void check_sums(bool tree, size_t memory)
{
	const struct call_sums *all = &calls_about(calls)->all;
	struct call_sums rows = { 0 }, nodes = { 0 };
	uint32_t nr, nr_rows;
	const struct call_node *node = calls_nodes(calls, &nr);
	const struct call_row *row = calls_rows(calls, &nr_rows);

	for (uint32_t i = 0; i < nr_rows; i++)
		add(&rows, &row[i].is);
	same(&rows, all);
	for (uint32_t i = 1; i < nr; i++) {
		assert_true(node[i].parent < i);
		assert_int_equal(node[i].depth, node[node[i].parent].depth + 1);
		add(&nodes, &node[i].is);
	}
	if (tree)
		same(&nodes, all);
	if (memory)
		assert_true(nr_rows < 400);
}

/* ---- -F --------------------------------------------------------------------- */

static bool wants_b(void *arg, const struct frame *func)
{
	(void)arg;
	return func->func && func->func[0] == 'b';
}

static struct {
	int told[6];		/* by code: how often */
	bool wanted[6];
} verdicts;

static void judged(void *arg, uint64_t code, bool wanted)
{
	(void)arg;
	assert_in_range(code, 1, 5);
	verdicts.told[code]++;
	verdicts.wanted[code] = wanted;
}

/* As the kernel half sends them: a refused one's record may be under way. */
static void of_wanted_functions_alone(void **state)
{
	const struct engine_opts eo = { .wants = wants_b, .judged = judged };
	const struct calls_opts opts = { 0 };
	uint32_t nr;

	(void)state;
	begin(&opts);
	engine_free(engine);
	assert_int_equal(engine_new(&engine, &eo, NULL), 0);
	define();
	for (int i = 1; i <= 5; i++) {
		assert_int_equal(verdicts.told[i], 1);
		assert_int_equal(verdicts.wanted[i], i == 2);
	}
	feed("50 seed tid=7 pid=7 at=1:1@0 at=7:3@0");
	feed("100 call tid=7 pid=7 frame=2 code=2 flags=16");
	feed("200 call tid=7 pid=7 frame=3 code=1 flags=16");
	feed("250 return tid=7 pid=7 frame=3");
	feed("300 call tid=7 pid=7 frame=4 caller=2 code=2");
	feed("350 offcpu tid=7 pid=7 dur=30 blocked=30 reason=syscall");
	feed("400 return tid=7 pid=7 frame=4");
	feed("600 return tid=7 pid=7 frame=2 flags=2");
	feed("1000 return tid=7 pid=7 frame=1 code=1");
	calls_rows(calls, &nr);
	assert_int_equal(nr, 2);		/* the others' and b */
	assert_int_equal(row_of('b')->is.calls, 2);
	assert_int_equal(row_of('b')->is.total_ns, 500);
	assert_int_equal(row_of('b')->is.off_ns, 30);
	assert_int_equal(row_of('b')->is.raised, 1);
	assert_int_equal(engine_calls(engine)->ignored, 0);
	assert_int_equal(engine_calls(engine)->unknown_callers, 0);
	/* a name that comes late is judged then, and anew */
	feed("1100 part code=5 part=name data=\"b\"");
	assert_int_equal(verdicts.told[5], 2);
	assert_true(verdicts.wanted[5]);
	end();
}

static void sums_hold_for_any_stream(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		const struct calls_opts opts = {
			.by = (enum calls_by)(seed % 3),
			.tree = seed & 1, .memory = seed & 2 ? 30000 : 0,
		};

		rnd_state = seed * UINT64_C(0x9e3779b97f4a7c15);
		now = 1000;
		begin(&opts);
		define();
		for (int i = 0; i < 3000; i++)
			take(any_record());
		finish();
		check_sums(opts.tree, opts.memory);
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recursion_is_counted_once),
		cmocka_unit_test(generators_are_calls_and_resumes),
		cmocka_unit_test(of_one_function_and_what_it_calls),
		cmocka_unit_test(of_wanted_functions_alone),
		cmocka_unit_test(sums_hold_for_any_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
