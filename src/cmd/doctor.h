/* SPDX-License-Identifier: MIT */
/* doctor: the rows of what was tried, as a page and as JSON, and the verdict. */
#ifndef PT_CMD_DOCTOR_H
#define PT_CMD_DOCTOR_H

#include <stdio.h>

#include "target/checks.h"

/* What to exit with: 0, or the kind of the first obstacle. */
int doctor_code(const struct checks *c);
/*
 * The one best command, into `buf`: a trace if there can be one, else what
 * removes the first obstacle.  `may` says which.
 */
const char *doctor_next(const struct checks *c, bool *may, char *buf,
			size_t size);

void doctor_print(FILE *out, const struct checks *c, size_t width);
int doctor_print_json(FILE *out, const struct checks *c,
		      struct err *err) PT_MUST_CHECK;

/*
 * What was left behind, and what became of it; the own ones are removed.
 * Prints; returns what to exit with.
 */
int doctor_leftovers(bool json);

#endif /* PT_CMD_DOCTOR_H */
