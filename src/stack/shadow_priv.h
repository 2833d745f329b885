/* SPDX-License-Identifier: MIT */
/* shadow_priv: threads, their chains of frames, and what changes them. */
#ifndef PT_SHADOW_PRIV_H
#define PT_SHADOW_PRIV_H

#include "event/record.h"
#include "stack/shadow.h"
#include "stack/suspended.h"
#include "stack/table.h"

#define FILTER_MIN	512	/* counts, at first */
#define FILTER_LOAD	16	/* that many for each frame, in the end */
#define FILTER_CODES	256

/* A frame that runs, or one that is only linked: an exception passes it. */
struct entry {
	uint64_t id, parent;	/* as in struct step */
	uint64_t frame, code;
	uint64_t begin_t, child_ns, suspended_ns;
	struct inside before;	/* what the chain had done when it began */
	uint8_t begin;		/* enum step_begin */
	bool late, gap, generator, recursive, suspended, linked;
	bool counted;		/* in chain.codes */
	uint32_t seed;		/* while a seed is looked at: 1 + its frame */
};

/*
 * Frames that call each other, outermost first.  A thread has one that runs;
 * those of greenlets that do not are aside.
 */
struct chain {
	struct entry *e;
	uint32_t nr, cap;
	uint32_t omitted;	/* outer frames that are not there */
	bool open;		/* its outermost frames are not known */
	uint64_t t;		/* all of it was alive then */
	uint64_t aside_t;	/* since when it is aside */
	struct inside done;	/* while it ran */
	uint16_t codes[FILTER_CODES];	/* how many of it hash there */
	struct chain *prev, *next;
};

struct shadow_thread {
	uint32_t tid, pid, proc;
	uint64_t start_ns;	/* 0: not known */
	uint64_t t;		/* of its last record; never goes back */
	struct chain *now;	/* that runs */
	struct chain *aside;	/* the others, the latest first */
	uint32_t nr_aside;
	uint32_t drift;		/* since its last seed */
	uint32_t strays;	/* four for each; less one for each call */
	uint64_t left;		/* code of what its last record returned from */
	bool unsure;		/* `now` is empty, and others are aside */
	uint32_t *filter;	/* how many frames of all hash there */
	uint32_t nr_filter;	/* a power of 2 */
	uint32_t nr_frames;	/* of all its chains */
	UT_hash_handle hh;
	struct shadow_thread *prev, *next;
};

struct shadow {
	struct shadow_opts opts;
	struct shadow_totals totals;
	struct shadow_drift drift;	/* frames: 0, none */
	struct shadow_thread *threads, *oldest;
	struct suspended_table *suspended;
	uint32_t nr_frames;
	uint64_t last_id;
	bool failed;		/* no memory */
	struct step *steps;
	size_t nr_steps, cap_steps;
	struct recbuf seed;	/* one without what is refused */
	uint64_t *codes;	/* stacks of the steps */
	uint32_t nr_codes, cap_codes;
};

/* ---- chains (shadow_chain.c) ---- */

/* What begins: the fields of an entry that its caller knows. */
struct beginning {
	uint64_t frame, code;
	uint8_t begin;
	bool late, generator, linked;
};

struct chain *chain_new(struct shadow *s);
void chain_free(struct chain *c);

/* At `at`, usually the end.  Nothing without memory, or where it is too deep. */
void chain_insert(struct shadow *s, struct shadow_thread *th, struct chain *c,
		  uint32_t at, const struct beginning *what);
/* Take one out; what is not only linked ends so, at `t`. */
void chain_remove(struct shadow *s, struct shadow_thread *th, struct chain *c,
		  uint32_t at, enum step_end end, uint64_t t);
/* Those from `keep` on end unseen, innermost first. */
void chain_cut(struct shadow *s, struct shadow_thread *th, struct chain *c,
	       uint32_t keep, uint64_t t);
/* One that was only linked runs. */
void chain_run(struct shadow *s, struct shadow_thread *th, struct chain *c,
	       uint32_t at, enum step_begin begin);

/* From the innermost on; false: it is not there. */
bool chain_find(const struct chain *c, uint64_t frame, uint32_t *at);
bool chain_find_code(const struct chain *c, uint64_t code, uint32_t *at);
/* What thread_may_have() asks; false: no memory. */
bool thread_filter(struct shadow_thread *th, uint32_t nr);
/* May it be on any chain of the thread? */
bool thread_may_have(const struct shadow_thread *th, uint64_t frame);

/* A step that is of no entry: the new one, or NULL without memory. */
struct step *step_add(struct shadow *s, const struct shadow_thread *th);

/* ---- threads (shadow.c) ---- */

static inline uint64_t first_code(const struct shadow *s, uint64_t code)
{
	return s->opts.first_code && code ?
	       s->opts.first_code(s->opts.arg, code) : code;
}

static inline bool is_refused(const struct shadow *s, uint64_t code)
{
	return s->opts.refused && code && s->opts.refused(s->opts.arg, code);
}

/* The chain that runs is put aside; `next` is taken from there, or new (NULL). */
void thread_switch(struct shadow *s, struct shadow_thread *th,
		   struct chain *next);
/* Where else than on the chain that runs: NULL, nowhere. */
struct chain *thread_find_aside(struct shadow_thread *th, uint64_t frame,
				uint32_t *at);
/* A frame that is there has ended, with all above it, unseen. */
void thread_take_aside(struct shadow *s, struct shadow_thread *th,
		       uint64_t frame);
void shadow_seed(struct shadow *s, struct shadow_thread *th,
		 const struct pt_seed *rec);

#endif /* PT_SHADOW_PRIV_H */
