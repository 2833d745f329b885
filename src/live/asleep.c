/* SPDX-License-Identifier: MIT */
/*
 * asleep: the stacks of threads that were asleep before the trace began.
 *
 * Only a current thread is walked by the kernel half.  One that sleeps cannot
 * move its frames while it does, so that they can be read from outside: who
 * sleeps is listed, each is walked, and when the kernel half takes it over
 * (find_threads) it must have left a CPU no more often than before, and be on
 * none.  Then it has not run in between, and its stack is the one of its
 * first time off the CPU, which the kernel half sends with PT_WHY_BEFORE.  Of
 * all others the stack stays unknown.
 */
#include <errno.h>

#include "base/clock.h"
#include "live/complete.h"
#include "live/session_priv.h"
#include "python/codeobj.h"
#include "python/framewalk.h"
#include "target/pages.h"

#define LOOK_MS 300		/* for all of them: the trace is to begin */
#define SLEEPERS_MAX 65536

/* A code object of their frames, and the records that define it. */
struct code {
	struct code_key {
		uint64_t addr;
		uint32_t pid;
		uint32_t pad;
	} key;
	uint64_t id;
	struct queue records;
	bool told;
	UT_hash_handle hh;
};

struct frame {
	struct code *code;
	int32_t lasti;
};

struct sleeper {
	uint32_t tid;
	bool slept;		/* until the kernel half took it over */
	struct pt_sleeper is;
	uint32_t nr, omitted;	/* as in struct pt_stack */
	struct frame *frames;
	UT_hash_handle hh;
};

struct asleep {
	struct pt_sleeper *list;
	size_t nr, room;
	struct sleeper *walked;		/* by thread */
	struct code *codes;
	uint64_t deadline;
};

static void forget_sleeper(struct asleep *a, struct sleeper *p)
{
	HASH_DEL(a->walked, p);
	free(p->frames);
	free(p);
}

void asleep_free(struct asleep *a)
{
	struct sleeper *p, *after;
	struct code *c, *next;

	if (!a)
		return;
	HASH_ITER(hh, a->walked, p, after)
		forget_sleeper(a, p);
	HASH_ITER(hh, a->codes, c, next) {
		HASH_DEL(a->codes, c);
		queue_fini(&c->records);
		free(c);
	}
	free(a->list);
	free(a);
}

/* ---- who sleeps ----------------------------------------------------------- */

static int note_sleeper(const struct pt_sleeper *is, void *arg)
{
	struct asleep *a = arg;

	if (a->nr == SLEEPERS_MAX)
		return 0;
	if (a->nr == a->room) {
		size_t room = a->room ? 2 * a->room : 256;
		struct pt_sleeper *more = reallocarray(a->list, room,
						       sizeof(*more));

		if (!more)
			return -ENOMEM;
		a->list = more;
		a->room = room;
	}
	a->list[a->nr++] = *is;
	return 0;
}

static int by_process(const void *x, const void *y)
{
	const struct pt_sleeper *a = x, *b = y;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* ---- their stacks --------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0xff51afd7ed558ccd);	/* as in state.bpf.h */
	return h ^ h >> 32;
}

#define SEED UINT64_C(0x61736c6565700000)	/* no id of the kernel half's */

/* The process that the threads of one look are in. */
struct look {
	struct pages *pages;
	const struct mem *m;		/* that */
	const struct known_image *img;
	uint64_t bias;
	uint32_t pid;
};

/* All that defines it, out of the process; -EBADMSG: it is no code object. */
static int read_code(const struct look *l, struct code *c)
{
	const struct pt_layout *layout = &l->img->pt.layout;
	struct pt_code rec = {
		.h = { .size = sizeof(rec), .type = PT_CODE, .pid = l->pid,
		       .tid = l->pid },
		.code = c->id, .addr = c->key.addr, .version = layout->version,
	};
	struct codeobj object;
	int rc;

	rc = codeobj_look(l->m, layout, c->key.addr,
			  l->img->pt.code_type + l->bias, &object, NULL);
	if (rc)
		return rc;
	rec.firstline = object.firstline;
	memcpy(rec.part, object.part, sizeof(rec.part));
	rc = complete_from_memory(l->m, l->img, l->bias, &rec, &c->records);
	return rc ? rc : queue_put(&c->records, &rec.h);
}

/* NULL: *rc says why. */
static struct code *find_code(struct asleep *a, const struct look *l,
			      uint64_t addr, int *rc)
{
	const struct code_key key = { .addr = addr, .pid = l->pid };
	struct code *c;

	HASH_FIND(hh, a->codes, &key, sizeof(key), c);
	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	if (!c) {
		*rc = -ENOMEM;
		return NULL;
	}
	c->key = key;
	c->id = mix(mix(SEED, l->pid), addr);
	*rc = read_code(l, c);
	if (*rc) {
		queue_fini(&c->records);
		free(c);
		return NULL;
	}
	HASH_ADD(hh, a->codes, key, sizeof(c->key), c);
	return c;
}

