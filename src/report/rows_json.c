/* SPDX-License-Identifier: MIT */
/* rows_json: the account and the rows of a view, one JSON object a line. */
#include "report/rows_json.h"

#include "report/jsonw.h"
#include "report/words.h"

struct writer {
	struct jsonw w;
	FILE *out;
	const char *view;
	enum rows_by by;
	bool by_cause;
	struct words words;
};

/* ---- the account ---------------------------------------------------------- */

static const char *precision_word(enum precision p)
{
	switch (p) {
	case EXACT:
		return "exact";
	case FROM_SAMPLES:
		return "samples";
	case NOT_KNOWN:
		break;
	}
	return "unknown";
}

static void put_quota(struct jsonw *w, const struct model *m)
{
	jsonw_key(w, "cpu_quota");
	if (!m->quota && !m->throttled_ns) {
		jsonw_null(w);
		return;
	}
	jsonw_open(w);
	jsonw_key_uint(w, "throttled_ns", m->throttled_ns);
	jsonw_key_uint(w, "periods", m->periods);
	jsonw_key_uint(w, "throttled_periods", m->throttled_periods);
	jsonw_close(w);
}

static void put_account(struct jsonw *w, const struct model *m)
{
	const struct account *sum = &m->account;
	uint32_t all;

	jsonw_key_string(w, "type", "account");
	jsonw_key_uint(w, "t", m->begin);
	jsonw_key_uint(w, "until", m->end);
	jsonw_key_uint(w, "threads", model_threads(m, &all));
	jsonw_key_uint(w, "thread_ns", sum->thread_ns);
	jsonw_key_uint(w, "idle_ns", sum->idle_ns);
	jsonw_key_uint(w, "unseen_ns", sum->unseen_ns);
	jsonw_key_uint(w, "busy_ns", sum->busy_ns);
	jsonw_key(w, "busy");
	jsonw_open(w);
	for (int c = 0; c < SPENT_NR; c++)
		if (c != SPENT_UNKNOWN && sum->busy[c])
			jsonw_key_uint(w, spent_key((enum spent)c),
				       sum->busy[c]);
	jsonw_close(w);
	jsonw_key_uint(w, "unknown_ns", sum->busy[SPENT_UNKNOWN]);
	jsonw_key_string(w, "kernel_mode", precision_word(m->kernel));
	jsonw_key_string(w, "off_cpu", precision_word(m->off));
	put_quota(w, m);
	jsonw_key_uint(w, "memory_high", m->memory_high);
	jsonw_key_uint(w, "before_begin", m->before);
	jsonw_key(w, "complete");
	jsonw_bool(w, m->complete && !m->lossy);
}

/* ---- rows ----------------------------------------------------------------- */

static void put_string(struct writer *wr, const char *key, uint32_t string)
{
	size_t len = 0;
	const char *s = model_string(wr->words.a, string, &len);

	jsonw_key(&wr->w, key);
	if (s)
		jsonw_bytes(&wr->w, s, len);
	else
		jsonw_null(&wr->w);
}

static void put_number(struct jsonw *w, const char *key, int32_t n)
{
	jsonw_key(w, key);
	if (n >= 0)
		jsonw_int(w, n);
	else
		jsonw_null(w);
}

static void put_place(struct writer *wr, const char *key, uint32_t nr)
{
	const struct place *p = model_place(wr->words.a, nr);

	if (key)
		jsonw_key(&wr->w, key);
	if (!p) {
		jsonw_null(&wr->w);
		return;
	}
	jsonw_open(&wr->w);
	put_string(wr, "func", p->func);
	put_string(wr, "file", p->file);
	put_number(&wr->w, "line", p->line);
	put_number(&wr->w, "def", p->def);
	jsonw_close(&wr->w);
}

static void put_text(struct writer *wr, const char *key, const struct text *t)
{
	jsonw_key(&wr->w, key);
	if (t->len)
		jsonw_bytes(&wr->w, t->s, t->len);
	else
		jsonw_null(&wr->w);
}

