/* SPDX-License-Identifier: MIT */
/* cmd_probes: list the USDT notes of files. */
#include <argp.h>

#include "cmd/cmd.h"
#include "cmd/probes.h"

struct options {
	bool offsets, json;
	char **files;
	size_t nr_files;
};

enum { OPT_OFFSETS = 256, OPT_JSON };

static const struct argp_option options[] = {
	{ "offsets", OPT_OFFSETS, NULL, 0, "file offsets as well", 0 },
	{ "json", OPT_JSON, NULL, 0, "one JSON object a line", 0 },
	{ 0 },
};

static error_t option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	switch (key) {
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
		argp_error(state, "no file is named");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
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
		options, option, "FILE...",
		"List the USDT probes (SDT notes) of ELF files: where they "
		"are, the semaphore that enables each, and its arguments.\v"
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
	for (i = 0; i < o.nr_files; i++) {
		one = print_one(&o, o.files[i], !i);
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
