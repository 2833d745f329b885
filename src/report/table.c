/* SPDX-License-Identifier: MIT */
/* table: the views cpu, offcpu, syscalls and faults. */
#include "report/table.h"

#include <errno.h>
#include <inttypes.h>

#include "report/rows_json.h"
#include "report/table_priv.h"

bool table_wants(const struct cell *c, const void *arg)
{
	const struct table *t = arg;
	struct pick *pick = (struct pick *)&t->pick;	/* it remembers */

	return (!t->v->wants || t->v->wants(c)) &&
	       pick_passes(pick, c->key->stack);
}

static uint64_t order(const struct rows *rows, const struct row *row,
		      const void *arg)
{
	return column_value(column_sorted(arg), rows, row);
}

void table_begin(struct table *t, const struct analysis *a,
		 const struct table_opts *o)
{
	const struct view *v = view_of(o->view);

	*t = (struct table){
		.s = {
			.a = a, .m = analysis_model(a),
			.o = { .utc = o->utc, .no_paths = o->no_paths },
			.width = o->width ? o->width : SCREEN_WIDTH,
		},
		.o = o, .v = v,
		.w = { .a = a, .no_paths = o->no_paths },
		.pick = { .a = a, .filter = o->funcs },
		.q = {
			.by = o->by, .kinds = v->kind, .idle = o->idle,
			.wants = table_wants,
			.by_cause = o->view == TABLE_OFFCPU,
			.by_call = o->view == TABLE_SYSCALLS,
			.by_gc = o->view == TABLE_FAULTS,
			.hists = o->view != TABLE_CPU,
			.order = order,
		},
	};
	t->q.arg = t;
	t->q.order_arg = o;
}

void table_end(struct table *t)
{
	pick_free(&t->pick);
}

void put_place_words(struct text *t, const struct words *w, uint32_t place)
{
	if (!model_place(w->a, place)) {
		text_add(t, "%s", place == ROW_NO_FRAMES ?
			 "(no Python frame)" : "(line not known)");
		return;
	}
	words_line(t, w, place);
	text_add(t, "  ");
	words_func(t, w, place);
}

/* ---- lines about what is not in the rows ------------------------------------ */

/* All cells of the view: in `idle` those of waits for work, or else the rest. */
static struct row sum_up(const struct table *t, bool idle, bool picked)
{
	struct row sum = { 0 };

	for (uint32_t i = 1; i <= model_cells(t->s.a); i++) {
		struct cell c;

		model_cell(t->s.a, i, &c);
		if (!(t->v->kind & 1u << c.key->kind) || c.left_out ||
		    (c.key->state != TIME_BUSY) != idle ||
		    (t->v->wants && !t->v->wants(&c)) ||
		    (picked && !table_wants(&c, t)))
			continue;
		rows_add_cell(&sum, &c);
	}
	return sum;
}

/* Calls that wait for work are no load: they stand apart. */
static void put_idle(struct table *t)
{
	struct row idle = sum_up(t, true, true);
	struct text line = { 0 };

	if (t->o->idle || t->o->view != TABLE_SYSCALLS || !idle.is.count)
		return;
	words_count(&line, idle.is.count);
	text_add(&line, " idle call%s of ", idle.is.count == 1 ? "" : "s");
	words_time(&line, words_unit(idle.is.ns), idle.is.ns);
	text_add(&line, " %s, waiting for work, not among them (--idle)",
		 words_unit(idle.is.ns).name);
	screen_line(&t->s, &line);
}

/* What -F picked, of what. */
static void put_picked(struct table *t)
{
	struct row all, picked;
	enum column c = t->v->column[0].is;
	struct text line = { 0 };

	if (!t->o->funcs)
		return;
	all = sum_up(t, false, false);
	picked = sum_up(t, false, true);
	text_add(&line, "through -F  ");
	words_share(&line, column_value(c, NULL, &picked),
		    column_value(c, NULL, &all));
	text_add(&line, " %% of ");
	if (c == COL_TIME) {
		words_time(&line, words_unit(all.is.ns), all.is.ns);
		text_add(&line, " %s", words_unit(all.is.ns).name);
	} else {
		words_count(&line, all.is.count);
	}
	text_add(&line, "%s", t->o->view == TABLE_FAULTS ? " faults" :
		 t->o->view == TABLE_SYSCALLS ? " in calls" :
		 t->o->view == TABLE_CPU ? " on CPU" : " off CPU");
	screen_line(&t->s, &line);
}

/* No rows, and why. */
static void put_nothing(struct table *t)
{
	struct text line = { 0 };

	if (!(t->s.m->events & t->v->events))
		text_add(&line, "%s: such events are not in this stream (see -e)",
			 t->v->name);
	else if (t->o->funcs && sum_up(t, false, false).is.count)
		text_add(&line, "no stack passes -F");
	else
		text_add(&line, "%s", t->v->none);
	screen_line(&t->s, &line);
}

/* ---- all of it ------------------------------------------------------------ */

static int put_shape(struct table *t, struct err *err)
{
	switch (t->o->shape) {
	case SHAPE_TREE:
		return table_put_tree(t, err);
	case SHAPE_HIST:
	case SHAPE_LINEAR:
		return table_put_hists(t, err);
	case SHAPE_ROWS:
		break;
	}
	return table_put_rows(t, err);
}

static int put_all(struct table *t, const struct engine_totals *totals,
		   struct err *err)
{
	struct row all = sum_up(t, false, true);
	int rc = 0;

	if (t->o->idle) {
		struct row idle = sum_up(t, true, true);

		all.is.ns += idle.is.ns;
		all.is.count += idle.is.count;
	}
	screen_head(&t->s);
	put_picked(t);
	t->s.unit = words_unit(all.is.ns);
	if (all.is.count || all.is.ns)
		rc = put_shape(t, err);
	else
		put_nothing(t);
	put_idle(t);
	screen_cost(&t->s, totals);
	return rc;
}

int table_put(FILE *out, const struct analysis *a,
	      const struct engine_totals *totals, const struct table_opts *o,
	      struct err *err)
{
	struct table t;
	int rc;

	table_begin(&t, a, o);
	t.s.out = out;
	t.s.unit = words_unit(t.s.m->account.thread_ns);
	errno = 0;
	rc = put_all(&t, totals, err);
	table_end(&t);
	if (rc || !ferror(out))
		return rc;
	rc = errno ? -errno : -EIO;
	return err_kind(err, ERR_OUTPUT, rc, "cannot write the report: %s",
			strerror(-rc));
}

int table_json(FILE *out, const struct analysis *a, const struct table_opts *o,
	       struct err *err)
{
	struct rows_json_opts how = {
		.view = view_of(o->view)->name, .no_paths = o->no_paths,
		.tree = o->shape == SHAPE_TREE,
		.hists = o->shape == SHAPE_HIST || o->shape == SHAPE_LINEAR,
		.interval = o->interval,
	};
	struct table t;
	int rc;

	table_begin(&t, a, o);
	rc = rows_json_view(out, a, &t.q, &how, err);
	table_end(&t);
	return rc;
}
