/* SPDX-License-Identifier: MIT */
/* rows_json_priv: what the writers of an account, rows and nodes share. */
#ifndef PT_ROWS_JSON_PRIV_H
#define PT_ROWS_JSON_PRIV_H

#include "report/jsonw.h"
#include "report/rows_json.h"
#include "report/words.h"

struct writer {
	struct jsonw w;
	FILE *out;
	const char *view;
	enum rows_by by;
	bool by_cause, hists;
	unsigned int interval;
	const struct counter_info *counter;
	struct words words;
};

/* account_json.c: the members of the object */
void account_json(struct jsonw *w, const struct model *m,
		  unsigned int interval);

/* tree_json.c: a line for each node */
int tree_json(struct writer *wr, const struct rows_query *q, struct err *err);

/* rows_json.c */
void begin_json(struct writer *wr, const char *type);
/* {"func":...} or null; `key` NULL: an element of a list. */
void place_json(struct writer *wr, const char *key, uint32_t nr);
/* How many there were of something, and how long it took: null of a counter. */
void sums_json(struct writer *wr, const struct sums *is);
/* The name of a function of the kernel; `key` as of place_json(). */
void kernel_func_json(struct writer *wr, const char *key, uint32_t string);
const char *fault_json(uint16_t kind);	/* as the events have it */
void faults_json(struct jsonw *w, const struct row_faults *f);

#endif /* PT_ROWS_JSON_PRIV_H */
