/* SPDX-License-Identifier: MIT */
/*
 * syscalls: the system calls of Linux on x86-64 by number: name, classes, and
 * what each argument is.
 *
 * Data only.  The kernel half is told from here which arguments to follow
 * (syscalls_args), the reports print by it (syscall_find).  Rows are in
 * syscalls.def, numbers in sysnr.h, which scripts/gen-syscalls makes.
 */
#ifndef PT_SYSCALLS_H
#define PT_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* What the kernel half does with an argument. */
enum sysarg {
	SYSARG_NONE,
	SYSARG_PATH,		/* at entry: a string; NULL is possible */
	SYSARG_SOCKADDR,	/* at entry: its length is the next argument */
	SYSARG_SOCKADDR_OUT,	/* at exit: the next argument points to the
				 * length (socklen_t); either may be NULL */
	SYSARG_FD,		/* a descriptor that may well be a socket */
};

struct syscall_args {
	uint8_t kind[6];	/* enum sysarg */
};

#define SYSCALLS_NR	512	/* x86-64 numbers are below this */

/*
 * Fill in what to do with the arguments of x86-64 call `nr`.  Unknown numbers
 * give SYSARG_NONE six times.  True if any argument wants something.
 */
bool syscalls_args(uint32_t nr, struct syscall_args *out);

/* Classes of -e %file and so on, as strace has them. */
enum syscall_class {
	SYSCLASS_DESC = 1 << 0,		/* takes or makes a descriptor */
	SYSCLASS_FILE = 1 << 1,		/* takes a file name */
	SYSCLASS_NETWORK = 1 << 2,
	SYSCLASS_PROCESS = 1 << 3,	/* starts, ends, waits, signals */
	SYSCLASS_MEMORY = 1 << 4,	/* changes the address space */
};

/* What is special about the result. */
enum syscall_ret {
	SYSRET_PLAIN,
	SYSRET_HEX,		/* an address */
	SYSRET_OCT,		/* a mode */
};

/*
 * What an argument is, and so how it is printed.  First those with a meaning of
 * their own, then names of values and flags (tables in report/sysconst.c).
 */
#define SYSKINDS_PLAIN(X)						\
	X(NONE)		/* no argument: the list ends */		\
	X(NOTHING)	/* a register that says nothing: left out */	\
	X(INT) X(UINT)	/* 32 bits */					\
	X(LONG) X(SIZE)	/* a word */					\
	X(OFF) X(OFFHEX) /* 64 bits: two registers of i386 */		\
	X(HEX) X(PTR)							\
	X(BUF)		/* contents: never read, never shown */		\
	X(FD) X(SOCK)	/* SOCK: a descriptor that may be a socket */	\
	X(ATFD) X(PATH) X(SADDR) X(SADDR_OUT)				\
	X(MODE)								\
	X(CREATE_MODE)	/* only if the flags before it create a file */	\
	X(UID) X(SIG) X(PROTOCOL) X(FCNTL_ARG) X(SOCK_OPT) X(CLONE)

#define SYSKINDS_NAMED(X)						\
	X(ACCESS) X(ARCH_PRCTL) X(AT) X(AT_EACCESS) X(AT_REMOVE) X(BPF)	\
	X(CLOCK) X(CLOSE_RANGE) X(EPOLL) X(EPOLL_OP) X(EVENTFD)		\
	X(FADVICE) X(FALLOC) X(FAMILY) X(FCNTL) X(FDFLAGS) X(FLOCK)	\
	X(FUTEX) X(FUTEX_VAL3) X(ID_TYPE) X(INOTIFY) X(INOTIFY_MASK)	\
	X(IOCTL) X(ITIMER) X(MADVICE) X(MAP) X(MEMBARRIER) X(MEMFD)	\
	X(MLOCKALL) X(MOUNT) X(MREMAP) X(MSG) X(MSYNC) X(OFLAGS)	\
	X(OPEN) X(PIDFD) X(PRCTL) X(PRIO) X(PROT) X(PTRACE) X(RANDOM)	\
	X(RENAME) X(RLIMIT) X(RUSAGE) X(RWF) X(SCHED) X(SECCOMP)	\
	X(SHUT) X(SIGNALFD) X(SIG_HOW) X(SOCKTYPE) X(SOCK_FLAGS)	\
	X(SOCK_LEVEL) X(SPLICE) X(STATX) X(SYNC_RANGE) X(TIMER)		\
	X(TIMERFD) X(TIMERFD_SET) X(UMOUNT) X(UNSHARE) X(WAIT)		\
	X(WHENCE) X(XATTR)

enum syskind {
#define X(name) SYSK_##name,
	SYSKINDS_PLAIN(X)
	SYSKINDS_NAMED(X)
#undef X
	SYSK_NR,
};

struct syscall_def {
	const char *name;	/* strace's spelling */
	uint8_t classes;	/* enum syscall_class */
	uint8_t ret;		/* enum syscall_ret */
	uint8_t kind[6];	/* enum syskind, SYSK_NONE behind the last */
};

/*
 * The call that `nr` is in an ABI (enum pt_abi); NULL if there is no such.
 * x32 numbers may have their bit 30 or not.
 */
const struct syscall_def *syscall_find(uint8_t abi, uint32_t nr);

/*
 * The row of that name, of any ABI; NULL if there is none.  Calls of one name
 * are one row, so that rows can be compared as pointers (but for the few calls
 * that take their arguments differently in i386: compare names there).
 */
const struct syscall_def *syscall_named(const char *name);

/* "file", "network"...: its bit, or 0. */
uint8_t syscall_class_named(const char *name);

#endif /* PT_SYSCALLS_H */
