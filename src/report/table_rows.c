/* SPDX-License-Identifier: MIT */
/* table_rows: a view as a table, a row each line, function, stack, thread... */
#include <inttypes.h>

#include "report/sysargs.h"
#include "report/table_priv.h"

#define KEY_LEAST	20	/* columns, on the narrowest screen */

/* ---- keys ----------------------------------------------------------------- */

static void put_process(struct text *t, const struct words *w, uint32_t proc)
{
	const struct model *m = analysis_model(w->a);

	for (uint32_t i = 0; i < m->nr_processes; i++) {
		const struct process_info *p = &m->processes[i];

		if (p->proc != proc)
			continue;
		text_add(t, "%" PRIu32 "%s", p->pid, p->comm[0] ? "  " : "");
		text_name(t, p->comm, strlen(p->comm));
		return;
	}
	text_add(t, "(process not known)");
}

static void put_thread(struct text *t, const struct words *w, uint32_t thread)
{
	const struct thread_info *info =
		&analysis_model(w->a)->threads[thread];

	if (!thread) {
		text_add(t, "(other threads)");
		return;
	}
	text_add(t, "%" PRIu32 "%s", info->tid, info->comm[0] ? "  " : "");
	text_name(t, info->comm, strlen(info->comm));
}

static uint32_t innermost(const struct words *w, uint32_t stack)
{
	const struct stack_info *st = model_stack(w->a, stack);

	if (st->nr)
		return st->inner;
	return st->known && !st->why ? ROW_NO_FRAMES : 0;
}

void row_put_key(struct text *t, const struct table *table,
		 const struct row *row)
{
	const struct words *w = &table->w;

	if (row->state != TIME_BUSY)
		text_add(t, "(idle) ");
	if (row->in_gc)
		text_add(t, "(gc) ");
	switch (table->q.by) {
	case BY_ALL:
		break;
	case BY_APP:
	case BY_LINE:
	case BY_FUNC:
		put_place_words(t, w, row->key);
		break;
	case BY_STACK:
		put_place_words(t, w, innermost(w, row->key));
		break;
	case BY_THREAD:
		put_thread(t, w, row->key);
		break;
	case BY_PROCESS:
		put_process(t, w, row->key);
		break;
	case BY_AGE:
		text_add(t, "%s", words_age(row->key));
		break;
	}
}

static const char *key_name(enum rows_by by)
{
	switch (by) {
	case BY_THREAD:
		return "thread";
	case BY_PROCESS:
		return "process";
	case BY_AGE:
		return "age of the process";
	case BY_FUNC:
		return "function";
	case BY_STACK:
		return "stack";
	case BY_ALL:
	case BY_APP:
	case BY_LINE:
		break;
	}
	return "line";
}

static bool has_places(enum rows_by by)
{
	return by == BY_APP || by == BY_LINE || by == BY_FUNC || by == BY_STACK;
}

/* ---- what is said of a row ------------------------------------------------- */

static void put_kinds(struct text *t, const struct row *row)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < ARRAY_LEN(row->faults.kind); i++)
		if (row->faults.kind[i] > row->faults.kind[most])
			most = i;
	text_add(t, "%s", fault_words(most));
	if (row->faults.kind[most] == row->is.count)
		return;
	text_add(t, " %" PRIu64 " %%",
		 row->faults.kind[most] * 100 / row->is.count);
}

static void put_what(struct text *t, const struct table *table,
		     const struct rows *rows, const struct row *row,
		     size_t room)
{
	const char *name = spent_call_name(row->call);

	switch (table->o->view) {
	case TABLE_CPU:
		if (row->kernel_ns > row->is.ns / 10) {
			words_share(t, row->kernel_ns, row->is.ns);
			text_add(t, " %% in the kernel");
		}
		break;
	case TABLE_COUNTED:
		if (row->kernel_events > row->is.events / 10) {
			words_share(t, row->kernel_events, row->is.events);
			text_add(t, " %% in the kernel");
		}
		break;
	case TABLE_OFFCPU:
		words_waits_for(t, &table->w, rows, row, room);
		break;
	case TABLE_SYSCALLS:
		text_add(t, "%s", name ? name : "?");
		break;
	case TABLE_FAULTS:
		put_kinds(t, row);
		break;
	}
}

/* "errors: ENOENT 12, EAGAIN 3" under a row that has some. */
static void put_errors(struct table *t, const struct rows *rows,
		       const struct row *row, size_t indent)
{
	struct detail errors[6];
	struct text line = { 0 };
	uint64_t rest = row->is.errors;
	size_t nr;

	if (t->o->view != TABLE_SYSCALLS || !row->is.errors)
		return;
	nr = rows_details(rows, row, DETAIL_OBJECT, errors, ARRAY_LEN(errors));
	text_add(&line, "%*serrors: ", (int)indent, "");
	for (size_t i = 0; i < nr; i++) {
		text_add(&line, "%s", i ? ", " : "");
		words_object(&line, &t->w, errors[i].value);
		text_add(&line, " ");
		words_count(&line, errors[i].weight);
		rest -= errors[i].weight < rest ? errors[i].weight : rest;
	}
	if (rest) {
		text_add(&line, "%s", nr ? ", others " : "");
		words_count(&line, rest);
	}
	screen_line(&t->s, &line);
}

/* ---- lines ---------------------------------------------------------------- */

struct widths {
	size_t used, key, what;
};

static struct widths widths_of(const struct table *t, size_t used)
{
	size_t room = t->s.width > used ? t->s.width - used : 0;
	struct widths w = { .used = used, .what = t->v->what_columns };

