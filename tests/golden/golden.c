/* SPDX-License-Identifier: MIT */
/*
 * golden: streams written by hand, and what is made of them.
 *
 * Each row reads tests/golden/NAME.ev and compares with tests/golden/OUT.
 * UPDATE=1 in the environment writes OUT instead: read the difference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/analysis.h"
#include "analysis/calls.h"
#include "analysis/pyevents.h"
#include "event/source.h"
#include "event/text.h"
#include "report/calls_report.h"
#include "report/json.h"
#include "report/pyevents_text.h"
#include "report/rows_json.h"
#include "report/screen.h"
#include "report/table.h"
#include "report/trace.h"
#include "stack/engine.h"

enum form {
	TEXT, TRACE, JSON, SCREEN, ROWS, TABLE, TABLE_ROWS,
	CALLS, CALLS_JSON, SLOW, COLLECTIONS, IMPORTS,
};

struct made {
	const char *out;		/* file, and name of the test */
	const char *ev;
	enum form form;
	struct trace_opts trace;
	struct json_opts json;
	struct screen_opts screen;
	struct analysis_opts analysis;
	struct table_opts table;
	struct calls_report calls;
};

static const char *const idle_at[] = { "shop/cache.py:get" };
static const char *const pool[] = { "pool-0_[01]" };

