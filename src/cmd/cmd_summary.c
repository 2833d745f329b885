/* SPDX-License-Identifier: MIT */
/* cmd_summary: without a view: where the time and the events went. */
#include "cmd/analyse.h"
#include "cmd/cmd.h"
#include "event/eventset.h"
#include "report/rows_json.h"
#include "report/screen.h"

static int put_screen(const struct analysed *a, struct err *err)
{
	const struct screen_opts so = {
		.width = a->width,
		.utc = a->opts->utc,
		.no_paths = a->opts->no_paths,
		.idle = a->opts->idle,
		.target = a->target,
		.has_view = cmd_has_view,
	};

	return screen_put(a->out, a->analysis, a->totals, &so, err);
}

static int put_json(const struct analysed *a, struct err *err)
{
	return rows_json_put(a->out, a->analysis, a->opts->no_paths,
			     a->interval, err);
}

static int run(int argc, char **argv)
{
	static const struct analyse_view view = {
		.doc = "Say where the time and the events of Python processes "
		       "went: an account that closes, and its largest causes "
		       "by line of the application."
		       "\vWith -- COMMAND the report goes to stderr, and the "
		       "exit status is the command's; else the report goes to "
		       "stdout.",
		.groups = OPTS_SUMMARY,
		.events = EVENTS_ALL,
		.text = put_screen,
		.json = put_json,
	};

	return analyse_run(&view, argc, argv);
}

const struct subcommand cmd_summary = {
	.name = "",
	.help = "where the time and the events went",
	.run = run,
};
