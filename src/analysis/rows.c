/* SPDX-License-Identifier: MIT */
/* rows: cells of a model summed up by a key, in order. */
#include "analysis/rows.h"

#include <errno.h>

/* What tells rows apart; of a function its file, name and first line. */
struct row_key {
	uint32_t key, func, def;
	uint32_t object;
	uint16_t call;
	uint8_t kind, cause;
};

struct making {
	struct rows *out;
	const struct analysis *a;
	const struct rows_query *q;
	struct intern keys;
	uint32_t *of_cell;	/* row of each, from 1; 0: none */
	uint32_t cap, weights_cap;
	bool failed;
};

static void key_by_func(const struct making *mk, struct row_key *k,
			uint32_t inner)
{
	const struct place *p = model_place(mk->a, inner);

	if (!p)
		return;
	k->key = p->file;
	k->func = p->func;
	k->def = (uint32_t)p->def;
}

static bool is_native(const struct stack_info *st)
{
	return st->known && !st->nr && !st->why;
}

static struct row_key key_of(const struct making *mk, const struct cell *c)
{
	const struct rows_query *q = mk->q;
	const struct stack_info *st = model_stack(mk->a, c->key->stack);
	struct row_key k = { .kind = c->key->kind };

	if (q->by_cause && c->key->kind == CELL_TIME)
		k.cause = (uint8_t)spent_group((enum spent)c->key->cause);
	if (q->by_call)
		k.call = c->key->call;
	if (q->by_object)
		k.object = c->key->object;
	switch (q->by) {
	case BY_ALL:
		break;
	case BY_APP:
		k.key = is_native(st) ? ROW_NO_FRAMES : st->app;
		break;
	case BY_LINE:
		k.key = is_native(st) ? ROW_NO_FRAMES : st->inner;
		break;
	case BY_FUNC:
		if (is_native(st))
			k.key = ROW_NO_FRAMES;
		else
			key_by_func(mk, &k, st->inner);
		break;
	case BY_STACK:
		k.key = c->key->stack;
		break;
	case BY_THREAD:
		k.key = c->key->thread;
		break;
	case BY_PROCESS:
		k.key = analysis_model(mk->a)->threads[c->key->thread].proc;
		break;
	}
	return k;
}

static bool make_room(struct making *mk, uint32_t nr)
{
	uint32_t cap = mk->cap ? mk->cap * 2 : 64;
	struct row *more;

	if (nr <= mk->cap)
		return true;
	more = reallocarray(mk->out->row, cap, sizeof(*more));
	if (!more)
		return false;
	mk->out->row = more;
	mk->cap = cap;
	return true;
}

static uint32_t row_of(struct making *mk, const struct cell *c)
{
	const struct row_key k = key_of(mk, c);
	uint32_t before = mk->keys.nr, nr;

	nr = intern_get(&mk->keys, &k, sizeof(k));
	if (!nr || !make_room(mk, nr)) {
		mk->failed = true;
		return 0;
	}
	if (nr > before) {
		mk->out->nr = nr;
		mk->out->row[nr - 1] = (struct row){
			.key = mk->q->by == BY_FUNC && k.key != ROW_NO_FRAMES ?
				model_stack(mk->a, c->key->stack)->inner :
				k.key,
			.kind = k.kind, .cause = k.cause, .call = k.call,
			.object = k.object, .nr = nr - 1,
		};
	}
	return nr;
}

static void add(struct sums *to, const struct sums *s)
{
	to->count += s->count;
	to->ns += s->ns;
	to->errors += s->errors;
	to->bytes += s->bytes;
	if (s->max > to->max)
		to->max = s->max;
}

/* ---- details -------------------------------------------------------------- */

struct detail_key {
	uint32_t row, what, value;
};

