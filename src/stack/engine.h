/* SPDX-License-Identifier: MIT */
/*
 * engine: one record in, one moment out.
 *
 * A moment is an event with what is known about where it happened: the process,
 * the thread, the Python stack with names and lines.  The engine never fails on
 * a strange stream: a definition that is missing, late, repeated or absurd makes
 * what needs it unknown, with the reason, and nothing else.
 *
 * Pure: no clock, no I/O.  Memory for definitions is bounded by
 * engine_opts.memory; when it is used up, those not used for longest go, and
 * what refers to them later is unknown ("its definition was lost").
 */
#ifndef PT_ENGINE_H
#define PT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pytrace_abi.h>

#include "base/compiler.h"
#include "base/err.h"
#include "stack/kstacks.h"
#include "stack/named.h"
#include "stack/origin.h"
#include "stack/shadow.h"

struct frame;

struct engine_opts {
	size_t memory;		/* bytes; 0: 256 MiB */
	struct shadow_opts calls;	/* which steps have their stack */
	bool verify;		/* compare the stacks of calls with walked ones */
	/*
	 * Of calls only those of such functions are looked at; NULL: of all.
	 * judged() is told what has become of a code object as soon as its names
	 * are known, for whoever need not send the others.  It may be NULL.
	 */
	bool (*wants)(void *arg, const struct frame *func);
	void (*judged)(void *arg, uint64_t code, bool wanted);
	void *arg;
};

struct gil_range {
	uint64_t from, to;	/* addresses, the end not included */
};

struct process {
	uint32_t proc;
	uint32_t pid;
	uint32_t nspid;		/* 0: unknown */
	uint16_t version;	/* 0x030b; 0: unknown */
	uint8_t walk;		/* enum pt_walk */
	bool described;		/* a PT_PROCESS has been seen: */
	const char *exe, *python, *library, *why;	/* "" if not known */
	const struct gil_range *gil;	/* where its GILs are (PT_GIL) */
	uint32_t nr_gil;		/* 0: not known */
};

struct thread {
	uint32_t tid, pid;
	uint64_t start_ns;
	char comm[17];		/* bytes as the thread gave them; "" unknown */
};

/* Names are UTF-8; they may hold any character, control characters and NUL too. */
struct frame {
	const char *func;	/* qualified name, or the name; NULL: unknown */
	const char *file;	/* co_filename; NULL: unknown */
	size_t func_len, file_len;	/* bytes, without the NUL at the end */
	const char *why;	/* why one of them or the line is unknown */
	int line;		/* -1: the instruction has none, or unknown */
	int lasti;
	int def;		/* co_firstlineno; -1: unknown */
	enum origin origin;	/* ORIGIN_APP if the file is unknown */
	bool is_shim;		/* of the interpreter's own: never in a moment */
};

/* A Python stack as it is shown. */
struct pystack {
	bool known;		/* false: unknown, and `why` says why */
	const struct frame *frames;	/* innermost first */
	uint32_t nr;		/* 0 and known: no Python frames */
	uint32_t omitted;	/* left out behind the first nr_inner */
	uint32_t nr_inner;
	const char *why;	/* also if known: the rest is unknown */
	uint8_t why_nr;		/* enum pt_why of that */
};

/*
 * What began or ended by a record of calls, or of a thread's end (shadow.h).
 * Calls do not say which line runs: of frames, `line` and `lasti` are -1.
 */
struct moment_step {
	const struct step *step;
	const struct thread *thread;	/* NULL: nothing known of it */
	struct frame func;	/* of the function */
	struct pystack stack;	/* with it innermost; not known if not asked for */
};

struct moment {
	const struct pt_hdr *rec;
	const struct process *process;	/* NULL: nothing known of it */
	const struct thread *thread;	/* NULL: nothing known of it */
	/* What was asked for by name; NULL: nothing, or its definition was
	 * lost.  Of a PT_NAMED itself, too. */
	const struct named *named;
	/* Of an event; else no frames and no reason. */
	struct pystack stack;
	/* Of a PT_OFFCPU or PT_SAMPLE, where it was in the kernel; NULL: not
	 * known, not asked for, or not in the kernel. */
	const struct kstack *kernel;
	/* Of a PT_OFFCPU that a task ended: what that was doing. */
	struct pystack waker;
	const struct thread *waker_thread;	/* NULL: nothing known of it */
	const struct moment_step *steps;	/* in order */
	size_t nr_steps;
};

struct engine;
struct verified;		/* stack/verify.h */

int engine_new(struct engine **out, const struct engine_opts *opts,
	       struct err *err) PT_MUST_CHECK;	/* opts may be NULL */
void engine_free(struct engine *e);		/* NULL is fine */

/*
 * Feed a checked record; fills in `m`, whose pointers are good until the next
 * call.  Fails only without memory (-ENOMEM).
 */
int engine_feed(struct engine *e, const struct pt_hdr *rec, struct moment *m,
		struct err *err) PT_MUST_CHECK;

/*
 * The stream was cut before its PT_END: what still runs ends, unfinished, at
 * `t`.  A moment with steps and no record.
 */
int engine_finish(struct engine *e, uint64_t t, struct moment *m,
		  struct err *err) PT_MUST_CHECK;

/* Calls, and repairs of their stacks. */
const struct shadow_totals *engine_calls(const struct engine *e);
/* Calls that were to be exact and are not (stack/shadow.h); NULL: they are. */
const struct shadow_drift *engine_drift(const struct engine *e);
/* Stacks of calls and of walks, compared (engine_opts.verify). */
const struct verified *engine_verified(const struct engine *e);

/* How many events had what: for the account at the end. */
struct engine_totals {
	uint64_t events;	/* all of them, below by enum pt_type */
	uint64_t of_type[PT_TYPE_END];
	uint64_t with_stack;	/* whole, or its known part */
	uint64_t no_frames;	/* threads without Python frames */
	uint64_t unknown[16];	/* by enum pt_why; the last: all others */
	uint64_t lost[16];	/* sums of PT_LOST, by enum pt_loss */
	uint64_t lost_all;
	uint32_t shed;		/* 1 << each PT_SHED_* step that was taken */
	uint64_t first_t, last_t;	/* of events */
	size_t memory;		/* bytes in use for definitions */
	uint64_t evicted;	/* definitions given up for memory */
};

/* NULL of NULL. */
const struct engine_totals *engine_totals(const struct engine *e);

/* The account's words: "ring full"; "unknown reason" for numbers unheard of. */
const char *engine_loss_words(uint32_t reason);
const char *engine_why_words(uint32_t why);

#endif /* PT_ENGINE_H */
