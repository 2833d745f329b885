/* SPDX-License-Identifier: MIT */
/* eventtext: an event in words, without its time and its stack. */
#ifndef PT_EVENTTEXT_H
#define PT_EVENTTEXT_H

#include <stdio.h>

#include "report/sysargs.h"
#include "stack/engine.h"

/*
 *	openat(AT_FDCWD, "/srv/page.html", O_RDONLY) = 9 <0.000021 s>
 *	page fault 0x7f0012345000 first touch, write, minor <1.8 us>
 *	off CPU 3.041 s: blocked in recvfrom(14<tcp 10.0.3.7:443>) 3.04 s,
 *		run queue 0.001 s, woken by 815 pool-0_3	(one line)
 *	on CPU (user)
 *
 * Of a moment that is an event; without a newline.
 */
void eventtext_put(FILE *out, const struct moment *m,
		   const struct sysargs_opts *opts);

/* "0.000021 s", "3.041 s" */
void eventtext_put_seconds(FILE *out, uint64_t ns);

/* "811 pool-0_2", "811 815" of a thread without a name; columns it took. */
size_t eventtext_put_task(FILE *out, uint32_t pid, uint32_t tid,
			  const struct thread *thread);

#endif /* PT_EVENTTEXT_H */
