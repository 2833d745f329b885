/* SPDX-License-Identifier: MIT */
/* verify: is the stack that calls make the one that a walk finds? */
#include "stack/verify.h"

#include <stdio.h>
#include <string.h>

/* The walked frames that calls know of: not the interpreter's own. */
struct walked {
	struct frame frames[PT_MAX_FRAMES];
	uint64_t codes[PT_MAX_FRAMES];
	uint32_t nr;
	bool whole;		/* none was left out */
};

static int read_walked(struct walked *w, struct codes *c,
		       const struct stack_def *def)
{
	uint32_t nr = def->omitted && def->nr > PT_INNER ? PT_INNER : def->nr;
	int rc = 0;

	w->nr = 0;
	w->whole = !def->omitted && def->why == PT_WHY_NONE;
	for (uint32_t i = 0; i < nr && !rc; i++) {
		rc = codes_names(c, def->frames[i].code, &w->frames[w->nr]);
		w->codes[w->nr] = codes_first(c, def->frames[i].code);
		w->nr += !rc && !w->frames[w->nr].is_shim;
	}
	return rc;
}

static bool is_same(const struct walked *w, const struct shadow *s,
		    uint32_t tid, const struct shadow_stack *st)
{
	bool whole = w->whole && !st->omitted && !st->open;

	if (whole && w->nr != st->nr)
		return false;
	for (uint32_t i = 0; i < w->nr && i < st->nr; i++) {
		uint64_t code = shadow_at(s, tid, i).code;

		if (code && code != w->codes[i])
			return false;
	}
	return true;
}

static void add_name(char *out, const struct frame *f)
{
	size_t used = strlen(out);

	snprintf(out + used, VERIFY_TEXT - used, "%s%s", used ? " < " : "",
		 f->func ? f->func : "?");
}

static int remember(struct verified *v, const struct walked *w,
		    const struct shadow *s, struct codes *c,
		    const struct pt_event *ev, const struct shadow_stack *st)
{
	int rc = 0;

	v->t = ev->h.t;
	v->tid = ev->h.tid;
	for (uint32_t i = 0; i < w->nr; i++)
		add_name(v->walked, &w->frames[i]);
	for (uint32_t i = 0; i < st->nr && i < PT_MAX_FRAMES && !rc; i++) {
		struct frame f;

		rc = codes_names(c, shadow_at(s, ev->h.tid, i).code, &f);
		if (!rc)
			add_name(v->kept, &f);
	}
	return rc;
}

/*
 * An event that is told late, after calls that it was before, is not compared:
 * the stack of then is not kept.
 */
int verify_stack(struct verified *v, const struct shadow *s, struct codes *c,
		 const struct pt_event *ev, const struct stack_def *def)
{
	struct shadow_stack st;
	struct walked w;
	int rc;

	if (!def || !shadow_stack(s, ev->h.tid, &st) || ev->h.t < st.t) {
		v->unknown++;
		return 0;
	}
	rc = read_walked(&w, c, def);
	if (rc)
		return rc;
	v->compared++;
	if (is_same(&w, s, ev->h.tid, &st))
		return 0;
	return v->differed++ ? 0 : remember(v, &w, s, c, ev, &st);
}
