/* SPDX-License-Identifier: MIT */
/*
 * spawn: start a command, held just before its exec until we are ready.
 *
 * The command must not see the difference: same process group, terminal, stdin,
 * descriptors, signal mask and dispositions, limits.  It is a fork of us that
 * changes nothing, so call spawn_hold() before changing any of these (handlers
 * may come later: exec resets them, but not what is ignored), and keep all
 * descriptors O_CLOEXEC.
 *
 * Ctrl-C: the terminal sends it to the whole foreground group, the command
 * included.  It has it already: never pass it on.
 *
 * If we die before spawn_release(), the held process leaves with status 125
 * without having run the command.
 */
#ifndef PT_SPAWN_H
#define PT_SPAWN_H

#include <sys/types.h>

#include "base/err.h"

enum {				/* the numbers of env, timeout and docker */
	SPAWN_NOT_TRACED = 125,
	SPAWN_NOT_RUNNABLE = 126,
	SPAWN_NOT_FOUND = 127,
};

struct spawn {
	const char *name;	/* the caller's argv[0] */
	pid_t pid;
	int pidfd;		/* readable when it has ended */
	int go;			/* write a byte here: exec */
	int failed;		/* its errno comes from here if exec fails */
};

#define SPAWN_NONE ((struct spawn){ .pid = -1, .pidfd = -1, .go = -1, \
				    .failed = -1 })

/*
 * Would its exec fail, as far as files tell?  0, or as spawn_release(), for which
 * it is too late to leave things as they were.
 */
int spawn_check(char *const argv[], int *exit_code,
		struct err *err) PT_MUST_CHECK;
/*
 * Fork; the child waits.  argv[0] is found as a shell would, by PATH, when it
 * is released.  `argv` ends with NULL and stays the caller's;
 * it must live until spawn_close().
 */
int spawn_hold(struct spawn *s, char *const argv[],
	       struct err *err) PT_MUST_CHECK;
/*
 * Let it exec and wait until it has.  When it could not: -ENOENT, -EACCES,
 * -ENOEXEC or another, the child is reaped, and *exit_code (126 or 127) is what
 * to exit with.
 */
int spawn_release(struct spawn *s, int *exit_code,
		  struct err *err) PT_MUST_CHECK;
/*
 * Wait for its end; the wait status as in wait(2).  -EINTR: a signal of ours
 * came first.  The child stays a zombie, with its number, until this.
 */
int spawn_wait(struct spawn *s, int *status) PT_MUST_CHECK;
/* What a shell would have exited with: its exit code, or 128 + signal. */
int spawn_exit_code(int status);
/*
 * Give up: a held child is reaped and never runs; one that was released and
 * not waited for is left alone.  A SPAWN_NONE is fine.
 */
void spawn_close(struct spawn *s);

#endif /* PT_SPAWN_H */
