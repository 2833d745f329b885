/* SPDX-License-Identifier: MIT */
/*
 * tree_text: a view as a call tree, outermost frame first.
 *
 *	100.0 %    17.10        41  all
 *	 60.5 %    10.34        30  |- server.py:10  serve
 *	 60.5 %    10.34        30  |  views.py:140  render_page
 *	 46.7 %     7.99         2  |  |- cache.py:88  get
 *
 * An only child stands below its parent without a branch: stacks are deep, and
 * screens are not wide.
 */
#include <errno.h>
#include <inttypes.h>

#include "report/table_priv.h"

#define BRANCHES_MAX	40	/* drawn; deeper ones share the last column */

struct drawing {
	struct table *t;
	const struct tree *tree;
	bool *shown;
	bool last[BRANCHES_MAX];	/* of its siblings, each level */
};

/* ---- which nodes ---------------------------------------------------------- */

struct weighed {
	uint64_t weight;
	uint32_t nr;
};

/* Parents are made before their children, and are never lighter. */
static int by_weight(const void *x, const void *y)
{
	const struct weighed *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return a->nr < b->nr ? -1 : 1;
}

static bool choose(struct drawing *d, uint32_t limit)
{
	const struct tree *tree = d->tree;
	enum column c = column_sorted(d->t->o);
	struct weighed *all = calloc(tree->nr, sizeof(*all));

	d->shown = calloc(tree->nr, sizeof(*d->shown));
	if (!all || !d->shown) {
		free(all);
		return false;
	}
	for (uint32_t i = 0; i < tree->nr; i++)
		all[i] = (struct weighed){
			column_value(c, NULL, &tree->node[i].is), i };
	qsort(all, tree->nr, sizeof(*all), by_weight);
	for (uint32_t i = 0; i < tree->nr && (!limit || i < limit); i++)
		d->shown[all[i].nr] = true;
	free(all);
	return true;
}

/* ---- drawing -------------------------------------------------------------- */

static void put_node_words(struct text *t, const struct table *table,
			   const struct node *n)
{
	const char *name;

	switch (n->kind) {
	case NODE_ROOT:
		text_add(t, "all");
		break;
	case NODE_PLACE:
		put_place_words(t, &table->w, n->value);
		break;
	case NODE_UNKNOWN:
		text_add(t, "(stack not known)");
		break;
	case NODE_NO_FRAMES:
		text_add(t, "(no Python frame)");
		break;
	case NODE_CALLERS_UNKNOWN:
		text_add(t, "(callers not known)");
		break;
	case NODE_LEFT_OUT:
		text_add(t, "(%" PRIu32 " frames left out)", n->value);
		break;
	case NODE_KERNEL:
		put_kernel_func(t, table, n->value);
		break;
	case NODE_CAUSE:
		text_add(t, "[%s]", n->value == SPENT_CPU_USER ? "on CPU" :
			 spent_words((enum spent)n->value));
		break;
	case NODE_CALL:
		name = spent_call_name((uint16_t)n->value);
		text_add(t, "[%s]", name ? name : "?");
		break;
	case NODE_FAULT:
		text_add(t, "[%s]", fault_words(n->value));
		break;
	}
}

static void put_line(struct drawing *d, uint32_t nr, uint32_t level, bool branch)
{
	const struct node *n = &d->tree->node[nr];
	struct table *t = d->t;
	size_t used = columns_put(t, NULL, &n->is, &d->tree->node[0].is);
	struct text line = { 0 };

	for (uint32_t i = 0; i < level; i++) {
		bool end = i + 1 == level && branch;

		text_add(&line, "%s", end ? d->last[i] ? "\xe2\x94\x94 " :
							 "\xe2\x94\x9c " :
			 d->last[i] ? "  " : "\xe2\x94\x82 ");
	}
	put_node_words(&line, t, n);
	text_cut(&line, t->s.width > used ? t->s.width - used : 0);
	text_put(t->s.out, &line, 0);
	putc('\n', t->s.out);
}

static uint32_t next_shown(const struct drawing *d, uint32_t nr)
{
	while (nr && !d->shown[nr])
		nr = d->tree->node[nr].next;
	return nr;
}

/* As deep as the deepest stack: some hundred frames. */
static void draw(struct drawing *d, uint32_t nr, uint32_t level)
{
	uint32_t child = next_shown(d, d->tree->node[nr].child);
	bool branch = child && next_shown(d, d->tree->node[child].next);
	uint32_t deeper = branch && level < BRANCHES_MAX ? level + 1 : level;

	while (child) {
		uint32_t next = next_shown(d, d->tree->node[child].next);

		if (deeper > level)
			d->last[deeper - 1] = !next;
		put_line(d, child, deeper, deeper > level);
		draw(d, child, deeper);
		child = next;
	}
}

static void put_head(struct drawing *d)
{
	struct table *t = d->t;
	struct text key = { 0 };
	size_t used;

	for (uint32_t i = 0; i < d->tree->nr; i++)
		if (d->shown[i] && d->tree->node[i].kind == NODE_PLACE)
			words_prefix_add(&t->w, d->tree->node[i].value);
	words_prefix_end(&t->w);
	used = columns_head(t);
	text_add(&key, "call tree, outermost first");
	if (t->w.prefix[0]) {
		text_add(&key, " (in ");
		text_name(&key, t->w.prefix, strlen(t->w.prefix));
		text_add(&key, ")");
	}
	text_cut(&key, t->s.width - used);
	text_put(t->s.out, &key, 0);
	putc('\n', t->s.out);
}

static void put_rest(struct drawing *d)
{
	struct text line = { 0 };
	uint32_t nr = 0;

	for (uint32_t i = 0; i < d->tree->nr; i++)
		nr += !d->shown[i];
	if (!nr)
		return;
	text_add(&line, "%" PRIu32 " further node%s (--limit 0)", nr,
		 nr == 1 ? "" : "s");
	screen_line(&d->t->s, &line);
}

int table_put_tree(struct table *t, struct err *err)
{
	struct drawing d = { .t = t };
	struct tree tree;
	int rc = tree_make(&tree, t->s.a, &t->q, err);

	if (rc)
		return rc;
	d.tree = &tree;
	if (choose(&d, t->o->limit)) {
		put_head(&d);
		put_line(&d, 0, 0, false);
		draw(&d, 0, 0);
		put_rest(&d);
	} else {
		rc = err_set(err, -ENOMEM, "out of memory");
	}
	free(d.shown);
	tree_free(&tree);
	return rc;
}
