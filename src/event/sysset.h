/* SPDX-License-Identifier: MIT */
/*
 * sysset: a set of system calls, as -e names it.
 *
 *	openat,read	these
 *	%file		a class of them, as in strace
 *	!close,!%desc	all others (or: not these of the ones named before)
 *	syscalls	all
 */
#ifndef PT_SYSSET_H
#define PT_SYSSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SYSSET_I386	512	/* index of number 0 of that ABI */
#define SYSSET_NR	1024	/* x86-64 (and x32) from 0 */

struct sysset {
	uint8_t has[SYSSET_NR];	/* 0 or 1 */
};

void sysset_all(struct sysset *s);
/* An unknown name or class is ERR_USAGE.  No words: all. */
int sysset_parse(struct sysset *s, const char *const *words, size_t nr,
		 struct err *err) PT_MUST_CHECK;
/* Call `nr` of `abi` (enum pt_abi). */
bool sysset_has(const struct sysset *s, uint8_t abi, uint32_t nr);

#endif /* PT_SYSSET_H */
