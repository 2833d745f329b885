/* SPDX-License-Identifier: MIT */
/* session_priv: what the files of the session share. */
#ifndef PT_SESSION_PRIV_H
#define PT_SESSION_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "event/record.h"
#include "live/groups.h"
#include "live/known.h"
#include "live/queue.h"
#include "live/ring.h"
#include "live/session.h"
#include "target/budget.h"
#include "target/find.h"
#include "target/select.h"
#include "target/spawn.h"

enum session_phase {
	PHASE_META,
	PHASE_RUN,
	PHASE_END,
	PHASE_DONE,
};

struct session {
	struct source source;	/* first */
	struct tracer *tracer;
	struct ring *ring;
	struct known known;
	struct groups groups;
	struct queue queue;
	struct recbuf buf;
	struct spawn spawn;
	struct imgcache *cache;	/* of files that processes have mapped */
	enum session_phase phase;
	uint32_t jit_pid;	/* the first process that runs code which was
				 * compiled from Python; 0: none that is known */
	struct err no_usdt;	/* the first process without a probe; no kind */
	bool dry;		/* attach nothing: a plan */
	bool follow;
	struct select *select;	/* NULL: pids, or a command */
	struct late *late;		/* if there is one */
	struct kernel *kernel;	/* NULL: its stacks were not asked for */
	struct asleep *asleep;	/* NULL: of threads that sleep when the trace
				 * begins no stacks are looked for */
	bool released;
	bool look;		/* some known_pid is to be looked at again */
	uint32_t events_asked;	/* 1 << PT_SYSCALL, ... */
	bool tell_gil;		/* time off the CPU is traced: what for? */
	bool stopped;		/* detached; the ring may hold more */
	uint64_t stopped_ns;	/* when it was told to: the end of the trace */
	uint64_t events;
	uint64_t lost;
	uint64_t looked_ns;	/* when the losses were last read */
	size_t nr_walked;
	uint32_t first_pid;
	const char *const *argv;
	const char *version;

	/* upkeep.c: what must happen whether anybody reads or not */
	pthread_mutex_t lock;	/* held by whoever uses what is above */
	pthread_t keeper;
	bool kept;		/* it runs */
	struct queue said;	/* what it has to say */
	atomic_bool leave;	/* it is to end */
	uint64_t end_ns;	/* 0: no end */
	bool (*asked)(void);	/* NULL: nobody asks */
	struct pt_shed shed;	/* the last one; step 0: none */
	struct budget budget;
	uint64_t slower_ns;	/* of PT_SHED_CALLS */
	uint64_t own_begin_ns;	/* CPU time of ours when the trace began */
	uint64_t cpu_ns;	/* CPU time of the targets in the trace */
	uint64_t dead_ns;	/* of those that ended: counted already */
	uint64_t attached_ns;	/* since when its programs run */
	uint64_t budget_ns;	/* when that was last looked at */
};

/* With the lock held: detach, and that is the end of the trace. */
void session_end(struct session *s);

/* upkeep.c: the end of the thread; it may not have been begun. */
void upkeep_stop(struct session *s);

/* discover.c: find out what is in a process and tell the kernel half. */

/* Trace `pid`; an error if it cannot be. */
int discover_target(struct session *s, pid_t pid, struct err *err) PT_MUST_CHECK;
/* Those descendants of it that live already. */
int discover_descendants(struct session *s, pid_t pid,
			 struct err *err) PT_MUST_CHECK;
/* What a command will run, as far as files tell; then trace `pid`. */
int discover_command(struct session *s, char *const argv[], pid_t pid,
		     struct err *err) PT_MUST_CHECK;
/* A traced process mapped code: has it an interpreter now? */
void discover_again(struct session *s, uint32_t pid, uint32_t exec_id);

/*
 * A process runs this: has it the USDT probes that were asked for?  Kept to be
 * said, no error: others of the targets may have what it has not.
 */
void discover_probes(struct session *s, const struct known_image *img);

/* -ENOEXEC: no Python that can be walked.  `p` matches, and stays the caller's. */
int discover_late(struct session *s, const struct proc *p,
		  uint32_t exec_id) PT_MUST_CHECK;
/* An interpreter's file and the program that will run it, if it can be had. */
struct which;
void discover_file(struct session *s, const struct which *w);

/* late.c: targets by what they are. */
struct late;
int late_new(struct session *s) PT_MUST_CHECK;
void late_free(struct late *l);
/* All that match; an error if none does.  Starts the tracer. */
int late_open(struct session *s, struct err *err) PT_MUST_CHECK;
/* The kernel half asks about a process. */
int late_ask(struct session *s, const struct pt_mapped *m) PT_MUST_CHECK;
/* The ring is empty: answer, and look around. */
void late_look(struct session *s, uint64_t now);
/* Does the file alone decide, and is it this one that is wanted? */
bool late_takes_file(const struct session *s, const char *exe);

/*
 * usdt_files.c: the USDT probes that were asked for by name, in a file that a
 * process has mapped; in all that it has.
 */
int usdt_add(struct session *s, int fd, const char *path, pid_t pid,
	     uint16_t version, struct err *err) PT_MUST_CHECK;
void usdt_add_libraries(struct session *s, const struct proc *p);

/*
 * asleep.c: walk threads of known processes that sleep; hear from the kernel
 * half which of them have not run until it took them over; and define the stack
 * of one for its first time off the CPU (*id; PT_STACK_UNKNOWN: it is not known).
 * -ENOMEM, and of the look an error of the iterator.
 */
struct asleep;
int asleep_new(struct session *s) PT_MUST_CHECK;
void asleep_free(struct asleep *a);
int asleep_look(struct session *s) PT_MUST_CHECK;
struct tracer_sleepers asleep_confirm(struct session *s);
int asleep_tell(struct session *s, const struct pt_offcpu *off,
		uint64_t *id) PT_MUST_CHECK;

/*
 * kernel.c: the names of the kernel's functions; and the kernel stack of an
 * event, told when its number is first met.
 */
struct kernel;
int kernel_new(struct session *s, struct err *err) PT_MUST_CHECK;
void kernel_free(struct kernel *k);
int kernel_tell(struct session *s, const struct pt_hdr *as) PT_MUST_CHECK;

/* describe.c: records that user space writes. */
int describe_meta(struct session *s) PT_MUST_CHECK;
int describe_named(struct session *s) PT_MUST_CHECK;
int describe_process(struct session *s, const struct pt_process *rec)
	PT_MUST_CHECK;
int describe_end(struct session *s) PT_MUST_CHECK;

/* jit.c: sets jit_pid, where calls are traced. */
void jit_look(struct session *s);

/* gil.c: PT_GIL for each GIL of a process that is not told of yet. */
int gil_tell(struct session *s, struct known_proc *p, uint64_t t) PT_MUST_CHECK;
/* It waits for a futex: is that in a GIL that nobody knew of? */
int gil_wait(struct session *s, const struct pt_offcpu *off) PT_MUST_CHECK;

#endif /* PT_SESSION_PRIV_H */