static int keep(struct asleep *a, const struct look *l,
		const struct pt_sleeper *is, const struct framewalk *w)
{
	struct sleeper *p = calloc(1, sizeof(*p)), *old;
	int rc = 0;

	if (!p)
		return -ENOMEM;
	p->tid = is->tid;
	p->is = *is;
	p->nr = w->nr;
	p->omitted = w->omitted;
	p->frames = calloc(w->nr, sizeof(*p->frames));
	for (uint32_t i = 0; p->frames && !rc && i < w->nr; i++) {
		p->frames[i].code = find_code(a, l, w->frames[i].code, &rc);
		p->frames[i].lasti = w->frames[i].lasti;
	}
	if (rc || !p->frames) {
		free(p->frames);
		free(p);
		return rc ? rc : -ENOMEM;
	}
	HASH_FIND(hh, a->walked, &p->tid, sizeof(p->tid), old);
	if (old)
		forget_sleeper(a, old);
	HASH_ADD(hh, a->walked, tid, sizeof(p->tid), p);
	return 0;
}

/*
 * Have the pages here that their walks need: each goes as far as it can, and
 * all pages that were missing are read together.
 */
#define MOST_ROUNDS 200

/* What read_code() will ask for, as far as it is known where that is. */
static void touch_code(const struct look *l, uint64_t addr)
{
	struct codeobj c;
	char byte;

	if (codeobj_look(l->m, &l->img->pt.layout, addr,
			 l->img->pt.code_type + l->bias, &c, NULL))
		return;
	for (size_t i = 0; i < PT_NR_PARTS; i++) {
		const struct pt_part_ref *part = &c.part[i];
		size_t size = codeobj_part_size(part);

		if (part->state != PT_PART_LONG)
			continue;
		for (size_t at = 0; at < size; at += READER_PAGE)
			(void)!mem_read(l->m, part->addr + at, &byte, 1);
		if (size)
			(void)!mem_read(l->m, part->addr + size - 1, &byte, 1);
	}
}

static void touch(const struct asleep *a, const struct look *l, uint64_t fs)
{
	struct framewalk w;

	if (framewalk(l->m, &l->img->pt, l->bias, fs, &w))
		return;
	for (uint32_t i = 0; i < w.nr && !l->pages->full; i++) {
		const struct code_key key = {
			.addr = w.frames[i].code, .pid = l->pid };
		const struct code *known;

		HASH_FIND(hh, a->codes, &key, sizeof(key), known);
		if (!known)
			touch_code(l, key.addr);
	}
}

static int fetch_pages(const struct asleep *a, const struct look *l,
		       const struct pt_sleeper *list, size_t nr)
{
	struct pages *p = l->pages;
	int rc = 1;

	p->later = true;
	for (int n = 0; rc > 0 && n < MOST_ROUNDS && now_ns() < a->deadline;
	     n++) {
		for (size_t i = 0; i < nr && !p->full; i++)
			touch(a, l, list[i].fs);
		rc = pages_fetch(p);
	}
	p->later = false;
	return rc < 0 ? rc : 0;
}

static int walk_some(struct asleep *a, const struct look *l,
		     const struct pt_sleeper *list, size_t nr)
{
	struct framewalk w;
	int rc = fetch_pages(a, l, list, nr);

	if (rc)
		return rc;
	for (size_t i = 0; i < nr && now_ns() < a->deadline; i++) {
		if (framewalk(l->m, &l->img->pt, l->bias, list[i].fs, &w) ||
		    !w.nr)
			continue;
		rc = keep(a, l, &list[i], &w);
		if (rc == -ENOMEM || rc == -ESRCH || rc == -ETIMEDOUT)
			return rc;
	}
	return 0;
}

#define TOGETHER 120		/* when time is up, those before are known */

static int walk_process(struct asleep *a, const struct look *l,
			const struct pt_sleeper *list, size_t nr)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < nr && now_ns() < a->deadline;
	     i += TOGETHER)
		rc = walk_some(a, l, list + i, nr - i < TOGETHER ? nr - i :
								   TOGETHER);
	return rc;
}

