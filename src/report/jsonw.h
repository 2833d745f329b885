/* SPDX-License-Identifier: MIT */
/*
 * jsonw: yajl with our rules: unknown is null, strings are made valid UTF-8,
 * one object is one line.
 *
 * A failure (memory) is kept until jsonw_line().
 */
#ifndef PT_JSONW_H
#define PT_JSONW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <yajl/yajl_gen.h>

#include "base/compiler.h"
#include "base/err.h"

struct jsonw {
	yajl_gen gen;
	bool failed;
};

int jsonw_init(struct jsonw *w, struct err *err) PT_MUST_CHECK;
void jsonw_fini(struct jsonw *w);

void jsonw_open(struct jsonw *w);		/* { */
void jsonw_close(struct jsonw *w);
void jsonw_open_list(struct jsonw *w);		/* [ */
void jsonw_close_list(struct jsonw *w);

void jsonw_key(struct jsonw *w, const char *key);
void jsonw_null(struct jsonw *w);
void jsonw_bool(struct jsonw *w, bool v);
void jsonw_int(struct jsonw *w, int64_t v);
void jsonw_uint(struct jsonw *w, uint64_t v);
void jsonw_bytes(struct jsonw *w, const char *s, size_t len);
void jsonw_string(struct jsonw *w, const char *s);	/* NULL: null */

/* Key and value.  The last two write null for what stands for unknown. */
void jsonw_key_int(struct jsonw *w, const char *key, int64_t v);
void jsonw_key_uint(struct jsonw *w, const char *key, uint64_t v);
void jsonw_key_string(struct jsonw *w, const char *key, const char *s);
void jsonw_key_known(struct jsonw *w, const char *key, uint64_t v); /* not 0 */
void jsonw_key_name(struct jsonw *w, const char *key, const char *s); /* not "" */

/* The object is complete: write it as a line.  -errno with ERR_OUTPUT. */
int jsonw_line(struct jsonw *w, FILE *out, struct err *err) PT_MUST_CHECK;

#endif /* PT_JSONW_H */