static void put_what(struct writer *wr, const struct rows *rows,
		     const struct row *row)
{
	const struct detail *call = rows_detail(rows, row, DETAIL_CALL);
	const struct detail *object = rows_detail(rows, row, DETAIL_OBJECT);
	struct text t = { 0 };

	jsonw_key_string(&wr->w, "call",
			 spent_call_name((uint16_t)call->value));
	words_object(&t, &wr->words, object->value);
	put_text(wr, "object", &t);
	put_place(wr, "inner", rows_detail(rows, row, DETAIL_INNER)->value);
}

static const char *waker_word(uint32_t kind)
{
	switch (kind) {
	case PT_WAKER_TASK:
		return "task";
	case PT_WAKER_TIMER:
		return "timer";
	case PT_WAKER_INTERRUPT:
		return "interrupt";
	default:
		return NULL;
	}
}

static void put_waker(struct writer *wr, const struct rows *rows,
		      const struct row *row)
{
	const struct detail *kind = rows_detail(rows, row, DETAIL_WAKER);
	const struct detail *who = rows_detail(rows, row, DETAIL_WAKER_THREAD);
	struct text t = { 0 };

	jsonw_key(&wr->w, "waker");
	if (!kind->all) {
		jsonw_null(&wr->w);
		return;
	}
	jsonw_open(&wr->w);
	jsonw_key_string(&wr->w, "kind", waker_word(kind->value));
	put_place(wr, "place", rows_detail(rows, row, DETAIL_WAKER_PLACE)->value);
	if (who->value)
		words_thread(&t, &wr->words, who->value);
	put_text(wr, "thread", &t);
	jsonw_close(&wr->w);
}

static void put_hold(struct writer *wr, const struct rows *rows,
		     const struct row *row)
{
	const struct detail *hold = rows_detail(rows, row, DETAIL_HOLD);
	const struct doing *d = model_doing(wr->words.a, hold->value);
	struct text t = { 0 };

	if (!d)
		return;
	jsonw_key(&wr->w, "holder");
	jsonw_open(&wr->w);
	jsonw_key_string(&wr->w, "cause", d->cause == SPENT_CPU_USER ? "cpu" :
			 spent_key((enum spent)d->cause));
	jsonw_key_string(&wr->w, "call", spent_call_name(d->call));
	words_object(&t, &wr->words, d->object);
	put_text(wr, "object", &t);
	put_place(wr, "place", d->place);
	jsonw_key_uint(&wr->w, "ns", hold->weight);
	jsonw_key_uint(&wr->w, "of_ns", hold->all);
	jsonw_close(&wr->w);
}

/* As the events have it. */
static const char *fault_word(uint16_t kind)
{
	static const char *const words[] = {
		[PT_FAULT_OTHER] = "other", [PT_FAULT_COW] = "cow",
		[PT_FAULT_FIRST_TOUCH] = "first-touch",
		[PT_FAULT_FILE] = "file", [PT_FAULT_SWAP] = "swap",
	};

	return kind < ARRAY_LEN(words) ? words[kind] : "other";
}

static void put_stack(struct writer *wr, uint32_t stack)
{
	const struct stack_info *st = model_stack(wr->words.a, stack);

	jsonw_key(&wr->w, "stack");
	if (!st->known) {
		jsonw_null(&wr->w);
		return;
	}
	jsonw_open_list(&wr->w);
	for (uint32_t i = 0; i < st->nr; i++)
		put_place(wr, NULL, st->places[i]);
	jsonw_close_list(&wr->w);
}

static void put_thread_key(struct writer *wr, uint32_t thread)
{
	const struct thread_info *t =
		&analysis_model(wr->words.a)->threads[thread];

	jsonw_key(&wr->w, "key");
	jsonw_open(&wr->w);
	jsonw_key_known(&wr->w, "pid", t->pid);
	jsonw_key_known(&wr->w, "tid", t->tid);
	jsonw_key_name(&wr->w, "thread", t->comm);
	jsonw_close(&wr->w);
}