/* Its threads are neighbours in the list.  -ENOMEM. */
static int look_into(struct session *s, const struct pt_sleeper *list, size_t nr)
{
	struct look l = { .pid = list->pid };
	struct remote remote = REMOTE_NONE;
	struct proc proc = PROC_NONE;
	struct known_pid *t;
	struct pages pages;
	int rc;

	HASH_FIND(hh, s->known.pids, &l.pid, sizeof(l.pid), t);
	if (!t || !t->running || t->image >= PT_MAX_IMAGES)
		return 0;
	l.img = &s->known.images[t->image];
	l.bias = t->bias;
	if (l.img->why || proc_open(&proc, (pid_t)l.pid, NULL))
		return 0;
	rc = remote_open(&remote, &proc, NULL);
	if (!rc) {
		pages_init(&pages, &remote);
		l.pages = &pages;
		l.m = &pages.mem;
		rc = walk_process(s->asleep, &l, list, nr);
		pages_fini(&pages);
		remote_close(&remote);
	}
	proc_close(&proc);
	return rc == -ENOMEM ? rc : 0;
}

int asleep_look(struct session *s)
{
	struct asleep *a = s->asleep;
	size_t nr;
	int rc;

	if (!a)
		return 0;
	a->nr = 0;
	a->deadline = now_ns() + LOOK_MS * UINT64_C(1000000);
	rc = tracer_list_sleepers(s->tracer, &(struct tracer_sleepers){
		.are = note_sleeper, .arg = a });
	if (a->nr)
		qsort(a->list, a->nr, sizeof(*a->list), by_process);
	for (size_t i = 0; !rc && i < a->nr; i += nr) {
		for (nr = 1; i + nr < a->nr &&
		     a->list[i + nr].pid == a->list[i].pid; nr++)
			;
		rc = look_into(s, a->list + i, nr);
	}
	return rc;
}

/* ---- that they slept on, and what it was ---------------------------------- */

static int confirm(const struct pt_sleeper *is, void *arg)
{
	struct session *s = arg;
	struct sleeper *p = NULL;

	if (s->asleep)
		HASH_FIND(hh, s->asleep->walked, &is->tid, sizeof(is->tid), p);
	if (p)
		p->slept = p->is.pid == is->pid && p->is.fs == is->fs &&
			   p->is.switches == is->switches;
	return 0;
}

struct tracer_sleepers asleep_confirm(struct session *s)
{
	return (struct tracer_sleepers){ .are = confirm, .arg = s };
}

/* As records of the process of `off`, and of its time. */
static int tell_code(struct session *s, struct code *c, const struct pt_hdr *as)
{
	const struct pt_hdr *rec;
	int rc = 0;

	if (c->told)
		return 0;
	while (!rc && (rec = queue_take(&c->records))) {
		struct pt_hdr *own = (struct pt_hdr *)(uintptr_t)rec;

		own->t = as->t;
		own->proc = as->proc;
		rc = queue_put(&s->queue, own);
	}
	c->told = true;
	queue_fini(&c->records);
	return rc;
}

static int tell_stack(struct session *s, const struct sleeper *p,
		      const struct pt_hdr *as, uint64_t *id)
{
	const struct pt_hdr *done;
	struct pt_stack *rec;
	int rc = 0;

	*id = mix(SEED, as->proc);
	for (uint32_t i = 0; !rc && i < p->nr; i++) {
		*id = mix(mix(*id, p->frames[i].code->id),
			  (uint32_t)p->frames[i].lasti);
		rc = tell_code(s, p->frames[i].code, as);
	}
	if (*id < PT_STACK_FIRST)
		*id += PT_STACK_FIRST;
	rec = recbuf_begin(&s->buf, PT_STACK);
	if (rc || !rec)
		return rc ? rc : -ENOMEM;
	rec->h.t = as->t;
	rec->h.pid = as->pid;
	rec->h.tid = as->tid;
	rec->h.proc = as->proc;
	rec->stack = *id;
	rec->omitted = p->omitted;
	for (uint32_t i = 0; i < p->nr; i++) {
		const struct pt_frame f = {
			.code = p->frames[i].code->id,
			.lasti = p->frames[i].lasti,
		};

		recbuf_frame(&s->buf, &f);
	}
	done = recbuf_end(&s->buf);
	return done ? queue_put(&s->queue, done) : -ENOMEM;
}

int asleep_tell(struct session *s, const struct pt_offcpu *off, uint64_t *id)
{
	struct sleeper *p = NULL;
	int rc = 0;

	*id = PT_STACK_UNKNOWN;
	if (s->asleep && off->why == PT_WHY_BEFORE)
		HASH_FIND(hh, s->asleep->walked, &off->h.tid,
			  sizeof(off->h.tid), p);
	if (!p)
		return 0;
	if (p->slept && p->is.pid == off->h.pid)
		rc = tell_stack(s, p, &off->h, id);
	forget_sleeper(s->asleep, p);
	return rc;
}

int asleep_new(struct session *s)
{
	s->asleep = calloc(1, sizeof(*s->asleep));
	return s->asleep ? 0 : -ENOMEM;
}
