/* SPDX-License-Identifier: MIT */
/* opts: the options that views share, parsed once and spelled once. */
#include "cmd/opts.h"

#include <argp.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/cmd.h"

#define OPTS_PROBES	(OPTS_CALLS | OPTS_FILTER | OPTS_RECORD)
#define OPTS_HAVE_F	(OPTS_FILTER | OPTS_ROWS | OPTS_CALLS)
#define LIMIT_DEFAULT 20
#define LIMIT_HISTS	5
#define OVERHEAD_WALKING 25	/* percent, attached */
#define INTERVAL_MIN	10000000	/* ns: a report takes a while itself */

enum {				/* long options without a letter */
	OPT_NO_FOLLOW = 256,
	OPT_SELECT,		/* and SELECT_NR of them */
	OPT_SELECT_LAST = OPT_SELECT + SELECT_NR - 1,
	OPT_THREAD,
	OPT_INNERMOST,
	OPT_ERRORS,
	OPT_SLOWER,
	OPT_APP,
	OPT_LASTI,
	OPT_JSON,
	OPT_UTC,
	OPT_NO_PATHS,
	OPT_COLOR,
	OPT_BUFFER,
	OPT_MAX_SIZE,
	OPT_STRICT,
	OPT_MAX_OVERHEAD,
	OPT_DRY_RUN,
	OPT_NO_JOURNAL,
	OPT_IDLE,
	OPT_IDLE_AT,
	OPT_WIDTH,
	OPT_BY,
	OPT_SORT,
	OPT_LIMIT,
	OPT_TREE,
	OPT_HIST,
	OPT_VERIFY,
	OPT_PROBES,
	OPT_ALLOW,
	OPT_GC,
	OPT_IMPORTS,
};

