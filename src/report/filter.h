/* SPDX-License-Identifier: MIT */
/*
 * filter: which events are shown, and how many each condition left out.
 *
 * All conditions must hold; of several given to one condition, any.
 */
#ifndef PT_FILTER_H
#define PT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/eventset.h"
#include "stack/engine.h"

/* Conditions, in the order in which they are looked at. */
#define FILTERS(X)						\
	X(EVENT, "-e")						\
	X(TID, "-t")						\
	X(THREAD, "--thread")					\
	X(ERRORS, "--errors")					\
	X(SLOWER, "--slower")					\
	X(FUNC, "-F")

enum filter_nr {
#define X(NAME, option) FILTER_##NAME,
	FILTERS(X)
#undef X
	FILTER_NR,
};

struct filter;

int filter_new(struct filter **out, struct err *err) PT_MUST_CHECK;
void filter_free(struct filter *f);	/* NULL is fine */

/* -e: all, until the caller says otherwise.  Lives in the filter. */
struct eventset *filter_events(struct filter *f);

/*
 * -F: name, Class.name, pkg/file.py:name, pkg/file.py, pkg/STAR; '!' before one
 * excludes.  Names are globs and match the whole qualified name or its last
 * part; files match from a '/' on.  A '/' or ".py" makes it a file.
 * ERR_USAGE for what cannot be a function.
 */
int filter_add_func(struct filter *f, const char *pattern, struct err *err)
	PT_MUST_CHECK;
void filter_innermost(struct filter *f);	/* only that frame counts */

int filter_add_tid(struct filter *f, uint32_t tid, struct err *err)
	PT_MUST_CHECK;
/* --thread: a glob on the thread's name. */
int filter_add_thread(struct filter *f, const char *glob, struct err *err)
	PT_MUST_CHECK;
void filter_errors(struct filter *f);	/* system calls that failed */
/* What took longer; a sample took no time. */
void filter_slower(struct filter *f, uint64_t ns);

/*
 * Is this moment's event to be shown?  Always true for other records than
 * events.  A stack that is unknown matches no -F, but for exclusions.
 */
bool filter_passes(struct filter *f, const struct moment *m);

/* The same of a step of calls: its function is what -F looks at. */
bool filter_passes_step(struct filter *f, const struct moment_step *ms);

/* -t and --thread alone. */
bool filter_passes_thread(const struct filter *f, const struct moment_step *ms);

/* -F and --innermost alone. */
bool filter_passes_stack(const struct filter *f, const struct pystack *st);

/* Events asked about; those left out by a condition (each by the first). */
uint64_t filter_seen(const struct filter *f);
uint64_t filter_left_out(const struct filter *f, enum filter_nr nr);
const char *filter_option(enum filter_nr nr);

#endif /* PT_FILTER_H */
