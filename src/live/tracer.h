/* SPDX-License-Identifier: MIT */
/*
 * tracer: the kernel half, loaded: what to trace is said here, what it saw is
 * read from ring.h.
 *
 *	tracer_open		load the programs; nothing runs yet
 *	tracer_add_image	an interpreter's file
 *	tracer_add_exe		an executable that will run that interpreter
 *	tracer_set_target	a process to be traced
 *	tracer_start		from here on events come
 *	tracer_begin		and from here on all of them
 *	tracer_stop		detach; what is in the ring can still be read
 *	tracer_close
 *
 * Everything is held by descriptors of this process: however it ends, the
 * kernel takes all of it away.
 */
#ifndef PT_TRACER_H
#define PT_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "event/eventset.h"
#include "event/record.h"
#include "pytrace_abi.h"
#include "pytrace_control.h"

struct tracer;
struct elfimg;
struct plan;

enum tracer_calls {		/* by what calls are traced */
	TRACER_CALLS_AUTO,	/* USDT probes where they tell of all, else... */
	TRACER_CALLS_USDT,
	TRACER_CALLS_PLACES,	/* places in the interpreter's code (synth.h) */
	TRACER_CALLS_NONE,	/* nothing is put in for them */
};

struct tracer_opts {
	bool dry;			/* load and attach nothing: a plan */
	bool follow;			/* descendants too */
	bool select;			/* ask about all that is executed */
	bool no_stacks;
	bool kernel_stacks;		/* where threads are in the kernel */
	bool no_paths;
	uint32_t path_len;		/* bytes; 0: 200 */
	size_t ring_bytes;		/* 0: 8 MiB; else made a power of two */
	/*
	 * Which system calls are sent: a byte for each number, x86-64 from 0,
	 * i386 from 512 (PT_MAX_NR in all).  NULL: every one.
	 */
	const uint8_t *wanted;
	uint32_t events;		/* 1 << PT_SYSCALL, ...: what is sent;
					 * 0: system calls */
	uint32_t sample_hz;		/* of PT_SAMPLE, a CPU */
	bool filter_calls;		/* leave out what tracer_judge() refuses */
	uint8_t calls;			/* enum tracer_calls */
	bool allow_step;		/* probes where the kernel single-steps */
	const struct eventset_named *named;	/* kept until it is closed */
	size_t nr_named;
};

/*
 * Errors: -EPERM, -EACCES (ERR_NOT_PERMITTED), else ERR_KERNEL with what the
 * kernel lacks.
 */
int tracer_open(struct tracer **out, const struct tracer_opts *opts,
		struct err *err) PT_MUST_CHECK;
void tracer_close(struct tracer *t);	/* NULL is fine */

/*
 * An interpreter's file, open as `fd` (it stays the caller's).  The offsets
 * are those in the file of image->init and image->dealloc; 0 leaves that probe
 * out.  `pid` restricts the probes to one process; -1: all that map the file.
 * The same file and the same layout give the same number again.
 */
struct tracer_image {
	struct pt_image image;
	int fd;
	pid_t pid;
	uint64_t dev, ino;	/* of the file `fd` is a copy of; 0: of fd */
	uint64_t init_offset;
	uint64_t dealloc_offset;
};

int tracer_add_image(struct tracer *t, const struct tracer_image *image,
		     uint32_t *nr, struct err *err) PT_MUST_CHECK;
/*
 * The file open as `fd`, when executed, will run image `nr`; `take`: whoever
 * executes it is a target.
 */
int tracer_add_exe(struct tracer *t, int fd, uint32_t nr, bool take,
		   struct err *err) PT_MUST_CHECK;
/* Trace `pid`; can be said again when more is known. */
int tracer_set_target(struct tracer *t, pid_t pid, const struct pt_target *target,
		      struct err *err) PT_MUST_CHECK;

/* It was asked about, after that exec of it, and is no target. */
void tracer_drop_candidate(struct tracer *t, pid_t pid, uint32_t exec_id);

int tracer_start(struct tracer *t, struct err *err) PT_MUST_CHECK;

/* Is called with threads that sleep; not 0: that is the end, and the result. */
struct tracer_sleepers {
	int (*are)(const struct pt_sleeper *is, void *arg);
	void *arg;
};

/* Those of all targets.  Nothing is traced for it. */
int tracer_list_sleepers(struct tracer *t,
			 const struct tracer_sleepers *sleepers) PT_MUST_CHECK;
