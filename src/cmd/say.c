/* SPDX-License-Identifier: MIT */
/* say: what is said on stderr before a live trace, and how it ended. */
#include "cmd/say.h"

#include <errno.h>
#include <inttypes.h>

#include "base/num.h"
#include "base/printable.h"
#include "cmd/cmd.h"
#include "cmd/price.h"
#include "cmd/targets.h"
#include "live/plan.h"
#include "report/shed.h"

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

/* "pytrace: 811 python3.11, CPython 3.11.2, attached by walking" */
static void put_attached(const struct opts *o, const struct session *s)
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
	for (size_t i = 0; i < o->nr_pids && i < 4; i++)
		if (targets_why_still(o->pids[i], true, why, sizeof(why)))
			fprintf(stderr, "note: %s\n", why);
	if (v.fingerprints && o->verbose)
		fputs("pytrace: code objects are told apart by their names: "
		      "no probe on their end\n", stderr);
}

/*
 * "pytrace: 26 tracepoints and events, 2 places in 1 file; for 10 s; ~0.8 us a
 * system call": --dry-run has it at length.
 */
static void put_plan(const struct opts *o, const struct eventset *events,
		     uint32_t limit, const struct session *s)
{
	const struct plan *plan = session_plan(s);
	size_t places = plan_count(plan, true), files = plan_files(plan);
	struct session_view v;
	char text[256];

	if (o->quiet || o->command)
		return;
	session_look(s, &v);
	fprintf(stderr, "pytrace: %zu tracepoints and events",
		plan_count(plan, false));
	if (places)
		fprintf(stderr, ", %zu place%s in %zu file%s", places,
			places == 1 ? "" : "s", files, files == 1 ? "" : "s");
	fprintf(stderr, "; %s%s", o->duration_ns ? "for " : "until Ctrl-C",
		o->duration_ns ? num_duration_text(o->duration_ns, text,
						   sizeof(text)) : "");
	fprintf(stderr, "; %s", price_text(events, 2 * v.probe_ns, text,
					   sizeof(text)));
	if (limit)
		fprintf(stderr, ", at most %u %% of its CPU time", limit);
	fputc('\n', stderr);
}

/* Of a command nothing is known until it has run. */
void say_attached(const struct opts *o, const struct eventset *events,
		  uint32_t limit, const struct session *s)
{
	struct session_view v;

	put_plan(o, events, limit, s);
	put_attached(o, s);
	session_look(s, &v);
	if (!o->command)
		say_missing(o, &v);
}

/* Each once, and the sooner the better. */
void say_missing(const struct opts *o, const struct session_view *v)
{
	static bool said_missing, said_no_usdt, said_jit;

	if (o->quiet)
		return;
	if (v->missing && !said_missing) {
		fprintf(stderr, "note: no probe '%s' in the files that the "
			"processes have mapped so far; they have ", v->missing);
		printable_put(stderr, v->there, strlen(v->there));
		fputc('\n', stderr);
		said_missing = true;
	}
	if (v->no_usdt && !said_no_usdt) {
		fprintf(stderr, "note: not of every process: %s\n", v->no_usdt);
		said_no_usdt = true;
	}
	if (v->jit_pid && !said_jit) {
		fprintf(stderr, "note: process %" PRIu32 " runs code that its "
			"JIT has compiled: calls there are not seen, and "
			"numbers are lower bounds; without it: PYTHON_JIT=0\n",
			v->jit_pid);
		said_jit = true;
	}
}

/* What else was done than asked for, because that could not be had. */
void say_fallbacks(const struct session_view *v)
{
	if (v->fingerprints)
		fputs("code objects told apart by their names; ", stderr);
	if (v->no_samples)
		fputs("without samples; ", stderr);
	if (v->untimed_cpus)
		fprintf(stderr, "without durations of faults on %d CPUs; ",
			v->untimed_cpus);
}

/* What detaches says so when all is read, with what to do. */
void say_shed(const struct pt_shed *shed)
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

int say_over_budget(const struct session_view *v, uint32_t percent)
{
	struct err what = { 0 }, *err = &what;

	if (v->probe_ns)
		return over_calls(percent, v, err);
	err_kind(err, ERR_BUDGET, -EDQUOT, "over --max-overhead %u, with all "
		 "left out that can be: detached", percent);
	err_hint(err, "what was measured until then is above");
	err_hint(err, "cheaper: fewer events (-e offcpu,cpu), or a shorter run "
		 "(-d 1)");
	err_hint(err, "all the same: --max-overhead 0");
	return cmd_fail(err);
}

/* What balances until then may not either: all of it is to be doubted. */
int say_drift(const struct shadow_drift *d)
{
	struct err what = { 0 }, *err = &what;

	err_kind(err, ERR_INCOMPLETE, -EBADMSG, "synthetic probes: calls and "
		 "returns of thread %u do not balance, by %u frames: the trace "
		 "ended there", d->tid, d->frames);
	err_hint(err, "what was measured may be wrong: do not use it");
	err_hint(err, "it may be code that a just-in-time compiler made, in 3.11 "
		 "a trace function in Python (coverage, a debugger), or an "
		 "interpreter changed while it runs; without such probes: "
		 "pytrace -p %u", d->pid);
	return cmd_fail(err);
}

int say_nothing_came(const struct opts *o, const struct eventset *events,
		     uint64_t took_ns)
{
	struct err what = { 0 }, *err = &what;
	bool calls = events->types == EVENTS_SYSCALLS;
	char why[160];

	err_kind(err, ERR_NOTHING, -ENODATA, "not one event in %.1f s",
		 (double)took_ns / 1e9);
	err_hint(err, "the process %s%s",
		 calls ? "made no system call" : "had no event",
		 o->events.nr ? " of those that -e names" : "");
	for (size_t i = 0; i < o->nr_pids && i < 4; i++)
		if (targets_why_still(o->pids[i], false, why, sizeof(why)))
			err_hint(err, "%s", why);
	return cmd_fail(err);
}
