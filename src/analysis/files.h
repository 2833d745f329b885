/* SPDX-License-Identifier: MIT */
/*
 * files: which file a descriptor is, as far as the stream has shown it opened.
 *
 * A wrong name is worse than none: what may have become another file is
 * forgotten.
 */
#ifndef PT_FILES_H
#define PT_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "stack/engine.h"

struct files_entry;

struct files {			/* a zeroed struct is an empty one */
	struct files_entry *table;
};

void files_free(struct files *f);

/* A system call has returned.  Without memory it is forgotten. */
void files_call(struct files *f, const struct pt_syscall *sys);
/* An exec closes what it likes; a loss may have hidden a close. */
void files_forget(struct files *f, uint32_t pid);	/* 0: all */

/* NULL: not known; NUL-terminated. */
const char *files_path(const struct files *f, uint32_t pid, int32_t fd);

#endif /* PT_FILES_H */
