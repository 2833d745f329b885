/* SPDX-License-Identifier: MIT */
/* options: argp, with our form of messages: "pytrace: usage: ...", exit 2. */
#include <errno.h>
#include <stdarg.h>

#include "cmd/cmd.h"

enum { OPT_USAGE = 512 };	/* above those of the views */

static char view_name[64] = "pytrace";

/* Options are not parsed yet when one of them is wrong: look for the word. */
static bool wants_json(char **argv)
{
	for (; *argv && strcmp(*argv, "--"); argv++)
		if (!strcmp(*argv, "--json"))
			return true;
	return false;
}

void cmd_options_of(const char *view, char **argv)
{
	snprintf(view_name, sizeof(view_name), "pytrace%s%s", *view ? " " : "",
		 view);
	if (wants_json(argv))
		cmd_errors_as_json(stdout);
}

const char *cmd_view(void)
{
	return view_name;
}

_Noreturn void cmd_usage(const char *fmt, ...)
{
	struct err err = { 0 };
	va_list ap;

	err_kind(&err, ERR_USAGE, -EINVAL, "%s", "");
	va_start(ap, fmt);
	vsnprintf(err.text, sizeof(err.text), fmt, ap);
	va_end(ap);
	err_hint(&err, "'%s --help' lists the options", view_name);
	exit(cmd_fail(&err));
}

static const struct argp_option help_options[] = {
	{ "help", '?', NULL, 0, "Give this help list", -1 },
	{ "usage", OPT_USAGE, NULL, 0, "Give a short usage message", -1 },
	{ 0 },
};

static error_t help_option(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->input;
		state->err_stream = NULL;	/* getopt says it, we the rest */
		return 0;
	case '?':
		argp_help(state->root_argp, stdout, ARGP_HELP_STD_HELP,
			  view_name);
		exit(cmd_flush(0));
	case OPT_USAGE:
		argp_help(state->root_argp, stdout, ARGP_HELP_USAGE, view_name);
		exit(cmd_flush(0));
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void cmd_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
	       void *input)
{
	const struct argp_child children[] = {
		{ argp, 0, NULL, 0 },
		{ 0 },
	};
	const struct argp with_help = {
		help_options, help_option, NULL, NULL, children, NULL, NULL,
	};
	char prefix[] = "pytrace: usage";	/* of getopt's sentences */
	char *name = argv[0];
	int rest = argc;

	argv[0] = prefix;
	if (!argp_parse(&with_help, argc, argv, flags | ARGP_NO_HELP, &rest,
			input)) {
		argv[0] = name;
		if (rest < argc)	/* of which argp would say nothing */
			cmd_usage("unexpected argument '%s'", argv[rest]);
		return;
	}
	fprintf(stderr, "  '%s --help' lists the options\n", view_name);
	exit(ERR_USAGE);
}