static void put_process_key(struct writer *wr, uint32_t proc)
{
	const struct model *m = analysis_model(wr->words.a);
	uint32_t pid = 0;

	for (uint32_t i = 0; i < m->nr_processes; i++)
		if (m->processes[i].proc == proc)
			pid = m->processes[i].pid;
	jsonw_key(&wr->w, "key");
	jsonw_open(&wr->w);
	jsonw_key_known(&wr->w, "pid", pid);
	jsonw_close(&wr->w);
}

static void put_key(struct writer *wr, const struct row *row)
{
	if (wr->by == BY_THREAD) {
		put_thread_key(wr, row->key);
	} else if (wr->by == BY_PROCESS) {
		put_process_key(wr, row->key);
	} else if (wr->by == BY_STACK) {
		put_stack(wr, row->key);
	} else {
		put_place(wr, "key", row->key);
		if (!model_place(wr->words.a, row->key))
			jsonw_key_string(&wr->w, "why",
					 row->key == ROW_NO_FRAMES ?
					 "no Python frame" : "not known");
	}
}

/* Without groups of causes all of it is on CPU. */
static const char *cause_word(const struct writer *wr, const struct row *row)
{
	if (!wr->by_cause || row->cause == SPENT_CPU_USER)
		return "cpu";
	return spent_key((enum spent)row->cause);
}

static void put_event_sums(struct jsonw *w, const struct row *row)
{
	jsonw_key_uint(w, "bytes", row->is.bytes);
	if (row->kind == CELL_CALLS) {
		jsonw_key_uint(w, "errors", row->is.errors);
		jsonw_key_string(w, "call", spent_call_name(row->call));
	} else {
		jsonw_key_string(w, "kind", fault_word(row->call));
	}
}

static void put_row(struct writer *wr, const struct rows *rows,
		    const struct row *row)
{
	struct jsonw *w = &wr->w;

	jsonw_key_string(w, "type", "row");
	jsonw_key_string(w, "view", wr->view);
	put_key(wr, row);
	if (row->kind == CELL_TIME)
		jsonw_key_string(w, "cause", cause_word(wr, row));
	jsonw_key_uint(w, "count", row->is.count);
	jsonw_key_uint(w, "ns", row->is.ns);
	jsonw_key_uint(w, "max_ns", row->is.max);
	if (row->kind != CELL_TIME)
		put_event_sums(w, row);
	if (row->kind == CELL_TIME) {
		put_what(wr, rows, row);
		put_waker(wr, rows, row);
		put_hold(wr, rows, row);
	}
	jsonw_key(w, "estimate");
	jsonw_open_list(w);
	if (row->estimate_ns)
		jsonw_string(w, "ns");
	jsonw_close_list(w);
}

static int put_rows(struct writer *wr, const struct rows *rows, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < rows->nr; i++) {
		if (!rows->row[i].is.ns && !rows->row[i].is.count)
			continue;
		jsonw_open(&wr->w);
		put_row(wr, rows, &rows->row[i]);
		jsonw_close(&wr->w);
		rc = jsonw_line(&wr->w, wr->out, err);
	}
	return rc;
}

int rows_json_view(FILE *out, const struct analysis *a, const char *name,
		   const struct rows_query *q, bool no_paths, struct err *err)
{
	struct writer wr = {
		.out = out, .view = name, .by = q->by, .by_cause = q->by_cause,
		.words = { .a = a, .no_paths = no_paths },
	};
	struct rows rows;
	int rc = jsonw_init(&wr.w, err);

	if (rc)
		return rc;
	rc = rows_make(&rows, a, q, err);
	if (!rc) {
		jsonw_open(&wr.w);
		put_account(&wr.w, analysis_model(a));
		jsonw_close(&wr.w);
		rc = jsonw_line(&wr.w, out, err);
		if (!rc)
			rc = put_rows(&wr, &rows, err);
		rows_free(&rows);
	}
	jsonw_fini(&wr.w);
	return rc;
}

int rows_json_put(FILE *out, const struct analysis *a, bool no_paths,
		  struct err *err)
{
	const struct rows_query q = {
		.by = BY_APP, .kinds = 1u << CELL_TIME, .by_cause = true,
	};

	return rows_json_view(out, a, "summary", &q, no_paths, err);
}