/*
 * All targets are told: look for their threads, then PT_BEGIN.  `sleepers` are
 * those that were off the CPU before.  Without samples (tracer_no_samples()) the
 * rest goes on.
 */
int tracer_begin(struct tracer *t, const struct tracer_sleepers *sleepers,
		 struct err *err) PT_MUST_CHECK;
/* The same for threads of targets that were told later. */
int tracer_find_threads(struct tracer *t,
			const struct tracer_sleepers *sleepers) PT_MUST_CHECK;
/*
 * Calls that have not returned by now are told as unfinished, as are threads
 * that are not on a CPU.
 */
void tracer_stop(struct tracer *t);

/*
 * With filter_calls: is the function wanted that has the code object with this
 * id?  What is not known is sent, and so is what has been forgotten for others.
 * 0 or -errno.
 */
int tracer_judge(struct tracer *t, uint64_t code, bool wanted) PT_MUST_CHECK;

/* What has been attached; would have been, in a dry run. */
const struct plan *tracer_plan(const struct tracer *t);

/* Code objects may die unnoticed here: their identity is compared instead. */
bool tracer_has_fingerprints(const struct tracer *t);

/*
 * Events that were asked for by name, numbered from 1: how many, and the PT_NAMED
 * of one, begun in `buf`.  False without memory.
 */
uint32_t tracer_nr_named(const struct tracer *t);
bool tracer_named(struct tracer *t, uint32_t nr, struct recbuf *buf);
/* Has more become known of it since that was last made? */
bool tracer_named_is_new(const struct tracer *t, uint32_t nr);

/*
 * Put the USDT probes that were asked for by name into a file that a process has
 * mapped.  The same file again does nothing.
 */
struct tracer_file {
	int fd;
	struct elfimg *elf;	/* of it */
	pid_t pid;		/* -1: in all that map it */
	uint16_t version;	/* 0x030f: it is CPython; 0: a library */
};

bool tracer_wants_usdt(const struct tracer *t);
int tracer_add_file(struct tracer *t, const struct tracer_file *file,
		    struct err *err) PT_MUST_CHECK;
/*
 * An error (ERR_UNSUPPORTED) if a probe of CPython that was asked for is not in
 * this file, an interpreter's, of version `python`.
 */
int tracer_check_usdt(const struct tracer *t, int fd, const char *python,
		      struct err *err) PT_MUST_CHECK;
/* What tells of the calls of the interpreter in this file. */
enum pt_calls_by tracer_calls_by(const struct tracer *t, int fd);

/*
 * The first USDT probe that was asked for and is in no file looked into so far;
 * NULL: there is none.  To `buf` goes what there is instead, likely ones first.
 */
const char *tracer_missing_usdt(const struct tracer *t, char *buf, size_t size);

/* CPUs come and go: to be called now and then, for samples of all of them. */
void tracer_sample(struct tracer *t);
/* Why there are no samples of some CPU, though asked for; NULL: there are. */
const char *tracer_no_samples(const struct tracer *t);

/* CPUs on which faults have no durations, though asked for. */
int tracer_untimed_cpus(const struct tracer *t);

/* What the kernel half has done and what it cost so far, over all CPUs. */
void tracer_cost(const struct tracer *t, struct pt_cost *out);
/*
 * What it all took from the targets, out of that: run time, and the way into
 * each probe on a Python call.  0: nothing was timed.
 */
uint64_t tracer_cost_ns(const struct tracer *t, const struct pt_cost *c);
/* And for all others: events of everybody pass by the programs. */
uint64_t tracer_cost_of_others(const struct pt_cost *c);
/* The way into such a probe and back, measured here; 0: there are none. */
uint64_t tracer_probe_ns(const struct tracer *t);

/* From here on less: what a step that was decided on says. */
void tracer_shed(struct tracer *t, const struct pt_shed *shed);

/* Addresses of the kernel stack with that id, innermost first; then 0.  -errno. */
int tracer_kernel_stack(const struct tracer *t, uint32_t id,
			uint64_t addr[PT_KERNEL_FRAMES]) PT_MUST_CHECK;

/* Switches for benchmarks: change what the attached programs do. */
struct pt_switches *tracer_switches(struct tracer *t);

/*
 * Losses since the last call: one record for each reason and CPU with any,
 * handed to `put`.  To be called now and then, and after tracer_stop().
 */
int tracer_losses(struct tracer *t,
		  int (*put)(const struct pt_hdr *record, void *arg), void *arg);

#endif /* PT_TRACER_H */
