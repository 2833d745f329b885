/* SPDX-License-Identifier: MIT */
/* sysconst: the names that values and flags of system calls have. */
#ifndef PT_SYSCONST_H
#define PT_SYSCONST_H

#include <stddef.h>
#include <stdint.h>

#include "event/syscalls.h"

struct sysconst {
	uint64_t value;
	const char *name;
	/*
	 * Of a value that decides what the other arguments mean: which of the
	 * call's arguments say anything (bit 0: the first).  0: all.
	 */
	uint8_t args;
};

/*
 * Bits under `mask` are one value, looked up in `values`; the others are
 * flags.  A mask of 0: flags only; of ~0: a value only.
 */
struct sysnames {
	uint64_t mask;
	const struct sysconst *values;
	size_t nr_values;
	const struct sysconst *flags;
	size_t nr_flags;
	const char *zero;	/* how 0 is spelled; NULL: "0", or its value */
};

/* Of a kind in SYSKINDS_NAMED; NULL of another. */
const struct sysnames *sysconst_of(uint8_t kind);

/* Names of socket options: they depend on the level.  NULL: none known. */
const struct sysnames *sysconst_socket_options(uint64_t level);
/* Names of protocols: they depend on the family.  NULL: none known. */
const struct sysnames *sysconst_protocols(uint64_t family);
/* What fcntl's third argument is: an enum syskind. */
uint8_t sysconst_fcntl_arg(uint64_t cmd);

/* The entry of a value under the mask, or NULL. */
const struct sysconst *sysconst_value(const struct sysnames *names,
				      uint64_t value);

#endif /* PT_SYSCONST_H */
