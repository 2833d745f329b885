/* SPDX-License-Identifier: MIT */
/* cmd_trace: one line an event, as it happens, with the Python that made it. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/live.h"
#include "cmd/opts.h"
#include "cmd/pipeline.h"
#include "report/filter.h"
#include "report/json.h"
#include "report/trace.h"

static const char doc[] =
	"Print each system call of a Python process as it happens, with the "
	"Python functions that made it."
	"\vWith -- COMMAND the report goes to stderr, and the exit status is the "
	"command's; else the report goes to stdout.  Contents of buffers are "
	"never read.";

/* Text or JSON to one stream, through the filter. */
struct tracing {
	struct sink sink;	/* first */
	FILE *out;
	struct filter *filter;
	struct trace *trace;	/* one of the two */
	struct json *json;
	const struct engine *engine;
};

static int put(struct sink *sink, const struct moment *m, struct err *err)
{
	struct tracing *t = (struct tracing *)sink;

	if (!filter_passes(t->filter, m)) {
		if (t->trace)
			trace_skip(t->trace, m);
		return 0;
	}
	if (t->json)
		return json_moment(t->json, m, engine_totals(t->engine), err);
	return trace_moment(t->trace, m, err);
}

static int flush(struct sink *sink, struct err *err)
{
	struct tracing *t = (struct tracing *)sink;

	if (!fflush(t->out))
		return 0;
	return err_kind(err, ERR_OUTPUT, -errno, "cannot write the report: %s",
			strerror(errno));
}

static int set_filter(struct filter *f, const struct opts *o, struct err *err)
{
	int rc = sysset_parse(filter_calls(f), o->events.v, o->events.nr, err);

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

/* -o FILE; else stderr beside a command, which has stdout to itself. */
static int open_output(struct tracing *t, const struct opts *o, struct err *err)
{
	int fd;

	if (!o->output) {
		t->out = o->command ? stderr : stdout;
		return 0;
	}
	fd = open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		  0600);
	t->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (t->out)
		return 0;
	if (fd >= 0)
		close(fd);
	return err_kind(err, ERR_OUTPUT, -errno, "cannot open '%s': %s", o->output,
			strerror(errno));
}

static int open_report(struct tracing *t, const struct opts *o, struct err *err)
{
	const struct trace_opts to = {
		.args = { .path_len = o->string_len, .no_paths = o->no_paths },
		.whole_stacks = o->stacks,
		.lasti = o->lasti,
		.utc = o->utc,
	};
	const struct json_opts jo = { .no_paths = o->no_paths };
	int rc = open_output(t, o, err);

	if (!rc)
		rc = filter_new(&t->filter, err);
	if (!rc)
		rc = set_filter(t->filter, o, err);
	if (!rc)
		rc = o->json ? json_new(&t->json, t->out, &jo, err) :
			       trace_new(&t->trace, t->out, &to, err);
	return rc;
}

static int close_report(struct tracing *t, struct err *err)
{
	int rc = 0;

	trace_free(t->trace);
	json_free(t->json);
	filter_free(t->filter);
	if (t->out && t->out != stdout && t->out != stderr && fclose(t->out))
		rc = err_kind(err, ERR_OUTPUT, -errno,
			      "cannot write the report: %s", strerror(errno));
	return rc;
}

static int run_recording(const struct opts *o, struct pipeline *p)
{
	struct err err = { 0 };
	int rc;

	if (source_open(&p->source, o->input, &err))
		return cmd_fail(&err);
	rc = pipeline_run(p, &err) ? cmd_fail(&err) : 0;
	source_close(p->source);
	return rc;
}

static int run(int argc, char **argv)
{
	struct tracing t = { .sink = { put, flush } };
	struct pipeline p = { .sink = &t.sink };
	struct err err = { 0 };
	struct opts o;
	int rc = opts_parse(&o, OPTS_LIVE | OPTS_INPUT | OPTS_SELECT |
			    OPTS_FILTER | OPTS_SHOW, doc, argc, argv);

	if (rc)
		return rc;
	if (open_report(&t, &o, &err) || engine_new(&p.engine, NULL, &err)) {
		rc = cmd_fail(&err);
	} else {
		t.engine = p.engine;
		rc = o.input ? run_recording(&o, &p) :
			       live_run(&o, filter_calls(t.filter), &p, argv);
	}
	engine_free(p.engine);
	if (close_report(&t, &err) && !rc)
		rc = cmd_fail(&err);
	return rc;
}

const struct subcommand cmd_trace = {
	.name = "trace",
	.help = "one line an event, as it happens, with its Python stack",
	.run = run,
};
