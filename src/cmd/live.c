/* SPDX-License-Identifier: MIT */
/* live: run a pipeline over live processes, from options to exit code. */
#include "cmd/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/children.h"
#include "cmd/cmd.h"
#include "cmd/dryrun.h"
#include "cmd/journal.h"
#include "cmd/say.h"
#include "cmd/targets.h"
#include "cmd/totals.h"
#include "config.h"
#include "live/doctor.h"
#include "live/session.h"
#include "target/spawn.h"

_Static_assert(SYSSET_NR == PT_MAX_NR, "one byte for each number");
_Static_assert((int)OPTS_PROBES_USDT == (int)TRACER_CALLS_USDT &&
	       (int)OPTS_PROBES_SYNTHETIC == (int)TRACER_CALLS_PLACES &&
	       (int)OPTS_PROBES_NONE == (int)TRACER_CALLS_NONE,
	       "the option is handed on as it is");

static void stop_session(void *arg)
{
	session_stop(arg);
}

static void judge(void *arg, uint64_t code, bool wanted)
{
	session_judge(arg, code, wanted);
}

/* If memory runs out, we go first.  A command is its own, and began before. */
static void offer_to_oom(void)
{
	static const char score[] = "700";
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, score, sizeof(score) - 1) < 0) {
		/* a promise less; the trace is none the worse */
	}
	close(fd);
}

/* Gives all back, and says so: what is said must be true. */
static void detach(const struct opts *o, const struct pipeline *p,
		   const struct session_view *v, struct session *s)
{
	size_t running = o->command ? session_left_running(s) : 0, left;

	if (!o->quiet) {
		fputs("pytrace: ", stderr);
		if (p->last_ns > p->first_ns)
			fprintf(stderr, "%.3f s from first to last event; ",
				(double)(p->last_ns - p->first_ns) / 1e9);
		say_fallbacks(v);
	}
	left = session_detach(s);
	if (left)
		fprintf(stderr, "%sdetached, but %zu descriptors stay until "
			"pytrace ends\n", o->quiet ? "pytrace: " : "", left);
	else if (!o->quiet)
		fputs("detached: nothing left\n", stderr);
	if (running)
		fprintf(stderr, "note: %zu descendant%s of the command still "
			"run%s, and %s no longer traced\n", running,
			running == 1 ? "" : "s", running == 1 ? "s" : "",
			running == 1 ? "is" : "are");
}

/* After the end of the trace: the command goes on as long as it likes. */
static int command_code(struct session *s)
{
	int code = 125;

	while (session_exit_code(s, &code) == -EINTR)
		;
	return code;
}

#define OVERHEAD_CALLS 10	/* percent, with probes on Python calls */

static uint32_t max_overhead(const struct opts *o, const struct eventset *events)
{
	uint32_t percent = opts_max_overhead(o);

	if (o->max_overhead < 0 && events->types & EVENTS_OF(PT_CALL) &&
	    percent > OVERHEAD_CALLS)
		return OVERHEAD_CALLS;
	return percent;
}

static int open_session(const struct opts *o, const struct eventset *events,
			struct select *select, bool filter,
			struct session **out, char **argv, struct err *err)
{
	struct session_opts so = {
		.tracer = {
			.dry = o->dry_run,
			.follow = o->follow,
			.select = select != NULL,
			.no_paths = o->no_paths,
			.kernel_stacks = o->native,
			.path_len = o->string_len,
			.ring_bytes = (size_t)o->buffer,
			.wanted = events->calls.has,
			.events = events->types,
			.sample_hz = events->sample_hz,
			.calls = o->probes,
			.allow_step = o->allow_step,
			.named = events->named,
			.nr_named = events->nr_named,
			.filter_calls = filter,
		},
		.select = select,
		.pids = o->pids,
		.nr_pids = o->nr_pids,
		.command = o->command,
		.argv = (const char *const *)argv,
		.version = PACKAGE_VERSION,
		.max_overhead = max_overhead(o, events),
		.slower_ns = o->slower_ns,
	};
	int rc;

	cmd_restore_sigpipe();
	rc = session_open(out, &so, err);
	cmd_ignore_sigpipe();
	return rc;
}

/* What can be known before anything is attached, or written over. */
static int check(const struct opts *o, struct err *err)
{
	int exit_code;

	if (o->command && spawn_check(o->command, &exit_code, err)) {
		cmd_fail(err);
		return exit_code;
	}
	if (!targets_check_self(o, err) && !targets_check_threads(o, err))
		return 0;
	return o->command ? cmd_fail(err), 125 : cmd_fail(err);
}

