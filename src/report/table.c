/* SPDX-License-Identifier: MIT */
/* table: the views cpu, offcpu, syscalls and faults. */
#include "report/table.h"

#include <errno.h>
#include <inttypes.h>

#include "report/rows_json.h"
#include "report/screen_priv.h"

/* ---- columns -------------------------------------------------------------- */

enum column { COL_TIME, COL_CALLS, COL_MAX, COL_ERRORS, COL_BYTES };

static const struct {
	const char *name;
	int width;
} columns[] = {
	[COL_TIME] = { "time", 8 }, [COL_CALLS] = { "count", 9 },
	[COL_MAX] = { "max", 8 }, [COL_ERRORS] = { "errors", 6 },
	[COL_BYTES] = { "bytes", 10 },
};

struct view {
	const char *name;
	unsigned int kind;		/* 1 << CELL_* */
	enum column column[5];		/* the first is what a share is of */
	size_t nr;
	bool (*wants)(const struct cell *c, const void *arg);
	const char *what;		/* head of the last column */
	uint32_t events;		/* 1 << PT_*: what it is made of */
	const char *none;		/* when there are no rows */
};

static bool is_cpu(const struct cell *c)
{
	return c->key->cause == SPENT_CPU_USER ||
	       c->key->cause == SPENT_CPU_KERNEL;
}

static bool wants_cpu(const struct cell *c, const void *arg)
{
	(void)arg;
	return is_cpu(c);
}

static bool wants_off(const struct cell *c, const void *arg)
{
	(void)arg;
	return !is_cpu(c);
}

static const struct view views[] = {
	[TABLE_CPU] = { "cpu", 1u << CELL_TIME, { COL_TIME }, 1, wants_cpu,
			"", 1u << PT_OFFCPU, "nothing was on a CPU" },
	[TABLE_OFFCPU] = { "offcpu", 1u << CELL_TIME,
			   { COL_TIME, COL_CALLS, COL_MAX }, 3, wants_off,
			   "waits for", 1u << PT_OFFCPU,
			   "nothing had to wait" },
	[TABLE_SYSCALLS] = { "syscalls", 1u << CELL_CALLS,
			     { COL_TIME, COL_CALLS, COL_ERRORS, COL_MAX,
			       COL_BYTES }, 5, NULL, "call",
			     1u << PT_SYSCALL, "no system call was made" },
	[TABLE_FAULTS] = { "faults", 1u << CELL_FAULTS,
			   { COL_CALLS, COL_BYTES }, 2, NULL, "kind",
			   1u << PT_FAULT, "no page fault happened" },
};

static uint64_t value_of(const struct sums *s, enum column c)
{
	switch (c) {
	case COL_TIME:
		return s->ns;
	case COL_CALLS:
		return s->count;
	case COL_MAX:
		return s->max;
	case COL_ERRORS:
		return s->errors;
	case COL_BYTES:
		break;
	}
	return s->bytes;
}

bool table_has_column(enum table_view view, const char *name, char *names,
		      size_t size)
{
	const struct view *v = &views[view];
	size_t len = 0;
	bool has = false;

	names[0] = '\0';
	for (size_t i = 0; i < v->nr && len < size; i++) {
		const char *column = columns[v->column[i]].name;

		len += (size_t)snprintf(names + len, size - len, "%s%s",
					i ? ", " : "", column);
		has |= !strcmp(name, column);
	}
	return has;
}

static enum column sort_of(const struct table_opts *o)
{
	const struct view *v = &views[o->view];

	for (size_t i = 0; o->sort && i < v->nr; i++)
		if (!strcmp(o->sort, columns[v->column[i]].name))
			return v->column[i];
	return v->column[0];
}

static int compare(const struct row *a, const struct row *b, enum column c)
{
	uint64_t x = value_of(&a->is, c), y = value_of(&b->is, c);

	if (x != y)
		return x < y ? 1 : -1;
	return a->nr < b->nr ? -1 : 1;
}

/* qsort() tells nobody by what: a function for each. */
#define ORDER(name, column)						\
	static int name(const void *a, const void *b)			\
	{								\
		return compare(a, b, column);				\
	}
ORDER(by_time, COL_TIME)
ORDER(by_count, COL_CALLS)
ORDER(by_max, COL_MAX)
ORDER(by_errors, COL_ERRORS)
ORDER(by_bytes, COL_BYTES)

bool table_by(const char *name, enum rows_by *by)
{
	static const struct {
		const char *name;
		enum rows_by by;
	} keys[] = {
		{ "app", BY_APP }, { "line", BY_LINE }, { "func", BY_FUNC },
		{ "stack", BY_STACK }, { "thread", BY_THREAD },
		{ "process", BY_PROCESS },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (!strcmp(name, keys[i].name)) {
			*by = keys[i].by;
			return true;
		}
	}
	return false;
}

