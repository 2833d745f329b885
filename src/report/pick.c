/* SPDX-License-Identifier: MIT */
/* pick: the cells whose stacks pass -F; each stack is looked at once. */
#include "report/pick.h"

static struct frame frame_of(const struct analysis *a, uint32_t nr)
{
	const struct place *p = model_place(a, nr);
	struct frame f = { .line = -1, .def = -1 };

	if (!p)
		return f;
	f.func = model_string(a, p->func, &f.func_len);
	f.file = model_string(a, p->file, &f.file_len);
	f.line = p->line;
	f.def = p->def;
	return f;
}

static bool passes(const struct pick *p, uint32_t stack)
{
	const struct stack_info *st = model_stack(p->a, stack);
	struct frame frames[PT_MAX_FRAMES];
	struct pystack is = {
		.known = st->known, .frames = frames, .nr = st->nr,
	};

	for (uint32_t i = 0; i < st->nr; i++)
		frames[i] = frame_of(p->a, st->places[i]);
	return filter_passes_stack(p->filter, &is);
}

/* Without memory it is looked at again. */
static bool make_room(struct pick *p, uint32_t stack)
{
	uint32_t cap = p->cap ? p->cap : 256;
	uint8_t *more;

	if (stack < p->cap)
		return true;
	while (cap <= stack)
		cap *= 2;
	more = realloc(p->verdict, cap);
	if (!more)
		return false;
	memset(more + p->cap, 0, cap - p->cap);
	p->verdict = more;
	p->cap = cap;
	return true;
}

bool pick_passes(struct pick *p, uint32_t stack)
{
	if (!p->filter)
		return true;
	if (!make_room(p, stack))
		return passes(p, stack);
	if (!p->verdict[stack])
		p->verdict[stack] = passes(p, stack) ? 2 : 1;
	return p->verdict[stack] == 2;
}

void pick_free(struct pick *p)
{
	free(p->verdict);
	*p = (struct pick){ 0 };
}
