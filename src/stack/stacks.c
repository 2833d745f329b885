/* SPDX-License-Identifier: MIT */
/* stacks: frames by stack id, as PT_STACK defines them. */
#include "stack/stacks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "event/record.h"
#include "stack/table.h"

struct stack {
	uint64_t id;
	bool used;			/* since eviction last looked at it */
	struct stack_def def;
	UT_hash_handle hh;
	struct stack *prev, *next;
	struct pt_frame frames[];
};

struct stacks {
	struct stack *by_id;
	struct stack *oldest;
	size_t memory;
};

struct stacks *stacks_new(void)
{
	return calloc(1, sizeof(struct stacks));
}

static size_t size_of(const struct stack *st)
{
	return sizeof(*st) + st->def.nr * sizeof(st->frames[0]);
}

static void forget(struct stacks *s, struct stack *st)
{
	HASH_DEL(s->by_id, st);	/* NOLINT: it is in the table */
	DL_DELETE(s->oldest, st);
	s->memory -= size_of(st);
	free(st);
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	while (s->by_id)
		forget(s, s->by_id);
	free(s);
}

static struct stack *find(struct stacks *s, uint64_t id)
{
	struct stack *st;

	HASH_FIND(hh, s->by_id, &id, sizeof(id), st);
	return st;
}

int stacks_define(struct stacks *s, const struct pt_stack *rec)
{
	struct stack *old = find(s, rec->stack), *st;
	size_t bytes = rec->nr * sizeof(st->frames[0]);

	st = calloc(1, sizeof(*st) + bytes);
	if (!st)
		return -ENOMEM;
	st->id = rec->stack;
	st->def = (struct stack_def){
		.nr = rec->nr,
		.omitted = rec->omitted,
		.why = rec->why,
		.frames = st->frames,
	};
	memcpy(st->frames, record_frames(rec), bytes);
	if (old)
		forget(s, old);
	HASH_ADD(hh, s->by_id, id, sizeof(st->id), st);
	if (!st->hh.tbl) {
		free(st);
		return -ENOMEM;
	}
	DL_APPEND(s->oldest, st);
	s->memory += size_of(st);
	return 0;
}

const struct stack_def *stacks_find(struct stacks *s, uint64_t id)
{
	struct stack *st = find(s, id);

	if (!st)
		return NULL;
	st->used = true;
	return &st->def;
}

size_t stacks_memory(const struct stacks *s)
{
	return s->memory;
}

size_t stacks_evict(struct stacks *s, size_t memory)
{
	size_t gone = 0;

	while (s->oldest && s->memory > memory) {
		struct stack *st = s->oldest;

		if (st->used) {
			st->used = false;
			DL_DELETE(s->oldest, st);
			DL_APPEND(s->oldest, st);
			continue;
		}
		forget(s, st);
		gone++;
	}
	return gone;
}