static const struct made rows[] = {
	{ .out = "shop.trace", .ev = "shop.ev", .form = TRACE },
	{ .out = "shop.stacks", .ev = "shop.ev", .form = TRACE,
	  .trace = { .whole_stacks = true, .lasti = true } },
	{ .out = "shop.plain", .ev = "shop.ev", .form = TRACE,
	  .trace = { .no_stacks = true,
		     .args = { .no_paths = true } } },
	{ .out = "shop.json", .ev = "shop.ev", .form = JSON },
	{ .out = "shop-private.json", .ev = "shop.ev", .form = JSON,
	  .json = { .no_paths = true, .no_stacks = true } },
	{ .out = "shop.text", .ev = "shop.ev", .form = TEXT },
	{ .out = "unknown.trace", .ev = "unknown.ev", .form = TRACE },
	{ .out = "unknown.stacks", .ev = "unknown.ev", .form = TRACE,
	  .trace = { .whole_stacks = true } },
	{ .out = "unknown.json", .ev = "unknown.ev", .form = JSON },
	{ .out = "life.trace", .ev = "life.ev", .form = TRACE },
	{ .out = "life-events.trace", .ev = "life.ev", .form = TRACE,
	  .trace = { .events_only = true } },
	{ .out = "life.json", .ev = "life.ev", .form = JSON },
	{ .out = "hostile.trace", .ev = "hostile.ev", .form = TRACE,
	  .trace = { .args = { .path_len = 12 } } },
	{ .out = "hostile.json", .ev = "hostile.ev", .form = JSON },
	{ .out = "hostile.text", .ev = "hostile.ev", .form = TEXT },
	{ .out = "waits.trace", .ev = "waits.ev", .form = TRACE },
	{ .out = "waits.stacks", .ev = "waits.ev", .form = TRACE,
	  .trace = { .whole_stacks = true } },
	{ .out = "waits.plain", .ev = "waits.ev", .form = TRACE,
	  .trace = { .no_stacks = true,
		     .args = { .no_paths = true } } },
	{ .out = "waits.json", .ev = "waits.ev", .form = JSON },
	{ .out = "waits-private.json", .ev = "waits.ev", .form = JSON,
	  .json = { .no_paths = true, .no_stacks = true } },
	{ .out = "waits.text", .ev = "waits.ev", .form = TEXT },
	{ .out = "incident.screen", .ev = "incident.ev", .form = SCREEN,
	  .screen = { .target = "-p 811" } },
	{ .out = "incident-80.screen", .ev = "incident.ev", .form = SCREEN,
	  .screen = { .width = 80, .utc = true, .no_paths = true } },
	{ .out = "incident-idle.screen", .ev = "incident.ev", .form = SCREEN,
	  .screen = { .idle = true, .target = "-p 811 -f" },
	  .analysis = { .idle_at = idle_at, .nr_idle_at = 1 } },
	{ .out = "incident-threads.screen", .ev = "incident.ev",
	  .form = SCREEN, .screen = { .target = "-p 811 --thread 'pool-0_[01]'" },
	  .analysis = { .threads = pool, .nr_threads = 1 } },
	{ .out = "incident.rows", .ev = "incident.ev", .form = ROWS },
	{ .out = "incident.offcpu", .ev = "incident.ev", .form = TABLE,
	  .table = { .view = TABLE_OFFCPU, .by = BY_STACK, .limit = 4 } },
	{ .out = "incident.syscalls", .ev = "incident.ev", .form = TABLE,
	  .table = { .view = TABLE_SYSCALLS, .by = BY_APP,
		     .sort = "bytes" } },
	{ .out = "incident.cpu", .ev = "incident.ev", .form = TABLE,
	  .table = { .view = TABLE_CPU, .by = BY_THREAD, .width = 80 } },
	{ .out = "incident.faults", .ev = "incident.ev", .form = TABLE,
	  .table = { .view = TABLE_FAULTS, .by = BY_FUNC } },
	{ .out = "incident.tree", .ev = "incident.ev", .form = TABLE,
	  .table = { .view = TABLE_OFFCPU, .shape = SHAPE_TREE, .limit = 14 } },
	{ .out = "incident-tree.rows", .ev = "incident.ev", .form = TABLE_ROWS,
	  .table = { .by = BY_APP, .view = TABLE_SYSCALLS, .shape = SHAPE_TREE } },
	{ .out = "calls.syscalls", .ev = "calls.ev", .form = TABLE,
	  .table = { .by = BY_APP, .view = TABLE_SYSCALLS, .width = 120 } },
	{ .out = "calls-idle.syscalls", .ev = "calls.ev", .form = TABLE,
	  .table = { .view = TABLE_SYSCALLS, .by = BY_LINE, .idle = true,
		     .sort = "p99" } },
	{ .out = "calls.hist", .ev = "calls.ev", .form = TABLE,
	  .table = { .by = BY_APP, .view = TABLE_SYSCALLS, .shape = SHAPE_HIST,
		     .limit = 1 } },
	{ .out = "calls.linear", .ev = "calls.ev", .form = TABLE,
	  .table = { .view = TABLE_SYSCALLS, .shape = SHAPE_LINEAR,
		     .by = BY_THREAD } },
	{ .out = "calls.rows", .ev = "calls.ev", .form = TABLE_ROWS,
	  .table = { .by = BY_APP, .view = TABLE_SYSCALLS, .shape = SHAPE_HIST } },
	{ .out = "calls.faults", .ev = "calls.ev", .form = TABLE,
	  .table = { .by = BY_APP, .view = TABLE_FAULTS } },
	{ .out = "calls-age.faults", .ev = "calls.ev", .form = TABLE,
	  .table = { .view = TABLE_FAULTS, .by = BY_AGE, .sort = "private",
		     .width = 80 } },
	{ .out = "calls-faults.rows", .ev = "calls.ev", .form = TABLE_ROWS,
	  .table = { .by = BY_APP, .view = TABLE_FAULTS } },
	{ .out = "incident-faults.rows", .ev = "incident.ev",
	  .form = TABLE_ROWS,
	  .table = { .view = TABLE_FAULTS, .by = BY_PROCESS } },
	{ .out = "incident-cpu.rows", .ev = "incident.ev", .form = TABLE_ROWS,
	  .table = { .view = TABLE_CPU, .by = BY_STACK } },
	{ .out = "counted.cpu", .ev = "counted.ev", .form = TABLE,
	  .table = { .view = TABLE_COUNTED, .by = BY_APP, .counter = "cycles" } },
	{ .out = "counted.tree", .ev = "counted.ev", .form = TABLE,
	  .table = { .view = TABLE_COUNTED, .shape = SHAPE_TREE,
		     .counter = "page-faults", .width = 80 } },
	{ .out = "counted.rows", .ev = "counted.ev", .form = TABLE_ROWS,
	  .table = { .view = TABLE_COUNTED, .by = BY_LINE,
		     .counter = "cycles" } },
	{ .out = "kernel.text", .ev = "kernel.ev", .form = TEXT },
	{ .out = "kernel.json", .ev = "kernel.ev", .form = JSON },
	{ .out = "kernel.trace", .ev = "kernel.ev", .form = TRACE,
	  .trace = { .kernel = true } },
	{ .out = "kernel.stacks", .ev = "kernel.ev", .form = TRACE,
	  .trace = { .kernel = true, .whole_stacks = true } },
	{ .out = "kernel.offcpu", .ev = "kernel.ev", .form = TABLE,
	  .table = { .view = TABLE_OFFCPU, .by = BY_STACK },
	  .analysis = { .kernel = true } },
	{ .out = "kernel.tree", .ev = "kernel.ev", .form = TABLE,
	  .table = { .view = TABLE_CPU, .shape = SHAPE_TREE },
	  .analysis = { .kernel = true } },
	{ .out = "kernel.rows", .ev = "kernel.ev", .form = TABLE_ROWS,
	  .table = { .view = TABLE_OFFCPU, .by = BY_STACK },
	  .analysis = { .kernel = true } },
	{ .out = "kernel-tree.rows", .ev = "kernel.ev", .form = TABLE_ROWS,
	  .table = { .view = TABLE_CPU, .by = BY_APP, .shape = SHAPE_TREE },
	  .analysis = { .kernel = true } },
	{ .out = "odd.screen", .ev = "odd.ev", .form = SCREEN,
	  .screen = { .target = "-p 7" } },
	{ .out = "odd.rows", .ev = "odd.ev", .form = ROWS },
	{ .out = "budget.screen", .ev = "budget.ev", .form = SCREEN,
	  .screen = { .target = "-p 7" } },
	{ .out = "budget.syscalls", .ev = "budget.ev", .form = TABLE,
	  .table = { .view = TABLE_SYSCALLS, .by = BY_APP } },
	{ .out = "budget.rows", .ev = "budget.ev", .form = ROWS },
	{ .out = "budget.trace", .ev = "budget.ev", .form = TRACE },
	{ .out = "budget.json", .ev = "budget.ev", .form = JSON },
	{ .out = "budget.text", .ev = "budget.ev", .form = TEXT },
	{ .out = "exec.screen", .ev = "exec.ev", .form = SCREEN,
	  .screen = { .target = "-i exec.ev" } },
	{ .out = "workers.screen", .ev = "workers.ev", .form = SCREEN,
	  .screen = { .utc = true } },
	{ .out = "workers-80.screen", .ev = "workers.ev", .form = SCREEN,
	  .screen = { .width = 80, .utc = true } },
	{ .out = "other.screen", .ev = "other.ev", .form = SCREEN },
	{ .out = "idle.screen", .ev = "idle.ev", .form = SCREEN,
	  .screen = { .target = "-p 7" } },
	{ .out = "shop.screen", .ev = "shop.ev", .form = SCREEN,
	  .screen = { .target = "-i shop.ev" } },
	{ .out = "named.trace", .ev = "named.ev", .form = TRACE },
	{ .out = "named-private.trace", .ev = "named.ev", .form = TRACE,
	  .trace = { .no_stacks = true, .args = { .no_paths = true } } },
	{ .out = "named.json", .ev = "named.ev", .form = JSON },
	{ .out = "named.text", .ev = "named.ev", .form = TEXT },
	{ .out = "funcs.trace", .ev = "funcs.ev", .form = TRACE,
	  .trace = { .whole_stacks = true } },
	{ .out = "funcs.calls", .ev = "funcs.ev", .form = CALLS,
	  .calls = { .limit = 7 } },
	{ .out = "funcs-threads.calls", .ev = "funcs.ev", .form = CALLS,
	  .calls = { .by = CALLS_THREAD, .sort = "calls" } },
	{ .out = "funcs.calltree", .ev = "funcs.ev", .form = CALLS,
	  .calls = { .shape = CALLS_TREE } },
	{ .out = "funcs.callhist", .ev = "funcs.ev", .form = CALLS,
	  .calls = { .shape = CALLS_HIST, .sort = "p99", .limit = 3 } },
	{ .out = "funcs.callrows", .ev = "funcs.ev", .form = CALLS_JSON,
	  .calls = { .shape = CALLS_HIST } },
	{ .out = "funcs.callnodes", .ev = "funcs.ev", .form = CALLS_JSON,
	  .calls = { .shape = CALLS_TREE } },
	{ .out = "funcs.slow", .ev = "funcs.ev", .form = SLOW },
	{ .out = "python.gc", .ev = "python.ev", .form = COLLECTIONS },
	{ .out = "python.imports", .ev = "python.ev", .form = IMPORTS },
	{ .out = "python-tree.imports", .ev = "python.ev", .form = IMPORTS,
	  .calls = { .shape = CALLS_TREE, .limit = 5 } },
	{ .out = "funcs.json", .ev = "funcs.ev", .form = JSON },
	{ .out = "funcs.text", .ev = "funcs.ev", .form = TEXT },
	{ .out = "args.trace", .ev = "args.ev", .form = TRACE,
	  .trace = { .no_stacks = true } },
};

