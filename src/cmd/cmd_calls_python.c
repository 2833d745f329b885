/* SPDX-License-Identifier: MIT */
/* cmd_calls_python: calls --gc and --imports: what the interpreter itself does. */
#include <errno.h>
#include <string.h>

#include "cmd/calls.h"
#include "cmd/cmd.h"
#include "cmd/live.h"
#include "cmd/output.h"
#include "cmd/pipeline.h"
#include "report/filter.h"
#include "report/pyevents_text.h"
#include "report/screen.h"

struct watching {
	struct pipeline p;	/* first */
	struct sink sink;
	const struct opts *opts;
	struct output out;
	struct pyevents *is;
	struct filter *filter;
	struct pt_end end;
};

static struct watching *of_sink(struct sink *s)
{
	return (struct watching *)(void *)((char *)s -
					   offsetof(struct watching, sink));
}

static int put(struct sink *sink, const struct moment *m, struct err *err)
{
	struct watching *w = of_sink(sink);

	w->end.h.t = m->rec->t;
	if (m->rec->type == PT_END)
		memcpy(&w->end, m->rec, sizeof(w->end));
	return filter_passes(w->filter, m) ? pyevents_add(w->is, m, err) : 0;
}

static int flush(struct sink *sink, struct err *err)
{
	(void)sink;
	(void)err;
	return 0;		/* the report is all there is */
}

static int begin(struct pipeline *p, struct err *err)
{
	struct watching *w = (struct watching *)p;
	int rc = output_open(&w->out, w->opts, err);

	if (!rc && w->opts->json)
		cmd_errors_as_json(w->out.file);
	return rc;
}

static const char *what_of(const struct opts *o)
{
	return o->gc ? "gc" : "import";
}

static int put_report(const struct watching *w, struct err *err)
{
	const struct opts *o = w->opts;
	const struct pyevents_report r = {
		.is = w->is, .totals = engine_totals(w->p.engine),
		.limit = o->limit, .tree = o->tree,
		.width = o->width ? o->width : SCREEN_WIDTH,
	};

	if (o->gc)
		return o->json ? pyevents_json_gc(w->out.file, &r, err) :
				 pyevents_put_gc(w->out.file, &r, err);
	return o->json ? pyevents_json_imports(w->out.file, &r, err) :
			 pyevents_put_imports(w->out.file, &r, err);
}

static int nothing_in(const struct watching *w)
{
	struct err err = { 0 };

	err_kind(&err, ERR_NOTHING, -ENODATA, "no %s in '%s'",
		 w->opts->gc ? "collections" : "imports", w->opts->input);
	err_hint(&err, "record -e %s puts them into a recording",
		 what_of(w->opts));
	return cmd_fail(&err);
}

static int report(struct watching *w, int code)
{
	struct err err = { 0 };
	uint64_t first, last;
	int rc = 0;

	if (w->out.file && !output_failed(&w->out) && w->p.records) {
		pyevents_span(w->is, &first, &last);
		if (!code && w->opts->input && !first)
			code = nothing_in(w);
		else
			rc = put_report(w, &err);
	}
	if (rc && rc != -EPIPE) {
		rc = cmd_fail(&err);
		code = w->opts->command || code ? code : rc;
	}
	return output_close(&w->out, w->opts, &w->end,
			    engine_totals(w->p.engine), code);
}

static int read_recording(struct watching *w)
{
	struct err err = { 0 };
	int code = 0, rc;

	if (source_open(&w->p.source, w->opts->input, &err))
		return cmd_fail(&err);
	rc = begin(&w->p, &err);
	if (!rc)
		rc = pipeline_run(&w->p, &err);
	if (rc && rc != -EPIPE)
		code = cmd_fail(&err);
	source_close(w->p.source);
	return code;
}

static int set_up(struct watching *w, struct err *err)
{
	const struct opts *o = w->opts;
	const char *const word = what_of(o);
	int rc = filter_new(&w->filter, err);

	if (!rc)
		rc = eventset_parse(filter_events(w->filter), &word, 1, 0, err);
	for (size_t i = 0; !rc && i < o->nr_tids; i++)
		rc = filter_add_tid(w->filter, (uint32_t)o->tids[i], err);
	for (size_t i = 0; !rc && i < o->threads.nr; i++)
		rc = filter_add_thread(w->filter, o->threads.v[i], err);
	if (!rc)
		rc = engine_new(&w->p.engine, NULL, err);
	return rc ? rc : pyevents_new(&w->is, err);
}

int calls_python_run(const struct opts *o, char **argv)
{
	struct watching w = {
		.p = { .begin = begin, .sink = &w.sink },
		.sink = { put, flush },
		.opts = o,
	};
	struct err err = { 0 };
	int code;

	if (set_up(&w, &err))
		code = cmd_fail(&err);
	else
		code = o->input ? read_recording(&w) :
				  live_run(o, filter_events(w.filter), &w.p,
					   argv - 1);
	code = report(&w, code);
	pyevents_free(w.is);
	filter_free(w.filter);
	engine_free(w.p.engine);
	return code;
}
