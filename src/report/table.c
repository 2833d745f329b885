/* SPDX-License-Identifier: MIT */
/* table: the views cpu, offcpu, syscalls and faults. */
#include "report/table.h"

#include <errno.h>
#include <inttypes.h>

#include "event/counters.h"
#include "report/rows_json.h"
#include "report/table_priv.h"

static bool view_wants(const struct table *t, const struct cell *c)
{
	if (t->counter && c->key->call != t->counter->event)
		return false;
	return !t->v->wants || t->v->wants(c);
}

bool table_wants(const struct cell *c, const void *arg)
{
	const struct table *t = arg;
	struct pick *pick = (struct pick *)&t->pick;	/* it remembers */

	return view_wants(t, c) && pick_passes(pick, c->key->stack);
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
			.hists = o->view != TABLE_CPU &&
				 o->view != TABLE_COUNTED,
			.order = order,
		},
	};
	t->q.arg = t;
	t->q.order_arg = o;
	if (o->view != TABLE_COUNTED)
		return;
	t->counter = model_counter(t->s.m, o->counter);
	t->s.no_times = true;
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

void put_kernel_func(struct text *t, const struct table *table, uint32_t string)
{
	size_t len = 0;
	const char *name = model_string(table->s.a, string, &len);

	text_add(t, "[kernel] ");
	if (name && len)
		text_name(t, name, len);
	else
		text_add(t, "?");
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
		    !view_wants(t, &c) ||
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
		words_amount(&line, column_value(c, NULL, &all));
	}
	text_add(&line, " %s", t->counter ? t->counter->name :
		 t->o->view == TABLE_FAULTS ? "faults" :
		 t->o->view == TABLE_SYSCALLS ? "in calls" :
		 t->o->view == TABLE_CPU ? "on CPU" : "off CPU");
	screen_line(&t->s, &line);
}

/*
 * What was counted, and what stands for what: a counter says where it came
 * round, and each such sample stands for all that it had counted since.
 */
static void put_counter(struct table *t)
{
	const struct counter_info *c = t->counter;
	const struct counter *known = counter_named(c->name);
	struct row all = sum_up(t, false, false);
	struct text line = { 0 };

	text_name(&line, c->name, strlen(c->name));
	text_add(&line, "  %s", counter_is_exact(c) ? "" : "~");
	words_amount(&line, all.is.events);
	if (known && counter_is_clock(known))
		text_add(&line, " ns");
	if (all.is.events) {
		text_add(&line, ", ");
		words_share(&line, all.kernel_events, all.is.events);
		text_add(&line, " %% in the kernel");
	}
	if (counter_is_exact(c)) {
		text_add(&line, "   each one seen");
	} else {
		text_add(&line, "   from ");
		words_count(&line, all.is.count);
		text_add(&line, " sample%s, ", all.is.count == 1 ? "" : "s");
		text_add(&line, c->is_period ? "one every " : "about ");
		words_count(&line, c->rate);
		text_add(&line, c->is_period ? " events" : " a second and CPU");
	}
	screen_line(&t->s, &line);
}

static int no_counter(const struct table *t, struct err *err)
{
	err_kind(err, ERR_NOTHING, -ENODATA,
		 "this stream has no samples of '%s'", t->o->counter);
	for (uint32_t i = 0; i < t->s.m->nr_counters; i++)
		err_hint(err, "it has '%s'", t->s.m->counters[i].name);
	return -ENODATA;
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
	if (t->counter)
		put_counter(t);
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
	rc = o->view == TABLE_COUNTED && !t.counter ? no_counter(&t, err) :
	     put_all(&t, totals, err);
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
	how.counter = t.counter;
	rc = o->view == TABLE_COUNTED && !t.counter ? no_counter(&t, err) :
	     rows_json_view(out, a, &t.q, &how, err);
	table_end(&t);
	return rc;
}
