/* SPDX-License-Identifier: MIT */
/*
 * spent: what a thread spent a piece of time on.
 *
 * Told from the mechanism: the system call, the socket of its descriptor, the
 * address of a futex.  What cannot be told is called by its mechanism, never by
 * a guess.
 */
#ifndef PT_SPENT_H
#define PT_SPENT_H

#include <stdbool.h>
#include <stdint.h>

#include <pytrace_abi.h>

/* X(NAME, "key in JSON", "words of the account") */
#define SPENT_ON(X)							\
	X(UNKNOWN, "unknown", "unknown")				\
	X(CPU_USER, "cpu_user", "on CPU, user mode")			\
	X(CPU_KERNEL, "cpu_kernel", "on CPU, kernel mode")		\
	X(RUNQ, "runq", "run queue")					\
	X(PREEMPTED, "preempted", "preempted")				\
	X(LOCK, "lock", "waiting for a lock (futex)")			\
	X(GIL, "gil", "waiting for the GIL")				\
	X(SOCKET, "socket", "blocked on sockets")			\
	X(POLL, "poll", "waiting for descriptors (poll, epoll)")	\
	X(PIPE, "pipe", "blocked on pipes, terminals")			\
	X(FILE, "file", "blocked on files, disk")			\
	X(FAULT, "fault", "blocked in page faults")			\
	X(SLEEP, "sleep", "sleeping")					\
	X(PROCESS, "process", "waiting for processes")			\
	X(SIGNAL, "signal", "waiting for signals")			\
	X(MEMORY, "memory", "blocked in memory calls")			\
	X(STOPPED, "stopped", "stopped (signal, debugger)")		\
	X(OTHER, "other", "blocked in other system calls")

enum spent {
#define X(NAME, key, words) SPENT_##NAME,
	SPENT_ON(X)
#undef X
	SPENT_NR,
};

/* On CPU in either mode is one group, preempted belongs to the run queue. */
enum spent spent_group(enum spent c);

const char *spent_key(enum spent c);
const char *spent_words(enum spent c);

/*
 * A system call in 16 bits: the ABI above the number.  Numbers that no call has
 * become SPENT_NO_CALL, which is also "in no system call".
 */
#define SPENT_NO_CALL	UINT16_C(0xffff)

uint16_t spent_call(uint8_t abi, uint32_t nr);
const char *spent_call_name(uint16_t call);	/* "recvfrom"; NULL: unknown */

/* What is waited for in a system call, as far as the call says. */
struct spent_wait {
	uint16_t call;
	uint64_t args[2];
	bool socket;		/* its descriptor is one */
	bool iowait;
	bool file;		/* its descriptor is known as a file by name */
};

enum spent spent_of_call(const struct spent_wait *w);

/*
 * Can a thread that blocks in this call be waiting for work?  accept, poll,
 * epoll, select, futex, sleeps, reads of what is no file, waits for signals and
 * children.
 */
bool spent_may_be_idle(const struct spent_wait *w);

#endif /* PT_SPENT_H */
