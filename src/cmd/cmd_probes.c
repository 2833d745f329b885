/* SPDX-License-Identifier: MIT */
/* cmd_probes: list the probes of files and processes. */
#include <argp.h>
#include <errno.h>

#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/probes_events.h"
#include "cmd/probes_pid.h"
#include "cmd/probes_python.h"
#include "cmd/probes_synth.h"

#define MAX_PIDS	256

struct options {
	bool offsets, json, events;
	char **files;
	size_t nr_files;
	pid_t pids[MAX_PIDS];
	size_t nr_pids;
};

enum { OPT_OFFSETS = 256, OPT_JSON, OPT_EVENTS };

static const struct argp_option options[] = {
	{ "pid", 'p', "PID[,...]", 0,
	  "of the interpreters that these processes run", 0 },
	{ "offsets", OPT_OFFSETS, NULL, 0, "file offsets as well", 0 },
	{ "json", OPT_JSON, NULL, 0, "one JSON object a line", 0 },
	{ "uprobe-events", OPT_EVENTS, NULL, 0,
	  "as lines for uprobe_events of tracefs", 0 },
	{ 0 },
};

static void take_pids(struct options *o, char *list)
{
	char *word, *rest = list;
	int64_t pid;

	while ((word = strsep(&rest, ","))) {
		if (!num_parse(word, 1, INT32_MAX, &pid))
			cmd_usage("'%s' is no process id", word);
		else if (o->nr_pids == MAX_PIDS)
			cmd_usage("more than %d processes", MAX_PIDS);
		else
			o->pids[o->nr_pids++] = (pid_t)pid;
	}
}

static error_t option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'p':
		take_pids(o, arg);
		return 0;
	case OPT_OFFSETS:
		o->offsets = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_EVENTS:
		o->events = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->files = state->argv + state->next;
		o->nr_files = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (!o->nr_pids)
			cmd_usage("no file and no process is named");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int refuse(const struct options *o, const char *path,
		  const struct err *err)
{
	struct err worse = { 0 };

	if (o->json && probes_error_json(stdout, path, err, &worse) < 0)
		cmd_fail(&worse);
	return cmd_fail(err);
}

static int print_events(pid_t pid, const char *path)
{
	struct err err = { 0 };
	int rc = pid ? probes_events_pid(stdout, pid, &err) :
		 probes_events_file(stdout, path, &err);

	return rc < 0 ? cmd_fail(&err) : 0;
}

/* The exit code for this process. */
static int print_pid(const struct options *o, pid_t pid, bool first)
{
	struct err err = { 0 };
	char name[32];

	if (o->events)
		return print_events(pid, NULL);
	if (!first && !o->json)
		fputc('\n', stdout);
	if (!probes_pid(stdout, pid, o->offsets, o->json, &err))
		return 0;
	snprintf(name, sizeof(name), "/proc/%d", pid);
	return refuse(o, name, &err);
}

static int print_notes(const struct options *o, struct probes_file *f,
		       bool *python, struct err *err)
{
	struct probes_view view = { .offsets = o->offsets };
	struct probes_python py;
	int rc = 0;

	*python = probes_python_view(f, &py, &view);
	if (o->json)
		rc = probes_print_json(stdout, f, &view, err);
	else
		probes_print(stdout, f, &view);
	if (*python && !rc)
		rc = probes_synth(stdout, f, &py.image, o->offsets, o->json,
				  err);
	return rc;
}

/* Then those of the interpreter that it needs, if it is none itself. */
static int print_file(const struct options *o, struct probes_file *f,
		      const char *path)
{
	struct err err = { 0 };
	bool python;
	int rc;

	rc = print_notes(o, f, &python, &err);
	if (rc < 0)
		return cmd_fail(&err);
	if (python || probes_is_foreign(f))
		return 0;
	/* That it needs none is no failure of listing it. */
	rc = probes_print_interpreter(stdout, path, o->offsets, o->json, NULL);
	(void)rc;
	return 0;
}

/* The exit code for this file: ELF, or a script that asks for one. */
static int print_one(const struct options *o, const char *path, bool first)
{
	struct probes_file f;
	struct err err = { 0 };
	int rc;

	if (o->events)
		return print_events(0, path);
	if (!first && !o->json)
		fputc('\n', stdout);
	rc = probes_open(&f, path, &err);
	if (rc == -ENOEXEC &&
	    !probes_print_interpreter(stdout, path, o->offsets, o->json, NULL))
		return 0;
	if (rc < 0)
		return refuse(o, path, &err);
	rc = print_file(o, &f, path);
	probes_close(&f);
	return rc;
}

static int run(int argc, char **argv)
{
	static const struct argp argp = {
		options, option, "[FILE...]",
		"List the USDT probes (SDT notes) of ELF files, or of the "
		"interpreters that processes run: where they are, the "
		"semaphore that enables each, its arguments, and what a "
		"CPython of that version does with it; and the places in the "
		"interpreter's code where synthetic probes tell of calls.  A "
		"script, or a program that is linked with a libpython, is "
		"followed to its interpreter.\v"
		"A listing of any ELF file exits with 0, whether it has "
		"probes or not; what is not ELF with 4, what is damaged with "
		"9.", NULL, NULL, NULL,
	};
	struct options o = { 0 };
	struct err err = { 0 };
	int code = 0, one;
	size_t i;

	cmd_parse(&argp, argc, argv, 0, &o);
	cmd_errors_as_json(NULL);	/* it has its own */
	if (o.events && (o.json || o.offsets))
		cmd_usage("--uprobe-events is a format of its own");
	for (i = 0; i < o.nr_pids + o.nr_files; i++) {
		one = i < o.nr_pids ? print_pid(&o, o.pids[i], !i) :
			print_one(&o, o.files[i - o.nr_pids], !i);
		code = code ? code : one;
		/* Before the next message on stderr. */
		if (cmd_flush(0))
			return ERR_OUTPUT;
	}
	if (o.json && probes_end_json(stdout, code, &err) < 0)
		code = cmd_fail(&err);
	return cmd_flush(code);
}

const struct subcommand cmd_probes = {
	.name = "probes",
	.help = "SDT notes of files and processes, and what they really do",
	.run = run,
};
