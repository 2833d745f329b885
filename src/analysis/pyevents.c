/* SPDX-License-Identifier: MIT */
/* pyevents: collections by generation and place, imports by module. */
#include "analysis/pyevents.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/intern.h"
#include "stack/appframe.h"
#include "stack/named.h"
#include "stack/table.h"

#define GENERATIONS 8

/* Imports of a thread that ended, and are not inside another one so far. */
struct thread_imports {
	uint32_t tid;
	uint32_t *top;		/* 1 + index, in order */
	uint32_t nr, cap;
	UT_hash_handle hh;
};

struct pyevents {
	struct gc_row gc[GENERATIONS + 1];	/* the last: unknown */
	uint32_t nr_gc;
	struct intern texts;
	struct gc_place *place;		/* by number of its text, less 1 */
	uint32_t nr_places, cap_places;
	struct intern modules;
	struct import_node *import;
	uint32_t nr_imports, cap_imports;
	struct thread_imports *threads;
	struct app_rule app;
	uint64_t left_out, first, last;
};

int pyevents_new(struct pyevents **out, struct err *err)
{
	struct pyevents *p = calloc(1, sizeof(*p));

	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	*out = p;
	return 0;
}

void pyevents_free(struct pyevents *p)
{
	struct thread_imports *th, *next;

	if (!p)
		return;
	HASH_ITER(hh, p->threads, th, next) {
		HASH_DEL(p->threads, th);
		free(th->top);
		free(th);
	}
	for (uint32_t i = 0; i < p->nr_gc; i++)
		hist_free(&p->gc[i].hist);
	intern_free(&p->texts);
	intern_free(&p->modules);
	free(p->place);
	free(p->import);
	free(p);
}

const struct gc_row *pyevents_gc(const struct pyevents *p, uint32_t *nr)
{
	*nr = p->nr_gc;
	return p->gc;
}

const struct gc_place *pyevents_places(const struct pyevents *p, uint32_t *nr)
{
	*nr = p->nr_places;
	return p->place;
}

const struct import_node *pyevents_imports(const struct pyevents *p,
					   uint32_t *nr)
{
	*nr = p->nr_imports;
	return p->import;
}

uint64_t pyevents_left_out(const struct pyevents *p)
{
	return p->left_out;
}

void pyevents_span(const struct pyevents *p, uint64_t *first, uint64_t *last)
{
	*first = p->first;
	*last = p->last;
}

/* ---- collections ------------------------------------------------------------------ */

static struct gc_row *gc_row(struct pyevents *p, int64_t generation)
{
	for (uint32_t i = 0; i < p->nr_gc; i++)
		if (p->gc[i].generation == generation)
			return &p->gc[i];
	if (p->nr_gc >= GENERATIONS && generation >= 0)
		return gc_row(p, -1);
	p->gc[p->nr_gc].generation = generation;
	return &p->gc[p->nr_gc++];
}

static uint32_t put_text(char *out, size_t size, size_t used, const char *s,
			 size_t len)
{
	if (len > size - used)
		len = size - used;
	if (len)
		memcpy(out + used, s, len);
	return (uint32_t)(used + len);
}

/* "/srv/shop/orm.py:210 hydrate" */
static size_t place_text(struct pyevents *p, const struct pystack *st,
			 char *out, size_t size)
{
	const struct frame *f;
	char line[24];
	size_t used;

	if (!st->known || !st->nr)
		return (size_t)snprintf(out, size, "(%s)", st->known ?
					"no Python frame" :
					st->why ? st->why : "stack not known");
	f = &st->frames[app_frame(&p->app, st)];
	used = put_text(out, size, 0, f->file ? f->file : "?",
			f->file ? f->file_len : 1);
	snprintf(line, sizeof(line), ":%d ", f->line);
	used = put_text(out, size, used, f->line < 0 ? " " : line,
			f->line < 0 ? 1 : strlen(line));
	return put_text(out, size, used, f->func ? f->func : "?",
			f->func ? f->func_len : 1);
}

static int add_place(struct pyevents *p, const struct moment *m, uint64_t ns)
{
	char text[1024];
	size_t len = place_text(p, &m->stack, text, sizeof(text));
	uint32_t nr = intern_find(&p->texts, text, len);
	struct gc_place *place = p->place;

	if (!nr && p->nr_places >= PYEVENTS_MAX) {
		p->left_out++;
		return 0;
	}
	if (!nr && p->nr_places == p->cap_places) {
		uint32_t cap = p->cap_places ? p->cap_places * 2 : 16;

		place = realloc(place, cap * sizeof(*place));
		if (!place)
			return -ENOMEM;
		p->place = place;
		p->cap_places = cap;
	}
	if (!nr) {
		nr = intern_get(&p->texts, text, len);
		if (!nr)
			return -ENOMEM;
		place[p->nr_places++] = (struct gc_place){
			.text = intern_bytes(&p->texts, nr, &len) };
	}
	place += nr - 1;
	place->count++;
	place->ns += ns;
	if (ns > place->max_ns)
		place->max_ns = ns;
	return 0;
}