/* One row an option; `group` says which views have it. */
static const struct row {
	int group;
	struct argp_option o;
} rows[] = {
	{ OPTS_LIVE, { "pid", 'p', "PID[,...]", 0, "trace these processes", 1 } },
	{ OPTS_LIVE, { "follow", 'f', NULL, 0,
		"also their descendants: those alive now and those born later", 1 } },
	{ OPTS_LIVE, { "no-follow", OPT_NO_FOLLOW, NULL, 0,
		"not the descendants of COMMAND", 1 } },
	{ OPTS_LIVE, { "all", 'a', NULL, 0,
		"all Python processes, those that start later, too", 1 } },
	{ OPTS_LIVE, { "exe", OPT_SELECT + SELECT_EXE, "PATH", 0,
		"processes, now and later, of this program: a glob on its path, "
		"or without a slash on its name", 1 } },
	{ OPTS_LIVE, { "name", OPT_SELECT + SELECT_NAME, "GLOB", 0,
		"processes with such a name, word or whole command line", 1 } },
	{ OPTS_LIVE, { "cgroup", OPT_SELECT + SELECT_CGROUP, "PATH", 0,
		"processes in this control group or below it", 1 } },
	{ OPTS_LIVE, { "unit", OPT_SELECT + SELECT_UNIT, "UNIT", 0,
		"processes of this systemd unit", 1 } },
	{ OPTS_LIVE, { "container", OPT_SELECT + SELECT_CONTAINER, "ID", 0,
		"processes of this container: the beginning of its id, or its "
		"name", 1 } },
	{ OPTS_THREADS, { NULL, 't', "TID[,...]", 0,
		"only these threads, and what they spend; a target by itself", 1 } },
	{ OPTS_THREADS, { "thread", OPT_THREAD, "GLOB", 0,
		"only threads of such a name", 1 } },
	{ OPTS_INPUT, { "input", 'i', "FILE", 0,
		"read a recording or its text (-: stdin) instead of a process", 1 } },
	{ OPTS_LIVE, { "duration", 'd', "DUR", 0,
		"stop after DUR: 500us, 20ms, 2s, 5m; a bare number is seconds", 2 } },
	{ OPTS_VIEW, { "interval", 'I', "DUR", 0,
		"also report every DUR what ended since the last time", 2 } },
	{ OPTS_SELECT, { NULL, 'e', "LIST", 0,
		"these events: syscalls, faults, offcpu, cpu[:HZ] (samples), calls, gc, "
		"import, audit, line (with -F and -d), a USDT probe (usdt:provider:name), a "
		"tracepoint of the kernel (category:name), a counter "
		"(cycles[:HZ], page-faults[/PERIOD], ...); or these system "
		"calls: openat,read, %file %network %process %desc "
		"%memory; !name leaves out", 3 } },
	{ OPTS_FILTER | OPTS_ROWS, { NULL, 'F', "PATTERN", 0,
		"only where this function is in the stack: name, Class.name, "
		"pkg/file.py:name, pkg/file.py, pkg/*; ! excludes", 3 } },
	{ OPTS_ELSEWHERE, { NULL, 'F', "PATTERN", OPTION_HIDDEN, NULL, 0 } },
	{ OPTS_FILTER | OPTS_ROWS, { "innermost", OPT_INNERMOST, NULL, 0,
		"-F looks at the innermost frame only", 3 } },
	{ OPTS_FILTER, { "errors", OPT_ERRORS, NULL, 0,
		"only system calls that failed", 3 } },
	{ OPTS_FILTER | OPTS_CALLS, { "slower", OPT_SLOWER, "DUR", 0,
		"only what took longer", 3 } },
	{ OPTS_SHOW, { NULL, 'k', NULL, 0, "the whole stack under each line", 4 } },
	{ OPTS_SHOW | OPTS_RECORD, { NULL, 's', "LEN", 0,
		"bytes of paths (32 to 4096; default 200): a recording has no "
		"more to show", 4 } },
	{ OPTS_SHOW | OPTS_VIEW, { "app", OPT_APP, "GLOB", 0,
		"files that count as the application's", 4 } },
	{ OPTS_VIEW, { "idle", OPT_IDLE, NULL, 0,
		"rank the waits for work, too", 4 } },
	{ OPTS_VIEW, { "idle-at", OPT_IDLE_AT, "PLACE", 0,
		"one more place where threads wait for work: app/worker.py:wait, "
		"or a chain 'queue.py:get < worker.py:run'", 4 } },
	{ OPTS_NATIVE, { "native", 'n', NULL, 0,
		"kernel frames in the stacks of waits and samples, too (native "
		"frames of the process are not there yet)", 4 } },
	{ OPTS_SHOW, { "lasti", OPT_LASTI, NULL, 0,
		"the bytecode offset beside each line", 4 } },
	{ OPTS_SHOW | OPTS_VIEW | OPTS_CALLS, { "utc", OPT_UTC, NULL, 0,
		"times of day in UTC", 4 } },
	{ OPTS_SHOW | OPTS_VIEW | OPTS_LIVE, { "no-paths", OPT_NO_PATHS, NULL, 0,
		"show neither paths nor socket addresses", 4 } },
	{ OPTS_SHOW, { "color", OPT_COLOR, "WHEN", 0,
		"auto, always or never", 4 } },
	{ OPTS_ROWS, { "by", OPT_BY, "KEY", 0,
		"a row for each app (line it is charged to; the default), line "
		"(innermost), func, stack, thread, process, age (of a process, "
		"for faults)", 4 } },
	{ OPTS_ROWS, { "sort", OPT_SORT, "COL", 0,
		"order by this column of the view: time, count, samples, faults, "
		"errors, p50, p99, max, bytes, cow, private, resident, major",
		4 } },
	{ OPTS_CALLS, { NULL, 'F', "PATTERN", 0,
		"only calls of this function: name, Class.name, "
		"pkg/file.py:name, pkg/file.py, pkg/*; ! excludes; with --tree "
		"and what it calls", 3 } },
	{ OPTS_CALLS, { "gc", OPT_GC, NULL, 0,
		"collections instead: pauses by generation, and where", 3 } },
	{ OPTS_CALLS, { "imports", OPT_IMPORTS, NULL, 0,
		"imports instead: what each module took, itself and in all", 3 } },
	{ OPTS_CALLS, { "verify", OPT_VERIFY, NULL, 0,
		"compare the stack of calls with a walked one at each event of "
		"the kernel", 3 } },
	{ OPTS_PROBES, { "probes", OPT_PROBES, "KIND", 0,
		"calls by: usdt (the interpreter's own probes), synthetic (places "
		"found in its code), none; auto: usdt where they tell of every "
		"call, else synthetic", 3 } },
	{ OPTS_CALLS, { "by", OPT_BY, "KEY", 0,
		"a row for each func (the default), thread, process", 4 } },
	{ OPTS_CALLS, { "sort", OPT_SORT, "COL", 0,
		"order by total, self, cpu, calls, resumes, suspended, p50, p99 "
		"or max", 4 } },
	{ OPTS_ROWS | OPTS_CALLS, { "tree", OPT_TREE, NULL, 0,
		"as a call tree, outermost frame first", 4 } },
	{ OPTS_ROWS | OPTS_CALLS, { "hist", OPT_HIST, "SHAPE", OPTION_ARG_OPTIONAL,
		"how long each took, as bars: log2 (the default) or linear",
		4 } },
	{ OPTS_ROWS | OPTS_CALLS, { "limit", OPT_LIMIT, "N", 0,
		"rows, nodes of a tree (20), histograms (5); 0: all", 4 } },
	{ OPTS_VIEW | OPTS_CALLS, { "width", OPT_WIDTH, "N", 0,
		"columns of the report (default: the terminal's, or 100)", 4 } },
	{ OPTS_SHOW | OPTS_VIEW | OPTS_CALLS, { "json", OPT_JSON, NULL, 0,
		"one JSON object a line", 5 } },
	{ OPTS_SHOW | OPTS_VIEW | OPTS_RECORD | OPTS_CALLS, { "output", 'o', "FILE", 0,
		"write there instead of to standard output", 5 } },
	{ OPTS_LIVE | OPTS_SHOW | OPTS_VIEW | OPTS_CALLS, { "quiet", 'q', NULL, 0,
		"no status, no notes", 5 } },
	{ OPTS_LIVE | OPTS_SHOW | OPTS_VIEW | OPTS_CALLS, { "verbose", 'v', NULL, 0,
		"say more", 5 } },
	{ OPTS_LIVE, { "buffer", OPT_BUFFER, "SIZE", 0,
		"of the ring between kernel and pytrace (default 8M)", 6 } },
	{ OPTS_RECORD, { "max-size", OPT_MAX_SIZE, "SIZE", 0,
		"end the trace when the recording has as many bytes: 500K, 2G; "
		"what is on its way then is still written", 6 } },
	{ OPTS_LIVE, { "max-overhead", OPT_MAX_OVERHEAD, "PCT", 0,
		"of the target's CPU time: trace less beyond that, and detach in "
		"the end (default 25; with COMMAND 0: no limit)", 6 } },
	{ OPTS_PROBES, { "allow", OPT_ALLOW, "WHAT", 0,
		"single-step: synthetic probes also where the kernel has to step "
		"(about 20 us a hit in virtual machines)", 6 } },
	{ OPTS_LIVE, { "strict", OPT_STRICT, NULL, 0,
		"exit with 10 if anything was lost or a stack unknown", 6 } },
	{ OPTS_LIVE, { "dry-run", OPT_DRY_RUN, NULL, 0,
		"say what would be attached, for whom, until when and at what "
		"price; attach nothing, run no COMMAND", 6 } },
	{ OPTS_LIVE, { "no-journal", OPT_NO_JOURNAL, NULL, 0,
		"no lines in the system's log about start and end, as root", 6 } },
};

