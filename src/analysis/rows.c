/* SPDX-License-Identifier: MIT */
/* rows: cells of a model summed up by a key, in order. */
#include "analysis/rows_priv.h"

#include <errno.h>

/* What tells rows apart; of a function its file, name and first line. */
struct row_key {
	uint32_t key, func, def, kernel;
	uint16_t call;
	uint8_t kind, cause;
	uint8_t state, in_gc;
	uint8_t pad[2];
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
	struct row_key k = { .kind = c->key->kind, .state = c->key->state };

	if (q->by_cause && c->key->kind == CELL_TIME)
		k.cause = (uint8_t)spent_group((enum spent)c->key->cause);
	if (q->by_call)
		k.call = c->key->call;
	if (q->by_gc && c->key->kind == CELL_FAULTS)
		k.in_gc = (c->key->flags & FAULT_IN_GC) != 0;
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
		k.kernel = c->key->kernel;
		break;
	case BY_THREAD:
		k.key = c->key->thread;
		break;
	case BY_PROCESS:
		k.key = analysis_model(mk->a)->threads[c->key->thread].proc;
		break;
	case BY_AGE:
		k.key = c->key->kind == CELL_FAULTS ? c->key->cause :
						      AGE_UNKNOWN;
		break;
	}
	return k;
}

static bool make_room(struct making *mk, uint32_t nr)
{
	uint32_t cap = mk->cap ? mk->cap * 2 : 64;
	struct hist *hists;
	struct row *more;

	if (nr <= mk->cap)
		return true;
	more = reallocarray(mk->out->row, cap, sizeof(*more));
	if (!more)
		return false;
	mk->out->row = more;
	if (mk->q->hists) {
		hists = reallocarray(mk->out->hist, cap, sizeof(*hists));
		if (!hists)
			return false;
		memset(hists + mk->cap, 0, (cap - mk->cap) * sizeof(*hists));
		mk->out->hist = hists;
	}
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
			.state = k.state, .in_gc = k.in_gc, .nr = nr - 1,
			.kernel = k.kernel,
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
	to->events += s->events;
	if (s->max > to->max)
		to->max = s->max;
}

/* ---- all of it ------------------------------------------------------------ */

bool rows_wants(const struct rows_query *q, const struct cell *c)
{
	if (!(q->kinds & 1u << c->key->kind) || c->left_out)
		return false;
	if (c->key->state != TIME_BUSY && !q->idle)
		return false;
	return !q->wants || q->wants(c, q->arg);
}

static void add_fault(struct row_faults *f, const struct cell *c)
{
	uint8_t flags = c->key->flags;

	if (c->key->call < sizeof(f->kind) / sizeof(f->kind[0]))
		f->kind[c->key->call] += c->is.count;
	else
		f->kind[PT_FAULT_OTHER] += c->is.count;
	f->major += flags & FAULT_MAJOR ? c->is.count : 0;
	f->in_gc += flags & FAULT_IN_GC ? c->is.count : 0;
	if (c->key->call == PT_FAULT_COW) {
		f->private_bytes += c->is.bytes;
		return;
	}
	f->resident_bytes += c->is.bytes;
	f->no_size += flags & FAULT_NO_SIZE ? c->is.count : 0;
}

void rows_add_cell(struct row *r, const struct cell *c)
{
	add(&r->is, &c->is);
	if (c->estimate)
		r->estimate_ns += c->is.ns;
	if (c->key->kind == CELL_TIME && c->key->cause == SPENT_CPU_KERNEL)
		r->kernel_ns += c->is.ns;
	if (c->key->kind == CELL_FAULTS)
		add_fault(&r->faults, c);
	if (c->key->kind == CELL_COUNTED && c->key->flags & COUNTED_KERNEL)
		r->kernel_events += c->is.events;
}

static void add_cell(struct making *mk, uint32_t nr)
{
	struct cell c;
	uint32_t row;

	model_cell(mk->a, nr, &c);
	if (!rows_wants(mk->q, &c))
		return;
	row = row_of(mk, &c);
	if (!row)
		return;
	mk->of_cell[nr] = row;
	rows_add_cell(&mk->out->row[row - 1], &c);
	rows_add_cell(&mk->out->total, &c);
	if (mk->q->hists && (!hist_merge(&mk->out->hist[row - 1], c.hist) ||
			     !hist_merge(&mk->out->total_hist, c.hist)))
		mk->failed = true;
	details_of_cell(mk, row, &c);
}

/* ---- order ---------------------------------------------------------------- */

struct sorting {
	const struct rows *rows;
	const struct rows_query *q;
};

static int compare(uint64_t a, uint64_t b)
{
	return a == b ? 0 : a < b ? 1 : -1;
}

static int by_order(const void *x, const void *y, void *arg)
{
	const struct row *a = x, *b = y;
	const struct sorting *s = arg;
	int rc = 0;

	if (s->q->order)
		rc = compare(s->q->order(s->rows, a, s->q->order_arg),
			     s->q->order(s->rows, b, s->q->order_arg));
	if (!rc)
		rc = compare(a->is.ns, b->is.ns);
	if (!rc)
		rc = compare(a->is.count, b->is.count);
	return rc ? rc : a->nr < b->nr ? -1 : 1;
}

static void sort(struct rows *out, const struct rows_query *q)
{
	struct sorting s = { out, q };

	if (out->nr)
		qsort_r(out->row, out->nr, sizeof(*out->row), by_order, &s);
}

/* Of a query for one: the kind of its rows. */
static uint8_t kind_of(unsigned int kinds)
{
	return kinds ? (uint8_t)__builtin_ctz(kinds) : CELL_TIME;
}

int rows_make(struct rows *out, const struct analysis *a,
	      const struct rows_query *query, struct err *err)
{
	struct making mk = { .out = out, .a = a, .q = query };

	*out = (struct rows){ 0 };
	out->total.kind = kind_of(query->kinds);
	mk.of_cell = calloc(model_cells(a) + 1, sizeof(*mk.of_cell));
	mk.failed = !mk.of_cell;
	for (uint32_t i = 1; !mk.failed && i <= model_cells(a); i++)
		add_cell(&mk, i);
	if (!mk.failed)
		details_finish(&mk);
	free(mk.of_cell);
	intern_free(&mk.keys);
	if (mk.failed) {
		rows_free(out);
		return err_set(err, -ENOMEM, "out of memory");
	}
	sort(out, query);
	return 0;
}

const struct hist *rows_hist(const struct rows *rows, const struct row *row)
{
	return !rows->hist ? NULL :
	       row == &rows->total ? &rows->total_hist : &rows->hist[row->nr];
}

void rows_free(struct rows *rows)
{
	intern_free(&rows->details);
	for (uint32_t i = 0; rows->hist && i < rows->nr; i++)
		hist_free(&rows->hist[i]);
	hist_free(&rows->total_hist);
	free(rows->row);
	free(rows->hist);
	free(rows->weights);
	free(rows->next);
	free(rows->detail);
	free(rows->first_detail);
	*rows = (struct rows){ 0 };
}
