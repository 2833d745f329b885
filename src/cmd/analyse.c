/* SPDX-License-Identifier: MIT */
/* analyse: what all views over the model share: from options to exit code. */
#include "cmd/analyse.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/num.h"
#include "base/printable.h"
#include "cmd/cmd.h"
#include "cmd/interval.h"
#include "cmd/live.h"
#include "cmd/output.h"
#include "cmd/pipeline.h"
#include "cmd/targets.h"
#include "cmd/totals.h"
#include "event/record.h"
#include "report/screen.h"

struct run {
	struct pipeline p;	/* first */
	struct sink sink;
	const struct analyse_view *view;
	const struct opts *opts;
	struct analysis *analysis;
	struct interval interval;	/* of -I */
	struct output out;
	struct pt_end end;	/* of the stream, for JSON */
};

static struct run *of_sink(struct sink *s)
{
	return (struct run *)(void *)((char *)s -
					  offsetof(struct run, sink));
}

static int begin(struct pipeline *p, struct err *err)
{
	struct run *s = (struct run *)p;
	int rc = output_open(&s->out, s->opts, err);

	if (!rc && s->opts->json)
		cmd_errors_as_json(s->out.file);
	return rc;
}

/* ---- the report ----------------------------------------------------------- */

#define WIDTH_MIN 80U		/* on less, the terminal breaks the lines */

static unsigned int width_of(const struct opts *o, FILE *out)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;
	int64_t n;

	if (o->width)
		return o->width;
	if (columns && num_parse(columns, 1, 1000, &n))
		return n < WIDTH_MIN ? WIDTH_MIN : (unsigned int)n;
	if (!isatty(fileno(out)))
		return SCREEN_WIDTH;
	if (ioctl(fileno(out), TIOCGWINSZ, &w) || !w.ws_col)
		return SCREEN_WIDTH;
	return w.ws_col < WIDTH_MIN ? WIDTH_MIN : w.ws_col;
}

static int put_report(struct run *s, const struct analysis *a,
		      const struct engine_totals *totals, unsigned int interval,
		      struct err *err)
{
	char target[512];
	const struct analysed done = {
		.opts = s->opts,
		.analysis = a,
		.totals = totals,
		.interval = interval,
		.out = s->out.file,
		.width = width_of(s->opts, s->out.file),
		.target = interval ? NULL :
			  targets_again(s->opts, target, sizeof(target)),
	};

	return s->opts->json ? s->view->json(&done, err) :
			       s->view->text(&done, err);
}

/* ---- intervals ------------------------------------------------------------ */

static int put_interval(struct run *s, struct err *err)
{
	const struct interval *iv = &s->interval;
	struct engine_totals totals;
	int rc;

	totals_since(&totals, engine_totals(s->p.engine), &iv->then);
	rc = put_report(s, iv->analysis, &totals, iv->nr, err);
	if (rc)
		return rc;
	if (!s->opts->json)
		putc('\n', s->out.file);
	if (!fflush(s->out.file))
		return 0;
	return err_kind(err, ERR_OUTPUT, -errno, "cannot write the report: %s",
			strerror(errno));
}

/* It is `t` on the stream's clock. */
static int check_interval(struct run *s, uint64_t t, struct err *err)
{
	uint64_t end;
	int rc;

	if (!interval_is_over(&s->interval, t, &end))
		return 0;
	rc = analysis_cut(s->interval.analysis, end, err);
	if (!rc)
		rc = put_interval(s, err);
	interval_next(&s->interval, end, engine_totals(s->p.engine));
	return rc;
}

/* The last one, if it is not all there is. */
static int end_intervals(struct run *s, struct err *err)
{
	struct interval *iv = &s->interval;
	int rc;

	if (!iv->analysis || iv->nr == 1)
		return 0;
	rc = analysis_end(iv->analysis, err);
	return rc ? rc : put_interval(s, err);
}

