/* SPDX-License-Identifier: MIT */
/* engine: one record in, one moment out. */
#include "stack/engine.h"

#include <errno.h>

#include "event/record.h"
#include "stack/codes.h"
#include "stack/stacks.h"
#include "stack/tasks.h"

#define MEMORY_DEFAULT ((size_t)256 << 20)

/* Evict down to this share, so that it is not done for every definition. */
#define KEEP(memory) ((memory) / 8 * 7)

struct engine {
	size_t memory;
	struct codes *codes;
	struct stacks *stacks;
	struct tasks *tasks;
	struct engine_totals totals;
	struct frame frames[PT_MAX_FRAMES];	/* of the last moment */
};

const char *engine_loss_words(uint32_t reason)
{
	static const char *const words[] = {
#define X(nr, NAME, text) [nr] = (text),
		PT_LOSSES(X)
#undef X
	};

	return reason < ARRAY_LEN(words) ? words[reason] : "unknown reason";
}

const char *engine_why_words(uint32_t why)
{
	static const char *const words[] = {
#define X(nr, NAME, text) [nr] = (text),
		PT_WHYS(X)
#undef X
	};

	return why < ARRAY_LEN(words) ? words[why] : "unknown reason";
}

int engine_new(struct engine **out, const struct engine_opts *opts,
	       struct err *err)
{
	struct engine *e = calloc(1, sizeof(*e));

	if (!e)
		return err_set(err, -ENOMEM, "out of memory");
	e->memory = opts && opts->memory ? opts->memory : MEMORY_DEFAULT;
	e->codes = codes_new();
	e->stacks = stacks_new();
	e->tasks = tasks_new();
	if (!e->codes || !e->stacks || !e->tasks) {
		engine_free(e);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*out = e;
	return 0;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	codes_free(e->codes);
	stacks_free(e->stacks);
	tasks_free(e->tasks);
	free(e);
}

const struct engine_totals *engine_totals(const struct engine *e)
{
	return &e->totals;
}

/* ---- memory --------------------------------------------------------------- */

/* Half each for code objects and stacks; either may use what the other spares. */
static void bound_memory(struct engine *e)
{
	size_t codes = codes_memory(e->codes);
	size_t stacks = stacks_memory(e->stacks);
	size_t half = KEEP(e->memory) / 2;

	if (codes + stacks > e->memory) {
		if (stacks > half)
			e->totals.evicted += stacks_evict(e->stacks,
				codes < half ? KEEP(e->memory) - codes : half);
		stacks = stacks_memory(e->stacks);
		if (codes > half)
			e->totals.evicted += codes_evict(e->codes,
				KEEP(e->memory) - stacks);
	}
	e->totals.memory = codes_memory(e->codes) + stacks_memory(e->stacks);
}

/* ---- events --------------------------------------------------------------- */

static void set_why(struct moment *m, uint8_t why)
{
	m->why_nr = why;
	m->why = why == PT_WHY_NONE ? NULL : engine_why_words(why);
}

static void count_stack(struct engine *e, const struct moment *m)
{
	struct engine_totals *t = &e->totals;
	size_t last = ARRAY_LEN(t->unknown) - 1;

	if (!m->has_stack)
		t->unknown[m->why_nr < last ? m->why_nr : last]++;
	else if (!m->nr_frames)
		t->no_frames++;
	else
		t->with_stack++;
}

static int resolve(struct engine *e, uint64_t id, struct moment *m)
{
	const struct stack_def *def = stacks_find(e->stacks, id);
	int rc = 0;

	if (!def) {
		set_why(m, PT_WHY_LOST);
		return 0;
	}
	m->has_stack = true;
	m->frames = e->frames;
	m->omitted = def->omitted;
	set_why(m, def->why);
	for (uint32_t i = 0; i < def->nr && !rc; i++) {
		struct frame *frame = &e->frames[m->nr_frames];

		rc = codes_resolve(e->codes, &def->frames[i], frame);
		m->nr_frames += !frame->is_shim;
		if (i < PT_INNER)
			m->nr_inner = m->nr_frames;
	}
	return rc;
}

static int feed_syscall(struct engine *e, const struct pt_syscall *sys,
			struct moment *m)
{
	struct engine_totals *t = &e->totals;
	int rc = 0;

	t->syscalls++;
	if (!t->first_t || sys->h.t < t->first_t)
		t->first_t = sys->h.t;
	if (sys->h.t > t->last_t)
		t->last_t = sys->h.t;
	if (sys->stack >= PT_STACK_FIRST) {
		rc = resolve(e, sys->stack, m);
	} else if (sys->stack == PT_STACK_EMPTY) {
		m->has_stack = true;
	} else {
		set_why(m, sys->why);
		if (!m->why)
			m->why = "no reason given";
	}
	count_stack(e, m);
	return rc;
}

static void count_lost(struct engine *e, const struct pt_lost *lost)
{
	struct engine_totals *t = &e->totals;
	size_t last = ARRAY_LEN(t->lost) - 1;

	t->lost[lost->reason < last ? lost->reason : last] += lost->count;
	t->lost_all += lost->count;
}

int engine_feed(struct engine *e, const struct pt_hdr *rec, struct moment *m,
		struct err *err)
{
	int rc;

	*m = (struct moment){ .rec = rec };
	bound_memory(e);	/* names and lines grew when they were looked up */
	rc = tasks_feed(e->tasks, rec);
	if (rc < 0)
		return err_set(err, rc, "out of memory");
	m->process = tasks_process(e->tasks, rec->proc);
	m->thread = tasks_thread(e->tasks, rec->tid);
	switch (rec->type) {
	case PT_CODE:
		rc = codes_define(e->codes, (const void *)rec);
		break;
	case PT_PART:
		rc = codes_part(e->codes, (const void *)rec);
		break;
	case PT_STACK:
		rc = stacks_define(e->stacks, (const void *)rec);
		break;
	case PT_SYSCALL:
		rc = feed_syscall(e, (const void *)rec, m);
		break;
	case PT_LOST:
		count_lost(e, (const void *)rec);
		break;
	default:
		break;
	}
	if (rc < 0)
		return err_set(err, rc, "out of memory");
	if (rec->type == PT_CODE || rec->type == PT_PART ||
	    rec->type == PT_STACK)
		bound_memory(e);
	return 0;
}