	/* what a wide screen has more is for both */
	if (t->o->view == TABLE_OFFCPU && room > 60)
		w.what += (room - 60) / 2;
	if (w.what + 1 + KEY_LEAST > room)
		w.what = room > KEY_LEAST + 1 ? room - KEY_LEAST - 1 : 0;
	w.key = room > w.what + 1 ? room - w.what - 1 : 0;
	return w;
}

static void put_stack(struct table *t, uint32_t stack, size_t indent)
{
	const struct stack_info *st = model_stack(t->s.a, stack);
	struct text line = { 0 };

	for (uint32_t i = 0; i < st->nr; i++) {
		if (st->omitted && i == st->nr_inner) {
			text_add(&line, "%*s(%" PRIu32 " frames left out)",
				 (int)indent, "", st->omitted);
			screen_line(&t->s, &line);
			line = (struct text){ 0 };
		}
		text_add(&line, "%*s", (int)indent, "");
		put_place_words(&line, &t->w, st->places[i]);
		screen_line(&t->s, &line);
		line = (struct text){ 0 };
	}
	if (!st->nr || st->why) {
		text_add(&line, "%*s%s", (int)indent, "",
			 st->why ? st->nr ? "(callers not known)" :
					    "(stack not known)" :
			 st->known ? "(no Python frame)" : "(stack not known)");
		screen_line(&t->s, &line);
	}
}

static void put_kernel(struct table *t, uint32_t kernel, size_t indent)
{
	uint32_t nr;
	const uint32_t *func = model_kernel(t->s.a, kernel, &nr);

	for (uint32_t i = 0; i < nr; i++) {
		struct text line = { 0 };

		text_add(&line, "%*s", (int)indent, "");
		put_kernel_func(&line, t, func[i]);
		screen_line(&t->s, &line);
	}
}

/* A stack has the whole width: nothing of it is cut but what has no end. */
static void put_stack_row(struct table *t, const struct rows *rows,
			  const struct row *row, size_t used)
{
	struct row bare = *row;
	struct text what = { 0 };

	bare.key = 0;			/* its innermost line stands below */
	text_add(&what, "%s%s", row->state != TIME_BUSY ? "(idle) " : "",
		 row->in_gc ? "(gc) " : "");
	put_what(&what, t, rows, &bare, 0);
	if (!what.len)
		text_add(&what, "at");
	text_cut(&what, t->s.width - used);
	text_put(t->s.out, &what, 0);
	putc('\n', t->s.out);
	put_errors(t, rows, row, used);
	put_kernel(t, row->kernel, used > 40 ? 40 : used);
	put_stack(t, row->key, used > 40 ? 40 : used);
}

static void put_row(struct table *t, const struct rows *rows,
		    const struct row *row)
{
	struct widths w = widths_of(t, columns_put(t, rows, row, &rows->total));
	struct text key = { 0 }, what = { 0 };

	if (t->o->by == BY_STACK) {
		put_stack_row(t, rows, row, w.used);
		return;
	}
	row_put_key(&key, t, row);
	text_cut(&key, w.key);
	put_what(&what, t, rows, row, w.what);
	text_cut(&what, w.what);
	text_put(t->s.out, &key, what.len ? w.key + 1 : 0);
	text_put(t->s.out, &what, 0);
	putc('\n', t->s.out);
	put_errors(t, rows, row, w.used);
}

static void put_head(const struct table *t)
{
	struct widths w = widths_of(t, columns_head(t));
	struct text key = { 0 };

	text_add(&key, "%s", t->o->by == BY_STACK && *t->v->what ?
		 t->v->what : key_name(t->o->by));
	if (t->o->by == BY_STACK && *t->v->what)
		text_add(&key, ", at");
	if (t->w.prefix[0] && has_places(t->o->by)) {
		text_add(&key, " (in ");
		text_name(&key, t->w.prefix, strlen(t->w.prefix));
		text_add(&key, ")");
	}
	if (t->o->by == BY_STACK) {
		text_cut(&key, t->s.width - w.used);
		text_put(t->s.out, &key, 0);
		putc('\n', t->s.out);
		return;
	}
	text_cut(&key, w.key);
	text_put(t->s.out, &key, *t->v->what ? w.key + 1 : 0);
	fprintf(t->s.out, "%s\n", t->v->what);
}

static void find_prefix(struct table *t, const struct rows *rows, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		const struct stack_info *st;

		if (t->o->by != BY_STACK) {
			words_prefix_add(&t->w, rows->row[i].key);
			continue;
		}
		st = model_stack(t->s.a, rows->row[i].key);
		for (uint32_t j = 0; j < st->nr; j++)
			words_prefix_add(&t->w, st->places[j]);
	}
	words_prefix_end(&t->w);
}

static void put_rest(struct table *t, uint32_t nr)
{
	struct text line = { 0 };

	if (!nr)
		return;
	text_add(&line, "%" PRIu32 " further row%s (--limit 0)", nr,
		 nr == 1 ? "" : "s");
	screen_line(&t->s, &line);
}

int table_put_rows(struct table *t, struct err *err)
{
	struct rows rows;
	uint32_t nr;
	int rc = rows_make(&rows, t->s.a, &t->q, err);

	if (rc)
		return rc;
	nr = t->o->limit && t->o->limit < rows.nr ? t->o->limit : rows.nr;
	if (has_places(t->o->by))
		find_prefix(t, &rows, nr);
	if (t->o->view == TABLE_FAULTS)
		faults_put_head(t, &rows);
	put_head(t);
	for (uint32_t i = 0; i < nr; i++)
		put_row(t, &rows, &rows.row[i]);
	put_rest(t, rows.nr - nr);
	rows_free(&rows);
	return t->o->view == TABLE_FAULTS ? faults_put_foot(t, err) : 0;
}
