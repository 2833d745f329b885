/* SPDX-License-Identifier: MIT */
/* cmd_probes: list the USDT notes of files and processes. */
#include <argp.h>

#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/probes.h"
#include "cmd/probes_pid.h"

#define MAX_PIDS	256

struct options {
	bool offsets, json;
	char **files;
	size_t nr_files;
	pid_t pids[MAX_PIDS];
	size_t nr_pids;
};

enum { OPT_OFFSETS = 256, OPT_JSON };

static const struct argp_option options[] = {
	{ "pid", 'p', "PID[,...]", 0,
	  "of the interpreters that these processes run", 0 },
	{ "offsets", OPT_OFFSETS, NULL, 0, "file offsets as well", 0 },
	{ "json", OPT_JSON, NULL, 0, "one JSON object a line", 0 },
	{ 0 },
};

static void take_pids(struct options *o, char *list, struct argp_state *state)
{
	char *word, *rest = list;
	int64_t pid;

	while ((word = strsep(&rest, ","))) {
		if (!num_parse(word, 1, INT32_MAX, &pid))
			argp_error(state, "'%s' is no process id", word);
		else if (o->nr_pids == MAX_PIDS)
			argp_error(state, "more than %d processes", MAX_PIDS);
		else
			o->pids[o->nr_pids++] = (pid_t)pid;
	}
}

static error_t option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'p':
		take_pids(o, arg, state);
		return 0;
	case OPT_OFFSETS:
		o->offsets = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->files = state->argv + state->next;
		o->nr_files = (size_t)(state->argc - state->next);
		return 0;
	case ARGP_KEY_NO_ARGS:
		if (!o->nr_pids)
			argp_error(state, "no file and no process is named");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The exit code for this process. */
static int print_pid(const struct options *o, pid_t pid, bool first)
{
	struct err err = { 0 }, worse = { 0 };
	char name[32];

	if (!first && !o->json)
		fputc('\n', stdout);
	if (!probes_pid(stdout, pid, o->offsets, o->json, &err))
		return 0;
	snprintf(name, sizeof(name), "/proc/%d", pid);
	if (o->json && probes_error_json(stdout, name, &err, &worse) < 0)
		cmd_fail(&worse);
	return cmd_fail(&err);
}

/* The exit code for this file. */
static int print_one(const struct options *o, const char *path, bool first)
{
	struct probes_view view = { .offsets = o->offsets };
	struct probes_file f;
	struct err err = { 0 }, worse = { 0 };
	int rc;

	rc = probes_open(&f, path, &err);
	if (rc < 0) {
		if (o->json && probes_error_json(stdout, path, &err,
						 &worse) < 0)
			cmd_fail(&worse);
		return cmd_fail(&err);
	}
	if (o->json) {
		rc = probes_print_json(stdout, &f, &view, &err);
	} else {
		fputs(first ? "" : "\n", stdout);
		probes_print(stdout, &f, &view);
	}
	probes_close(&f);
	return rc < 0 ? cmd_fail(&err) : 0;
}

static int run(int argc, char **argv)
{
	static const struct argp argp = {
		options, option, "[FILE...]",
		"List the USDT probes (SDT notes) of ELF files, or of the "
		"interpreters that processes run: where they are, the "
		"semaphore that enables each, and its arguments.\v"
		"A listing of any ELF file exits with 0, whether it has "
		"probes or not; what is not ELF with 4, what is damaged with "
		"9.", NULL, NULL, NULL,
	};
	struct options o = { 0 };
	struct err err = { 0 };
	int code = 0, one;
	size_t i;

	argp_err_exit_status = ERR_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return ERR_FAILED;
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
