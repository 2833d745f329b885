/* SPDX-License-Identifier: MIT */
/* cmd_calls: every call of a Python function: how many, how long, which slow. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/calls.h"
#include "cmd/cmd.h"
#include "cmd/live.h"
#include "cmd/output.h"
#include "cmd/pipeline.h"
#include "cmd/totals.h"
#include "event/record.h"
#include "report/calls_report.h"
#include "report/filter.h"
#include "report/json.h"
#include "report/screen.h"

static const char doc[] =
	"Trace every call of a Python function from entry to return: how many, "
	"how long, themselves and with what they call."
	"\vFunction probes cost the traced process about a microsecond a call, "
	"whatever -F picks: what they cost is measured and told, and "
	"--max-overhead holds for it.  Calls of other functions than -F picks "
	"stay in the kernel; where these are needed (--tree, --slower, --by, "
	"--sort self, --verify) they are left out afterwards.";

struct calling {
	struct pipeline p;	/* first */
	struct sink sink;
	const struct opts *opts;
	struct output out;
	struct calls *calls;
	struct filter *filter;	/* -F, -t, --thread, --slower */
	struct json *json;	/* with --slower */
	uint64_t slow;
	struct pt_end end;
};

static struct calling *of_sink(struct sink *s)
{
	return (struct calling *)(void *)((char *)s -
					  offsetof(struct calling, sink));
}

/* ---- what comes ------------------------------------------------------------------ */

static int put_slow(struct calling *c, const struct moment_step *ms,
		    struct err *err)
{
	const struct calls_about *a = calls_about(c->calls);

	c->slow++;
	if (c->json)
		return json_step(c->json, ms, err);
	calls_put_slow(c->out.file, ms, a->events,
		       a->has_clock ? &a->realtime_offset : NULL, c->opts->utc);
	return 0;
}

static int put_steps(struct calling *c, const struct moment *m, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < m->nr_steps && !rc; i++) {
		const struct moment_step *ms = &m->steps[i];
		bool slow = c->opts->slower_ns && filter_passes_step(c->filter, ms);

		if (filter_passes_thread(c->filter, ms))
			rc = calls_add_step(c->calls, ms, err);
		if (!rc && slow && ms->step->kind == STEP_END)
			rc = put_slow(c, ms, err);
	}
	return rc;
}

static int put(struct sink *sink, const struct moment *m, struct err *err)
{
	struct calling *c = of_sink(sink);
	struct moment rest = *m;
	int rc = put_steps(c, m, err);

	c->end.h.t = m->rec->t;
	if (m->rec->type == PT_END)
		memcpy(&c->end, m->rec, sizeof(c->end));
	rest.nr_steps = 0;
	if (!rc)
		rc = calls_add(c->calls, &rest, err);
	if (!rc && c->json && m->rec->type == PT_BEGIN)
		rc = json_moment(c->json, m, NULL, err);
	return rc;
}

static int flush(struct sink *sink, struct err *err)
{
	struct calling *c = of_sink(sink);

	if (!fflush(c->out.file))
		return 0;
	return err_kind(err, ERR_OUTPUT, -errno, "cannot write the report: %s",
			strerror(errno));
}

static int begin(struct pipeline *p, struct err *err)
{
	struct calling *c = (struct calling *)p;
	int rc = output_open(&c->out, c->opts, err);

	if (!rc && c->opts->json) {
		cmd_errors_as_json(c->out.file);
		if (c->opts->slower_ns)
			rc = json_new(&c->json, c->out.file, NULL, err);
	}
	return rc;
}

/* ---- the report ------------------------------------------------------------------- */

#define WIDTH_MIN 80U

static unsigned int width_of(const struct opts *o, FILE *out)
{
	struct winsize w;

	if (o->width)
		return o->width;
	if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &w) ||
	    !w.ws_col)
		return SCREEN_WIDTH;
	return w.ws_col < WIDTH_MIN ? WIDTH_MIN : w.ws_col;
}

static struct calls_report report_of(const struct calling *c)
{
	const struct opts *o = c->opts;
	struct calls_report r = {
		.calls = c->calls,
		.totals = engine_totals(c->p.engine),
		.repairs = engine_calls(c->p.engine),
		.verified = o->verify ? engine_verified(c->p.engine) : NULL,
		.shape = o->tree ? CALLS_TREE : o->hist ? CALLS_HIST : CALLS_ROWS,
		.sort = o->sort, .limit = o->limit,
		.width = width_of(o, c->out.file), .utc = o->utc,
		.filtered = c->p.filters,
	};