static int put(struct sink *sink, const struct moment *m, struct err *err)
{
	struct run *s = of_sink(sink);
	int rc = 0;

	s->end.h.t = m->rec->t;
	if (m->rec->type == PT_END)
		memcpy(&s->end, m->rec, sizeof(s->end));
	else if (s->interval.analysis)
		rc = check_interval(s, m->rec->t, err);
	if (!rc && s->interval.analysis)
		rc = interval_add(&s->interval, m, err);
	return rc ? rc : analysis_add(s->analysis, m, err);
}

#define LATE_NS UINT64_C(200000000)	/* what is on its way comes until then */

/* Nothing comes: time goes on all the same. */
static int flush(struct sink *sink, struct err *err)
{
	struct run *s = of_sink(sink);

	if (!s->interval.analysis || s->opts->input)
		return 0;
	return check_interval(s, now_ns() - LATE_NS, err);
}

/* ---- from options to exit code -------------------------------------------- */

/* Of a trace that was not empty -t and --thread left nothing. */
static bool none_chosen(const struct run *s, struct err *err)
{
	const struct model *m = analysis_model(s->analysis);
	uint32_t all, nr = model_threads(m, &all);
	uint32_t named = 0;

	if (!m->chosen || nr || !all)
		return false;
	err_kind(err, ERR_NOTHING, -ENODATA,
		 "none of the %u threads is one that %s asks for", all,
		 s->opts->nr_tids ? "-t" : "--thread");
	for (uint32_t i = 1; i <= m->nr_threads && named < 5; i++) {
		const struct thread_info *t = &m->threads[i];

		if (!t->life_ns)
			continue;
		err_hint(err, "thread %u is called '%s'", t->tid, t->comm);
		named++;
	}
	return true;
}

static void note_no_match(const char *option, const char *arg, const char *what)
{
	fprintf(stderr, "note: %s '", option);
	printable_put(stderr, arg, strlen(arg));
	fprintf(stderr, "' matched %s\n", what);
}

/* A pattern that does nothing is mistyped, most likely. */
static void say_unmatched(const struct run *s)
{
	const struct opts *o = s->opts;

	if (o->quiet)
		return;
	for (size_t i = 0; i < o->app.nr; i++)
		if (!analysis_app_matched(s->analysis, i))
			note_no_match("--app", o->app.v[i], "no file");
	for (size_t i = 0; i < o->idle_at.nr; i++)
		if (!analysis_idle_at_matched(s->analysis, i))
			note_no_match("--idle-at", o->idle_at.v[i],
				      "no wait in which threads can be idle");
}

/* Also after an error: what came before it is shown, and marked as cut. */
static int report(struct run *s, int code)
{
	struct err err = { 0 };
	int rc = 0;

	if (s->out.file && !output_failed(&s->out) && s->p.records) {
		rc = analysis_end(s->analysis, &err);
		if (!rc && !code && none_chosen(s, &err))
			rc = -ENODATA;
		else if (!rc)
			rc = end_intervals(s, &err);
		if (!rc)
			rc = put_report(s, s->analysis,
					engine_totals(s->p.engine), 0, &err);
		if (!rc)
			say_unmatched(s);
	}
	if (rc && rc != -EPIPE) {
		rc = cmd_fail(&err);
		code = s->opts->command || code ? code : rc;
	}
	return output_close(&s->out, s->opts, &s->end,
			    engine_totals(s->p.engine), code);
}

static int read_recording(struct run *s)
{
	struct err err = { 0 };
	int code = 0, rc;

	if (source_open(&s->p.source, s->opts->input, &err))
		return cmd_fail(&err);
	rc = begin(&s->p, &err);
	if (!rc)
		rc = pipeline_run(&s->p, &err);
	if (rc && rc != -EPIPE)
		code = cmd_fail(&err);
	source_close(s->p.source);
	if (!code && s->opts->strict &&
	    totals_incomplete(engine_totals(s->p.engine)))
		code = ERR_INCOMPLETE;
	return code;
}

static int misuse(struct err *err, const char *what, const char *hint)
{
	err_kind(err, ERR_USAGE, -EINVAL, "%s", what);
	err_hint(err, "%s", hint);
	return -EINVAL;
}

