/* SPDX-License-Identifier: MIT */
/*
 * session: one live trace from its targets to its last record.
 *
 * As a source it gives PT_META first, then what the kernel half saw, with
 * what user space knows put in (names of processes, parts of code objects that
 * were not resident, interpreters that were found late, losses), and PT_END
 * last.  The stream it gives is complete in itself: recording it is writing it
 * down.
 */
#ifndef PT_SESSION_H
#define PT_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/source.h"
#include "live/tracer.h"
#include "target/select.h"

struct session;

struct session_opts {
	struct tracer_opts tracer;	/* follow is in there */
	const pid_t *pids;		/* processes, or threads of them */
	size_t nr_pids;
	/*
	 * Instead of them: those that match, now or later.  Has to outlive the
	 * session, which then does not end by itself.
	 */
	struct select *select;
	char *const *command;		/* ends with NULL; NULL: none */
	const char *const *argv;	/* our own, for the meta record */
	const char *version;		/* of pytrace */
	/*
	 * Of the targets' CPU time: what tracing may cost them; 0: no limit.
	 * Beyond that less is traced, step by step (PT_SHED), in the end nothing.
	 */
	uint32_t max_overhead;
	uint64_t slower_ns;		/* what else is left out then; 0: 1 ms */
};

/*
 * Find the interpreters, load, attach; events of `pids` come from here on.  A
 * command is held until session_release().  Errors: those of tracer.h, find.h
 * and spawn.h; nothing is left behind.
 */
int session_open(struct session **out, const struct session_opts *opts,
		 struct err *err) PT_MUST_CHECK;
void session_close(struct session *s);	/* NULL is fine */

/* Let the command run.  When it cannot: *exit_code is 126 or 127. */
int session_release(struct session *s, int *exit_code,
		    struct err *err) PT_MUST_CHECK;

/*
 * source_next() also returns -EAGAIN, without a sentence: there is nothing just
 * now, look again in a few milliseconds.  The source ends by itself when all
 * its processes have, unless they are selected; it belongs to the session: do not close it.
 */
struct source *session_source(struct session *s);

/*
 * End at `end_ns` (CLOCK_MONOTONIC; 0: no end), or when asked() says so (NULL:
 * never), in a thread of its own: also while the reader of what is written
 * does not read.  asked() is called there.
 */
int session_keep(struct session *s, uint64_t end_ns, bool (*asked)(void),
		 struct err *err) PT_MUST_CHECK;

/*
 * All is attached, and a command runs: give up the rights that only this needed
 * (target/drop.h).  Before session_keep().
 */
int session_drop_rights(struct session *s, struct err *err) PT_MUST_CHECK;

/* With tracer.filter_calls: of a PT_CODE that came (tracer_judge()). */
void session_judge(struct session *s, uint64_t code, bool wanted);

/* It has ended because even the least of it was over the budget. */
bool session_over_budget(const struct session *s);

/* Detach.  What is in the ring, the losses and PT_END can still be read. */
void session_stop(struct session *s);

/*
 * All is read: give everything back to the kernel.  Returns how many of our
 * descriptors still hold something attached: 0, or it is a bug.
 */
size_t session_detach(struct session *s);
/* Traced processes, a command's own aside, that go on without us. */
size_t session_left_running(struct session *s);

/* What the command exited with; waits for it.  -EINTR as spawn_wait(). */
int session_exit_code(struct session *s, int *exit_code) PT_MUST_CHECK;

/* For the line that says what is traced. */
struct session_view {
	size_t nr_processes;	/* traced at the start */
	size_t nr_walked;	/* of them, with a stack */
	uint32_t pid;		/* the first one */
	const char *exe;	/* its program; may be NULL */
	const char *python;	/* "3.11.2"; NULL: not known yet */
	const char *why;	/* why it is not walked; NULL: it is */
	bool fingerprints;	/* identity of code objects is compared */
	const char *missing;	/* a USDT probe that is in no file; NULL: none */
	char there[300];	/* what there is instead */
	const char *no_usdt;	/* why some process has not all that was asked
				 * for; NULL: they have, as far as is known */
	uint32_t jit_pid;	/* a process that runs code which its interpreter
				 * compiled: calls there are not seen; 0: none */
	int untimed_cpus;	/* where faults have no durations */
	const char *no_samples;	/* why not, though asked for; NULL: there are */
	uint64_t probe_ns;	/* a hit of a probe on Python calls; 0: none */
	uint64_t probe_hits;	/* so far */
	uint64_t probe_span_ns;	/* from the attach to that step; 0: none */
	struct pt_shed shed;	/* the last one; step 0: none */
};

void session_look(const struct session *s, struct session_view *out);

/*
 * What is attached by now; with tracer.dry, after session_open(), what would have
 * been.  And the processes by number, one at a time; false: there are no more.
 */
const struct plan *session_plan(const struct session *s);

struct session_process {
	uint32_t pid;
	const char *exe;	/* NULL: not known */
	const char *python;	/* "3.11.2"; NULL: no interpreter, as yet */
	const char *why;	/* why it is not walked; NULL: it is */
};

bool session_process(const struct session *s, size_t nr,
		     struct session_process *out);

/* Run time of the kernel half so far, from every 64th run; 0: not known. */
uint64_t session_cost_ns(const struct session *s);

#endif /* PT_SESSION_H */
