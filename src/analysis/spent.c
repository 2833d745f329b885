/* SPDX-License-Identifier: MIT */
/* spent: what a thread spent a piece of time on. */
#include "analysis/spent.h"

#include <linux/fcntl.h>
#include <string.h>

#include "base/compiler.h"
#include "event/syscalls.h"

const char *spent_key(enum spent c)
{
	static const char *const keys[] = {
#define X(NAME, key, words) [SPENT_##NAME] = key,
		SPENT_ON(X)
#undef X
	};

	return c < SPENT_NR ? keys[c] : "unknown";
}

const char *spent_words(enum spent c)
{
	static const char *const words[] = {
#define X(NAME, key, words) [SPENT_##NAME] = words,
		SPENT_ON(X)
#undef X
	};

	return c < SPENT_NR ? words[c] : "unknown";
}

enum spent spent_group(enum spent c)
{
	if (c == SPENT_CPU_KERNEL)
		return SPENT_CPU_USER;
	return c == SPENT_PREEMPTED ? SPENT_RUNQ : c;
}

/* ---- calls ---------------------------------------------------------------- */

#define NUMBER_BITS 12

uint16_t spent_call(uint8_t abi, uint32_t nr)
{
	nr &= ~(UINT32_C(1) << 30);	/* x32 */
	if (abi > PT_ABI_X32 || nr >= 1u << NUMBER_BITS)
		return SPENT_NO_CALL;
	return (uint16_t)(abi << NUMBER_BITS | nr);
}

static const struct syscall_def *def_of(uint16_t call)
{
	if (call == SPENT_NO_CALL)
		return NULL;
	return syscall_find((uint8_t)(call >> NUMBER_BITS),
			    call & ((1u << NUMBER_BITS) - 1));
}

const char *spent_call_name(uint16_t call)
{
	const struct syscall_def *def = def_of(call);

	return def ? def->name : NULL;
}

/* What a call waits for.  Those that are not here go by their class. */
enum wait {
	WAIT_OTHER,
	WAIT_FUTEX, WAIT_ACCEPT, WAIT_SOCKET, WAIT_POLL, WAIT_SELECT,
	WAIT_EPOLL, WAIT_SLEEP, WAIT_READ, WAIT_WRITE, WAIT_CHILD, WAIT_SIGNAL,
	WAIT_LOCK, WAIT_FCNTL, WAIT_PROCESS, WAIT_FILE, WAIT_MEMORY,
};

static const struct {
	const char *name;
	enum wait wait;
} waits[] = {
	{ "futex", WAIT_FUTEX }, { "futex_time64", WAIT_FUTEX },
	{ "futex_wait", WAIT_FUTEX }, { "futex_waitv", WAIT_FUTEX },
	{ "accept", WAIT_ACCEPT }, { "accept4", WAIT_ACCEPT },
	{ "socketcall", WAIT_SOCKET },
	{ "poll", WAIT_POLL }, { "ppoll", WAIT_POLL },
	{ "ppoll_time64", WAIT_POLL },
	{ "select", WAIT_SELECT }, { "_newselect", WAIT_SELECT },
	{ "pselect6", WAIT_SELECT }, { "pselect6_time64", WAIT_SELECT },
	{ "epoll_wait", WAIT_EPOLL }, { "epoll_pwait", WAIT_EPOLL },
	{ "epoll_pwait2", WAIT_EPOLL },
	{ "nanosleep", WAIT_SLEEP }, { "clock_nanosleep", WAIT_SLEEP },
	{ "clock_nanosleep_time64", WAIT_SLEEP },
	{ "restart_syscall", WAIT_OTHER },
	{ "read", WAIT_READ }, { "readv", WAIT_READ }, { "tee", WAIT_READ },
	{ "splice", WAIT_READ }, { "ioctl", WAIT_READ },
	{ "write", WAIT_WRITE }, { "writev", WAIT_WRITE },
	{ "vmsplice", WAIT_WRITE },
	{ "sendfile", WAIT_WRITE }, { "sendfile64", WAIT_WRITE },
	{ "wait4", WAIT_CHILD }, { "waitid", WAIT_CHILD },
	{ "waitpid", WAIT_CHILD },
	{ "pause", WAIT_SIGNAL }, { "rt_sigsuspend", WAIT_SIGNAL },
	{ "sigsuspend", WAIT_SIGNAL }, { "rt_sigtimedwait", WAIT_SIGNAL },
	{ "rt_sigtimedwait_time64", WAIT_SIGNAL },
	{ "flock", WAIT_LOCK }, { "semop", WAIT_LOCK },
	{ "semtimedop", WAIT_LOCK },
	{ "fcntl", WAIT_FCNTL }, { "fcntl64", WAIT_FCNTL },
	{ "fork", WAIT_PROCESS }, { "vfork", WAIT_PROCESS },
	{ "clone", WAIT_PROCESS }, { "clone3", WAIT_PROCESS },
	{ "execve", WAIT_PROCESS }, { "execveat", WAIT_PROCESS },
	{ "exit", WAIT_PROCESS }, { "exit_group", WAIT_PROCESS },
	{ "pread64", WAIT_FILE }, { "pwrite64", WAIT_FILE },
	{ "preadv", WAIT_FILE }, { "pwritev", WAIT_FILE },
	{ "preadv2", WAIT_FILE }, { "pwritev2", WAIT_FILE },
	{ "fsync", WAIT_FILE }, { "fdatasync", WAIT_FILE },
	{ "sync", WAIT_FILE }, { "syncfs", WAIT_FILE },
	{ "sync_file_range", WAIT_FILE }, { "ftruncate", WAIT_FILE },
	{ "fallocate", WAIT_FILE }, { "getdents", WAIT_FILE },
	{ "getdents64", WAIT_FILE }, { "lseek", WAIT_FILE },
	{ "fstat", WAIT_FILE }, { "copy_file_range", WAIT_FILE },
	{ "close", WAIT_FILE }, { "io_getevents", WAIT_FILE },
	{ "io_submit", WAIT_FILE }, { "msync", WAIT_FILE },
};

