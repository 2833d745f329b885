/* SPDX-License-Identifier: MIT */
/* tree_json: the nodes of a call tree, parents first, one JSON object a line. */
#include "analysis/tree.h"
#include "report/rows_json_priv.h"

static void put_key(struct writer *wr, const struct node *n)
{
	const char *kind = NULL, *key = NULL, *value = NULL;

	switch (n->kind) {
	case NODE_ROOT:
		kind = "root";
		break;
	case NODE_PLACE:
		kind = "frame";
		break;
	case NODE_UNKNOWN:
		kind = "unknown";
		break;
	case NODE_NO_FRAMES:
		kind = "no-frames";
		break;
	case NODE_CALLERS_UNKNOWN:
		kind = "callers-unknown";
		break;
	case NODE_LEFT_OUT:
		kind = "left-out";
		break;
	case NODE_KERNEL:
		kind = "kernel";
		break;
	case NODE_CAUSE:
		kind = key = "cause";
		value = n->value == SPENT_CPU_USER ? "cpu" :
			spent_key((enum spent)n->value);
		break;
	case NODE_CALL:
		kind = key = "call";
		value = spent_call_name((uint16_t)n->value);
		break;
	case NODE_FAULT:
		kind = "fault";
		key = "fault_kind";
		value = fault_json((uint16_t)n->value);
		break;
	}
	jsonw_key_string(&wr->w, "kind", kind);
	if (n->kind == NODE_PLACE)
		place_json(wr, "key", n->value);
	if (n->kind == NODE_KERNEL)
		kernel_func_json(wr, "name", n->value);
	if (n->kind == NODE_LEFT_OUT)
		jsonw_key_uint(&wr->w, "frames", n->value);
	if (key)
		jsonw_key_string(&wr->w, key, value);
}

static void put_node(struct writer *wr, const struct node *n, uint32_t nr,
		     unsigned int kinds)
{
	struct jsonw *w = &wr->w;

	begin_json(wr, "node");
	jsonw_key_uint(w, "id", nr);
	jsonw_key(w, "parent");
	if (nr)
		jsonw_uint(w, n->parent);
	else
		jsonw_null(w);
	jsonw_key_uint(w, "depth", n->depth);
	put_key(wr, n);
	sums_json(wr, &n->is.is);
	jsonw_key_uint(w, "self_count", n->self.count);
	if (wr->counter)
		jsonw_key_uint(w, "self_events", n->self.events);
	else
		jsonw_key_uint(w, "self_ns", n->self.ns);
	if (kinds & 1u << CELL_CALLS)
		jsonw_key_uint(w, "errors", n->is.is.errors);
	if (!(kinds & (1u << CELL_TIME | 1u << CELL_COUNTED)))
		jsonw_key_uint(w, "bytes", n->is.is.bytes);
	if (kinds & 1u << CELL_FAULTS)
		faults_json(w, &n->is.faults);
	jsonw_key(w, "estimate");
	jsonw_open_list(w);
	if (wr->counter && !counter_is_exact(wr->counter))
		jsonw_string(w, "events");
	if (n->is.estimate_ns ||
	    (!(kinds & (1u << CELL_FAULTS | 1u << CELL_COUNTED)) &&
	     model_is_thinned(analysis_model(wr->words.a))))
		jsonw_string(w, "ns");
	jsonw_close_list(w);
}

int tree_json(struct writer *wr, const struct rows_query *q, struct err *err)
{
	struct tree tree;
	int rc = tree_make(&tree, wr->words.a, q, err);

	for (uint32_t i = 0; !rc && i < tree.nr; i++) {
		jsonw_open(&wr->w);
		put_node(wr, &tree.node[i], i, q->kinds);
		jsonw_close(&wr->w);
		rc = jsonw_line(&wr->w, wr->out, err);
	}
	tree_free(&tree);
	return rc;
}
