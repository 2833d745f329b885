/* SPDX-License-Identifier: MIT */
/*
 * analysis: moments in, a model out (model.h).
 *
 * Pure: no clock, no I/O.  No stream makes it fail, however strange: what does
 * not fit together is clipped, so that times always sum up.
 */
#ifndef PT_ANALYSIS_H
#define PT_ANALYSIS_H

#include <sys/types.h>

#include "analysis/model.h"
#include "base/compiler.h"
#include "base/err.h"

struct analysis_opts {
	bool kernel;			/* tell stacks of the kernel apart */
	bool sampled_kernel;		/* CPU time in kernel mode by samples, which
					 * have such stacks, and not by calls */
	size_t memory;			/* bytes; 0: 256 MiB.  Beyond: coarser keys */
	const char *const *app;		/* globs of application files; none: all
					 * but libraries.  To outlive the analysis */
	size_t nr_app;
	const char *const *idle_at;	/* more places: idle.h */
	size_t nr_idle_at;
	/*
	 * The only threads to be accounted for: those of such an id, if there
	 * are any here, and of such a name (globs), if there are any.  Both to
	 * outlive the analysis.
	 */
	const pid_t *tids;
	size_t nr_tids;
	const char *const *threads;
	size_t nr_threads;
};

int analysis_new(struct analysis **out, const struct analysis_opts *opts,
		 struct err *err) PT_MUST_CHECK;	/* opts may be NULL */
void analysis_free(struct analysis *a);		/* NULL is fine */

/* Fails only without memory. */
int analysis_add(struct analysis *a, const struct moment *m, struct err *err)
	PT_MUST_CHECK;

/*
 * An interval ends at `t`: the model is that of the interval until
 * analysis_next(), which begins another.  A wait or a call counts where it ends:
 * nobody knows of one that goes on.  So a thread is accounted for up to its last
 * sign of life, what is behind that comes in a later interval, and all intervals
 * sum to the whole.
 */
int analysis_cut(struct analysis *a, uint64_t t, struct err *err)
	PT_MUST_CHECK;
void analysis_next(struct analysis *a);
/* Not before anything happened, nor when the end has begun. */
bool analysis_may_cut(const struct analysis *a);

/* The stream has ended: close the accounts.  Once; then the model is whole. */
int analysis_end(struct analysis *a, struct err *err) PT_MUST_CHECK;

/*
 * Has the nr-th --app been a file of any stack, the nr-th --idle-at the place of
 * any wait?
 */
bool analysis_app_matched(const struct analysis *a, size_t nr);
bool analysis_idle_at_matched(const struct analysis *a, size_t nr);

#endif /* PT_ANALYSIS_H */
