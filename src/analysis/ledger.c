/* SPDX-License-Identifier: MIT */
/* ledger: cells, and what their keys name. */
#include "analysis/ledger.h"

#include "base/compiler.h"

static void free_hists(struct ledger *l)
{
	for (uint32_t i = 0; l->hists && i < l->sums_cap; i++)
		hist_free(&l->hists[i]);
	l->hist_memory = 0;
}

void ledger_free(struct ledger *l)
{
	free_hists(l);
	free(l->hists);
	intern_free(&l->strings);
	intern_free(&l->places);
	intern_free(&l->stacks);
	intern_free(&l->objects);
	intern_free(&l->cells);
	intern_free(&l->wakes);
	intern_free(&l->seen);
	intern_free(&l->doings);
	intern_free(&l->holds);
	intern_free(&l->kernels);
	free(l->hold_ns);
	free(l->info);
	free(l->sums);
	free(l->wake_sums);
	free(l->estimate);
	free(l->seen_stack);
	*l = (struct ledger){ 0 };
}

void ledger_reset(struct ledger *l)
{
	intern_free(&l->cells);
	intern_free(&l->wakes);
	if (l->sums)
		memset(l->sums, 0, l->sums_cap * sizeof(*l->sums));
	free_hists(l);
	if (l->estimate)
		memset(l->estimate, 0, l->sums_cap);
	intern_free(&l->holds);
	if (l->hold_ns)
		memset(l->hold_ns, 0, l->hold_cap * sizeof(*l->hold_ns));
	if (l->wake_sums)
		memset(l->wake_sums, 0, l->wake_cap * sizeof(*l->wake_sums));
}

static size_t memory(const struct ledger *l)
{
	return l->strings.memory + l->places.memory + l->stacks.memory +
	       l->objects.memory + l->cells.memory + l->wakes.memory +
	       l->seen.memory + l->doings.memory + l->holds.memory +
	       l->kernels.memory +
	       l->hold_cap * sizeof(*l->hold_ns) + l->info_cap * sizeof(*l->info) +
	       (size_t)l->sums_cap * (sizeof(*l->sums) + sizeof(*l->hists) + 1) +
	       l->hist_memory +
	       l->wake_cap * sizeof(*l->wake_sums) +
	       l->seen_cap * sizeof(*l->seen_stack);
}

/* The array with room for element `nr`, the new part zeroed; NULL: no memory. */
static void *grow(void *array, uint32_t *cap, uint32_t nr, size_t size)
{
	uint32_t want = *cap;
	void *more;

	if (nr < *cap)
		return array;
	while (want <= nr)
		want = want ? want * 2 : 64;
	more = reallocarray(array, want, size);
	if (!more)
		return NULL;
	memset((char *)more + *cap * size, 0, (want - *cap) * size);
	*cap = want;
	return more;
}

static uint32_t note(struct ledger *l, uint32_t nr)
{
	if (!nr)
		l->failed = true;
	return nr;
}

/* ---- places and stacks ---------------------------------------------------- */

static uint32_t string(struct ledger *l, const char *s, size_t len)
{
	return s ? note(l, intern_get(&l->strings, s, len)) : 0;
}

static uint32_t place(struct ledger *l, const struct frame *f)
{
	struct place p = {
		.file = string(l, f->file, f->file_len),
		.func = string(l, f->func, f->func_len),
		.line = f->line,
		.def = f->def,
		.origin = f->origin,
		.app = app_is(&l->app, f),
	};

	return note(l, intern_get(&l->places, &p, sizeof(p)));
}

/* What a stack is kept as; `places` follow. */
struct stack_key {
	uint32_t known, why, omitted, coarse;
	uint32_t charged;	/* index of that place */
	uint32_t nr_inner;
	uint32_t place[PT_MAX_FRAMES];
};