/* A view is of kinds of events; cpu can be of one counter in place of them. */
static int choose_named(const struct run *s, const struct eventset *events,
			struct err *err)
{
	const struct eventset_named *n = &events->named[0];

	if (n->kind != PT_NAMED_COUNTER) {
		err_kind(err, ERR_USAGE, -EINVAL, "-e %s names single events: "
			 "this view is of kinds of events", n->name);
		err_hint(err, "trace -e %s shows them, one a line", n->name);
		return -EINVAL;
	}
	if (!s->view->counters) {
		err_kind(err, ERR_USAGE, -EINVAL,
			 "-e %s is a counter: this view is of kinds of events",
			 n->name);
		err_hint(err, "cpu -e %s shows its events by line", n->name);
		return -EINVAL;
	}
	if (n->out || events->nr_named > 1 || events->types != EVENTS_COUNTERS)
		return misuse(err, "cpu shows one counter, or else the clock",
			      "record takes several, and cpu -i FILE -e COUNTER "
			      "one of them");
	return 0;
}

/*
 * What is not traced cannot be accounted for, and its time would be taken for
 * something else: -e leaves out what a view can do without, and nothing more.
 */
static int choose_events(const struct run *s, struct eventset *events,
			 struct err *err)
{
	const struct opts *o = s->opts;
	const struct analyse_view *v = s->view;
	int rc = eventset_parse(events, o->events.v, o->events.nr, v->events,
				err);

	if (rc)
		return rc;
	if (events->nr_named)
		return choose_named(s, events, err);
	if (o->input && o->events.nr)
		return misuse(err, "-e says what is traced: a recording has "
			      "what was recorded",
			      "trace -i FILE -e LIST picks from it");
	if (v->shows && !(events->types & v->shows))
		return misuse(err, "-e leaves out what this view shows",
			      "without -e it traces what it needs");
	if (!v->calls && !eventset_has_all_calls(events))
		return misuse(err, "-e names kinds of events here: all system "
			      "calls are accounted for",
			      "names of calls are for trace, record and syscalls");
	if (o->native && v->counters && !o->events.nr)
		events->types = EVENTS_OF(PT_SAMPLE);	/* which have stacks */
	events->types |= EVENTS_OF(PT_OFFCPU);
	return 0;
}

static int run_all(struct run *s, char **argv)
{
	const struct opts *o = s->opts;
	const struct analysis_opts ao = {
		.kernel = o->native,
		.sampled_kernel = o->native && s->view->counters,
		.app = o->app.v, .nr_app = o->app.nr,
		.idle_at = o->idle_at.v, .nr_idle_at = o->idle_at.nr,
		.tids = o->tids, .nr_tids = o->nr_tids,
		.threads = o->threads.v, .nr_threads = o->threads.nr,
	};
	struct eventset events;
	struct err err = { 0 };
	int code;

	if (choose_events(s, &events, &err) ||
	    engine_new(&s->p.engine, NULL, &err) ||
	    analysis_new(&s->analysis, &ao, &err) ||
	    interval_init(&s->interval, o->interval_ns, &ao, &err))
		return report(s, cmd_fail(&err));
	code = o->input ? read_recording(s) :
			  live_run(o, &events, &s->p, argv);
	return report(s, code);
}

int analyse_run(const struct analyse_view *view, int argc, char **argv)
{
	struct opts o;
	struct run s = {
		.p = { .begin = begin, .sink = &s.sink, .no_totals = true },
		.sink = { put, flush },
		.view = view,
		.opts = &o,
	};
	int code;

	opts_parse(&o, view->groups, view->doc, argc, argv);
	if (view->check)
		view->check(&o);
	cmd_errors_as_json(o.json ? output_default(&o) : NULL);
	code = run_all(&s, argv);
	cmd_errors_as_json(NULL);
	analysis_free(s.analysis);
	interval_fini(&s.interval);
	engine_free(s.p.engine);
	return code;
}
