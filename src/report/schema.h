/* SPDX-License-Identifier: MIT */
/* schema: the JSON Schema of what --json writes, an object a line. */
#ifndef PT_SCHEMA_H
#define PT_SCHEMA_H

#include <stdio.h>

#include "base/compiler.h"
#include "base/err.h"

/* On one line.  -errno with ERR_OUTPUT when the stream refuses it. */
int schema_put(FILE *out, struct err *err) PT_MUST_CHECK;

#endif /* PT_SCHEMA_H */