static uint32_t fill_key(struct ledger *l, struct stack_key *key,
			 const struct pystack *st)
{
	uint32_t app;

	memset(key, 0, offsetof(struct stack_key, place));
	key->known = st->known;
	key->why = st->why_nr;
	key->omitted = st->omitted;
	key->nr_inner = st->omitted ? st->nr_inner : 0;
	key->coarse = memory(l) > l->limit / 2;
	if (!st->nr)
		return 0;
	app = app_frame(&l->app, st);
	if (key->coarse) {
		l->coarse++;
		key->place[0] = place(l, &st->frames[0]);
		key->place[1] = place(l, &st->frames[app]);
		key->charged = app ? 1 : 0;
		return app ? 2 : 1;
	}
	key->charged = app;
	for (uint32_t i = 0; i < st->nr; i++)
		key->place[i] = place(l, &st->frames[i]);
	return st->nr;
}

static void describe(struct ledger *l, uint32_t nr)
{
	struct stack_info *info = &l->info[nr];
	const struct stack_key *key;
	size_t len;

	key = intern_bytes(&l->stacks, nr, &len);
	*info = (struct stack_info){
		.nr = (uint32_t)((len - offsetof(struct stack_key, place)) /
				 sizeof(uint32_t)),
		.omitted = key->omitted,
		.nr_inner = key->nr_inner,
		.why = (uint8_t)key->why,
		.known = key->known,
		.coarse = key->coarse,
		.places = key->place,
	};
	if (!info->nr)
		return;
	info->inner = key->place[0];
	info->app = key->place[key->charged];
}

static uint32_t keep_stack(struct ledger *l, const struct pystack *st)
{
	struct stack_key key;
	struct stack_info *info;
	uint32_t nr, before = l->stacks.nr;

	nr = fill_key(l, &key, st);
	nr = note(l, intern_get(&l->stacks, &key,
				offsetof(struct stack_key, place) +
				nr * sizeof(key.place[0])));
	if (nr <= before)
		return nr;
	info = grow(l->info, &l->info_cap, nr, sizeof(*info));
	if (!info) {
		l->failed = true;
		return 0;
	}
	l->info = info;
	describe(l, nr);
	return nr;
}

/* Will the same id be the same frames for ever? */
static bool is_final(const struct pystack *st)
{
	if (!st->known || !st->nr)
		return false;
	for (uint32_t i = 0; i < st->nr; i++)
		if (st->frames[i].why)
			return false;
	return true;
}

uint32_t ledger_stack(struct ledger *l, uint64_t id, const struct pystack *st)
{
	uint32_t seen, nr, *more;

	seen = id >= PT_STACK_FIRST ?
		intern_find(&l->seen, &id, sizeof(id)) : 0;
	if (seen && l->seen_stack[seen])
		return l->seen_stack[seen];
	if (memory(l) > l->limit) {
		l->coarse++;
		return 0;
	}
	nr = keep_stack(l, st);
	if (!nr || id < PT_STACK_FIRST || !is_final(st))
		return nr;
	seen = note(l, intern_get(&l->seen, &id, sizeof(id)));
	more = grow(l->seen_stack, &l->seen_cap, seen, sizeof(*more));
	if (!more) {
		l->failed = true;
		return nr;
	}
	l->seen_stack = more;
	l->seen_stack[seen] = nr;
	return nr;
}

uint32_t ledger_kernel(struct ledger *l, const struct kstack *k)
{
	uint32_t func[KSTACK_FRAMES];

	if (!k || memory(l) > l->limit)
		return 0;
	for (uint32_t i = 0; i < k->nr; i++)
		func[i] = string(l, k->func[i], strlen(k->func[i]));
	return k->nr ? note(l, intern_get(&l->kernels, func,
					  k->nr * sizeof(func[0]))) : 0;
}

/* ---- objects -------------------------------------------------------------- */

/* Bytes of an object: its kind, and what it is. */
static uint32_t object(struct ledger *l, enum object_kind kind,
		       const void *bytes, size_t len)
{
	unsigned char key[8 + 512] = { (unsigned char)kind };

	if (memory(l) > l->limit)
		return 0;
	if (len > sizeof(key) - 8)
		len = sizeof(key) - 8;
	memcpy(key + 8, bytes, len);
	return note(l, intern_get(&l->objects, key, 8 + len));
}

uint32_t ledger_socket(struct ledger *l, const struct pt_socket *socket)
{
	return object(l, OBJECT_SOCKET, socket, sizeof(*socket));
}

uint32_t ledger_path(struct ledger *l, const char *path, size_t len)
{
	return object(l, OBJECT_FILE, path, len);
}

