/* SPDX-License-Identifier: MIT */
/* json_priv: what the files of json share. */
#ifndef PT_JSON_PRIV_H
#define PT_JSON_PRIV_H

#include "report/json.h"
#include "report/jsonw.h"

/* "type" and "t"; "pid", "tid" and "thread". */
void json_put_type(struct jsonw *w, const struct pt_hdr *rec);
void json_put_task(struct jsonw *w, const struct moment *m);

/* "tracepoint", "gc": of an enum pt_named_kind. */
const char *json_named_kind(uint8_t kind);

/* "stack", and beside it what is not known of it; a name; a line (-1: null). */
void json_put_stack(struct jsonw *w, const struct pystack *st);
void json_put_name(struct jsonw *w, const char *key, const char *name,
		   size_t len);
void json_put_line(struct jsonw *w, const char *key, int line);

/* The members of a step's object; `events` are those that were traced. */
void json_put_step(struct jsonw *w, const struct moment_step *ms,
		   uint32_t events);

/* The members of an event's object. */
void json_put_event(struct jsonw *w, const struct moment *m,
		    const struct json_opts *opts);

#endif /* PT_JSON_PRIV_H */
