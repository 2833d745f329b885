/* SPDX-License-Identifier: MIT */
/* cmd_trace: one line an event, as it happens, with the Python that made it. */
#include <errno.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/live.h"
#include "cmd/opts.h"
#include "cmd/output.h"
#include "cmd/pipeline.h"
#include "cmd/totals.h"
#include "event/record.h"
#include "report/filter.h"
#include "report/json.h"
#include "report/trace.h"

static const char doc[] =
	"Print each system call of a Python process as it happens, or the page "
	"faults, waits, samples and tracepoints that -e asks for, with the "
	"Python functions that made it."
	"\vWith -- COMMAND the report goes to stderr, and the exit status is the "
	"command's; else the report goes to stdout.  Contents of buffers are "
	"never read.";

/* Text or JSON to one stream, through the filter. */
struct tracing {
	struct pipeline p;	/* first */
	struct sink sink;
	const struct opts *opts;
	struct output out;
	struct filter *filter;
	struct trace *trace;	/* one of the two */
	struct json *json;
	struct app_rule app;
	struct pt_end end;	/* kept until the exit code is known */
	uint64_t shown;		/* events */
};

static struct tracing *of_sink(struct sink *s)
{
	return (struct tracing *)(void *)((char *)s -
					  offsetof(struct tracing, sink));
}

static int put_steps(struct tracing *t, const struct moment *m,
		     struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < m->nr_steps && !rc; i++) {
		const struct moment_step *ms = &m->steps[i];

		if (!filter_passes_step(t->filter, ms))
			continue;
		t->shown++;
		rc = t->json ? json_step(t->json, ms, err) :
			       trace_step(t->trace, ms, err);
	}
	return rc;
}

static int put(struct sink *sink, const struct moment *m, struct err *err)
{
	struct tracing *t = of_sink(sink);
	int rc = put_steps(t, m, err);

	if (rc)
		return rc;
	if (!filter_passes(t->filter, m)) {
		if (t->trace)
			trace_skip(t->trace, m);
		return 0;
	}
	t->shown += record_event(m->rec) != NULL;
	t->end.h.t = m->rec->t;
	if (m->rec->type == PT_END)
		memcpy(&t->end, m->rec, sizeof(t->end));
	else if (t->json)
		return json_moment(t->json, m, engine_totals(t->p.engine), err);
	return t->trace ? trace_moment(t->trace, m, err) : 0;
}

static int flush(struct sink *sink, struct err *err)
{
	struct tracing *t = of_sink(sink);

	if (!fflush(t->out.file))
		return 0;
	return err_kind(err, ERR_OUTPUT, -errno, "cannot write the report: %s",
			strerror(errno));
}

static int set_filter(struct filter *f, const struct opts *o, struct err *err)
{
	/* in a recording, what was asked for by name when it was made */
	uint32_t otherwise = EVENTS_SYSCALLS |
			     (o->input ? EVENTS_OF(PT_TRACEPOINT) |
					 EVENTS_COUNTERS : 0);
	int rc = eventset_parse(filter_events(f), o->events.v, o->events.nr,
				otherwise, err);

	for (size_t i = 0; !rc && i < o->functions.nr; i++)
		rc = filter_add_func(f, o->functions.v[i], err);
	for (size_t i = 0; !rc && i < o->nr_tids; i++)
		rc = filter_add_tid(f, (uint32_t)o->tids[i], err);
	for (size_t i = 0; !rc && i < o->threads.nr; i++)
		rc = filter_add_thread(f, o->threads.v[i], err);
	if (o->innermost)
		filter_innermost(f);
	if (o->errors)
		filter_errors(f);
	if (o->slower_ns)
		filter_slower(f, o->slower_ns);
	return rc;
}

/* On a terminal, unless it or its user wants none (no-color.org). */
static bool in_color(const struct opts *o, FILE *out)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	if (o->color)
		return o->color > 0;
	return isatty(fileno(out)) && !(none && *none) && term &&
	       strcmp(term, "dumb");
}

static int open_report(struct tracing *t, struct err *err)
{
	const struct opts *o = t->opts;
	const struct trace_opts to = {
		.args = { .path_len = o->string_len, .no_paths = o->no_paths },
		.whole_stacks = o->stacks,
		.lasti = o->lasti,
		.kernel = o->native,
		.utc = o->utc,
		.color = in_color(o, t->out.file),
		.app = &t->app,
	};
	const struct json_opts jo = { .no_paths = o->no_paths };

	return o->json ? json_new(&t->json, t->out.file, &jo, err) :
			 trace_new(&t->trace, t->out.file, &to, err);
}

