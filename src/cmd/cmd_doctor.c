/* SPDX-License-Identifier: MIT */
/* cmd_doctor: what works here, what does not, and what to do. */
#include <argp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "cmd/live.h"

struct options {
	pid_t pid;
	bool json;
	bool leftovers;
};

enum { OPT_JSON = 256, OPT_LEFTOVERS };

static const struct argp_option options[] = {
	{ "pid", 'p', "PID", 0, "look at this process, too", 0 },
	{ "leftovers", OPT_LEFTOVERS, NULL, 0,
	  "instead: uprobe events left on interpreters; remove our own", 0 },
	{ "json", OPT_JSON, NULL, 0, "one JSON object a line", 0 },
	{ 0 },
};

static error_t option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	int64_t pid;

	switch (key) {
	case 'p':
		if (!num_parse(arg, 1, INT32_MAX, &pid))
			cmd_usage("-p takes a process id, not '%s'", arg);
		o->pid = (pid_t)pid;
		return 0;
	case OPT_LEFTOVERS:
		o->leftovers = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static size_t width_of_terminal(void)
{
	struct winsize w;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w))
		return 0;
	return w.ws_col;
}

static int run(int argc, char **argv)
{
	static const struct argp argp = {
		options, option, NULL,
		"Try what works here, and say what does not, why, and what to "
		"do.\v"
		"Each row is what, state (ok, partly, note, no) and reason.  "
		"Exits with 0 if processes (with -p: that one) can be traced, "
		"else with the code of the first obstacle.", NULL, NULL, NULL,
	};
	struct checks checks = { 0 };
	struct options o = { 0 };
	struct err err = { 0 };

	cmd_parse(&argp, argc, argv, 0, &o);
	if (o.leftovers && o.pid)
		cmd_usage("--leftovers are the host's: without -p");
	if (o.leftovers)
		return doctor_leftovers(o.json);
	cmd_errors_as_json(NULL);	/* it has its own */
	live_doctor(&checks);
	if (o.pid)
		checks_target(&checks, o.pid);
	if (!o.json)
		doctor_print(stdout, &checks, width_of_terminal());
	else if (doctor_print_json(stdout, &checks, &err))
		return cmd_fail(&err);
	return cmd_flush(doctor_code(&checks));
}

const struct subcommand cmd_doctor = {
	.name = "doctor",
	.help = "what works here, what does not, and what to do",
	.run = run,
};
