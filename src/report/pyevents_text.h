/* SPDX-License-Identifier: MIT */
/* pyevents_text: collections and imports, as tables and a tree; as JSON. */
#ifndef PT_PYEVENTS_TEXT_H
#define PT_PYEVENTS_TEXT_H

#include <stdio.h>

#include "analysis/pyevents.h"

struct pyevents_report {
	const struct pyevents *is;
	const struct engine_totals *totals;
	unsigned int limit, width;
	bool tree;		/* of imports */
};

/* --gc */
int pyevents_put_gc(FILE *out, const struct pyevents_report *r,
		    struct err *err) PT_MUST_CHECK;
int pyevents_json_gc(FILE *out, const struct pyevents_report *r,
		     struct err *err) PT_MUST_CHECK;
/* --imports */
int pyevents_put_imports(FILE *out, const struct pyevents_report *r,
			 struct err *err) PT_MUST_CHECK;
int pyevents_json_imports(FILE *out, const struct pyevents_report *r,
			  struct err *err) PT_MUST_CHECK;

#endif /* PT_PYEVENTS_TEXT_H */