uint32_t ledger_number(struct ledger *l, enum object_kind kind, uint32_t nr)
{
	return object(l, kind, &nr, sizeof(nr));
}

/* ---- cells ---------------------------------------------------------------- */

static bool make_cell_room(struct ledger *l, uint32_t nr)
{
	uint32_t cap = l->sums_cap;
	bool *estimate = grow(l->estimate, &cap, nr, sizeof(*estimate));
	struct hist *hists;
	struct sums *sums;

	if (!estimate)
		return false;
	l->estimate = estimate;
	cap = l->sums_cap;
	hists = grow(l->hists, &cap, nr, sizeof(*hists));
	if (!hists)
		return false;
	l->hists = hists;
	sums = grow(l->sums, &l->sums_cap, nr, sizeof(*sums));
	if (!sums)
		return false;
	l->sums = sums;
	return true;
}

uint32_t ledger_cell(struct ledger *l, const struct cell_key *key)
{
	uint32_t nr = intern_find(&l->cells, key, sizeof(*key));
	struct cell_key coarse;

	if (nr)
		return nr;
	if (memory(l) > l->limit) {
		coarse = *key;
		coarse.thread = coarse.stack = coarse.object = 0;
		coarse.kernel = 0;
		key = &coarse;
		l->coarse++;
	}
	nr = intern_get(&l->cells, key, sizeof(*key));
	if (!nr || !make_cell_room(l, nr)) {
		l->failed = true;
		return 0;
	}
	return nr;
}

static void add(struct sums *s, uint64_t count, uint64_t ns)
{
	s->count += count;
	s->ns += ns;
	if (ns > s->max)
		s->max = ns;
}

void ledger_add(struct ledger *l, uint32_t cell, uint64_t count, uint64_t ns)
{
	if (cell)
		add(&l->sums[cell], count, ns);
}

void ledger_event(struct ledger *l, uint32_t cell, uint64_t ns)
{
	struct hist *h;

	if (!cell)
		return;
	h = &l->hists[cell];
	add(&l->sums[cell], 1, ns);
	l->hist_memory -= hist_memory(h);
	hist_add(h, ns, memory(l) > l->limit);
	l->hist_memory += hist_memory(h);
}

void ledger_longer(struct ledger *l, uint32_t cell, uint64_t before,
		   uint64_t ns)
{
	struct hist *h;

	if (!cell)
		return;
	h = &l->hists[cell];
	l->sums[cell].ns += ns;
	if (l->sums[cell].max < before + ns)
		l->sums[cell].max = before + ns;
	l->hist_memory -= hist_memory(h);
	hist_move(h, before, before + ns, memory(l) > l->limit);
	l->hist_memory += hist_memory(h);
}

void ledger_wake(struct ledger *l, const struct wake_key *key, uint64_t ns)
{
	uint32_t nr = intern_find(&l->wakes, key, sizeof(*key));
	struct sums *more;

	if (!nr && memory(l) > l->limit)
		return;
	if (!nr)
		nr = note(l, intern_get(&l->wakes, key, sizeof(*key)));
	more = grow(l->wake_sums, &l->wake_cap, nr, sizeof(*more));
	if (!nr || !more) {
		l->failed = true;
		return;
	}
	l->wake_sums = more;
	add(&l->wake_sums[nr], 1, ns);
}

uint32_t ledger_doing(struct ledger *l, const struct doing *doing)
{
	uint32_t nr = intern_find(&l->doings, doing, sizeof(*doing));

	if (nr || memory(l) > l->limit)
		return nr;
	return note(l, intern_get(&l->doings, doing, sizeof(*doing)));
}

void ledger_hold(struct ledger *l, const struct hold_key *key, uint64_t ns)
{
	uint32_t nr = intern_find(&l->holds, key, sizeof(*key));
	uint64_t *more;

	if (!nr && memory(l) > l->limit)
		return;
	if (!nr)
		nr = note(l, intern_get(&l->holds, key, sizeof(*key)));
	more = grow(l->hold_ns, &l->hold_cap, nr, sizeof(*more));
	if (!nr || !more) {
		l->failed = true;
		return;
	}
	l->hold_ns = more;
	l->hold_ns[nr] += ns;
}
