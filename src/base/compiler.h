/* SPDX-License-Identifier: MIT */
/* compiler: attributes with names, and the functions nobody may call. */
#ifndef PT_COMPILER_H
#define PT_COMPILER_H

/* Before the poison: these headers declare the poisoned names. */
#include <stdio.h>	/* IWYU pragma: keep */
#include <stdlib.h>	/* IWYU pragma: keep */
#include <string.h>	/* IWYU pragma: keep */

#define PT_MUST_CHECK __attribute__((warn_unused_result))
#define PT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
/* An array of characters without a zero at the end; clang has no word for it. */
#if defined(__GNUC__) && !defined(__clang__)
#define PT_NONSTRING __attribute__((nonstring))
#else
#define PT_NONSTRING
#endif

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Each has a bounded sibling. */
#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets

#endif /* PT_COMPILER_H */