static int dry_run(const struct opts *o, const struct eventset *events,
		   struct session *s)
{
	struct err err = { 0 };
	int code = 0;

	if (dryrun_put(o, events, max_overhead(o, events), s, &err))
		code = cmd_fail(&err);
	session_close(s);
	return code;
}

/*
 * Attached: say so, let a command run, and give up what rights only that took.
 * What to exit with; 0: go on.
 */
static int begin(const struct opts *o, const struct eventset *events,
		 struct pipeline *p, struct session *s)
{
	struct err err = { 0 };
	int code;

	offer_to_oom();
	pipeline_catch_signals();
	if (p->begin && p->begin(p, &err)) {
		code = cmd_fail(&err);
		return o->command ? 125 : code;
	}
	/* who has read that finds the output there */
	say_attached(o, events, max_overhead(o, events), s);
	if (!o->quiet)
		children_note(o);
	if (o->command && session_release(s, &code, &err)) {
		cmd_fail(&err);
		return code;
	}
	if (session_drop_rights(s, &err) && !o->quiet)
		fprintf(stderr, "note: %s\n", err.text);
	return 0;
}

/* All records; what to exit with.  `*gone`: nobody reads them any more. */
static int run_pipeline(const struct opts *o, struct pipeline *p,
			struct session *s, bool *gone)
{
	struct err err = { 0 };
	int rc;

	p->source = session_source(s);
	p->stop = stop_session;
	p->judge = judge;
	p->arg = s;
	p->end_ns = o->duration_ns ? now_ns() + o->duration_ns : 0;
	p->shed = say_shed;
	rc = session_keep(s, p->end_ns, pipeline_was_asked, &err);
	if (!rc)
		rc = pipeline_run(p, &err);
	if (!rc)
		return 0;
	session_stop(s);
	*gone = rc == -EPIPE;	/* the reader has seen enough */
	return *gone ? 0 : cmd_fail(&err);
}

/* --strict: the status of a command is its own, so that it must be said. */
static int strict(const struct opts *o, const struct engine_totals *t)
{
	if (!o->strict || !totals_incomplete(t))
		return 0;
	if (o->command)
		fputs("pytrace: incomplete: something was lost or a stack is "
		      "unknown (--strict); the exit status is the command's\n",
		      stderr);
	return ERR_INCOMPLETE;
}

static int trace(const struct opts *o, const struct eventset *events,
		 struct pipeline *p, struct session *s)
{
	uint64_t began = now_ns(), cost;
	struct session_view v;
	bool gone = false;
	int code = run_pipeline(o, p, s, &gone);

	cost = session_cost_ns(s);
	session_look(s, &v);
	detach(o, p, &v, s);
	say_missing(o, &v);
	if (p->engine && !p->no_totals)
		totals_print(engine_totals(p->engine), events->types, cost,
			     o->quiet);
	if (!code && p->engine)
		code = strict(o, engine_totals(p->engine));
	if (p->engine && engine_drift(p->engine))
		code = say_drift(engine_drift(p->engine));
	if (!code && session_over_budget(s))
		code = say_over_budget(&v, max_overhead(o, events));
	if (!code && !p->events && !o->command && !gone &&
	    !pipeline_was_asked())
		code = say_nothing_came(o, events, now_ns() - began);
	return o->command ? command_code(s) : code;
}

static int run_selected(const struct opts *o, const struct eventset *events,
			struct pipeline *p, struct select *select,
			char **argv)
{
	struct session *s = NULL;
	struct session_view v;
	struct err err = { 0 };
	uint64_t began;
	char *exe;
	int code = check(o, &err);

	if (code)
		return code;
	if (open_session(o, events, select, p->filters, &s, argv, &err)) {
		code = cmd_fail(&err);
		return o->command ? 125 : code;
	}
	if (o->dry_run)
		return dry_run(o, events, s);
	began = now_ns();
	session_look(s, &v);
	exe = v.exe ? strdup(v.exe) : NULL;	/* which it may exec away */
	journal_start(o, exe);
	code = begin(o, events, p, s);
	if (!code)
		code = trace(o, events, p, s);
	journal_end(o, exe, now_ns() - began, p->events, code);
	free(exe);
	session_close(s);
	return code;
}

int live_run(const struct opts *o, const struct eventset *events,
	     struct pipeline *p, char **argv)
{
	struct select *select;
	struct err err = { 0 };
	int code;

	if (targets_select(o, &select, &err))
		return cmd_fail(&err);
	code = run_selected(o, events, p, select, argv);
	select_free(select);
	return code;
}

void live_doctor(struct checks *c)
{
	doctor_host(c);
}