static void add_detail(struct making *mk, uint32_t row, enum rows_detail what,
		       uint32_t value, uint64_t weight)
{
	const struct detail_key k = { row, what, value };
	uint32_t before = mk->out->details.nr, nr, cap = mk->weights_cap;
	uint64_t *more;

	nr = intern_get(&mk->out->details, &k, sizeof(k));
	if (!nr) {
		mk->failed = true;
		return;
	}
	if (nr > cap) {
		cap = cap ? cap * 2 : 256;
		more = reallocarray(mk->out->weights, cap, sizeof(*more));
		if (!more) {
			mk->failed = true;
			return;
		}
		mk->out->weights = more;
		mk->weights_cap = cap;
	}
	if (nr > before)
		mk->out->weights[nr - 1] = 0;
	mk->out->weights[nr - 1] += weight;
}

static uint64_t weight_of(const struct sums *s, uint8_t kind)
{
	return kind == CELL_TIME || kind == CELL_SAMPLES ? s->ns : s->count;
}

static void add_details(struct making *mk, uint32_t row, const struct cell *c)
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
static bool find_largest(struct making *mk)
{
	struct rows *out = mk->out;

	out->detail = calloc(out->nr + 1, sizeof(*out->detail));
	if (!out->detail)
		return false;
	for (uint32_t i = 0; i < out->details.nr; i++) {
		const struct detail_key *k = intern_bytes(&out->details, i + 1,
							  NULL);
		struct detail *d = &out->detail[k->row - 1][k->what];

		if (d->all && out->weights[i] <= d->weight) {
			d->others++;
		} else {
			d->others += d->weight != 0;
			d->value = k->value;
			d->weight = out->weights[i];
		}
		d->all += out->weights[i];
	}
	return true;
}

const struct detail *rows_detail(const struct rows *rows, const struct row *row,
				 enum rows_detail what)
{
	return &rows->detail[row->nr][what];
}

/* ---- all of it ------------------------------------------------------------ */

static bool wants(const struct rows_query *q, const struct cell *c)
{
	if (!(q->kinds & 1u << c->key->kind) || c->left_out)
		return false;
	if (c->key->state != TIME_BUSY && !q->idle)
		return false;
	return !q->wants || q->wants(c, q->arg);
}

static void add_cell(struct making *mk, uint32_t nr)
{
	struct cell c;
	struct row *r;
	uint32_t row;

	model_cell(mk->a, nr, &c);
	if (!wants(mk->q, &c))
		return;
	row = row_of(mk, &c);
	if (!row)
		return;
	mk->of_cell[nr] = row;
	r = &mk->out->row[row - 1];
	add(&r->is, &c.is);
	add(&mk->out->total, &c.is);
	if (c.estimate)
		r->estimate_ns += c.is.ns;
	if (c.key->kind == CELL_TIME && c.key->cause == SPENT_CPU_KERNEL)
		r->kernel_ns += c.is.ns;
	add_details(mk, row, &c);
}

static int by_time(const void *row, const void *row2)
{
	const struct row *a = row, *b = row2;

	if (a->is.ns != b->is.ns)
		return a->is.ns < b->is.ns ? 1 : -1;
	if (a->is.count != b->is.count)
		return a->is.count < b->is.count ? 1 : -1;
	return a->nr < b->nr ? -1 : 1;
}

int rows_make(struct rows *out, const struct analysis *a,
	      const struct rows_query *query, struct err *err)
{
	struct making mk = { .out = out, .a = a, .q = query };

	*out = (struct rows){ 0 };
	mk.of_cell = calloc(model_cells(a) + 1, sizeof(*mk.of_cell));
	mk.failed = !mk.of_cell;
	for (uint32_t i = 1; !mk.failed && i <= model_cells(a); i++)
		add_cell(&mk, i);
	if (!mk.failed)
		add_wakes(&mk);
	if (!mk.failed)
		add_holds(&mk);
	if (!mk.failed)
		mk.failed = !find_largest(&mk);
	free(mk.of_cell);
	intern_free(&mk.keys);
	if (mk.failed) {
		rows_free(out);
		return err_set(err, -ENOMEM, "out of memory");
	}
	if (out->nr)
		qsort(out->row, out->nr, sizeof(*out->row),
		      query->order ? query->order : by_time);
	return 0;
}

void rows_free(struct rows *rows)
{
	intern_free(&rows->details);
	free(rows->row);
	free(rows->weights);
	free(rows->detail);
	*rows = (struct rows){ 0 };
}