static int add_gc(struct pyevents *p, const struct moment *m,
		  const struct pt_tracepoint *tp)
{
	struct evvalue v;
	bool known = named_value(m->named, tp, "generation", &v);
	struct gc_row *row = gc_row(p, known ? (int64_t)v.number : -1);

	row->count++;
	if (named_value(m->named, tp, "collected", &v))
		row->collected += v.number;
	if (known) {
		row->ns += tp->dur;
		if (tp->dur > row->max_ns)
			row->max_ns = tp->dur;
		hist_add(&row->hist, tp->dur, false);
	}
	return add_place(p, m, tp->dur);
}

/* ---- imports ----------------------------------------------------------------------- */

static struct thread_imports *thread_of(struct pyevents *p, uint32_t tid)
{
	struct thread_imports *th;

	HASH_FIND(hh, p->threads, &tid, sizeof(tid), th);
	if (th)
		return th;
	th = calloc(1, sizeof(*th));
	if (!th)
		return NULL;
	th->tid = tid;
	HASH_ADD(hh, p->threads, tid, sizeof(tid), th);
	if (th->hh.tbl)
		return th;
	free(th);
	return NULL;
}

static bool push(struct thread_imports *th, uint32_t nr)
{
	uint32_t cap = th->cap ? th->cap * 2 : 16;
	uint32_t *top = th->top;

	if (th->nr == th->cap) {
		top = realloc(top, cap * sizeof(*top));
		if (!top)
			return false;
		th->top = top;
		th->cap = cap;
	}
	top[th->nr++] = nr;
	return true;
}

/* Those that began after it are inside it. */
static void adopt(struct pyevents *p, struct thread_imports *th,
		  struct import_node *it, uint32_t nr)
{
	while (it->whole && th->nr) {
		struct import_node *child = &p->import[th->top[th->nr - 1] - 1];

		if (child->t < it->t)
			break;
		child->parent = nr;
		it->self_ns -= child->ns < it->self_ns ? child->ns : it->self_ns;
		th->nr--;
	}
}

static struct import_node *new_import(struct pyevents *p)
{
	uint32_t cap = p->cap_imports ? p->cap_imports * 2 : 64;
	struct import_node *import = p->import;

	if (p->nr_imports == p->cap_imports) {
		import = realloc(import, cap * sizeof(*import));
		if (!import)
			return NULL;
		p->import = import;
		p->cap_imports = cap;
	}
	return &import[p->nr_imports++];
}

static const char *module_name(struct pyevents *p, const struct moment *m,
			       const struct pt_tracepoint *tp)
{
	struct evvalue v;
	uint32_t nr;
	size_t len;

	if (!named_value(m->named, tp, "module", &v))
		return "?";
	nr = intern_get(&p->modules, v.bytes, v.len);
	return nr ? intern_bytes(&p->modules, nr, &len) : "?";
}

static int add_import(struct pyevents *p, const struct moment *m,
		      const struct pt_tracepoint *tp)
{
	struct thread_imports *th = thread_of(p, tp->h.tid);
	struct import_node *it;
	struct evvalue v;

	if (!th)
		return -ENOMEM;
	if (p->nr_imports >= PYEVENTS_MAX) {
		p->left_out++;
		return 0;
	}
	it = new_import(p);
	if (!it)
		return -ENOMEM;
	*it = (struct import_node){
		.tid = tp->h.tid, .t = tp->h.t, .ns = tp->dur,
		.self_ns = tp->dur, .whole = tp->dur,
		.found = named_value(m->named, tp, "found", &v) && v.number,
		.module = module_name(p, m, tp),
	};
	adopt(p, th, it, p->nr_imports);
	return push(th, p->nr_imports) ? 0 : -ENOMEM;
}

int pyevents_add(struct pyevents *p, const struct moment *m, struct err *err)
{
	const struct pt_tracepoint *tp = (const void *)m->rec;
	int rc = 0;

	if (m->rec->type != PT_TRACEPOINT || !m->named ||
	    (m->named->kind != PT_NAMED_GC && m->named->kind != PT_NAMED_IMPORT))
		return 0;
	if (!p->first || tp->h.t < p->first)
		p->first = tp->h.t;
	if (tp->h.t + tp->dur > p->last)
		p->last = tp->h.t + tp->dur;
	rc = m->named->kind == PT_NAMED_GC ? add_gc(p, m, tp) :
					     add_import(p, m, tp);
	return rc ? err_set(err, rc, "out of memory") : 0;
}
