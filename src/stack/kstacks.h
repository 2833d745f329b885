/* SPDX-License-Identifier: MIT */
/* kstacks: stacks of the kernel, by their numbers. */
#ifndef PT_KSTACKS_H
#define PT_KSTACKS_H

#include <pytrace_abi.h>

#include "base/compiler.h"

#define KSTACK_FRAMES 64	/* more of one are left out: the outermost */
#define KSTACKS_MAX 16384	/* more of them are not known */

struct kstack {
	uint32_t nr;
	const char *func[KSTACK_FRAMES]; /* innermost first; "" is not known */
};

struct kstacks;

struct kstacks *kstacks_new(void);
void kstacks_free(struct kstacks *k);		/* NULL is fine */

/* A definition takes the place of an older one.  0 or -ENOMEM. */
int kstacks_define(struct kstacks *k, const struct pt_kstack *rec) PT_MUST_CHECK;
/* NULL: none, or not defined.  Good until the next definition. */
const struct kstack *kstacks_find(const struct kstacks *k, uint32_t number);

#endif /* PT_KSTACKS_H */
