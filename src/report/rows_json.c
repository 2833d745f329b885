/* SPDX-License-Identifier: MIT */
/* rows_json: the rows of a view, one JSON object a line. */
#include "report/rows_json_priv.h"

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

void place_json(struct writer *wr, const char *key, uint32_t nr)
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
	place_json(wr, "inner", rows_detail(rows, row, DETAIL_INNER)->value);
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
	place_json(wr, "place", rows_detail(rows, row, DETAIL_WAKER_PLACE)->value);
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
	place_json(wr, "place", d->place);
	jsonw_key_uint(&wr->w, "ns", hold->weight);
	jsonw_key_uint(&wr->w, "of_ns", hold->all);
	jsonw_close(&wr->w);
}

const char *fault_json(uint16_t kind)
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
		place_json(wr, NULL, st->places[i]);
	jsonw_close_list(&wr->w);
}

void kernel_func_json(struct writer *wr, const char *key, uint32_t string)
{
	size_t len = 0;
	const char *name = model_string(wr->words.a, string, &len);

	if (key)
		jsonw_key(&wr->w, key);
	if (name && len)
		jsonw_bytes(&wr->w, name, len);
	else
		jsonw_null(&wr->w);
}

static void put_kernel(struct writer *wr, uint32_t kernel)
{
	uint32_t nr;
	const uint32_t *func = model_kernel(wr->words.a, kernel, &nr);

	if (!func)
		return;
	jsonw_key(&wr->w, "kernel");
	jsonw_open_list(&wr->w);
	for (uint32_t i = 0; i < nr; i++)
		kernel_func_json(wr, NULL, func[i]);
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
		put_kernel(wr, row->kernel);
	} else if (wr->by == BY_AGE) {
		jsonw_key(&wr->w, "key");
		jsonw_open(&wr->w);
		jsonw_key_string(&wr->w, "age", row->key == AGE_UNKNOWN ? NULL :
				 words_age(row->key));
		jsonw_close(&wr->w);
	} else {
		place_json(wr, "key", row->key);
		if (!model_place(wr->words.a, row->key))
			jsonw_key_string(&wr->w, "why",
					 row->key == ROW_NO_FRAMES ?
					 "no Python frame" : "not known");
	}
}

static bool is_cpu(const struct writer *wr, const struct row *row)
{
	return row->kind == CELL_TIME &&
	       (!wr->by_cause || row->cause == SPENT_CPU_USER);
}

/* Without groups of causes all of it is on CPU. */
static const char *cause_word(const struct writer *wr, const struct row *row)
{
	if (is_cpu(wr, row))
		return "cpu";
	return spent_key((enum spent)row->cause);
}

static void put_percentile(struct jsonw *w, const char *key,
			   struct percentile p)
{
	jsonw_key(w, key);
	if (p.known)
		jsonw_uint(w, p.value);
	else
		jsonw_null(w);
}

static void put_bars(struct jsonw *w, const struct hist *h)
{
	jsonw_key(w, "hist");
	jsonw_open_list(w);
	for (uint32_t i = 0; i < h->nr; i++) {
		jsonw_open(w);
		jsonw_key_uint(w, "from_ns", hist_from(h->bar[i].bucket));
		jsonw_key_uint(w, "to_ns", hist_to(h->bar[i].bucket));
		jsonw_key_uint(w, "count", h->bar[i].count);
		jsonw_close(w);
	}
	jsonw_close_list(w);
}

/* How long they took; what of it is not exact goes to `estimate`. */
static void put_durations(struct writer *wr, const struct rows *rows,
			  const struct row *row, bool *p50, bool *p99)
{
	const struct hist *h = rows_hist(rows, row);
	struct percentile half, most;

	jsonw_key(&wr->w, "max_ns");
	if (is_cpu(wr, row) || wr->counter)
		jsonw_null(&wr->w);
	else
		jsonw_uint(&wr->w, row->is.max);
	if (!h)
		return;
	half = hist_percentile(h, 50, row->is.max);
	most = hist_percentile(h, 99, row->is.max);
	put_percentile(&wr->w, "p50_ns", half);
	put_percentile(&wr->w, "p99_ns", most);
	*p50 = half.known && !half.exact;
	*p99 = most.known && !most.exact;
	if (wr->hists)
		put_bars(&wr->w, h);
}

