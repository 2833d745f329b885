/* SPDX-License-Identifier: MIT */
/*
 * pipeline: records from a source, through the engine, to where they go.
 *
 *	source ─► recording
 *	       └► engine ─► sink (text, JSON, a table)
 */
#ifndef PT_PIPELINE_H
#define PT_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "event/recfile.h"
#include "event/source.h"
#include "stack/engine.h"

/* Where moments go.  Embedded as the first member of what it really is. */
struct sink {
	int (*put)(struct sink *s, const struct moment *m, struct err *err);
	/* What was put becomes visible. */
	int (*flush)(struct sink *s, struct err *err);
};

struct pipeline {
	struct source *source;
	struct recfile *recording;	/* NULL: none */
	struct engine *engine;		/* NULL: nobody looks at the events */
	struct sink *sink;		/* NULL with engine: only its totals */
	/*
	 * All is found and attached, and the first event is about to be read:
	 * open what it goes to.  NULL: that is open.
	 */
	int (*begin)(struct pipeline *p, struct err *err);
	uint64_t end_ns;		/* CLOCK_MONOTONIC; 0: no end */
	/* Of the recording: the end is reached with that, too; 0: no end. */
	uint64_t max_bytes;
	/* Called once when the end is reached or the user asks for it. */
	void (*stop)(void *arg);
	void *arg;
	/*
	 * Of calls only those of some functions are asked for: which, is told
	 * here as they become known.  `filters` is the command's, the rest of
	 * whoever runs it.
	 */
	bool filters;
	void (*judge)(void *arg, uint64_t code, bool wanted);
	/* The trace was over its budget: said as it happens.  NULL: it is not. */
	void (*shed)(const struct pt_shed *rec);
	bool no_totals;			/* the report has them: not on stderr */
	/* results */
	uint64_t records;
	uint64_t events;
	uint64_t first_ns, last_ns;	/* of them, on the stream's clock */
	bool full;			/* it ended for max_bytes */
	bool drifts;			/* for calls that do not balance: engine_drift() */
};

/*
 * Until the source ends.  0, or -errno: what was put so far is flushed then,
 * too.
 */
int pipeline_run(struct pipeline *p, struct err *err) PT_MUST_CHECK;

/*
 * From now on the first SIGINT, SIGTERM or SIGHUP ends a pipeline in order and
 * the second SIGINT at once, with 130.
 */
void pipeline_catch_signals(void);
bool pipeline_was_asked(void);		/* a signal came */

#endif /* PT_PIPELINE_H */