void table_query(const struct table_opts *o, struct rows_query *q)
{
	static int (*const orders[])(const void *, const void *) = {
		[COL_TIME] = by_time, [COL_CALLS] = by_count,
		[COL_MAX] = by_max, [COL_ERRORS] = by_errors,
		[COL_BYTES] = by_bytes,
	};
	const struct view *v = &views[o->view];

	*q = (struct rows_query){
		.by = o->by, .kinds = v->kind, .wants = v->wants,
		.by_cause = o->view == TABLE_OFFCPU,
		.by_call = o->view == TABLE_SYSCALLS ||
			   o->view == TABLE_FAULTS,
		.idle = o->idle, .order = orders[sort_of(o)],
	};
}

/* ---- keys ----------------------------------------------------------------- */

static void put_code(struct text *t, const struct words *w, uint32_t place)
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

static void put_key(struct text *t, const struct words *w, enum rows_by by,
		    const struct row *row)
{
	switch (by) {
	case BY_ALL:
		break;
	case BY_APP:
	case BY_LINE:
	case BY_FUNC:
		put_code(t, w, row->key);
		break;
	case BY_STACK:
		put_code(t, w, model_stack(w->a, row->key)->nr ?
			 model_stack(w->a, row->key)->inner :
			 model_stack(w->a, row->key)->known ? ROW_NO_FRAMES : 0);
		break;
	case BY_THREAD:
		put_thread(t, w, row->key);
		break;
	case BY_PROCESS:
		put_process(t, w, row->key);
		break;
	}
}

/* ---- rows ----------------------------------------------------------------- */

static const struct unit ms = { "ms", 1000000 };	/* of single waits */

/* What a narrow screen has no room for. */
static bool is_shown(const struct screen *s, const struct view *v, size_t i)
{
	return s->width >= SCREEN_WIDTH || v->nr < ARRAY_LEN(v->column) ||
	       (v->column[i] != COL_MAX && v->column[i] != COL_BYTES);
}

static void put_bytes(struct text *t, uint64_t n)
{
	if (n < 1u << 20)
		words_count(t, n);
	else
		text_add(t, "%.1f MiB", (double)n / (1 << 20));
}

static void put_value(struct screen *s, const struct row *row, enum column c)
{
	struct text t = { 0 };

	if (c == COL_TIME && row->estimate_ns)
		text_add(&t, "~");
	if (c == COL_TIME || c == COL_MAX)
		words_time(&t, c == COL_MAX ? ms : s->unit,
			   value_of(&row->is, c));
	else if (c == COL_BYTES)
		put_bytes(&t, row->is.bytes);
	else
		words_count(&t, value_of(&row->is, c));
	fprintf(s->out, " %*s", columns[c].width, t.s);
}

static void put_what(struct text *t, const struct words *w,
		     const struct rows *rows, const struct row *row,
		     enum table_view view, size_t room)
{
	const char *name = spent_call_name(row->call);

	switch (view) {
	case TABLE_CPU:
		if (row->kernel_ns > row->is.ns / 10) {
			words_share(t, row->kernel_ns, row->is.ns);
			text_add(t, " %% in the kernel");
		}
		break;
	case TABLE_OFFCPU:
		words_waits_for(t, w, rows, row, room);
		break;
	case TABLE_SYSCALLS:
		text_add(t, "%s", name ? name : "?");
		break;
	case TABLE_FAULTS:
		text_add(t, "%s", fault_words(row->call));
		break;
	}
}

static size_t key_columns(const struct screen *s, const struct view *v)
{
	return s->width >= SCREEN_WIDTH && v->nr < ARRAY_LEN(v->column) ? 38 :
									  30;
}

static void put_callers(struct screen *s, const struct words *w,
			uint32_t stack, size_t indent)
{
	const struct stack_info *st = model_stack(s->a, stack);

	for (uint32_t i = 1; i < st->nr; i++) {
		struct text t = { 0 };

		text_add(&t, "%*s", (int)indent, "");
		put_code(&t, w, st->places[i]);
		screen_line(s, &t);
	}
}

