/* SPDX-License-Identifier: MIT */
/* engine: one record in, one moment out. */
#include "stack/engine.h"

#include <errno.h>

#include "event/record.h"
#include "stack/codes.h"
#include "stack/kstacks.h"
#include "stack/resolved.h"
#include "stack/stacks.h"
#include "stack/steps.h"
#include "stack/tasks.h"
#include "stack/verdicts.h"
#include "stack/verify.h"

#define MEMORY_DEFAULT ((size_t)256 << 20)

/* Evict down to this share, so that it is not done for every definition. */
#define KEEP(memory) ((memory) / 8 * 7)

struct engine {
	size_t memory;
	struct codes *codes;
	struct stacks *stacks;
	struct tasks *tasks;
	struct named_table *named;
	struct kstacks *kstacks;
	struct shadow *shadow;
	struct verdicts verdicts;
	bool (*wants)(void *arg, const struct frame *func);
	void (*judged)(void *arg, uint64_t code, bool wanted);
	void *arg;
	struct steps steps;
	bool verify;
	struct verified verified;
	struct engine_totals totals;
	struct frame frames[2][PT_MAX_FRAMES];	/* of the last moment: its
						 * stack, its waker's */
	struct resolved *resolved[2];	/* the same */
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

static uint64_t first_code(void *arg, uint64_t code)
{
	const struct engine *e = arg;

	return codes_first(e->codes, code);
}

static bool refused(void *arg, uint64_t code)
{
	const struct engine *e = arg;

	return verdicts_find(&e->verdicts, code) == VERDICT_REFUSED;
}

static int new_shadow(struct engine *e, const struct engine_opts *opts)
{
	struct shadow_opts so = opts ? opts->calls : (struct shadow_opts){ 0 };

	so.first_code = first_code;
	so.refused = e->wants ? refused : NULL;
	so.arg = e;
	return shadow_new(&e->shadow, &so);
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
	e->named = named_new();
	e->kstacks = kstacks_new();
	e->resolved[0] = resolved_new();
	e->resolved[1] = resolved_new();
	if (opts) {
		e->verify = opts->verify;
		e->wants = opts->wants;
		e->judged = opts->judged;
		e->arg = opts->arg;
	}
	if (!e->resolved[0] || !e->resolved[1] || !e->codes || !e->stacks ||
	    !e->tasks || !e->named || !e->kstacks ||
	    new_shadow(e, opts)) {
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
	named_free(e->named);
	kstacks_free(e->kstacks);
	resolved_free(e->resolved[0]);
	resolved_free(e->resolved[1]);
	shadow_free(e->shadow);
	verdicts_free(&e->verdicts);
	verify_fini(&e->verified);
	steps_free(&e->steps);
	free(e);
}

const struct engine_totals *engine_totals(const struct engine *e)
{
	return e ? &e->totals : NULL;
}

const struct shadow_totals *engine_calls(const struct engine *e)
{
	return shadow_totals(e->shadow);
}

const struct shadow_drift *engine_drift(const struct engine *e)
{
	return shadow_drift(e->shadow);
}

const struct verified *engine_verified(const struct engine *e)
{
	return &e->verified;
}

/* ---- memory --------------------------------------------------------------- */

/* What is known by its stack alone has been used nevertheless. */
static void use_codes(struct engine *e, struct resolved *r)
{
	const struct stack_def *def;
	uint32_t at = 0;
	uint64_t id;

	while ((id = resolved_used(r, &at))) {
		def = stacks_find(e->stacks, id);
		for (uint32_t i = 0; def && i < def->nr; i++)
			codes_use(e->codes, def->frames[i].code);
	}
}

/* Half each for code objects and stacks; either may use what the other spares. */
static void bound_memory(struct engine *e)
{
	size_t codes = codes_memory(e->codes);
	size_t stacks = stacks_memory(e->stacks);
	size_t half = KEEP(e->memory) / 2;

	if (codes + stacks > e->memory) {
		use_codes(e, e->resolved[0]);
		use_codes(e, e->resolved[1]);
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

static void set_why(struct pystack *st, uint8_t why)
{
	st->why_nr = why;
	st->why = why == PT_WHY_NONE ? NULL : engine_why_words(why);
}

static void count_stack(struct engine *e, const struct pystack *st)
{
	struct engine_totals *t = &e->totals;
	size_t last = ARRAY_LEN(t->unknown) - 1;

	/* one whose root is unknown is not known, though it has frames */
	if (!st->known || st->why_nr != PT_WHY_NONE)
		t->unknown[st->why_nr < last ? st->why_nr : last]++;
	else if (!st->nr)
		t->no_frames++;
	else
		t->with_stack++;
}

static int resolve(struct engine *e, const struct stack_def *def,
		   struct frame *frames, struct pystack *st)
{
	int rc = 0;

	st->known = true;
	st->frames = frames;
	st->omitted = def->omitted;
	set_why(st, def->why);
	for (uint32_t i = 0; i < def->nr && !rc; i++) {
		struct frame *frame = &frames[st->nr];

		rc = codes_resolve(e->codes, &def->frames[i], frame);
		st->nr += !frame->is_shim;
		if (i < PT_INNER)
			st->nr_inner = st->nr;
	}
	return rc;
}

/* `of`: 0, of the event; 1, of its waker. */
static int look_up_frames(struct engine *e, uint64_t id, unsigned int of,
			  struct pystack *st)
{
	const struct stack_def *def = stacks_find(e->stacks, id);
	const struct pystack *was;
	int rc;

	if (!def) {
		set_why(st, PT_WHY_LOST);
		return 0;
	}
	was = resolved_find(e->resolved[of], id, codes_changes(e->codes));
	if (was) {
		*st = *was;
		return 0;
	}
	rc = resolve(e, def, e->frames[of], st);
	if (!rc)
		resolved_keep(e->resolved[of], id, codes_changes(e->codes), st);
	return rc;
}

static int look_up(struct engine *e, uint64_t id, uint8_t why, unsigned int of,
		   struct pystack *st)
{
	if (id >= PT_STACK_FIRST)
		return look_up_frames(e, id, of, st);
	if (id == PT_STACK_EMPTY) {
		st->known = true;
		return 0;
	}
	set_why(st, why);
	if (!st->why)
		st->why = "no reason given";
	return 0;
}

static int feed_waker(struct engine *e, const struct pt_offcpu *off,
		      struct moment *m)
{
	if (off->waker != PT_WAKER_TASK)
		return 0;
	m->waker_thread = tasks_thread(e->tasks, off->waker_tid);
	return look_up(e, off->waker_stack, off->waker_why, 1, &m->waker);
}

/* The number of what was asked for by name; 0: it was not. */
static uint32_t named_nr(const struct pt_hdr *rec)
{
	switch (rec->type) {
	case PT_SAMPLE:
		return ((const struct pt_sample *)(const void *)rec)->event;
	case PT_TRACEPOINT:
		return ((const struct pt_tracepoint *)(const void *)rec)->event;
	default:
		return 0;
	}
}

static void see_time(struct engine_totals *t, uint64_t at)
{
	if (!t->first_t || at < t->first_t)
		t->first_t = at;
	if (at > t->last_t)
		t->last_t = at;
}

static int feed_event(struct engine *e, const struct pt_event *ev,
		      struct moment *m)
{
	static const struct stack_def empty;
	struct engine_totals *t = &e->totals;
	int rc;

	t->events++;
	t->of_type[ev->h.type]++;
	see_time(t, ev->h.t);
	m->named = named_find(e->named, named_nr(&ev->h));
	if (ev->h.type == PT_OFFCPU || ev->h.type == PT_SAMPLE)
		m->kernel = kstacks_find(e->kstacks, ev->h.flags);
	rc = look_up(e, ev->stack, record_why(&ev->h), 0, &m->stack);
	count_stack(e, &m->stack);
	steps_spent(e->shadow, ev, m->process);
	if (!rc && e->verify)
		rc = verify_stack(&e->verified, e->shadow, e->codes, ev,
				  ev->stack == PT_STACK_EMPTY ? &empty :
				  stacks_find(e->stacks, ev->stack));
	if (!rc && ev->h.type == PT_OFFCPU)
		rc = feed_waker(e, (const void *)ev, m);
	return rc;
}

/* Calls, or what ends them. */
static int feed_calls(struct engine *e, const struct pt_hdr *rec,
		      struct moment *m)
{
	int rc;

	if (e->verify && (rec->type == PT_CALL || rec->type == PT_RETURN))
		verify_next(&e->verified, e->codes, rec);
	rc = shadow_feed(e->shadow, rec);
	if (rec->type == PT_CALL || rec->type == PT_RETURN) {
		e->totals.events++;
		e->totals.of_type[rec->type]++;
		see_time(&e->totals, rec->t);
	}
	return rc ? rc : steps_resolve(&e->steps, e->shadow, e->codes, e->tasks,
				  m);
}

static void count_lost(struct engine *e, const struct pt_lost *lost)
{
	struct engine_totals *t = &e->totals;
	size_t last = ARRAY_LEN(t->lost) - 1;

	t->lost[lost->reason < last ? lost->reason : last] += lost->count;
	t->lost_all += lost->count;
}

static void count_shed(struct engine *e, const struct pt_shed *shed)
{
	if (shed->step < 32)
		e->totals.shed |= 1u << shed->step;
}

/* ---- definitions ---------------------------------------------------------- */

static int define_stack(struct engine *e, const struct pt_stack *rec)
{
	resolved_drop(e->resolved[0], rec->stack);
	resolved_drop(e->resolved[1], rec->stack);
	return stacks_define(e->stacks, rec);
}

static int judge(struct engine *e, uint64_t code)
{
	struct frame func;
	bool wanted;
	int rc;

	if (!e->wants || !codes_is_named(e->codes, code))
		return 0;
	rc = codes_names(e->codes, code, &func);
	if (rc)
		return rc;
	wanted = e->wants(e->arg, &func);
	if (e->judged)
		e->judged(e->arg, code, wanted);
	return verdicts_put(&e->verdicts, code, wanted);
}

static int feed_code(struct engine *e, const struct pt_code *rec)
{
	int rc = codes_define(e->codes, rec);

	return rc ? rc : judge(e, rec->code);
}

static int feed_part(struct engine *e, const struct pt_part *rec)
{
	int rc = codes_part(e->codes, rec);

	return rc ? rc : judge(e, rec->code);
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
		rc = feed_code(e, (const void *)rec);
		break;
	case PT_PART:
		rc = feed_part(e, (const void *)rec);
		break;
	case PT_STACK:
		rc = define_stack(e, (const void *)rec);
		break;
	case PT_NAMED:
		rc = named_define(e->named, (const void *)rec);
		m->named = named_find(e->named,
				      ((const struct pt_named *)(const void *)rec)->event);
		break;
	case PT_KSTACK:
		rc = kstacks_define(e->kstacks, (const void *)rec);
		break;
	case PT_SHED:
		count_shed(e, (const void *)rec);
		break;
	case PT_LOST:
		count_lost(e, (const void *)rec);
		break;
	default:
		if (record_event(rec))
			rc = feed_event(e, record_event(rec), m);
		else
			rc = feed_calls(e, rec, m);
		break;
	}
	if (rc < 0)
		return err_set(err, rc, "out of memory");
	if (rec->type == PT_CODE || rec->type == PT_PART ||
	    rec->type == PT_STACK)
		bound_memory(e);
	return 0;
}

int engine_finish(struct engine *e, uint64_t t, struct moment *m,
		  struct err *err)
{
	int rc;

	*m = (struct moment){ 0 };
	verify_finish(&e->verified);
	rc = shadow_finish(e->shadow, t);
	if (!rc)
		rc = steps_resolve(&e->steps, e->shadow, e->codes, e->tasks,
				  m);
	return rc ? err_set(err, rc, "out of memory") : 0;
}
