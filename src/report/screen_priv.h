/* SPDX-License-Identifier: MIT */
/* screen_priv: what the parts of the default screen share. */
#ifndef PT_SCREEN_PRIV_H
#define PT_SCREEN_PRIV_H

#include "report/screen.h"
#include "report/words.h"

struct screen {
	FILE *out;
	const struct analysis *a;
	const struct model *m;
	struct screen_opts o;
	unsigned int width;
	unsigned int lines;		/* written so far */
	bool no_times;			/* it is about something else */
	uint64_t base_ns;		/* what a row is a share of */
	struct unit unit;
	unsigned int nr_rows;
	struct row first;		/* if there are rows */
	struct text first_line, first_func;
	uint64_t storm_calls, storm_faults;	/* a second, in one place */
};

/* A line of its own, cut at the width. */
void screen_line(struct screen *s, struct text *t);

/* The end of one that has begun, cut where the screen ends; `used` columns. */
void screen_end_line(struct screen *s, struct text *t, size_t used);

/* screen_head.c: causes of busy time, largest first. */
void screen_causes(struct screen *s);
/* How often a control group was over memory.high, if it was. */
void screen_memory(struct screen *s);
/* screen_rows.c */
int screen_rows(struct screen *s, struct err *err);

/* What was traced, and thread time as idle plus busy. */
void screen_head(struct screen *s);
/* Cost, events, losses, unknown stacks: always, zeros included. */
void screen_cost(struct screen *s, const struct engine_totals *totals);

/* storms.c: events that cost little time but stand out. */
const char *fault_words(uint32_t kind);
int storms_put(struct screen *s, const struct words *w, struct err *err);

/* next.c: one command that leads on. */
void next_put(struct screen *s);

#endif /* PT_SCREEN_PRIV_H */