/* Keep a copy of the words of `s`, which commas separate. */
static bool add_words(struct opts *o, struct opts_list *list, const char *s)
{
	while (*s) {
		size_t len = strcspn(s, ",");
		char *copy = o->storage + o->storage_used;

		if (list->nr == OPTS_MAX ||
		    len + 1 > sizeof(o->storage) - o->storage_used)
			return false;
		if (len) {
			memcpy(copy, s, len);
			copy[len] = '\0';
			o->storage_used += len + 1;
			list->v[list->nr++] = copy;
		}
		s += len + (s[len] == ',');
	}
	return true;
}

static bool add_one(struct opts_list *list, const char *s)
{
	if (list->nr == OPTS_MAX)
		return false;
	list->v[list->nr++] = s;
	return true;
}

static bool has_id(const pid_t *ids, size_t nr, pid_t id)
{
	for (size_t i = 0; i < nr; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static bool add_ids(pid_t *ids, size_t *nr, const char *s)
{
	do {
		size_t len = strcspn(s, ",");
		char word[16];
		int64_t id;

		if (len >= sizeof(word) || *nr == OPTS_MAX)
			return false;
		memcpy(word, s, len);
		word[len] = '\0';
		if (!num_parse(word, 1, INT32_MAX, &id))
			return false;
		if (!has_id(ids, *nr, (pid_t)id))
			ids[(*nr)++] = (pid_t)id;
		s += len;
	} while (*s++ == ',');
	return true;
}

static bool is_number(const char *s)
{
	int64_t v;

	return num_parse(s, 0, INT64_MAX, &v);
}

static void check_function(struct opts *o, const char *arg)
{
	if (is_number(arg))
		cmd_usage("-F takes a function; a sampling rate is -e cpu:%s",
			   arg);
	else if (!(o->groups & OPTS_HAVE_F))
		cmd_usage("-F is for trace, calls, cpu, offcpu, syscalls, "
			  "faults");
	else if (!add_one(&o->functions, arg))
		cmd_usage("more than %d patterns for -F", OPTS_MAX);
}

static void check_input(struct opts *o, const char *arg)
{
	if (is_number(arg) && access(arg, F_OK))
		cmd_usage("no recording '%s': -i takes a file%s%s", arg,
			  o->groups & OPTS_VIEW ? "; to report every so many "
			  "seconds use -I " : "",
			  o->groups & OPTS_VIEW ? arg : "");
	o->input = arg;
}

static void check_color(struct opts *o, const char *arg)
{
	if (!strcmp(arg, "auto"))
		o->color = 0;
	else if (!strcmp(arg, "always"))
		o->color = 1;
	else if (!strcmp(arg, "never"))
		o->color = -1;
	else
		cmd_usage("--color takes auto, always or never, not '%s'", arg);
}

static void check_probes(struct opts *o, const char *arg)
{
	static const char *const kinds[] = {
		[OPTS_PROBES_AUTO] = "auto", [OPTS_PROBES_USDT] = "usdt",
		[OPTS_PROBES_SYNTHETIC] = "synthetic",
		[OPTS_PROBES_NONE] = "none",
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strcmp(arg, kinds[i]))
			continue;
		o->probes = (uint8_t)i;
		return;
	}
	cmd_usage("--probes takes auto, usdt, synthetic or none, not '%s'", arg);
}

static void check_hist(struct opts *o, const char *arg)
{
	o->hist = true;
	o->linear = arg && !strcmp(arg, "linear");
	if (arg && !o->linear && strcmp(arg, "log2"))
		cmd_usage("--hist takes log2 or linear, not '%s'", arg);
}

/* --exe to --container: one option a kind. */
static error_t select_one(struct opts *o, int key, const char *arg)
{
	if (key < OPT_SELECT || key > OPT_SELECT_LAST)
		return ARGP_ERR_UNKNOWN;
	if (!add_one(&o->selected[key - OPT_SELECT], arg))
		cmd_usage("more than %d values for one option", OPTS_MAX);
	o->selects = true;
	return 0;
}

static error_t parse_one(int key, char *arg, struct argp_state *st)
{
	struct opts *o = st->input;
	int64_t n;

	switch (key) {
	case 'p':
		if (!add_ids(o->pids, &o->nr_pids, arg))
			cmd_usage("-p takes process ids, not '%s'", arg);
		break;
	case 't':
		if (!add_ids(o->tids, &o->nr_tids, arg))
			cmd_usage("-t takes thread ids, not '%s'", arg);
		break;
	case 'a':
		o->all = o->selects = true;
		break;
	case 'f':
		o->follow = true;
		break;
	case OPT_NO_FOLLOW:
		o->no_follow = true;
		break;
	case 'i':
		check_input(o, arg);
		break;
	case 'd':
		if (!num_duration(arg, &o->duration_ns) || !o->duration_ns)
			cmd_usage("-d takes a duration such as 500ms or 10, "
				   "not '%s'", arg);
		break;
	case 'I':
		if (!num_duration(arg, &o->interval_ns) ||
		    o->interval_ns < INTERVAL_MIN)
			cmd_usage("-I takes a duration from 10ms on, such as "
				  "1, 500ms or 1m, not '%s'", arg);
		break;
	case 'e':
		if (!arg[strspn(arg, ",")])
			cmd_usage("-e names nothing");
		if (!add_words(o, &o->events, arg))
			cmd_usage("more than %d words for -e", OPTS_MAX);
		break;
	case 'F':
		check_function(o, arg);
		break;
	case OPT_THREAD:
		if (!add_one(&o->threads, arg))
			cmd_usage("more than %d patterns for --thread", OPTS_MAX);
		break;
	case OPT_INNERMOST:
		o->innermost = true;
		break;
	case OPT_ERRORS:
		o->errors = true;
		break;
	case OPT_SLOWER:
		if (!num_duration(arg, &o->slower_ns))
			cmd_usage("--slower takes a duration such as 20ms, "
				   "not '%s'", arg);
		break;
	case 'k':
		o->stacks = true;
		break;
	case 's':
		if (!num_parse(arg, 32, 4096, &n))
			cmd_usage("-s takes 32 to 4096 bytes, not '%s'", arg);
		else
			o->string_len = (uint32_t)n;
		break;
	case OPT_APP:
		if (!add_one(&o->app, arg))
			cmd_usage("more than %d patterns for --app", OPTS_MAX);
		break;
	case OPT_IDLE:
		o->idle = true;
		break;
	case OPT_IDLE_AT:
		if (!add_one(&o->idle_at, arg))
			cmd_usage("more than %d places for --idle-at", OPTS_MAX);
		break;
	case OPT_BY:
		o->by = arg;
		break;
	case OPT_SORT:
		o->sort = arg;
		break;
	case OPT_TREE:
		o->tree = true;
		break;
	case OPT_VERIFY:
		o->verify = true;
		break;
	case OPT_PROBES:
		check_probes(o, arg);
		break;
	case OPT_ALLOW:
		if (strcmp(arg, "single-step"))
			cmd_usage("--allow takes single-step, not '%s'", arg);
		o->allow_step = true;
		break;
	case OPT_GC:
		o->gc = true;
		break;
	case OPT_IMPORTS:
		o->imports = true;
		break;
	case OPT_HIST:
		check_hist(o, arg);
		break;
	case OPT_LIMIT:
		if (!num_parse(arg, 0, 1000000, &n))
			cmd_usage("--limit takes a number of rows, not '%s'",
				   arg);
		else
			o->limit = (unsigned int)n;
		break;
	case OPT_WIDTH:
		if (!num_parse(arg, 80, 1000, &n))
			cmd_usage("--width takes 80 to 1000 columns, not '%s'",
				   arg);
		else
			o->width = (unsigned int)n;
		break;
	case 'n':
		o->native = true;
		break;
	case OPT_LASTI:
		o->lasti = true;
		break;
	case OPT_UTC:
		o->utc = true;
		break;
	case OPT_NO_PATHS:
		o->no_paths = true;
		break;
	case OPT_COLOR:
		check_color(o, arg);
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case 'o':
		o->output = arg;
		break;
	case 'q':
		o->quiet = true;
		break;
	case 'v':
		o->verbose++;
		break;
	case OPT_BUFFER:
		if (!num_size(arg, &o->buffer) || o->buffer < 4096 ||
		    o->buffer > (1u << 30))
			cmd_usage("--buffer takes 4K to 1G, not '%s'", arg);
		break;
	case OPT_MAX_SIZE:
		if (!num_size(arg, &o->max_size) || o->max_size < 4096)
			cmd_usage("--max-size takes 4K or more, not '%s'", arg);
		break;
	case OPT_MAX_OVERHEAD:
		if (!num_parse(arg, 0, 1000, &n))
			cmd_usage("--max-overhead takes percent, 0 to 1000, not "
				   "'%s'", arg);
		else
			o->max_overhead = (int)n;
		break;
	case OPT_DRY_RUN:
		o->dry_run = true;
		break;
	case OPT_NO_JOURNAL:
		o->no_journal = true;
		break;
	case OPT_STRICT:
		o->strict = true;
		break;
	case ARGP_KEY_ARG:
		return ARGP_ERR_UNKNOWN;
	case ARGP_KEY_ARGS:
		o->command = st->argv + st->next;
		break;
	default:
		return select_one(o, key, arg);
	}
	return 0;
}

static bool has_names(const struct opts *o)
{
	for (int k = 0; k < SELECT_NR; k++)
		if (o->selected[k].nr)
			return true;
	return false;
}

static bool names_line(const struct opts *o)
{
	for (size_t i = 0; i < o->events.nr; i++)
		if (!strcmp(o->events.v[i], "line"))
			return true;
	return false;
}

/* What belongs together, and what must be there. */
static const char *contradiction(const struct opts *o, int groups)
{
	int targets = (o->nr_pids > 0 && !o->by_tid) + o->selects + (o->command != NULL) + (o->input != NULL);

	if (targets > 1)
		return "one target only: -p PID, -a or other names of running "
		       "processes, -- COMMAND or -i FILE";
	if (o->all && has_names(o))
		return "-a is each of them: leave it out, or the other names";
	if (!targets && !o->by_tid)
		return groups & OPTS_INPUT ?
			"no target: -p PID, -a, -- COMMAND or -i FILE" :
			"no target: -p PID, -a or -- COMMAND";
	if (groups & OPTS_RECORD && !o->output)
		return "no recording is named: -o FILE";
	if (o->follow && o->no_follow)
		return "-f or --no-follow, not both";
	if (o->no_follow && !o->command)
		return "--no-follow is for -- COMMAND";
	if (o->tree && o->hist)
		return "--tree or --hist, not both";
	if (o->tree && o->by)
		return "--tree is by stack: --by is for tables and --hist";
	if (!o->input && names_line(o) &&
	    (!o->functions.nr || !o->duration_ns))
		return "-e line makes an event of each line of Python that runs: "
		       "with -F PATTERN and -d DUR only (pytrace trace)";
	if (o->innermost && !o->functions.nr)
		return "--innermost is for -F";
	if (o->input && (o->duration_ns || o->buffer || o->follow))
		return "-d, -f and --buffer are of no use with -i";
	if (o->input && (o->dry_run || o->no_journal))
		return "--dry-run and --no-journal are of no use with -i";
	if ((o->nr_pids || o->selects) && !o->duration_ns && !o->dry_run && !isatty(STDIN_FILENO) &&
	    !isatty(STDERR_FILENO))
		return "without a terminal a run must have an end: -d DUR";
	return NULL;
}

/* "trace 123": nobody calls a program that. */
static void check_command(const struct opts *o)
{
	const char *word = o->command[0];

	if (is_number(word) && access(word, F_OK))
		cmd_usage("'%s' is no command: a process is named by -p %s",
			  word, word);
}

static void threads_are_targets(struct opts *o)
{
	memcpy(o->pids, o->tids, o->nr_tids * sizeof(*o->tids));
	o->nr_pids = o->nr_tids;
	o->by_tid = true;
}

/* Room for all of them, and the empty one behind the last. */
static void collect(struct argp_option *options, int groups)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].group & groups)
			*options++ = rows[i].o;
}

