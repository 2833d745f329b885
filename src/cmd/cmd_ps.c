/* SPDX-License-Identifier: MIT */
/* cmd_ps: the Python processes here, and what can be traced of each. */
#include <argp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/ps.h"

struct options {
	bool json;
	int64_t width;		/* -1: that of the terminal, if it is one */
};

enum { OPT_JSON = 256, OPT_WIDTH };

static const struct argp_option options[] = {
	{ "json", OPT_JSON, NULL, 0, "one JSON object a line", 0 },
	{ "width", OPT_WIDTH, "N", 0,
	  "columns (0: no limit; default: those of the terminal)", 0 },
	{ 0 },
};

static error_t option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_WIDTH:
		if (!num_parse(arg, 0, 100000, &o->width))
			cmd_usage("'%s' is no number of columns", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static size_t width_of(const struct options *o)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;
	int64_t n;

	if (o->width >= 0)
		return (size_t)o->width;
	if (!isatty(STDOUT_FILENO))
		return 0;
	if (columns && num_parse(columns, 1, 100000, &n))
		return (size_t)n;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) ? 0 : w.ws_col;
}

/* What is not on the screen, and would be for somebody with more rights. */
static void print_left_out(const struct ps *ps)
{
	if (ps->refused)
		fprintf(stderr, "note: not looked into, for want of rights: %u "
			"process%s%s\n", ps->refused,
			ps->refused == 1 ? "" : "es",
			geteuid() ? " (run as root to see them)" : "");
	if (ps->hung)
		fprintf(stderr, "note: did not answer in time: %u process%s\n",
			ps->hung, ps->hung == 1 ? "" : "es");
}

static int print(const struct options *o, const struct ps *ps)
{
	int code = ps->nr ? 0 : ERR_NO_TARGET;
	struct err err = { 0 };

	if (o->json && ps_print_json(stdout, ps, code, &err) < 0)
		code = cmd_fail(&err);
	if (!o->json)
		ps_print(stdout, ps, width_of(o));
	code = cmd_flush(code);
	print_left_out(ps);
	if (ps->nr)
		return code;
	err_kind(&err, ERR_NO_TARGET, -1, "no Python process is running%s",
		 ps->refused || ps->hung ? " that could be looked into" : "");
	return cmd_fail(&err);
}

static int run(int argc, char **argv)
{
	static const struct argp argp = {
		options, option, NULL,
		"List the Python processes here, and what can be traced of "
		"each.\v"
		"CALL PROBES: usdt, entries and returns by the interpreter's "
		"own probes; returns, only these; -, none.  WALK: whether its "
		"stacks can be walked.  WORKERS: children that are Python, "
		"too.", NULL, NULL, NULL,
	};
	struct options o = { .width = -1 };
	struct err err = { 0 };
	struct ps ps;
	int code;

	cmd_parse(&argp, argc, argv, 0, &o);
	cmd_errors_as_json(NULL);	/* it has its own */
	if (ps_gather(&ps, &err) < 0)
		return cmd_fail(&err);
	code = print(&o, &ps);
	ps_fini(&ps);
	return code;
}

const struct subcommand cmd_ps = {
	.name = "ps",
	.help = "Python processes here, and what can be traced of each",
	.run = run,
};