static void put_errors(struct writer *wr, const struct rows *rows,
		       const struct row *row)
{
	struct detail errors[64];
	size_t nr = 0;

	jsonw_key_uint(&wr->w, "errors", row->is.errors);
	if (row != &rows->total && row->is.errors)
		nr = rows_details(rows, row, DETAIL_OBJECT, errors,
				  ARRAY_LEN(errors));
	jsonw_key(&wr->w, "by_errno");
	jsonw_open(&wr->w);
	for (size_t i = 0; i < nr; i++) {
		struct text t = { 0 };

		words_object(&t, &wr->words, errors[i].value);
		jsonw_key_uint(&wr->w, t.s, errors[i].weight);
	}
	jsonw_close(&wr->w);
}

void faults_json(struct jsonw *w, const struct row_faults *f)
{
	jsonw_key(w, "kinds");
	jsonw_open(w);
	for (uint16_t i = 0; i < ARRAY_LEN(f->kind); i++)
		if (f->kind[i])
			jsonw_key_uint(w, fault_json(i), f->kind[i]);
	jsonw_close(w);
	jsonw_key_uint(w, "major", f->major);
	jsonw_key_uint(w, "in_gc", f->in_gc);
	jsonw_key_uint(w, "private_bytes", f->private_bytes);
	jsonw_key_uint(w, "resident_bytes", f->resident_bytes);
	jsonw_key_uint(w, "no_size", f->no_size);
}

static void put_kind_sums(struct writer *wr, const struct rows *rows,
			  const struct row *row)
{
	if (row->kind == CELL_CALLS) {
		jsonw_key_uint(&wr->w, "bytes", row->is.bytes);
		put_errors(wr, rows, row);
	} else if (row->kind == CELL_FAULTS) {
		jsonw_key_uint(&wr->w, "bytes", row->is.bytes);
		faults_json(&wr->w, &row->faults);
	} else if (row->kind == CELL_COUNTED) {
		jsonw_key_uint(&wr->w, "kernel_events", row->kernel_events);
	} else if (is_cpu(wr, row)) {
		jsonw_key_uint(&wr->w, "kernel_ns", row->kernel_ns);
	}
}

static void put_estimates(struct writer *wr, bool ns, bool count, bool p50,
			  bool p99)
{
	struct jsonw *w = &wr->w;

	jsonw_key(w, "estimate");
	jsonw_open_list(w);
	if (wr->counter && !counter_is_exact(wr->counter)) {
		jsonw_string(w, "events");
		jsonw_string(w, "kernel_events");
	}
	if (ns)
		jsonw_string(w, "ns");
	if (count)
		jsonw_string(w, "count");
	if (p50)
		jsonw_string(w, "p50_ns");
	if (p99)
		jsonw_string(w, "p99_ns");
	jsonw_close_list(w);
}

static const char *state_word(uint8_t state)
{
	return state == TIME_BUSY ? "busy" :
	       state == TIME_IDLE ? "idle" : "unseen";
}

void begin_json(struct writer *wr, const char *type)
{
	jsonw_key_string(&wr->w, "type", type);
	jsonw_key_string(&wr->w, "view", wr->view);
	if (wr->interval)
		jsonw_key_uint(&wr->w, "interval", wr->interval);
	if (!wr->counter)
		return;
	jsonw_key_string(&wr->w, "event", wr->counter->name);
	jsonw_key_uint(&wr->w, wr->counter->is_period ? "period" : "hz",
		       wr->counter->rate);
}