static const struct engine_opts with_stacks = {
	.calls = { .end_stacks = true, .slower_ns = 1000000 },
	.verify = true,
};

/* Tests run in build folders: the sources are in $SRCDIR. */
static void path_of(char *path, size_t size, const char *name)
{
	const char *top = getenv("SRCDIR");

	snprintf(path, size, "%s/tests/golden/%s", top ? top : ".", name);
}

/* What a view of calls is made of, beside the engine. */
static struct calls *calls;
static struct pyevents *pyevents;

static void begin_calls(const struct made *row)
{
	const struct calls_opts opts = {
		.by = row->calls.by, .tree = row->calls.shape == CALLS_TREE,
	};

	assert_int_equal(calls_new(&calls, &opts, NULL), 0);
	assert_int_equal(pyevents_new(&pyevents, NULL), 0);
}

static void end_calls(void)
{
	calls_free(calls);
	pyevents_free(pyevents);
}

static int add_calls(const struct made *row, const struct moment *m, FILE *out,
		     struct err *err)
{
	int rc = calls_add(calls, m, err);

	for (size_t i = 0; row->form == SLOW && i < m->nr_steps; i++)
		if (m->steps[i].step->kind == STEP_END &&
		    m->steps[i].stack.known)
			calls_put_slow(out, &m->steps[i],
				       calls_about(calls)->events,
				       &calls_about(calls)->realtime_offset,
				       true);
	return rc ? rc : pyevents_add(pyevents, m, err);
}

