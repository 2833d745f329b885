/* SPDX-License-Identifier: MIT */
/*
 * proc: one process, held so that its number cannot come to mean another.
 *
 * All files of it are opened below one descriptor of /proc/PID, which the
 * kernel ties to that process and not to the number: after its death they give
 * ESRCH, whoever has the number then.
 *
 * Errors, everywhere here, as a negative errno and a sentence:
 *	-ESRCH		no such process, or it is gone	ERR_NO_TARGET
 *	-EACCES, -EPERM	we may not look			ERR_NOT_PERMITTED
 *
 * Reading /proc can block for as long as the target likes (its memory may be
 * behind a FUSE server that does not answer): what must not hang goes through
 * bounded.h.
 */
#ifndef PT_PROC_H
#define PT_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct proc {
	pid_t pid;		/* the process (thread group), as we see it */
	int dir;		/* /proc/PID */
	int pidfd;
	uint64_t start_ticks;	/* start time: field 22 of stat */
	uint64_t start_ns;	/* the same on CLOCK_BOOTTIME; the kernel tells
				 * whole ticks only (10 ms) */
};

/* A process that is not open. */
#define PROC_NONE ((struct proc){ .dir = -1, .pidfd = -1 })

/* `id` is a process, or a thread of one: then that process. */
int proc_open(struct proc *out, pid_t id, struct err *err) PT_MUST_CHECK;
void proc_close(struct proc *p);	/* of PROC_NONE too */
/* Still there, and not a zombie. */
bool proc_is_alive(const struct proc *p);

/* Bytes of a file below /proc/PID, NUL-terminated; owned by the caller. */
struct proc_text {
	char *s;
	size_t len;		/* without that NUL */
};

/* All of it; more than `max` bytes are -EFBIG. */
int proc_read(const struct proc *p, const char *name, size_t max,
	      struct proc_text *out, struct err *err) PT_MUST_CHECK;
/* Open one for reading: a descriptor, or an error as above. */
int proc_open_file(const struct proc *p, const char *name,
		   struct err *err) PT_MUST_CHECK;
/* Where a link (exe, cwd, root, ns/mnt, map_files/...) points; NULL: no. */
char *proc_link(const struct proc *p, const char *name);
/* The error of a failed look at `what` of the process. */
int proc_error(const struct proc *p, int rc, const char *what,
	       struct err *err);

/* What stat and status say.  Unknown numbers of later fields are -1. */
struct proc_info {
	pid_t ppid;
	pid_t nspid;		/* in its own, innermost, namespace */
	pid_t tracer;		/* ptraced by; 0: by none */
	uid_t uid;		/* effective */
	char state;		/* R S D T t Z X I, as in proc(5) */
	int nr_threads;
	int no_new_privs;	/* 0 or 1 */
	int seccomp;		/* 0 off, 1 strict, 2 filter */
	bool is_kernel;		/* a kernel thread: no memory, no file */
	uint64_t arg_start;	/* where its command line is; 0: may not know */
	uint64_t arg_end;
	uint64_t env_end;	/* of the environment, which follows it */
	char comm[64];		/* raw bytes, NUL-terminated */
};

int proc_info(const struct proc *p, struct proc_info *out,
	      struct err *err) PT_MUST_CHECK;
/* The text of stat (`len` and a NUL), parsed; false when it is not that. */
bool proc_parse_stat(const char *text, size_t len, struct proc_info *out,
		     uint64_t *start_ticks);

struct pids {
	pid_t *v;
	size_t nr;
};

void pids_fini(struct pids *p);
/* Ids of its threads alive now. */
int proc_threads(const struct proc *p, struct pids *out,
		 struct err *err) PT_MUST_CHECK;
/* All processes that we can see, by number. */
int proc_list(struct pids *out, struct err *err) PT_MUST_CHECK;
/*
 * The descendants of `pid` that live now, parents before children, `pid` not
 * included.  Those born while this runs can be missed: whoever follows them
 * must be told of forks before asking.  Orphans have left the family.
 */
int proc_descendants(pid_t pid, struct pids *out,
		     struct err *err) PT_MUST_CHECK;

#endif /* PT_PROC_H */
