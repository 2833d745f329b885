/* SPDX-License-Identifier: MIT */
/*
 * shadow: from calls and returns to the stack of each thread, and to steps:
 * what began and what ended, when, and how one knows.
 *
 * The probes of an interpreter do not balance (docs/METHODS.md): a generator
 * is closed or thrown into without a call, a constructor's helper returns that
 * was never called, a record is lost.  So nothing is believed but identities: a
 * call says which frame calls, a return which one ends, and the stack is made to
 * fit.  Each such repair is counted.
 *
 *	call F from C	what lies above C has ended, unseen (leaked).
 *			C is not there: it is on a stack that was put aside (a
 *			greenlet switched), or a suspended generator (thrown
 *			into), or unknown: then its callers are, too.
 *	return of F	what lies above F has ended, unseen.  F is not there: a
 *			generator's was thrown into; any other never ran.
 *	seed		the stack is this one; frames that are on both stay.  If
 *			none is, and nothing was lost, it is another greenlet's.
 *
 * Where each begin and each end is told (PT_CALL_EXACT), what returns and does not
 * run never did, and what is called and runs was told twice.  Nothing is to be
 * repaired there: repairs are counted a thread, and beyond a few that is no
 * longer believed (shadow_drift()).
 *
 * Pure: no clock, no I/O, bounded memory.  Whatever the stream, no depth and no
 * time is negative, and each step that ends something has one that began it.
 */
#ifndef PT_SHADOW_H
#define PT_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pytrace_abi.h>

#include "base/compiler.h"

/* Beyond these, frames are cut, stacks put aside end, generators are forgotten. */
#define SHADOW_MAX_DEPTH	(UINT32_C(1) << 16)	/* of one stack */
#define SHADOW_MAX_FRAMES	(UINT32_C(1) << 20)	/* of all together */
#define SHADOW_MAX_ASIDE	4096			/* stacks of a thread */
#define SHADOW_MAX_SUSPENDED	(UINT32_C(1) << 18)
#define SHADOW_MAX_THREADS	(UINT32_C(1) << 14)

#define SHADOW_MAX_DRIFT	8	/* frames that do not balance, of a thread */
/*
 * Frames that end and were not known to run: a thread's greenlets may have such
 * from before the trace.  More than these, and one of five: begins are missing.
 */
#define SHADOW_MAX_STRAYS	256

#define SHADOW_CAUSES	7		/* enum cause (stack/cause.h) */

enum step_kind {
	STEP_BEGIN,
	STEP_END,
	STEP_MAKES,		/* a generator was made: no frame runs */
};

enum step_begin {
	BEGIN_ENTRY,
	BEGIN_RESUME,		/* after a yield */
	BEGIN_THROW,		/* after a yield, by an exception */
	BEGIN_SEEDED,		/* it was running when it was first seen */
};

enum step_end {
	END_RETURN,
	END_YIELD,
	END_EXCEPTION,
	END_UNFINISHED,		/* not seen: see step.end_t */
};

/* What a thread did meanwhile; counts and times only grow. */
struct inside {
	uint64_t off_ns[SHADOW_CAUSES];	/* off the CPU */
	uint64_t aside_ns;	/* while another stack of the thread ran */
	uint64_t sys_ns;	/* in system calls */
	uint32_t syscalls, faults, majors;
};

struct step {
	uint8_t kind;		/* enum step_kind */
	uint8_t begin;		/* enum step_begin */
	uint8_t end;		/* enum step_end, of a STEP_END */
	bool late;		/* it began before begin_t */
	bool gap;		/* calls were lost meanwhile: it may be several */
	bool generator;
	bool recursive;		/* the same code was on the stack already */
	bool suspended;		/* suspended_ns is known */
	uint32_t proc, pid, tid;
	uint32_t depth;		/* frames that it is called from */
	uint64_t id;		/* of begin and end of one run; from 1 */
	uint64_t parent;	/* the run that called it; 0: none, not known */
	uint64_t frame;		/* address; 0: not known */
	uint64_t code;		/* id of a PT_CODE; 0: not known */
	uint64_t t;		/* of this step */
	/* Of what ends: t is END_UNFINISHED's last sign of life. */
	uint64_t begin_t;
	uint64_t child_ns;	/* of that, in what it called */
	uint64_t suspended_ns;	/* since its yield, of what is resumed */
	struct inside inside;
	uint32_t codes, nr_codes, omitted;	/* shadow_step_codes() */
};

