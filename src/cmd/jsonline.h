/* SPDX-License-Identifier: MIT */
/*
 * jsonline: one JSON object a line, written member by member.
 *
 *	jsonline_begin(&j, "end");
 *	jsonline_int(&j, "exit", code);
 *	rc = jsonline_end(&j, stdout, &err);
 *
 * Only jsonline_end() can fail.  Text is made valid UTF-8; what is unknown is
 * null, so NULL and "" are.
 */
#ifndef PT_JSONLINE_H
#define PT_JSONLINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <yajl/yajl_gen.h>

#include "base/err.h"

struct jsonline {
	yajl_gen gen;		/* NULL: out of memory, and all is ignored */
	bool bad;
};

void jsonline_begin(struct jsonline *j, const char *type);
/* Close the object, write the line, free.  0 or -ENOMEM. */
int jsonline_end(struct jsonline *j, FILE *out, struct err *err) PT_MUST_CHECK;

void jsonline_str(struct jsonline *j, const char *name, const char *s);
void jsonline_int(struct jsonline *j, const char *name, int64_t v);
void jsonline_u64(struct jsonline *j, const char *name, uint64_t v);
void jsonline_bool(struct jsonline *j, const char *name, bool v);
void jsonline_null(struct jsonline *j, const char *name);
/* An array of strings: `len` bytes, a NUL after each string. */
void jsonline_strs(struct jsonline *j, const char *name, const char *s,
		   size_t len);

#endif /* PT_JSONLINE_H */
