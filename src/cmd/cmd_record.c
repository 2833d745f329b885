/* SPDX-License-Identifier: MIT */
/* cmd_record: write the event stream into a file, as it comes. */
#include "cmd/cmd.h"
#include "cmd/live.h"
#include "cmd/opts.h"
#include "cmd/pipeline.h"

static const char doc[] =
	"Write the event stream of a process into a recording, before any "
	"interpretation.  Every view reads it with -i.";

static int run(int argc, char **argv)
{
	struct sysset calls;
	struct pipeline p = { 0 };
	struct err err = { 0 };
	struct opts o;
	int rc;

	rc = opts_parse(&o, OPTS_LIVE | OPTS_SELECT | OPTS_RECORD, doc, argc, argv);
	if (rc)
		return rc;
	if (sysset_parse(&calls, o.events.v, o.events.nr, &err))
		return cmd_fail(&err);
	if (recfile_create(&p.recording, o.output, &err) ||
	    engine_new(&p.engine, NULL, &err))
		rc = cmd_fail(&err);
	if (!rc)
		rc = live_run(&o, &calls, &p, argv);
	engine_free(p.engine);
	if (recfile_close(p.recording, &err) && rc != ERR_OUTPUT)
		rc = cmd_fail(&err);
	return rc;
}

const struct subcommand cmd_record = {
	.name = "record",
	.help = "write the event stream into a file",
	.run = run,
};
