/* SPDX-License-Identifier: MIT */
/*
 * json: the stream as one JSON object a line, for programs.
 *
 * docs/EVENTS.md has the objects.  Times are nanoseconds of the stream's clock.
 * What is unknown is null, with "why" beside it, never 0 or "".  Strings are
 * valid UTF-8: what was not is U+FFFD.
 */
#ifndef PT_JSON_H
#define PT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/engine.h"

struct json_opts {
	bool no_paths;		/* neither paths nor socket addresses */
	bool no_stacks;
};

struct json;

int json_new(struct json **out, FILE *f, const struct json_opts *opts,
	     struct err *err) PT_MUST_CHECK;	/* opts may be NULL: all 0 */
void json_free(struct json *j);			/* NULL is fine; not the file */

/*
 * Write the moment's object, if it has one; definitions have none.  The end
 * (PT_END) carries the totals of `totals`, which may be NULL.  -errno with
 * ERR_OUTPUT when the stream refuses it.
 */
int json_moment(struct json *j, const struct moment *m,
		const struct engine_totals *totals, struct err *err)
	PT_MUST_CHECK;

/*
 * What began ("enter"), ended ("call") or made a generator ("generator").  Its
 * stack is written if the engine keeps one.
 */
int json_step(struct json *j, const struct moment_step *ms, struct err *err)
	PT_MUST_CHECK;

/* {"type":"error","kind":"not-permitted","text":"...","hint":"..."} */
int json_error(struct json *j, const struct err *what, struct err *err)
	PT_MUST_CHECK;

#endif /* PT_JSON_H */