	if (o->by)
		(void)calls_by_name(o->by, &r.by);
	return r;
}

static int put_report(struct calling *c, struct err *err)
{
	const struct calls_report r = report_of(c);

	if (c->opts->json)
		return calls_json(c->out.file, &r, err);
	if (c->opts->slower_ns) {
		calls_put_slow_end(c->out.file, &r, c->slow, c->opts->slower_ns);
		return 0;
	}
	return calls_put(c->out.file, &r, err);
}

/* Nothing compared is nothing verified. */
static int check_verified(const struct calling *c)
{
	struct err err = { 0 };
	const struct verified *v;

	if (!c->opts->verify || !c->p.engine)
		return 0;
	v = engine_verified(c->p.engine);
	if (v->compared && !v->differed)
		return 0;
	if (!v->compared) {
		err_kind(&err, ERR_INCOMPLETE, -ENODATA,
			 "--verify: no stack could be compared");
		err_hint(&err, "it needs events of the kernel beside the calls: "
			 "-e calls,syscalls,faults,offcpu");
	} else {
		err_kind(&err, ERR_INCOMPLETE, -EBADMSG,
			 "--verify: %llu of %llu stacks of calls differ from the "
			 "walked ones", (unsigned long long)v->differed,
			 (unsigned long long)v->compared);
	}
	return cmd_fail(&err);
}

static int nothing_came(const struct calling *c)
{
	struct err err = { 0 };

	err_kind(&err, ERR_NOTHING, -ENODATA, "no calls in '%s'",
		 c->opts->input);
	err_hint(&err, "record -e calls puts them into a recording");
	return cmd_fail(&err);
}

/* Also after an error: what came before it is shown. */
static int report(struct calling *c, int code)
{
	struct err err = { 0 };
	struct moment m;
	int rc = 0;

	if (c->out.file && !output_failed(&c->out) && c->p.records) {
		rc = engine_finish(c->p.engine,
				   engine_totals(c->p.engine)->last_t, &m, &err);
		if (!rc)
			rc = put_steps(c, &m, &err);
		if (!rc && !code && c->opts->input &&
		    !calls_about(c->calls)->first_t)
			code = nothing_came(c);
		else if (!rc)
			rc = put_report(c, &err);
		if (!rc && !code)
			code = check_verified(c);
	}
	if (rc && rc != -EPIPE) {
		rc = cmd_fail(&err);
		code = c->opts->command || code ? code : rc;
	}
	return output_close(&c->out, c->opts, &c->end,
			    engine_totals(c->p.engine), code);
}

/* ---- from options to exit code ------------------------------------------------------ */

static int read_recording(struct calling *c)
{
	struct err err = { 0 };
	int code = 0, rc;

	if (source_open(&c->p.source, c->opts->input, &err))
		return cmd_fail(&err);
	rc = begin(&c->p, &err);
	if (!rc)
		rc = pipeline_run(&c->p, &err);
	if (rc && rc != -EPIPE)
		code = cmd_fail(&err);
	source_close(c->p.source);
	if (!code && c->opts->strict &&
	    totals_incomplete(engine_totals(c->p.engine)))
		code = ERR_INCOMPLETE;
	return code;
}

/* Off-CPU times make CPU times; what is slow wants to know what it did. */
static uint32_t events_of(const struct opts *o)
{
	uint32_t events = EVENTS_OF(PT_CALL) | EVENTS_OF(PT_OFFCPU);

	if (o->slower_ns || o->verify)
		events |= EVENTS_SYSCALLS | EVENTS_OF(PT_FAULT);
	return events;
}

static int set_up(struct calling *c, struct eventset *events, struct err *err)
{
	const struct opts *o = c->opts;
	int rc = filter_new(&c->filter, err);

	for (size_t i = 0; !rc && i < o->functions.nr; i++)
		rc = filter_add_func(c->filter, o->functions.v[i], err);
	for (size_t i = 0; !rc && i < o->nr_tids; i++)
		rc = filter_add_tid(c->filter, (uint32_t)o->tids[i], err);
	for (size_t i = 0; !rc && i < o->threads.nr; i++)
		rc = filter_add_thread(c->filter, o->threads.v[i], err);
	if (rc)
		return rc;
	filter_slower(c->filter, o->slower_ns);
	filter_events(c->filter)->types = EVENTS_OF(PT_CALL);
	rc = eventset_parse(events, o->events.v, o->events.nr, events_of(o), err);
	if (!rc && !(events->types & EVENTS_OF(PT_CALL)))
		rc = err_kind(err, ERR_USAGE, -EINVAL, "-e leaves out calls, "
			      "which this view is about");
	if (!rc && o->input && o->events.nr)
		rc = err_kind(err, ERR_USAGE, -EINVAL, "-e says what is traced: "
			      "a recording has what was recorded");
	return rc;
}