void sums_json(struct writer *wr, const struct sums *is)
{
	jsonw_key_uint(&wr->w, "count", is->count);
	jsonw_key(&wr->w, "ns");
	if (wr->counter)
		jsonw_null(&wr->w);
	else
		jsonw_uint(&wr->w, is->ns);
	if (wr->counter)
		jsonw_key_uint(&wr->w, "events", is->events);
}

static void put_sums(struct writer *wr, const struct rows *rows,
		     const struct row *row)
{
	bool thinned = row->kind != CELL_FAULTS &&
		       model_is_thinned(analysis_model(wr->words.a));
	bool p50 = false, p99 = false;

	sums_json(wr, &row->is);
	put_durations(wr, rows, row, &p50, &p99);
	put_kind_sums(wr, rows, row);
	if (row->kind == CELL_TIME && row != &rows->total) {
		put_what(wr, rows, row);
		put_waker(wr, rows, row);
		put_hold(wr, rows, row);
	}
	put_estimates(wr, row->estimate_ns || (thinned && !wr->counter), thinned, p50,
		      p99);
}

static void put_row(struct writer *wr, const struct rows *rows,
		    const struct row *row)
{
	struct jsonw *w = &wr->w;

	begin_json(wr, "row");
	put_key(wr, row);
	jsonw_key_string(w, "state", state_word(row->state));
	if (row->kind == CELL_TIME)
		jsonw_key_string(w, "cause", cause_word(wr, row));
	if (row->kind == CELL_CALLS)
		jsonw_key_string(w, "call", spent_call_name(row->call));
	if (row->kind == CELL_FAULTS) {
		jsonw_key(w, "gc");
		jsonw_bool(w, row->in_gc);
	}
	put_sums(wr, rows, row);
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

/* What the rows, or the nodes, sum up to. */
static int put_total(struct writer *wr, const struct rows *rows,
		     struct err *err)
{
	jsonw_open(&wr->w);
	begin_json(wr, "total");
	put_sums(wr, rows, &rows->total);
	jsonw_close(&wr->w);
	return jsonw_line(&wr->w, wr->out, err);
}

static int put_account(struct writer *wr, struct err *err)
{
	jsonw_open(&wr->w);
	account_json(&wr->w, analysis_model(wr->words.a), wr->interval);
	jsonw_close(&wr->w);
	return jsonw_line(&wr->w, wr->out, err);
}

static int put_view(struct writer *wr, const struct rows_query *q,
		    const struct rows_json_opts *o, struct err *err)
{
	struct rows rows;
	int rc = rows_make(&rows, wr->words.a, q, err);

	if (rc)
		return rc;
	rc = wr->counter ? 0 : put_account(wr, err);
	if (!rc && !o->no_total)
		rc = put_total(wr, &rows, err);
	if (!rc)
		rc = o->tree ? tree_json(wr, q, err) : put_rows(wr, &rows, err);
	rows_free(&rows);
	return rc;
}

int rows_json_view(FILE *out, const struct analysis *a,
		   const struct rows_query *q, const struct rows_json_opts *o,
		   struct err *err)
{
	struct writer wr = {
		.out = out, .view = o->view, .by = q->by,
		.by_cause = q->by_cause, .hists = o->hists,
		.interval = o->interval, .counter = o->counter,
		.words = { .a = a, .no_paths = o->no_paths },
	};
	int rc = jsonw_init(&wr.w, err);

	if (rc)
		return rc;
	rc = put_view(&wr, q, o, err);
	jsonw_fini(&wr.w);
	return rc;
}

int rows_json_put(FILE *out, const struct analysis *a, bool no_paths,
		  unsigned int interval, struct err *err)
{
	const struct rows_query q = {
		.by = BY_APP, .kinds = 1u << CELL_TIME, .by_cause = true,
	};
	const struct rows_json_opts o = {
		.view = "summary", .no_paths = no_paths, .no_total = true,
		.interval = interval,
	};

	return rows_json_view(out, a, &q, &o, err);
}