static void put_row(struct screen *s, const struct words *w,
		    const struct table_opts *o, const struct rows *rows,
		    const struct row *row)
{
	const struct view *v = &views[o->view];
	struct text share = { 0 }, key = { 0 }, what = { 0 };
	size_t used = 7;

	words_share(&share, value_of(&row->is, v->column[0]),
		    value_of(&rows->total, v->column[0]));
	fprintf(s->out, "%5s %%", share.s);
	for (size_t i = 0; i < v->nr; i++) {
		if (!is_shown(s, v, i))
			continue;
		put_value(s, row, v->column[i]);
		used += 1 + (size_t)columns[v->column[i]].width;
	}
	fputs("  ", s->out);
	put_key(&key, w, o->by, row);
	text_cut(&key, key_columns(s, v));
	used += 2 + key_columns(s, v) + 1;
	put_what(&what, w, rows, row, o->view,
		 s->width > used ? s->width - used : 0);
	if (s->width > used)
		text_cut(&what, s->width - used);
	text_put(s->out, &key, what.len ? key_columns(s, v) + 1 : 0);
	text_put(s->out, &what, 0);
	putc('\n', s->out);
	if (o->by == BY_STACK)
		put_callers(s, w, row->key, used - key_columns(s, v) - 1);
}

static void put_head(struct screen *s, const struct words *w,
		     const struct table_opts *o)
{
	const struct view *v = &views[o->view];
	struct text key = { 0 };

	fputs("\n  share", s->out);
	for (size_t i = 0; i < v->nr; i++) {
		char name[16];

		if (!is_shown(s, v, i))
			continue;
		snprintf(name, sizeof(name), v->column[i] == COL_TIME ||
			 v->column[i] == COL_MAX ? "%s %s" : "%s",
			 columns[v->column[i]].name,
			 v->column[i] == COL_MAX ? ms.name : s->unit.name);
		fprintf(s->out, " %*s", columns[v->column[i]].width, name);
	}
	fputs("  ", s->out);
	text_add(&key, "%s", o->by == BY_THREAD ? "thread" :
		 o->by == BY_PROCESS ? "process" : "line");
	if (w->prefix[0] && o->by != BY_THREAD && o->by != BY_PROCESS) {
		text_add(&key, " (in ");
		text_name(&key, w->prefix, strlen(w->prefix));
		text_add(&key, ")");
	}
	text_cut(&key, key_columns(s, v));
	text_put(s->out, &key, *v->what ? key_columns(s, v) + 1 : 0);
	fprintf(s->out, "%s\n", v->what);
}

static void put_rest(struct screen *s, const struct rows *rows, uint32_t nr)
{
	struct text t = { 0 };

	if (nr == rows->nr)
		return;
	text_add(&t, "%" PRIu32 " further row%s (--limit 0)", rows->nr - nr,
		 rows->nr - nr == 1 ? "" : "s");
	screen_line(s, &t);
}

/* No rows, and why. */
static void put_nothing(struct screen *s, const struct view *v)
{
	struct text t = { 0 };

	if (s->m->events & v->events)
		text_add(&t, "%s", v->none);
	else
		text_add(&t, "%s: such events are not in this stream (see -e)",
			 v->name);
	screen_line(s, &t);
}

static void put_rows(struct screen *s, const struct table_opts *o,
		     const struct rows *rows)
{
	struct words w = { .a = s->a, .no_paths = o->no_paths };
	uint32_t nr = o->limit && o->limit < rows->nr ? o->limit : rows->nr;

	if (o->by == BY_APP || o->by == BY_LINE || o->by == BY_FUNC)
		words_find_prefix(&w, rows->row, nr);
	s->unit = words_unit(rows->total.ns);
	put_head(s, &w, o);
	for (uint32_t i = 0; i < nr; i++)
		put_row(s, &w, o, rows, &rows->row[i]);
	put_rest(s, rows, nr);
}

int table_put(FILE *out, const struct analysis *a,
	      const struct engine_totals *totals, const struct table_opts *o,
	      struct err *err)
{
	struct screen s = {
		.out = out, .a = a, .m = analysis_model(a),
		.o = { .utc = o->utc, .no_paths = o->no_paths },
		.width = o->width ? o->width : SCREEN_WIDTH,
	};
	struct rows_query q;
	struct rows rows;
	int rc;

	table_query(o, &q);
	rc = rows_make(&rows, a, &q, err);
	if (rc)
		return rc;
	errno = 0;
	s.unit = words_unit(s.m->account.thread_ns);
	screen_head(&s);
	if (rows.nr)
		put_rows(&s, o, &rows);
	else
		put_nothing(&s, &views[o->view]);
	screen_cost(&s, totals);
	rows_free(&rows);
	if (!ferror(out))
		return 0;
	rc = errno ? -errno : -EIO;
	return err_kind(err, ERR_OUTPUT, rc, "cannot write the report: %s",
			strerror(-rc));
}

int table_json(FILE *out, const struct analysis *a, const struct table_opts *o,
	       struct err *err)
{
	struct rows_query q;

	table_query(o, &q);
	return rows_json_view(out, a, views[o->view].name, &q, o->no_paths, err);
}
