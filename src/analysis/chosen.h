/* SPDX-License-Identifier: MIT */
/* chosen: the threads that somebody asked for, by id and by name. */
#ifndef PT_CHOSEN_H
#define PT_CHOSEN_H

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Any of the ids, and any of the names (globs); of none given: each. */
struct chosen {
	const pid_t *tids;
	size_t nr_tids;
	const char *const *names;
	size_t nr_names;
};

static inline bool chosen_has_tid(const struct chosen *c, uint32_t tid)
{
	for (size_t i = 0; i < c->nr_tids; i++)
		if ((uint32_t)c->tids[i] == tid)
			return true;
	return !c->nr_tids;
}

static inline bool chosen_has_name(const struct chosen *c, const char *name)
{
	for (size_t i = 0; i < c->nr_names; i++)
		if (!fnmatch(c->names[i], name, 0))
			return true;
	return !c->nr_names;
}

static inline bool chosen_has(const struct chosen *c, uint32_t tid,
			      const char *name)
{
	return chosen_has_tid(c, tid) && chosen_has_name(c, name);
}

#endif /* PT_CHOSEN_H */