static enum wait wait_by_class(const struct syscall_def *def)
{
	if (def->classes & SYSCLASS_NETWORK)
		return WAIT_SOCKET;
	if (def->classes & SYSCLASS_FILE)
		return WAIT_FILE;
	return def->classes & SYSCLASS_MEMORY ? WAIT_MEMORY : WAIT_OTHER;
}

static enum wait wait_of(uint16_t call)
{
	const struct syscall_def *def = def_of(call);

	if (!def)
		return WAIT_OTHER;
	for (size_t i = 0; i < ARRAY_LEN(waits); i++)
		if (!strcmp(waits[i].name, def->name))
			return waits[i].wait;
	return wait_by_class(def);
}

/* A selector without descriptors is a way to sleep: time.sleep to 3.10. */
static enum wait without_descriptors(enum wait wait, const struct spent_wait *w)
{
	if ((wait == WAIT_SELECT && !w->args[0]) ||
	    (wait == WAIT_POLL && !w->args[1]))
		return WAIT_SLEEP;
	return wait;
}

static enum spent of_transfer(const struct spent_wait *w)
{
	if (w->socket)
		return SPENT_SOCKET;
	return w->iowait || w->file ? SPENT_FILE : SPENT_PIPE;
}

static bool is_lock_command(uint64_t cmd)
{
	return cmd == F_SETLKW || cmd == 14 /* F_SETLKW64 of i386 */ ||
	       cmd == F_OFD_SETLKW;
}

enum spent spent_of_call(const struct spent_wait *w)
{
	switch (without_descriptors(wait_of(w->call), w)) {
	case WAIT_FUTEX:
	case WAIT_LOCK:
		return SPENT_LOCK;
	case WAIT_ACCEPT:
	case WAIT_SOCKET:
		return SPENT_SOCKET;
	case WAIT_POLL:
	case WAIT_SELECT:
	case WAIT_EPOLL:
		return SPENT_POLL;
	case WAIT_SLEEP:
		return SPENT_SLEEP;
	case WAIT_READ:
	case WAIT_WRITE:
		return of_transfer(w);
	case WAIT_CHILD:
	case WAIT_PROCESS:
		return SPENT_PROCESS;
	case WAIT_SIGNAL:
		return SPENT_SIGNAL;
	case WAIT_FCNTL:
		return is_lock_command(w->args[1]) ? SPENT_LOCK : SPENT_FILE;
	case WAIT_FILE:
		return SPENT_FILE;
	case WAIT_MEMORY:
		return SPENT_MEMORY;
	case WAIT_OTHER:
		break;
	}
	return w->iowait ? SPENT_FILE : SPENT_OTHER;
}

bool spent_may_be_idle(const struct spent_wait *w)
{
	switch (wait_of(w->call)) {
	case WAIT_FUTEX:
	case WAIT_ACCEPT:
	case WAIT_POLL:
	case WAIT_SELECT:
	case WAIT_EPOLL:
	case WAIT_SLEEP:
	case WAIT_CHILD:
	case WAIT_SIGNAL:
		return true;
	case WAIT_READ:
	case WAIT_SOCKET:
		return !w->iowait && !w->file;
	case WAIT_OTHER:
	case WAIT_WRITE:
	case WAIT_LOCK:
	case WAIT_FCNTL:
	case WAIT_PROCESS:
	case WAIT_FILE:
	case WAIT_MEMORY:
		break;
	}
	return false;
}
