/* SPDX-License-Identifier: MIT */
/* rows_priv: rows while they are made. */
#ifndef PT_ROWS_PRIV_H
#define PT_ROWS_PRIV_H

#include "analysis/rows.h"

struct making {
	struct rows *out;
	const struct analysis *a;
	const struct rows_query *q;
	struct intern keys;
	uint32_t *of_cell;	/* row of each, from 1; 0: none */
	uint32_t cap, weights_cap;
	bool failed;
};

/* rows_detail.c */
void details_of_cell(struct making *mk, uint32_t row, const struct cell *c);
/* Those of all rows, and the largest of each. */
void details_finish(struct making *mk);

#endif /* PT_ROWS_PRIV_H */
