/* SPDX-License-Identifier: MIT */
/* resolved: stacks whose frames have been looked up. */
#include "stack/resolved.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS		1024	/* a power of two */
#define MOST_FRAMES	128	/* deeper stacks are rare: 10 MiB at most */

struct slot {
	uint64_t id;		/* 0: empty */
	uint64_t changes;
	bool used;
	struct pystack st;
	struct frame *frames;
	uint32_t cap;
};

struct resolved {
	struct slot slots[SLOTS];
};

struct resolved *resolved_new(void)
{
	return calloc(1, sizeof(struct resolved));
}

void resolved_free(struct resolved *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < SLOTS; i++)
		free(r->slots[i].frames);
	free(r);
}

/* Ids differ in their low bits most: Fibonacci hashing spreads them. */
static struct slot *slot_of(struct resolved *r, uint64_t id)
{
	return &r->slots[(id * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
}

_Static_assert(SLOTS == 1u << (64 - 54), "all slots are reached");

const struct pystack *resolved_find(struct resolved *r, uint64_t id,
				    uint64_t changes)
{
	struct slot *s = slot_of(r, id);

	if (s->id != id || s->changes != changes)
		return NULL;
	s->used = true;
	return &s->st;
}

static bool make_room(struct slot *s, uint32_t nr)
{
	struct frame *more;

	if (nr <= s->cap)
		return true;
	more = reallocarray(s->frames, nr, sizeof(*more));
	if (!more)
		return false;
	s->frames = more;
	s->cap = nr;
	return true;
}

void resolved_keep(struct resolved *r, uint64_t id, uint64_t changes,
		   const struct pystack *st)
{
	struct slot *s = slot_of(r, id);

	s->id = 0;
	if (st->nr > MOST_FRAMES || !make_room(s, st->nr))
		return;
	if (st->nr)
		memcpy(s->frames, st->frames, st->nr * sizeof(*s->frames));
	s->st = *st;
	s->st.frames = s->frames;
	s->id = id;
	s->changes = changes;
	s->used = false;
}

void resolved_drop(struct resolved *r, uint64_t id)
{
	struct slot *s = slot_of(r, id);

	if (s->id == id)
		s->id = 0;
}

uint64_t resolved_used(struct resolved *r, uint32_t *at)
{
	while (*at < SLOTS) {
		struct slot *s = &r->slots[(*at)++];

		if (!s->id || !s->used)
			continue;
		s->used = false;
		return s->id;
	}
	return 0;
}
