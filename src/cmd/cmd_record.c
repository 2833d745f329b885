/* SPDX-License-Identifier: MIT */
/* cmd_record: write the event stream into a file, as it comes. */
#include <errno.h>
#include <inttypes.h>

#include "cmd/cmd.h"
#include "cmd/live.h"
#include "cmd/opts.h"
#include "cmd/pipeline.h"

static const char doc[] =
	"Write the event stream of a process into a recording, before any "
	"interpretation.  Every view reads it with -i.";

struct recording {
	struct pipeline p;	/* first */
	const char *path;
	bool packed;		/* calls come by the million, and are much alike */
};

/*
 * Not before: a mistyped pid must not cost an older recording.  Whether it can
 * be written was looked at before anything was attached.
 */
static int begin(struct pipeline *p, struct err *err)
{
	const struct recording *r = (const struct recording *)p;

	return recfile_create(&p->recording, r->path, r->packed, err);
}

static int run(int argc, char **argv)
{
	struct eventset events;
	struct recording r = { .p = { .begin = begin } };
	struct err err = { 0 };
	struct opts o;
	int rc, code;

	opts_parse(&o, OPTS_LIVE | OPTS_SELECT | OPTS_RECORD |
		   OPTS_NATIVE, doc, argc, argv);
	r.path = o.output;
	r.p.max_bytes = o.max_size;
	if (eventset_parse(&events, o.events.v, o.events.nr, EVENTS_ALL,
			   &err))
		return cmd_fail(&err);
	r.packed = events.types & EVENTS_OF(PT_CALL);
	if (recfile_check(r.path, &err)) {
		code = cmd_fail(&err);
		return o.command ? 125 : code;
	}
	if (engine_new(&r.p.engine, NULL, &err))
		return cmd_fail(&err);
	code = live_run(&o, &events, &r.p, argv - 1);
	engine_free(r.p.engine);
	if (r.p.full)
		fprintf(stderr, "pytrace: ended: %s has reached --max-size\n",
			r.path);
	if (r.p.recording && recfile_flush(r.p.recording, &err))
		fprintf(stderr, "pytrace: %s ends before: it holds %" PRIu64
			" of the %" PRIu64 " events\n", r.path,
			recfile_events(r.p.recording), r.p.events);
	rc = recfile_close(r.p.recording, &err);
	if (rc && rc != -EPIPE && code != ERR_OUTPUT) {
		rc = cmd_fail(&err);
		code = o.command ? code : rc;
	}
	return code;
}

const struct subcommand cmd_record = {
	.name = "record",
	.help = "write the event stream into a file",
	.run = run,
};
