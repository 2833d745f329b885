/* SPDX-License-Identifier: MIT */
/* rows_detail: what the cells of a row have, each with its share. */
#include "analysis/rows_priv.h"

struct detail_key {
	uint32_t row, what, value;
};

static bool make_room(struct making *mk, uint32_t nr)
{
	uint32_t cap = mk->weights_cap ? mk->weights_cap * 2 : 256;
	uint64_t *more;

	if (nr <= mk->weights_cap)
		return true;
	more = reallocarray(mk->out->weights, cap, sizeof(*more));
	if (!more)
		return false;
	mk->out->weights = more;
	mk->weights_cap = cap;
	return true;
}

static void add_detail(struct making *mk, uint32_t row, enum rows_detail what,
		       uint32_t value, uint64_t weight)
{
	const struct detail_key k = { row, what, value };
	uint32_t before = mk->out->details.nr, nr;

	nr = intern_get(&mk->out->details, &k, sizeof(k));
	if (!nr) {
		mk->failed = true;
		return;
	}
	if (!make_room(mk, nr)) {
		mk->failed = true;
		return;
	}
	if (nr > before)
		mk->out->weights[nr - 1] = 0;
	mk->out->weights[nr - 1] += weight;
}

static uint64_t weight_of(const struct sums *s, uint8_t kind)
{
	return kind == CELL_TIME || kind == CELL_SAMPLES ? s->ns : s->count;
}

void details_of_cell(struct making *mk, uint32_t row, const struct cell *c)
{
	uint64_t weight = weight_of(&c->is, c->key->kind);

	add_detail(mk, row, DETAIL_INNER,
		   model_stack(mk->a, c->key->stack)->inner, weight);
	add_detail(mk, row, DETAIL_CALL, c->key->call, weight);
	add_detail(mk, row, DETAIL_OBJECT, c->key->object, weight);
	add_detail(mk, row, DETAIL_THREAD, c->key->thread, weight);
}

static void add_wakes(struct making *mk)
{
	for (uint32_t i = 1; i <= model_wakes(mk->a); i++) {
		struct wake w;
		uint32_t row;

		model_wake(mk->a, i, &w);
		row = mk->of_cell[w.cell];
		if (!row)
			continue;
		add_detail(mk, row, DETAIL_WAKER, w.kind, w.is.ns);
		if (w.kind != PT_WAKER_TASK)
			continue;
		add_detail(mk, row, DETAIL_WAKER_PLACE,
			   model_stack(mk->a, w.stack)->app, w.is.ns);
		add_detail(mk, row, DETAIL_WAKER_THREAD, w.thread, w.is.ns);
	}
}

static void add_holds(struct making *mk)
{
	for (uint32_t i = 1; i <= model_holds(mk->a); i++) {
		struct hold h;

		model_hold(mk->a, i, &h);
		if (mk->of_cell[h.cell])
			add_detail(mk, mk->of_cell[h.cell], DETAIL_HOLD,
				   h.doing, h.ns);
	}
}

/* The largest of each, by what was met first among equals. */
static void note_largest(struct detail *d, uint32_t value, uint64_t weight)
{
	if (d->all && weight <= d->weight) {
		d->others++;
	} else {
		d->others += d->weight != 0;
		d->value = value;
		d->weight = weight;
	}
	d->all += weight;
}

void details_finish(struct making *mk)
{
	struct rows *out = mk->out;

	add_wakes(mk);
	add_holds(mk);
	out->detail = calloc(out->nr + 1, sizeof(*out->detail));
	out->first_detail = calloc(out->nr + 1, sizeof(*out->first_detail));
	out->next = calloc(out->details.nr + 1, sizeof(*out->next));
	if (!out->detail || !out->first_detail || !out->next) {
		mk->failed = true;
		return;
	}
	for (uint32_t i = 1; i <= out->details.nr; i++) {
		const struct detail_key *k = intern_bytes(&out->details, i,
							  NULL);

		note_largest(&out->detail[k->row - 1][k->what], k->value,
			     out->weights[i - 1]);
		out->next[i] = out->first_detail[k->row - 1];
		out->first_detail[k->row - 1] = i;
	}
}

const struct detail *rows_detail(const struct rows *rows, const struct row *row,
				 enum rows_detail what)
{
	return &rows->detail[row->nr][what];
}

static int by_weight(const void *x, const void *y)
{
	const struct detail *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return a->value < b->value ? -1 : 1;
}

/* The smallest of them makes room. */
static size_t keep(struct detail *out, size_t nr, size_t size,
		   struct detail more)
{
	size_t least = 0;

	if (nr < size) {
		out[nr] = more;
		return nr + 1;
	}
	for (size_t i = 1; i < nr; i++)
		if (out[i].weight < out[least].weight)
			least = i;
	if (nr && out[least].weight < more.weight)
		out[least] = more;
	return nr;
}

size_t rows_details(const struct rows *rows, const struct row *row,
		    enum rows_detail what, struct detail *out, size_t size)
{
	uint64_t all = rows_detail(rows, row, what)->all;
	size_t nr = 0;

	for (uint32_t i = rows->first_detail[row->nr]; i; i = rows->next[i]) {
		const struct detail_key *k = intern_bytes(&rows->details, i,
							  NULL);

		if (k->what == what && k->value)
			nr = keep(out, nr, size, (struct detail){
				.value = k->value, .all = all,
				.weight = rows->weights[i - 1] });
	}
	qsort(out, nr, sizeof(*out), by_weight);
	return nr;
}
