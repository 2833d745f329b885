/* SPDX-License-Identifier: MIT */
/* live: run a pipeline over live processes, from options to exit code. */
#include "cmd/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/printable.h"
#include "cmd/children.h"
#include "cmd/cmd.h"
#include "cmd/targets.h"
#include "cmd/totals.h"
#include "config.h"
#include "live/doctor.h"
#include "live/session.h"
#include "report/shed.h"

_Static_assert(SYSSET_NR == PT_MAX_NR, "one byte for each number");

static void stop_session(void *arg)
{
	session_stop(arg);
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

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

/* "pytrace: 811 python3.11, CPython 3.11.2, attached by walking" */
static void say_attached(const struct opts *o, const struct session *s)
{
	struct session_view v;
	char why[160];

	session_look(s, &v);
	if (v.no_samples && !o->quiet)
		fprintf(stderr, "pytrace: no samples of the CPU: %s\n",
			v.no_samples);
	if (o->quiet || o->command)
		return;
	fprintf(stderr, "pytrace: %u ", v.pid);
	printable_put(stderr, base_name(v.exe), strlen(base_name(v.exe)));
	if (v.python)
		fprintf(stderr, ", CPython %s", v.python);
	fprintf(stderr, ", %s", v.why ? "not walked: " : "attached by walking");
	if (v.why)
		printable_put(stderr, v.why, strlen(v.why));
	if (v.nr_processes > 1)
		fprintf(stderr, ", %zu processes in all", v.nr_processes);
	if (o->selects)
		fputs(", and those to come", stderr);
	fputc('\n', stderr);
	if (v.probe_ns)
		fprintf(stderr, "pytrace: function probes: ~%.1f us a Python "
			"call, measured here; every call of the process pays\n",
			(double)(2 * v.probe_ns) / 1e3);
	for (size_t i = 0; i < o->nr_pids && i < 4; i++)
		if (targets_why_still(o->pids[i], true, why, sizeof(why)))
			fprintf(stderr, "note: %s\n", why);
	if (v.fingerprints && o->verbose)
		fputs("pytrace: code objects are told apart by their names: "
		      "no probe on their end\n", stderr);
}

/* After the end of the trace: the command goes on as long as it likes. */
static int command_code(struct session *s)
{
	int code = 125;

	while (session_exit_code(s, &code) == -EINTR)
		;
	return code;
}

/* What detaches says so when all is read, with what to do. */
static void say_shed(const struct pt_shed *shed)
{
	if (shed->step == PT_SHED_DETACH)
		return;
	fputs("pytrace: budget: ", stderr);
	shed_put(stderr, shed);
	fputc('\n', stderr);
}

/* Of function probes there are all or none: they were tried. */
static int over_calls(uint32_t percent, const struct session_view *v,
		      struct err *err)
{
	const struct pt_shed *shed = &v->shed;
	uint64_t untraced = shed->target_ns > shed->cost_ns ?
		shed->target_ns - shed->cost_ns : 1;

	err_kind(err, ERR_BUDGET, -EDQUOT, "function probes on %u: over "
		 "--max-overhead %u", v->pid, percent);
	err_hint(err, "~%.1f us a call; ~%.0f calls/s in %.0f ms: about ~%.0f "
		 "%% slower", (double)(2 * v->probe_ns) / 1e3,
		 (double)v->probe_hits / 2 / (double)v->probe_span_ns * 1e9,
		 (double)v->probe_span_ns / 1e6,
		 (double)shed->cost_ns / (double)untraced * 100);
	err_hint(err, "probes are out again. Without them: pytrace cpu -p %u",
		 v->pid);
	err_hint(err, "all the same: --max-overhead 0");
	return cmd_fail(err);
}

static int over_budget(const struct session *s, uint32_t percent,
		       struct err *err)
{
	struct session_view v;

	session_look(s, &v);
	if (v.probe_ns)
		return over_calls(percent, &v, err);
	err_kind(err, ERR_BUDGET, -EDQUOT, "over --max-overhead %u, with all "
		 "left out that can be: detached", percent);
	err_hint(err, "what was measured until then is above");
	err_hint(err, "cheaper: fewer events (-e offcpu,cpu), or a shorter run "
		 "(-d 1)");
	err_hint(err, "all the same: --max-overhead 0");
	return cmd_fail(err);
}

static int nothing_came(const struct opts *o, const struct eventset *events,
			uint64_t began, struct err *err)
{
	bool calls = events->types == EVENTS_SYSCALLS;
	char why[160];

	err_kind(err, ERR_NOTHING, -ENODATA, "not one event in %.1f s",
		 (double)(now_ns() - began) / 1e9);
	err_hint(err, "the process %s%s",
		 calls ? "made no system call" : "had no event",
		 o->events.nr ? " of those that -e names" : "");
	for (size_t i = 0; i < o->nr_pids && i < 4; i++)
		if (targets_why_still(o->pids[i], false, why, sizeof(why)))
			err_hint(err, "%s", why);
	return cmd_fail(err);
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
			struct select *select, struct session **out,
			char **argv, struct err *err)
{
	struct session_opts so = {
		.tracer = {
			.follow = o->follow,
			.select = select != NULL,
			.no_paths = o->no_paths,
			.path_len = o->string_len,
			.ring_bytes = (size_t)o->buffer,
			.wanted = events->calls.has,
			.events = events->types,
			.sample_hz = events->sample_hz,
			.named = events->named,
			.nr_named = events->nr_named,
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

static int run_selected(const struct opts *o, const struct eventset *events,
			struct pipeline *p, struct select *select,
			char **argv)
{
	struct session *s = NULL;
	struct err err = { 0 };
	uint64_t began = now_ns();
	int rc, code = 0, exit_code;
	bool gone = false;

	if (targets_check_threads(o, &err) ||
	    open_session(o, events, select, &s, argv, &err)) {
		code = cmd_fail(&err);
		return o->command ? 125 : code;
	}
	offer_to_oom();
	pipeline_catch_signals();
	if (p->begin && p->begin(p, &err)) {
		code = cmd_fail(&err);
		session_close(s);
		return o->command ? 125 : code;
	}
	say_attached(o, s);	/* who has read that finds the output there */
	if (!o->quiet)
		children_note(o);
	if (o->command && session_release(s, &exit_code, &err)) {
		cmd_fail(&err);
		session_close(s);
		return exit_code;
	}
	began = now_ns();
	p->source = session_source(s);
	p->stop = stop_session;
	p->arg = s;
	p->end_ns = o->duration_ns ? now_ns() + o->duration_ns : 0;
	p->shed = say_shed;
	rc = session_keep(s, p->end_ns, pipeline_was_asked, &err);
	if (!rc)
		rc = pipeline_run(p, &err);
	if (rc) {
		session_stop(s);
		gone = rc == -EPIPE;	/* the reader has seen enough */
		code = gone ? 0 : cmd_fail(&err);
	}
	if (p->engine && !p->no_totals)
		totals_print(engine_totals(p->engine), events->types,
			     session_cost_ns(s), o->quiet);
	if (!code && p->engine && o->strict &&
	    totals_incomplete(engine_totals(p->engine)))
		code = ERR_INCOMPLETE;
	if (!code && session_over_budget(s))
		code = over_budget(s, max_overhead(o, events), &err);
	if (!code && !p->events && !o->command && !gone &&
	    !pipeline_was_asked())
		code = nothing_came(o, events, began, &err);
	if (o->command)
		code = command_code(s);
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