uint32_t opts_max_overhead(const struct opts *o)
{
	if (o->max_overhead >= 0)
		return (uint32_t)o->max_overhead;
	return o->command ? 0 : OVERHEAD_WALKING;
}

void opts_help(FILE *out, int groups)
{
	struct argp_option options[ARRAY_LEN(rows) + 1] = { { 0 } };
	const struct argp argp = { .options = options };
	char name[] = "pytrace";

	collect(options, groups);
	argp_help(&argp, out, ARGP_HELP_LONG, name);
}

void opts_parse(struct opts *o, int groups, const char *doc, int argc, char **argv)
{
	struct argp_option options[ARRAY_LEN(rows) + 1] = { { 0 } };
	struct argp argp = { options, parse_one,
			     groups & OPTS_LIVE ? "[-- COMMAND [ARGUMENT...]]" : "",
			     doc, NULL, NULL, NULL };
	const char *wrong;

	memset(o, 0, sizeof(*o));
	o->groups = groups;
	o->limit = UINT32_MAX;
	o->max_overhead = -1;
	if (!(groups & OPTS_HAVE_F))
		groups |= OPTS_ELSEWHERE;
	collect(options, groups);
	cmd_parse(&argp, argc, argv, ARGP_IN_ORDER, o);
	if (o->command)
		check_command(o);
	if (o->command)
		o->follow = !o->no_follow;
	else if (!o->nr_pids && !o->input && !o->selects && o->nr_tids)
		threads_are_targets(o);
	if (o->limit == UINT32_MAX)
		o->limit = o->hist ? LIMIT_HISTS : LIMIT_DEFAULT;
	wrong = contradiction(o, groups);
	if (wrong)
		cmd_usage("%s", wrong);
}
