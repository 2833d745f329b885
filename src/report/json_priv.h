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

/* The members of an event's object. */
void json_put_event(struct jsonw *w, const struct moment *m,
		    const struct json_opts *opts);

#endif /* PT_JSON_PRIV_H */