struct shadow_opts {
	bool begin_stacks;	/* steps that begin have their stack */
	bool end_stacks;	/* those that end, too, if they took... */
	uint64_t slower_ns;	/* ... as long as this */
	/* Ids of one code object are one here: its first.  NULL: all differ. */
	uint64_t (*first_code)(void *arg, uint64_t code);
	/*
	 * Is it known that functions with this code object are not wanted?  They
	 * are no frames, then: what they call is called by the next that is
	 * one, as PT_CALLs of such a stream say, too.  NULL: all are wanted.
	 */
	bool (*refused)(void *arg, uint64_t code);
	void *arg;
};

/* Calls, and what had to be repaired (from `leaked` on). */
#define SHADOW_TOTALS(X)						\
	X(calls, "calls")						\
	X(resumes, "resumes")						\
	X(throws, "throws")						\
	X(made, "generators made")					\
	X(seeds, "seeds")						\
	X(lost, "calls and returns lost")				\
	X(switches, "switches between stacks of a thread")		\
	X(leaked, "returns not seen")					\
	X(reused, "frames whose end was not seen")			\
	X(inserted, "throws not seen")					\
	X(unknown_callers, "callers not known")				\
	X(ignored, "returns of frames that never ran")			\
	X(cut, "calls on too deep a stack")				\
	X(given_up, "stacks given up for memory")			\
	X(by_name, "calls known by name alone")

struct shadow_totals {
#define X(name, words) uint64_t name;
	SHADOW_TOTALS(X)
#undef X
};

struct shadow;

/* 0 or -ENOMEM; opts may be NULL. */
int shadow_new(struct shadow **out, const struct shadow_opts *opts)
	PT_MUST_CHECK;
void shadow_free(struct shadow *s);	/* NULL is fine */

/*
 * A checked record; others than of calls and tasks are ignored.  0 or -ENOMEM;
 * then the steps, in order, good until the next call.
 */
int shadow_feed(struct shadow *s, const struct pt_hdr *rec) PT_MUST_CHECK;
/* The stream has ended: what still runs is unfinished at `t`. */
int shadow_finish(struct shadow *s, uint64_t t) PT_MUST_CHECK;
const struct step *shadow_steps(const struct shadow *s, size_t *nr);
/*
 * The stack of a step, itself included, innermost first: ids of code objects,
 * the outer half without `omitted` in the middle (behind the first PT_INNER).
 */
const uint64_t *shadow_step_codes(const struct shadow *s,
				  const struct step *step);

/* What a thread did: it counts for all that runs on it now. */
void shadow_off(struct shadow *s, uint32_t tid, unsigned int cause, uint64_t ns);
void shadow_syscall(struct shadow *s, uint32_t tid, uint64_t ns);
void shadow_fault(struct shadow *s, uint32_t tid, bool major);

/* The stack of a thread as it is now, for comparisons. */
struct shadow_frame {
	uint64_t frame, code;
	bool linked;		/* not running: an exception passes it */
};

struct shadow_stack {
	uint32_t nr;
	uint32_t omitted;	/* outer frames that are not there */
	bool open;		/* its outermost frames are not known */
	uint64_t t;		/* of its last record of calls */
	uint64_t left;		/* code of what its last record returned from */
};

/* False: nothing is known of it, or not which of its stacks runs. */
bool shadow_stack(const struct shadow *s, uint32_t tid,
		  struct shadow_stack *out);
/* Is a generator of that code object suspended, as far as calls tell? */
bool shadow_suspended(const struct shadow *s, uint64_t code);
/* `i` from the innermost, 0. */
struct shadow_frame shadow_at(const struct shadow *s, uint32_t tid, uint32_t i);

const struct shadow_totals *shadow_totals(const struct shadow *s);

/* Begins and ends that all were to be told, and do not balance. */
struct shadow_drift {
	uint32_t pid, tid;	/* of the thread that was first beyond the limit */
	uint32_t frames;	/* of its stack, at least: too many or too few */
	uint64_t t;
};

/* NULL: they do balance, as far as that can be seen. */
const struct shadow_drift *shadow_drift(const struct shadow *s);
/* A depth, a time, a count that cannot be: for tests. */
bool shadow_sane(const struct shadow *s);

#endif /* PT_SHADOW_H */