static int put_calls(const struct made *row, const struct engine *engine,
		     FILE *out, struct err *err)
{
	struct calls_report r = row->calls;
	const struct pyevents_report p = {
		.is = pyevents, .totals = engine_totals(engine),
		.limit = r.limit, .width = 100, .tree = r.shape == CALLS_TREE,
	};
	int rc;

	r.calls = calls;
	r.totals = engine_totals(engine);
	r.repairs = engine_calls(engine);
	r.verified = engine_verified(engine);
	r.width = 100;
	r.utc = true;
	if (row->form == CALLS)
		return calls_put(out, &r, err);
	if (row->form == CALLS_JSON)
		return calls_json(out, &r, err);
	if (row->form == SLOW) {
		calls_put_slow_end(out, &r, 6, 1000000);
		return 0;
	}
	rc = row->form == COLLECTIONS ? pyevents_put_gc(out, &p, err) :
					pyevents_put_imports(out, &p, err);
	if (rc || r.shape == CALLS_TREE)
		return rc;
	return row->form == COLLECTIONS ? pyevents_json_gc(out, &p, err) :
					  pyevents_json_imports(out, &p, err);
}

static void print(const struct made *row, const struct moment *m,
		  const struct engine *engine, FILE *out, struct trace *trace,
		  struct json *json, struct analysis *analysis)
{
	struct err err = { 0 };
	int rc = 0;

	switch (row->form) {
	case TEXT:
		rc = text_write(out, m->rec);
		break;
	case TRACE:
		for (size_t i = 0; i < m->nr_steps && rc >= 0; i++)
			rc = trace_step(trace, &m->steps[i], &err);
		if (rc >= 0)
			rc = trace_moment(trace, m, &err);
		break;
	case JSON:
		for (size_t i = 0; i < m->nr_steps && rc >= 0; i++)
			rc = json_step(json, &m->steps[i], &err);
		if (rc >= 0)
			rc = json_moment(json, m, engine_totals(engine), &err);
		break;
	case CALLS:
	case CALLS_JSON:
	case SLOW:
	case COLLECTIONS:
	case IMPORTS:
		rc = add_calls(row, m, out, &err);
		break;
	case SCREEN:
	case ROWS:
	case TABLE:
	case TABLE_ROWS:
		rc = analysis_add(analysis, m, &err);
		break;
	}
	if (rc < 0)
		fail_msg("%s", err.text);
}

