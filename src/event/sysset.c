/* SPDX-License-Identifier: MIT */
/* sysset: a set of system calls, as -e names it. */
#include "event/sysset.h"

#include <errno.h>

#include "event/syscalls.h"
#include "pytrace_abi.h"

void sysset_all(struct sysset *s)
{
	memset(s->has, 1, sizeof(s->has));
}

static const struct syscall_def *def_at(size_t i)
{
	return i < SYSSET_I386 ?
		syscall_find(PT_ABI_X86_64, (uint32_t)i) :
		syscall_find(PT_ABI_I386, (uint32_t)(i - SYSSET_I386));
}

/* Add (or take out) whatever the word names; false: nothing has that name. */
static bool apply(struct sysset *s, const char *word, uint8_t value)
{
	uint8_t class = word[0] == '%' ? syscall_class_named(word + 1) : 0;
	bool all = !strcmp(word, "syscalls") || !strcmp(word, "%all");
	bool found = all;

	for (size_t i = 0; i < SYSSET_NR; i++) {
		const struct syscall_def *d = def_at(i);

		/* numbers without a name here are part of "all" */
		if (!all && (!d || !(class ? d->classes & class :
					     !strcmp(d->name, word))))
			continue;
		s->has[i] = value;
		found = true;
	}
	return found;
}

int sysset_parse(struct sysset *s, const char *const *words, size_t nr,
		 struct err *err)
{
	/* what begins by leaving out begins with everything */
	memset(s->has, !nr || words[0][0] == '!', sizeof(s->has));
	for (size_t i = 0; i < nr; i++) {
		bool out = words[i][0] == '!';

		if (apply(s, words[i] + out, !out))
			continue;
		err_kind(err, ERR_USAGE, -EINVAL, "no event and no system call '%s'",
			 words[i] + out);
		err_hint(err, "-e takes syscalls, faults, offcpu, cpu[:HZ], "
			 "gc, import, audit, line, usdt:provider:name, "
			 "tracepoints (category:name), counters (cycles, "
			 "page-faults...), names of system calls, "
			 "and the classes %%file %%network %%process %%desc "
			 "%%memory");
		return -EINVAL;
	}
	return 0;
}

bool sysset_has(const struct sysset *s, uint8_t abi, uint32_t nr)
{
	size_t i = nr & ~UINT32_C(0x40000000);	/* the bit of x32 */

	if (i >= SYSSET_I386)
		return true;	/* no name, cannot be asked for */
	return s->has[abi == PT_ABI_I386 ? SYSSET_I386 + i : i];
}