/* ---- -F ------------------------------------------------------------------------------ */

static bool wants(void *arg, const struct frame *func)
{
	const struct pystack st = { .known = true, .frames = func, .nr = 1 };
	const struct calling *c = arg;

	return filter_passes_stack(c->filter, &st);
}

static void judged(void *arg, uint64_t code, bool wanted)
{
	const struct calling *c = arg;

	if (c->p.judge)
		c->p.judge(c->p.arg, code, wanted);
}

/*
 * Nothing is asked for that needs the calls of other functions: who called, what
 * was called, and how long without that.
 */
static bool needs_no_others(const struct opts *o)
{
	return o->functions.nr && !o->input && !o->tree && !o->slower_ns &&
	       !o->verify && !o->by && (!o->sort || strcmp(o->sort, "self"));
}

static int run_all(struct calling *c, char **argv)
{
	const struct opts *o = c->opts;
	struct opts live = *o;
	struct engine_opts eo = {
		.calls = { .end_stacks = o->slower_ns,
			   .slower_ns = o->slower_ns },
		.verify = o->verify,
	};
	struct calls_opts co = { .tree = o->tree, .arg = c };
	struct eventset events;
	struct err err = { 0 };

	c->p.filters = needs_no_others(o);
	if (c->p.filters) {
		eo.wants = wants;
		eo.judged = judged;
		eo.arg = c;
	}
	if (o->by)
		(void)calls_by_name(o->by, &co.by);
	if (set_up(c, &events, &err) || engine_new(&c->p.engine, &eo, &err))
		return report(c, cmd_fail(&err));
	if (o->functions.nr)
		co.wants = wants;
	if (calls_new(&c->calls, &co, &err))
		return report(c, cmd_fail(&err));
	live.slower_ns = 0;	/* system calls count, short ones, too */
	return report(c, o->input ? read_recording(c) :
				    live_run(&live, &events, &c->p, argv - 1));
}

static void check(const struct opts *o)
{
	enum calls_by by = CALLS_FUNC;
	char names[128];

	if (o->gc && o->imports)
		cmd_usage("--gc and --imports are two views");
	if (o->by && !calls_by_name(o->by, &by))
		cmd_usage("--by takes func, thread or process, not '%s'", o->by);
	if (o->sort && !calls_has_column(o->sort, names, sizeof(names)))
		cmd_usage("--sort takes %s, not '%s'", names, o->sort);
	if (o->linear)
		cmd_usage("--hist of calls has powers of two, and no linear steps");
	if (o->slower_ns && (o->tree || o->hist || o->by || o->sort))
		cmd_usage("--slower prints calls as they end: without --tree, "
			  "--hist, --by and --sort");
	if ((o->gc || o->imports) &&
	    (o->hist || o->by || o->sort || o->slower_ns || o->verify ||
	     o->functions.nr || o->events.nr || (o->gc && o->tree)))
		cmd_usage("%s is a view of its own: it takes %s--limit, --json, "
			  "-o, --utc and --width", o->gc ? "--gc" : "--imports",
			  o->imports ? "--tree, " : "");
}

static int run(int argc, char **argv)
{
	struct opts o;
	struct calling c = {
		.p = { .begin = begin, .sink = &c.sink, .no_totals = true },
		.sink = { put, flush },
		.opts = &o,
	};
	int code;

	opts_parse(&o, OPTS_LIVE | OPTS_INPUT | OPTS_SELECT | OPTS_THREADS |
		   OPTS_CALLS, doc, argc, argv);
	check(&o);
	cmd_errors_as_json(o.json ? output_default(&o) : NULL);
	if (o.gc || o.imports) {
		code = calls_python_run(&o, argv);
	} else {
		code = run_all(&c, argv);
		json_free(c.json);
		filter_free(c.filter);
		calls_free(c.calls);
		engine_free(c.p.engine);
	}
	cmd_errors_as_json(NULL);
	return code;
}

const struct subcommand cmd_calls = {
	.name = "calls",
	.help = "every call of a Python function: count, self and total time",
	.run = run,
};
