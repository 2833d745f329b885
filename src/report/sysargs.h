/* SPDX-License-Identifier: MIT */
/* sysargs: a system call as strace spells it. */
#ifndef PT_SYSARGS_H
#define PT_SYSARGS_H

#include <stdbool.h>
#include <stdio.h>

#include "event/record.h"
#include "event/syscalls.h"

struct sysargs_opts {
	size_t path_len;	/* bytes of a path that are shown; 0: 200 */
	bool no_paths;		/* neither paths nor socket addresses */
};

/*
 * openat(AT_FDCWD, "/srv/page.html", O_RDONLY) = 9
 *
 * `opts` may be NULL.  Contents of buffers are not in a record; they are shown
 * as an ellipsis.
 */
void sysargs_put(FILE *out, const struct pt_syscall *sys,
		 const struct sysargs_opts *opts);
/*
 * recvfrom(14<tcp 10.0.3.7:443>): the call that a thread waited in, and of its
 * first two arguments those that say on what.
 */
void sysargs_put_wait(FILE *out, const struct pt_offcpu *off,
		      const struct sysargs_opts *opts);
/* The part behind "= ". */
void sysargs_put_result(FILE *out, const struct pt_syscall *sys);

/* Argument `i` of a call, as what a syskind says it is. */
void sysargs_put_one(FILE *out, const struct pt_syscall *sys, uint8_t i,
		     uint8_t kind, const struct sysargs_opts *opts);

/* How many arguments the call takes: 6 for an unknown number. */
size_t sysargs_count(const struct syscall_def *def);
/* Is the argument a number with a sign?  (Its value is then in 32 bits.) */
bool sysargs_is_int(const struct syscall_def *def, size_t i);

/* {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("10.0.3.7")} */
void sysargs_sockaddr_put(FILE *out, const void *addr, size_t len);

/*
 * "tcp 10.0.3.7:443", "unix /run/x.sock", "unix @abstract", "AF_PACKET": from
 * a socket address as the kernel has it, or from the socket of a descriptor.
 * The text is cut at `size`; bytes in it are as the program chose them.
 */
void sysargs_sockaddr_text(char *out, size_t size, const void *addr,
			   size_t len);
void sysargs_socket_text(char *out, size_t size, const struct pt_socket *sock);

/* "ENOENT" of a result between -4095 and -1, "ERESTARTSYS" too; else NULL. */
const char *sysargs_errno(int64_t ret);
/* The call has failed. */
bool sysargs_failed(const struct pt_syscall *sys);

#endif /* PT_SYSARGS_H */
