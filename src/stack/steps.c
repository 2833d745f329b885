/* SPDX-License-Identifier: MIT */
/* steps: those of the shadow stacks with the names of their functions. */
#include "stack/steps.h"

#include <errno.h>
#include <stdlib.h>

#include "stack/cause.h"

_Static_assert(SHADOW_CAUSES == CAUSE_STOPPED + 1, "a cause without a count");

void steps_free(struct steps *t)
{
	free(t->step);
	free(t->frames);
	*t = (struct steps){ 0 };
}

static bool room(struct steps *t, size_t nr, size_t frames)
{
	struct moment_step *step = t->step;
	struct frame *f = t->frames;

	if (nr > t->cap) {
		step = realloc(step, nr * sizeof(*step));
		if (!step)
			return false;
		t->step = step;
		t->cap = nr;
	}
	if (frames > t->cap_frames) {
		f = realloc(f, frames * sizeof(*f));
		if (!f)
			return false;
		t->frames = f;
		t->cap_frames = frames;
	}
	return true;
}

static int resolve_stack(const struct shadow *s, struct codes *c,
			 const struct step *step, struct frame *frames,
			 struct pystack *st)
{
	const uint64_t *codes = shadow_step_codes(s, step);
	int rc = 0;

	if (!codes) {
		st->why_nr = PT_WHY_NOT_WALKED;
		st->why = engine_why_words(st->why_nr);
		return 0;
	}
	st->known = true;
	st->frames = frames;
	st->omitted = step->omitted;
	for (uint32_t i = 0; i < step->nr_codes && !rc; i++) {
		rc = codes_names(c, codes[i], &frames[st->nr]);
		st->nr += !frames[st->nr].is_shim;
		if (i < PT_INNER)
			st->nr_inner = st->nr;
	}
	return rc;
}

int steps_resolve(struct steps *t, const struct shadow *s, struct codes *c,
		  const struct tasks *tasks, struct moment *m)
{
	size_t nr, frames = 0, used = 0;
	const struct step *step = shadow_steps(s, &nr);
	int rc = 0;

	for (size_t i = 0; i < nr; i++)
		frames += step[i].nr_codes;
	if (nr && !room(t, nr, frames))
		return -ENOMEM;
	for (size_t i = 0; i < nr && !rc; i++) {
		t->step[i] = (struct moment_step){
			.step = &step[i],
			.thread = tasks_thread(tasks, step[i].tid),
		};
		rc = codes_names(c, step[i].code, &t->step[i].func);
		if (!rc)
			rc = resolve_stack(s, c, &step[i], t->frames + used,
					   &t->step[i].stack);
		used += step[i].nr_codes;
	}
	m->steps = nr ? t->step : NULL;
	m->nr_steps = nr;
	return rc;
}

void steps_spent(struct shadow *s, const struct pt_event *ev,
		 const struct process *p)
{
	const struct pt_offcpu *off = (const void *)ev;
	const struct pt_fault *fault = (const void *)ev;

	if (ev->h.type == PT_OFFCPU)
		shadow_off(s, ev->h.tid, cause_of(p, off), off->dur);
	else if (ev->h.type == PT_SYSCALL)
		shadow_syscall(s, ev->h.tid, ev->dur);
	else if (ev->h.type == PT_FAULT)
		shadow_fault(s, ev->h.tid, fault->major == PT_YES);
}
