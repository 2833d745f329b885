/* SPDX-License-Identifier: MIT */
/* verify: is the stack that calls make the one that a walk finds? */
#include "stack/verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/table.h"

/* Events at which a frame was linked whose call had not been told yet. */
struct pending {
	uint32_t tid;
	bool but;		/* else it is a generator that was thrown into */
	uint64_t leaves;	/* or calls have a frame more, which is this */
	bool plain;		/* and none is below it */
	uint64_t code, events, t;
	char walked[VERIFY_TEXT], kept[VERIFY_TEXT];
	UT_hash_handle hh;
};

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

/* From the `skip`-th walked frame on, and the `from`-th that calls make. */
static bool is_same(const struct walked *w, uint32_t skip,
		    const struct shadow *s, uint32_t tid,
		    const struct shadow_stack *st, uint32_t from)
{
	bool whole = w->whole && !st->omitted && !st->open;

	if (w->nr < skip || st->nr < from ||
	    (whole && w->nr - skip != st->nr - from))
		return false;
	for (uint32_t i = 0; i + skip < w->nr && i + from < st->nr; i++) {
		uint64_t code = shadow_at(s, tid, i + from).code;

		if (code && code != w->codes[i + skip])
			return false;
	}
	return true;
}

/*
 * The same but for generators that are suspended as far as calls tell: one into
 * which an exception was thrown (3.15 tells when it ends or calls), and those
 * that it passes; to 3.10 a walk goes no further than to the last of these.
 */
static bool is_same_but(const struct walked *w, uint32_t skip,
			const struct shadow *s, uint32_t tid,
			const struct shadow_stack *st)
{
	uint32_t i = skip, at = 0;
	bool skipped = false;

	for (; i < w->nr; i++) {
		uint64_t code = at < st->nr ? shadow_at(s, tid, at).code : 0;

		if (at < st->nr && code == w->codes[i]) {
			skipped = false;
			at++;
			continue;
		}
		if (!shadow_suspended(s, w->codes[i]))
			return false;
		skipped = true;
	}
	return at == st->nr || skipped || !w->whole;
}

static void add_name(char *out, const struct frame *f)
{
	size_t used = strlen(out);

	snprintf(out + used, VERIFY_TEXT - used, "%s%s", used ? " < " : "",
		 f->func ? f->func : "?");
}

static int name_both(char *walked, char *kept, const struct walked *w,
		     const struct shadow *s, struct codes *c, uint32_t tid,
		     uint32_t nr)
{
	int rc = 0;

	for (uint32_t i = 0; i < w->nr; i++)
		add_name(walked, &w->frames[i]);
	for (uint32_t i = 0; i < nr && i < PT_MAX_FRAMES && !rc; i++) {
		struct frame f;

		rc = codes_names(c, shadow_at(s, tid, i).code, &f);
		if (!rc)
			add_name(kept, &f);
	}
	return rc;
}

static void differ(struct verified *v, const struct pending *p)
{
	if (!v->differed) {
		v->t = p->t;
		v->tid = p->tid;
		memcpy(v->walked, p->walked, sizeof(v->walked));
		memcpy(v->kept, p->kept, sizeof(v->kept));
	}
	v->differed += p->events;
}

static struct pending *find(const struct verified *v, uint32_t tid)
{
	struct pending *p;

	HASH_FIND(hh, v->pending, &tid, sizeof(tid), p);
	return p;
}

static void drop(struct verified *v, struct pending *p)
{
	HASH_DEL(v->pending, p);
	free(p);
}

/* It is not what the next record tells of. */
static void is_other(struct verified *v, struct pending *p)
{
	if (p->but)
		v->untold += p->events;
	else
		differ(v, p);
	drop(v, p);
}

static int add_pending(struct verified *v, const struct pending *what)
{
	struct pending *p = find(v, what->tid);

	if (p && p->code == what->code && p->leaves == what->leaves) {	/* another before that record */
		p->events++;
		return 0;
	}
	if (p)
		is_other(v, p);
	p = malloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = *what;
	HASH_ADD(hh, v->pending, tid, sizeof(p->tid), p);
	if (p->hh.tbl)
		return 0;
	free(p);
	return -ENOMEM;
}

/* Is it what the record tells of? */
static bool is_told(const struct pending *p, const struct codes *c,
		    const struct pt_hdr *rec)
{
	const struct pt_return *ret = (const void *)rec;
	const struct pt_call *call = (const void *)rec;

	if (p->leaves)
		return rec->type == PT_RETURN && ret->frame == p->leaves &&
		       rec->flags & PT_RETURN_EXACT;
	return rec->type == PT_CALL && codes_first(c, call->code) == p->code;
}

void verify_next(struct verified *v, const struct codes *c,
		 const struct pt_hdr *rec)
{
	struct pending *p = v->pending ? find(v, rec->tid) : NULL;

	if (!p)
		return;
	if (!is_told(p, c, rec)) {
		is_other(v, p);
		return;
	}
	v->untold += p->plain ? 0 : p->events;
	drop(v, p);
}

void verify_finish(struct verified *v)
{
	while (v->pending) {
		v->compared -= v->pending->events;
		v->unknown += v->pending->events;
		drop(v, v->pending);
	}
}

void verify_fini(struct verified *v)
{
	while (v->pending)
		drop(v, v->pending);
}

/*
 * It is one frame more than calls tell of, or differs.  What has just been left
 * is a moment longer on its chain; else the next record decides.  It decides
 * also of one frame less: a synthetic probe tells of an end after it.
 */
static int judge(struct verified *v, const struct shadow *s, struct codes *c,
		 const struct walked *w, const struct shadow_stack *st,
		 struct pending *what)
{
	uint32_t tid = what->tid;
	bool one_more;
	int rc;

	what->but = is_same_but(w, 0, s, tid, st);
	what->plain = w->nr && is_same(w, 1, s, tid, st, 0);
	one_more = what->plain || (w->nr && is_same_but(w, 1, s, tid, st));
	if (one_more && w->codes[0] == st->left) {
		v->untold += !what->plain;
		return 0;
	}
	if (!one_more && what->but) {
		v->untold++;
		return 0;
	}
	if (!one_more && st->nr && is_same(w, 0, s, tid, st, 1)) {
		what->leaves = shadow_at(s, tid, 0).frame;
		what->plain = true;
	}
	rc = name_both(what->walked, what->kept, w, s, c, tid, st->nr);
	what->code = one_more ? w->codes[0] : 0;
	if (!rc && (one_more || what->leaves))
		return add_pending(v, what);
	if (!rc)
		differ(v, what);
	return rc;
}

/*
 * An event that is told late, after calls that it was before, is not compared:
 * the stack of then is not kept.
 */
int verify_stack(struct verified *v, const struct shadow *s, struct codes *c,
		 const struct pt_event *ev, const struct stack_def *def)
{
	struct pending what = { .tid = ev->h.tid, .t = ev->h.t, .events = 1 };
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
	return is_same(&w, 0, s, ev->h.tid, &st, 0) ? 0 :
	       judge(v, s, c, &w, &st, &what);
}
