/* SPDX-License-Identifier: MIT */
/*
 * calls_tree: the same numbers by who called: a node a function below the node
 * of its caller.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/calls_priv.h"

int calls_tree_new(struct calls *c)
{
	if (!c->opts.tree)
		return 0;
	c->cap_nodes = 64;
	c->nr_nodes = 1;
	c->node = calloc(c->cap_nodes, sizeof(*c->node));
	return c->node ? 0 : -ENOMEM;
}

void calls_tree_free(struct calls *c)
{
	struct open_run *run, *next_run;
	struct child *child, *next_child;

	HASH_ITER(hh, c->runs, run, next_run) {
		HASH_DEL(c->runs, run);
		free(run);
	}
	while ((run = c->free_runs)) {
		c->free_runs = run->next_free;
		free(run);
	}
	HASH_ITER(hh, c->children, child, next_child) {
		HASH_DEL(c->children, child);
		free(child);
	}
	free(c->node);
}

/* ---- nodes ---------------------------------------------------------------------- */

static bool grow(struct calls *c)
{
	uint32_t cap = c->cap_nodes * 2;
	struct call_node *node;

	if (c->nr_nodes < c->cap_nodes)
		return true;
	node = realloc(c->node, cap * sizeof(*node));
	if (!node)
		return false;
	c->memory += (cap - c->cap_nodes) * sizeof(*node);
	c->node = node;
	c->cap_nodes = cap;
	return true;
}

static struct child *find_child(const struct calls *c, struct child_key key)
{
	struct child *child;

	HASH_FIND(hh, c->children, &key, sizeof(key), child);
	return child;
}

static struct child *add_child(struct calls *c, struct child_key key)
{
	struct child *child = calloc(1, sizeof(*child));

	if (!child || !grow(c)) {
		free(child);
		return NULL;
	}
	child->key = key;
	child->node = c->nr_nodes;
	HASH_ADD(hh, c->children, key, sizeof(key), child);
	if (!child->hh.tbl) {
		free(child);
		return NULL;
	}
	c->memory += sizeof(*child);
	c->node[c->nr_nodes++] = (struct call_node){
		.parent = key.parent, .row = key.row,
		.depth = c->node[key.parent].depth + 1,
	};
	return child;
}

/*
 * Without memory it is of the others', of which a node has one at most, and
 * these have none below.
 */
static int node_of(struct calls *c, uint32_t parent, uint32_t row,
		   uint32_t *out)
{
	struct child_key key = { parent, row };
	struct child *child = find_child(c, key);

	if (!child && calls_full(c)) {
		*out = parent;
		if (parent != CALLS_ROOT &&
		    c->node[parent].row == CALLS_OTHERS)
			return 0;
		key.row = CALLS_OTHERS;
		child = find_child(c, key);
	}
	if (!child)
		child = add_child(c, key);
	if (!child)
		return -ENOMEM;
	*out = child->node;
	return 0;
}

/* ---- runs ------------------------------------------------------------------------ */

static struct open_run *find_run(const struct calls *c, uint64_t id)
{
	struct open_run *run;

	HASH_FIND(hh, c->runs, &id, sizeof(id), run);
	return run;
}

static int add_run(struct calls *c, uint64_t id, uint32_t node)
{
	struct open_run *run = c->free_runs;

	if (run)
		c->free_runs = run->next_free;
	else
		run = malloc(sizeof(*run));
	if (!run)
		return -ENOMEM;
	*run = (struct open_run){ .id = id, .node = node };
	HASH_ADD(hh, c->runs, id, sizeof(run->id), run);
	if (run->hh.tbl)
		return 0;
	free(run);
	return -ENOMEM;
}

static void drop_run(struct calls *c, struct open_run *run)
{
	HASH_DEL(c->runs, run);
	run->next_free = c->free_runs;
	c->free_runs = run;
}

static int begin(struct calls *c, const struct step *step, uint32_t row,
		 bool wanted)
{
	const struct open_run *by = find_run(c, step->parent);
	uint32_t node;
	int rc;

	if (!by && !wanted)	/* nor is it called by one that is */
		return 0;
	rc = node_of(c, by ? by->node : CALLS_ROOT, row, &node);
	return rc ? rc : add_run(c, step->id, node);
}

int calls_tree_add(struct calls *c, const struct step *step, uint32_t row,
		   bool wanted)
{
	struct open_run *run;

	if (step->kind == STEP_BEGIN)
		return begin(c, step, row, wanted);
	run = find_run(c, step->id);
	if (!run)
		return 0;
	calls_sum(&c->node[run->node].is, step, true);
	if (c->node[run->node].parent == CALLS_ROOT &&
	    !find_run(c, step->parent))
		calls_sum(&c->node[CALLS_ROOT].is, step, true);
	drop_run(c, run);
	return 0;
}
