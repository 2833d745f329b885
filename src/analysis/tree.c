/* SPDX-License-Identifier: MIT */
/* tree: cells of a model along their stacks, outermost frame first. */
#include "analysis/tree.h"

#include <errno.h>

struct node_key {
	uint32_t parent, kind, value;
};

struct growing {
	struct tree *out;
	const struct analysis *a;
	const struct rows_query *q;
	struct intern keys;	/* a node's number is its key's */
	uint32_t cap;
	const struct cell *cell;
	bool failed;
};

static bool make_room(struct growing *g, uint32_t nr)
{
	uint32_t cap = g->cap ? g->cap * 2 : 64;
	struct node *more;

	if (nr < g->cap)
		return true;
	more = reallocarray(g->out->node, cap, sizeof(*more));
	if (!more)
		return false;
	g->out->node = more;
	g->cap = cap;
	return true;
}

static void add_child(struct tree *t, uint32_t parent, uint32_t nr,
		      enum node_kind kind, uint32_t value)
{
	t->node[nr] = (struct node){
		.kind = kind, .value = value, .parent = parent,
		.next = t->node[parent].child,
		.depth = t->node[parent].depth + 1,
		.is = { .nr = nr },
	};
	t->node[parent].child = nr;
	t->nr = nr + 1;
}

/* From the node one down, with the cell. */
static uint32_t step(struct growing *g, uint32_t parent, enum node_kind kind,
		     uint32_t value)
{
	const struct node_key k = { parent, kind, value };
	uint32_t nr;

	if (g->failed)
		return 0;
	nr = intern_get(&g->keys, &k, sizeof(k));
	if (!nr || !make_room(g, nr)) {
		g->failed = true;
		return 0;
	}
	if (nr == g->out->nr)
		add_child(g->out, parent, nr, kind, value);
	rows_add_cell(&g->out->node[nr].is, g->cell);
	return nr;
}

static uint32_t walk(struct growing *g, const struct stack_info *st)
{
	uint32_t at = 0;

	if (!st->known)
		return step(g, 0, NODE_UNKNOWN, 0);
	if (st->why || st->coarse)
		at = step(g, 0, NODE_CALLERS_UNKNOWN, 0);
	else if (!st->nr)
		return step(g, 0, NODE_NO_FRAMES, 0);
	for (uint32_t i = st->nr; i-- > 0;) {
		if (st->omitted && i + 1 == st->nr_inner)
			at = step(g, at, NODE_LEFT_OUT, st->omitted);
		at = step(g, at, NODE_PLACE, st->places[i]);
	}
	return at;
}

static uint32_t leaf(struct growing *g, uint32_t at)
{
	const struct cell_key *k = g->cell->key;

	if (k->kind == CELL_TIME && g->q->by_cause)
		return step(g, at, NODE_CAUSE,
			    (uint32_t)spent_group((enum spent)k->cause));
	if (k->kind == CELL_CALLS && g->q->by_call)
		return step(g, at, NODE_CALL, k->call);
	return k->kind == CELL_FAULTS ? step(g, at, NODE_FAULT, k->call) : at;
}

/* Below Python comes the kernel, outermost first as well. */
static uint32_t walk_kernel(struct growing *g, uint32_t at)
{
	uint32_t nr;
	const uint32_t *func = model_kernel(g->a, g->cell->key->kernel, &nr);

	while (nr-- > 0)
		at = step(g, at, NODE_KERNEL, func[nr]);
	return at;
}

static void add_sums(struct sums *to, const struct sums *s)
{
	to->count += s->count;
	to->ns += s->ns;
	to->errors += s->errors;
	to->bytes += s->bytes;
	to->events += s->events;
	to->max = to->max > s->max ? to->max : s->max;
}

static void add_cell(struct growing *g, const struct cell *c)
{
	uint32_t at;

	g->cell = c;
	rows_add_cell(&g->out->node[0].is, c);
	at = walk_kernel(g, walk(g, model_stack(g->a, c->key->stack)));
	at = leaf(g, at);
	add_sums(&g->out->node[at].self, &c->is);
}

/* ---- order ---------------------------------------------------------------- */

static bool goes_before(const struct growing *g, uint32_t x, uint32_t y)
{
	const struct row *a = &g->out->node[x].is, *b = &g->out->node[y].is;
	uint64_t n = 0, m = 0;

	if (g->q->order) {
		n = g->q->order(NULL, a, g->q->order_arg);
		m = g->q->order(NULL, b, g->q->order_arg);
	}
	if (n == m) {
		n = a->is.ns;
		m = b->is.ns;
	}
	if (n == m) {
		n = a->is.count;
		m = b->is.count;
	}
	return n != m ? n > m : x < y;
}

static uint32_t merge(const struct growing *g, uint32_t a, uint32_t b)
{
	uint32_t first = 0, *end = &first;

	while (a && b) {
		uint32_t *from = goes_before(g, a, b) ? &a : &b;

		*end = *from;
		end = &g->out->node[*end].next;
		*from = *end;
	}
	*end = a ? a : b;
	return first;
}

/* A list is sorted in runs of 1, 2, 4...: siblings can be many. */
static uint32_t sort(const struct growing *g, uint32_t list)
{
	uint32_t run[32] = { 0 }, one, sorted = 0;
	unsigned int i, used = 0;

	while (list) {
		one = list;
		list = g->out->node[one].next;
		g->out->node[one].next = 0;
		for (i = 0; i < used && run[i]; i++) {
			one = merge(g, run[i], one);
			run[i] = 0;
		}
		run[i] = one;
		if (i == used)
			used++;
	}
	for (i = 0; i < used; i++)
		sorted = merge(g, run[i], sorted);
	return sorted;
}

int tree_make(struct tree *out, const struct analysis *a,
	      const struct rows_query *query, struct err *err)
{
	struct growing g = { .out = out, .a = a, .q = query };

	*out = (struct tree){ 0 };
	g.failed = !make_room(&g, 0);
	if (!g.failed)
		out->node[0] = (struct node){ .kind = NODE_ROOT };
	out->nr = !g.failed;
	for (uint32_t i = 1; !g.failed && i <= model_cells(a); i++) {
		struct cell c;

		model_cell(a, i, &c);
		if (rows_wants(query, &c))
			add_cell(&g, &c);
	}
	for (uint32_t i = 0; !g.failed && i < out->nr; i++)
		out->node[i].child = sort(&g, out->node[i].child);
	intern_free(&g.keys);
	if (!g.failed)
		return 0;
	tree_free(out);
	return err_set(err, -ENOMEM, "out of memory");
}

void tree_free(struct tree *tree)
{
	free(tree->node);
	*tree = (struct tree){ 0 };
}
