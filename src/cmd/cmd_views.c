/* SPDX-License-Identifier: MIT */
/* cmd_views: cpu, offcpu, syscalls, faults: tables over the model. */
#include "cmd/analyse.h"
#include "cmd/cmd.h"
#include "event/counters.h"
#include "event/eventset.h"
#include "report/table.h"

#define GROUPS (OPTS_SUMMARY | OPTS_ROWS)

static enum table_view shown;
static struct filter *funcs;		/* -F; NULL: all */
static const char *counter;		/* of cpu -e COUNTER; else NULL */

static enum table_shape shape_of(const struct opts *o)
{
	if (o->tree)
		return SHAPE_TREE;
	return !o->hist ? SHAPE_ROWS : o->linear ? SHAPE_LINEAR : SHAPE_HIST;
}

static struct table_opts options_of(const struct opts *o)
{
	struct table_opts t = {
		.view = shown, .by = BY_APP, .sort = o->sort,
		.limit = o->limit, .width = o->width, .utc = o->utc,
		.no_paths = o->no_paths, .idle = o->idle,
		.shape = shape_of(o), .funcs = funcs, .counter = counter,
	};

	if (o->by)
		(void)table_by(o->by, &t.by);
	return t;
}

static void set_funcs(const struct opts *o)
{
	struct err err = { 0 };
	int rc = o->functions.nr ? filter_new(&funcs, &err) : 0;

	for (size_t i = 0; !rc && i < o->functions.nr; i++)
		rc = filter_add_func(funcs, o->functions.v[i], &err);
	if (!rc && o->innermost)
		filter_innermost(funcs);
	if (rc)
		exit(cmd_fail(&err));
}

/* Other words beside it are refused with the rest of -e. */
static void find_counter(const struct opts *o)
{
	for (size_t i = 0; shown == TABLE_CPU && i < o->events.nr; i++) {
		const struct counter *c = counter_named(o->events.v[i]);

		if (!c)
			continue;
		counter = c->name;
		shown = TABLE_COUNTED;
	}
}

static void check(const struct opts *o)
{
	enum rows_by by = BY_APP;
	const char *refusal;
	char names[128];

	find_counter(o);
	if (o->by && !table_by(o->by, &by))
		cmd_usage("--by takes app, line, func, stack, thread, process or "
			  "age, not '%s'", o->by);
	if (o->sort && !table_has_column(shown, shape_of(o), o->sort, names,
					 sizeof(names)))
		cmd_usage("--sort takes %s here, not '%s'", names, o->sort);
	if (o->native && !o->tree && by != BY_STACK)
		cmd_usage("-n shows kernel frames in stacks: with --tree or --by "
			  "stack");
	refusal = table_refuses(shown, shape_of(o), by);
	if (refusal)
		cmd_usage("%s", refusal);
	set_funcs(o);
}

static int put_text(const struct analysed *a, struct err *err)
{
	struct table_opts t = options_of(a->opts);

	t.width = a->width;
	t.interval = a->interval;
	return table_put(a->out, a->analysis, a->totals, &t, err);
}

static int put_json(const struct analysed *a, struct err *err)
{
	struct table_opts t = options_of(a->opts);

	t.interval = a->interval;
	return table_json(a->out, a->analysis, &t, err);
}

static int run(enum table_view view, uint32_t shows, const char *doc, int argc,
	       char **argv)
{
	const struct analyse_view v = {
		.doc = doc, .events = EVENTS_ALL,
		.shows = shows, .calls = view == TABLE_SYSCALLS,
		.counters = view == TABLE_CPU,
		.groups = GROUPS | (view == TABLE_CPU || view == TABLE_OFFCPU ?
				    OPTS_NATIVE : 0),
		.check = check, .text = put_text, .json = put_json,
	};

	int code;

	shown = view;
	code = analyse_run(&v, argc, argv);
	filter_free(funcs);
	return code;
}

#define VIEW(name_, view, shows, help_, doc)				\
	static int run_##name_(int argc, char **argv)			\
	{								\
		return run(view, shows, doc, argc, argv);		\
	}								\
									\
	const struct subcommand cmd_##name_ = {				\
		.name = #name_, .help = help_, .run = run_##name_,	\
	}

VIEW(cpu, TABLE_CPU, EVENTS_OF(PT_SAMPLE),
     "on-CPU time by line, from samples",
     "Say which lines were on a CPU: times are exact for each thread, and "
     "shared out over lines by samples.  With -e page-faults, -e cycles:99...: "
     "which lines the events of that counter were on.");
VIEW(offcpu, TABLE_OFFCPU, EVENTS_OF(PT_OFFCPU),
     "blocked time by line, and what was waited for",
     "Say which lines waited, for how long and for what: locks, sockets, files, "
     "the GIL, a CPU.");
VIEW(syscalls, TABLE_SYSCALLS, EVENTS_OF(PT_SYSCALL),
     "system calls by line: time, count, errors, percentiles, bytes",
     "Say which lines made which system calls, how long they took and how they "
     "failed.");
VIEW(faults, TABLE_FAULTS, EVENTS_OF(PT_FAULT),
     "page faults by line, and the memory that they gave",
     "Say which lines touched memory that was not there, or not their own, and "
     "how much of it became resident or private.");
