/* SPDX-License-Identifier: MIT */
/* fields: the fields of an event that was asked for by name, in words. */
#ifndef PT_FIELDS_H
#define PT_FIELDS_H

#include <stdio.h>

#include "report/jsonw.h"
#include "report/sysargs.h"
#include "stack/engine.h"

/* "  pid=7 comm="sh" cut=?": what the data do not have is "?". */
void fields_put(FILE *out, const struct moment *m,
		const struct sysargs_opts *opts);
/* Members of an object: numbers, strings, lists; null for what is not there. */
void fields_json(struct jsonw *w, const struct moment *m, bool no_paths);

#endif /* PT_FIELDS_H */
