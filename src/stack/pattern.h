/* SPDX-License-Identifier: MIT */
/*
 * pattern: a function or a file, as -F names it.
 *
 * name, Class.name, pkg/file.py:name, pkg/file.py, pkg/STAR, pkg/file.py: (all
 * of a file).  Both parts are globs.  A name matches the whole qualified name or
 * what follows one of its dots, a file the whole path or what follows one of its
 * slashes.  A '/' or ".py" makes it a file.
 */
#ifndef PT_PATTERN_H
#define PT_PATTERN_H

#include <stdbool.h>

#include "stack/engine.h"

struct pattern {
	const char *file;	/* glob, or NULL: any */
	const char *func;	/* glob, or NULL: any */
};

/* Takes `text` apart and writes into it; it must outlive the pattern. */
void pattern_split(struct pattern *p, char *text);
bool pattern_matches(const struct pattern *p, const struct frame *frame);
bool pattern_file_matches(const char *glob, const char *file);

#endif /* PT_PATTERN_H */