/* Not before: a mistyped pid must not cost an older report. */
static int begin(struct pipeline *p, struct err *err)
{
	struct tracing *t = (struct tracing *)p;
	int rc = output_open(&t->out, t->opts, err);

	if (!rc && t->opts->json)
		cmd_errors_as_json(t->out.file);
	return rc ? rc : open_report(t, err);
}

/* Events came, and the filters left nothing of them. */
static int all_left_out(const struct tracing *t)
{
	struct err err = { 0 };

	err_kind(&err, ERR_NOTHING, -ENODATA, "none of %llu events is shown",
		 (unsigned long long)filter_seen(t->filter));
	for (int i = 0; i < FILTER_NR; i++) {
		uint64_t n = filter_left_out(t->filter, (enum filter_nr)i);

		if (n && i == FILTER_EVENT && !t->opts->events.nr)
			err_hint(&err, "without -e only system calls are shown: "
				 "-e offcpu,faults,cpu shows the other %llu",
				 (unsigned long long)n);
		else if (n)
			err_hint(&err, "%s left out %llu",
				 filter_option((enum filter_nr)i),
				 (unsigned long long)n);
	}
	return cmd_fail(&err);
}

static int close_report(struct tracing *t, int code)
{
	trace_free(t->trace);
	json_free(t->json);
	filter_free(t->filter);
	return output_close(&t->out, t->opts, &t->end,
			    engine_totals(t->p.engine), code);
}

static int read_recording(const struct opts *o, struct pipeline *p)
{
	struct tracing *t = (struct tracing *)p;
	struct err err = { 0 };
	int code = 0, rc = p->begin(p, &err);
	struct moment m;

	if (!rc)
		rc = pipeline_run(p, &err);
	if (!rc)
		rc = engine_finish(p->engine, engine_totals(p->engine)->last_t,
				   &m, &err);
	if (!rc)
		rc = put_steps(t, &m, &err);
	if (rc && rc != -EPIPE)
		code = cmd_fail(&err);
	totals_print(engine_totals(p->engine),
		     filter_events(t->filter)->types &
		     ~(EVENTS_OF(PT_TRACEPOINT) | EVENTS_COUNTERS), 0,
		     o->quiet);
	if (!code && o->strict && totals_incomplete(engine_totals(p->engine)))
		code = ERR_INCOMPLETE;
	return code;
}

static int run_recording(const struct opts *o, struct pipeline *p)
{
	struct err err = { 0 };
	int code;

	if (source_open(&p->source, o->input, &err))
		return cmd_fail(&err);
	code = read_recording(o, p);
	source_close(p->source);
	return code;
}

static int run_all(struct tracing *t, char **argv)
{
	const struct opts *o = t->opts;
	const struct engine_opts eo = {
		.calls = { .begin_stacks = o->stacks, .end_stacks = o->stacks,
			   .slower_ns = o->slower_ns },
	};
	struct err err = { 0 };
	int code;

	if (filter_new(&t->filter, &err) || set_filter(t->filter, o, &err) ||
	    engine_new(&t->p.engine, &eo, &err))
		return cmd_fail(&err);
	code = o->input ? run_recording(o, &t->p) :
			  live_run(o, filter_events(t->filter), &t->p, argv - 1);
	if (!code && !o->command && !t->shown && filter_seen(t->filter) &&
	    !pipeline_was_asked())
		code = all_left_out(t);
	return code;
}

static int run(int argc, char **argv)
{
	struct opts o;
	struct tracing t = {
		.p = { .begin = begin, .sink = &t.sink },
		.sink = { put, flush },
		.opts = &o,
	};
	int code;

	opts_parse(&o, OPTS_LIVE | OPTS_INPUT | OPTS_SELECT | OPTS_FILTER |
		   OPTS_SHOW | OPTS_THREADS | OPTS_NATIVE, doc, argc, argv);
	t.app = (struct app_rule){ .glob = o.app.v, .nr = o.app.nr };
	cmd_errors_as_json(o.json ? output_default(&o) : NULL);
	code = close_report(&t, run_all(&t, argv));
	engine_free(t.p.engine);
	return code;
}

const struct subcommand cmd_trace = {
	.name = "trace",
	.help = "one line an event, as it happens, with its Python stack",
	.run = run,
};