/* What only the end of a stream can show. */
static void summarise(const struct made *row, const struct engine *engine,
		      FILE *out, struct analysis *analysis)
{
	struct err err = { 0 };

	assert_int_equal(analysis_end(analysis, &err), 0);
	if (row->form >= CALLS)
		assert_int_equal(put_calls(row, engine, out, &err), 0);
	if (row->form == SCREEN)
		assert_int_equal(screen_put(out, analysis,
					    engine_totals(engine), &row->screen,
					    &err), 0);
	if (row->form == ROWS)
		assert_int_equal(rows_json_put(out, analysis, false, 0,
					       &err), 0);
	if (row->form == TABLE)
		assert_int_equal(table_put(out, analysis,
					   engine_totals(engine), &row->table,
					   &err), 0);
	if (row->form == TABLE_ROWS)
		assert_int_equal(table_json(out, analysis, &row->table, &err),
				 0);
}

static void render(const struct made *row, FILE *out)
{
	const struct pt_hdr *rec;
	struct engine *engine = NULL;
	struct trace *trace = NULL;
	struct analysis *analysis = NULL;
	struct source *src = NULL;
	struct json *json = NULL;
	struct err err = { 0 };
	struct moment m;
	char path[4096];
	int rc;

	path_of(path, sizeof(path), row->ev);
	if (source_open(&src, path, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(engine_new(&engine, &with_stacks, &err), 0);
	assert_int_equal(trace_new(&trace, out, &row->trace, &err), 0);
	assert_int_equal(json_new(&json, out, &row->json, &err), 0);
	assert_int_equal(analysis_new(&analysis, &row->analysis, &err), 0);
	begin_calls(row);
	while ((rc = source_next(src, &rec, &err)) > 0) {
		assert_int_equal(engine_feed(engine, rec, &m, &err), 0);
		print(row, &m, engine, out, trace, json, analysis);
	}
	if (rc < 0)
		fail_msg("%s", err.text);
	summarise(row, engine, out, analysis);
	end_calls();
	analysis_free(analysis);
	json_free(json);
	trace_free(trace);
	engine_free(engine);
	source_close(src);
}

static char *read_all(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *bytes = NULL;
	int c;
	FILE *to = open_memstream(&bytes, len);

	assert_non_null(to);
	if (!f)
		fail_msg("no %s: UPDATE=1 makes it", path);
	while ((c = getc(f)) != EOF)
		putc(c, to);
	fclose(f);
	fclose(to);
	return bytes;
}

static void update(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* The first line that differs says more than two whole texts. */
static void compare(const char *is, const char *should)
{
	unsigned int line = 1;

	while (*is || *should) {
		size_t a = strcspn(is, "\n"), b = strcspn(should, "\n");

		if (a != b || memcmp(is, should, a))
			fail_msg("line %u is\n%.*s\nand should be\n%.*s", line,
				 (int)a, is, (int)b, should);
		is += a + (is[a] == '\n');
		should += b + (should[b] == '\n');
		line++;
	}
}

static void golden(void **state)
{
	const struct made *row = *state;
	char *is = NULL, *should;
	char path[4096];
	size_t len = 0;
	FILE *out = open_memstream(&is, &len);

	assert_non_null(out);
	render(row, out);
	fclose(out);
	path_of(path, sizeof(path), row->out);
	if (getenv("UPDATE"))
		update(path, is, len);
	should = read_all(path, &len);
	compare(is, should);
	free(should);
	free(is);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(rows)];

	/* A zone of its own, so that local time is tested everywhere. */
	setenv("TZ", "TST-5:30", 1);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		tests[i] = (struct CMUnitTest){
			.name = rows[i].out,
			.test_func = golden,
			.initial_state = (void *)(uintptr_t)&rows[i],
		};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
