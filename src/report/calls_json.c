/* SPDX-License-Identifier: MIT */
/* calls_json: rows and nodes of calls, one JSON object a line. */
#include <errno.h>
#include <stdlib.h>

#include "event/eventset.h"
#include "report/calls_priv.h"
#include "report/jsonw.h"

static void put_bytes(struct jsonw *w, const char *key, const char *s,
		      size_t len)
{
	jsonw_key(w, key);
	if (s)
		jsonw_bytes(w, s, len);
	else
		jsonw_null(w);
}

/* As the key of other views: a place, a thread, a process. */
static void put_key(struct jsonw *w, const struct call_row *row,
		    enum calls_by by)
{
	jsonw_key(w, "key");
	jsonw_open(w);
	if (by == CALLS_FUNC) {
		put_bytes(w, "func", row->func, row->func_len);
		put_bytes(w, "file", row->file, row->file_len);
		jsonw_key(w, "line");
		jsonw_null(w);
		jsonw_key(w, "def");
		if (row->def >= 0)
			jsonw_int(w, row->def);
		else
			jsonw_null(w);
	} else {
		jsonw_key_known(w, "pid", row->pid);
	}
	if (by == CALLS_THREAD) {
		jsonw_key_known(w, "tid", row->tid);
		jsonw_key_name(w, "thread", row->comm);
	}
	jsonw_close(w);
}

static void put_percentile(struct jsonw *w, const char *key,
			   const struct hist *hist, unsigned int percent,
			   uint64_t max)
{
	struct percentile p = hist_percentile(hist, percent, max);

	jsonw_key(w, key);
	if (p.known)
		jsonw_uint(w, p.value);
	else
		jsonw_null(w);
}

static void put_estimates(struct jsonw *w, const struct call_sums *s,
			  const struct hist *hist, bool filtered)
{
	jsonw_key(w, "estimate");
	jsonw_open_list(w);
	if (s->gaps)
		jsonw_string(w, "total_ns");
	if (hist && hist_count(hist)) {
		if (!call_is_exact(hist, 50, s->max_ns))
			jsonw_string(w, "p50_ns");
		if (!call_is_exact(hist, 99, s->max_ns))
			jsonw_string(w, "p99_ns");
	}
	jsonw_close_list(w);
	jsonw_key(w, "at_least");
	jsonw_open_list(w);
	if (s->cut) {
		jsonw_string(w, "total_ns");
		if (!filtered)
			jsonw_string(w, "self_ns");
	}
	if (s->max_cut)
		jsonw_string(w, "max_ns");
	jsonw_close_list(w);
}

/* What was not traced is not known. */
static void put_inside(struct jsonw *w, const struct call_sums *s,
		       uint32_t events)
{
	jsonw_key(w, "cpu_ns");
	if (events & EVENTS_OF(PT_OFFCPU))
		jsonw_uint(w, calls_cpu_ns(s));
	else
		jsonw_null(w);
	if (events & EVENTS_OF(PT_SYSCALL)) {
		jsonw_key_uint(w, "syscalls", s->syscalls);
		jsonw_key_uint(w, "syscall_ns", s->sys_ns);
	}
	if (events & EVENTS_OF(PT_FAULT)) {
		jsonw_key_uint(w, "faults", s->faults);
		jsonw_key_uint(w, "major", s->majors);
	}
}

static void put_sums(struct jsonw *w, const struct call_sums *s,
		     const struct hist *hist, const struct calls_report *r)
{
	uint32_t events = calls_about(r->calls)->events;

	jsonw_key_uint(w, "count", s->calls);
	jsonw_key_uint(w, "seeded", s->seeded);
	jsonw_key_uint(w, "resumes", s->resumes);
	jsonw_key_uint(w, "generators", s->made);
	jsonw_key_uint(w, "raised", s->raised);
	jsonw_key_uint(w, "total_ns", s->total_ns);
	jsonw_key(w, "self_ns");
	if (r->filtered)
		jsonw_null(w);
	else
		jsonw_uint(w, s->self_ns);
	put_inside(w, s, events);
	jsonw_key_uint(w, "suspended_ns", s->suspended_ns);
	jsonw_key_uint(w, "max_ns", s->max_ns);
	if (hist) {
		put_percentile(w, "p50_ns", hist, 50, s->max_ns);
		put_percentile(w, "p99_ns", hist, 99, s->max_ns);
	}
	jsonw_key_uint(w, "cut", s->cut);
	jsonw_key_uint(w, "gaps", s->gaps);
	put_estimates(w, s, hist, r->filtered);
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

static int put_row(struct jsonw *w, FILE *out, const struct calls_report *r,
		   uint32_t nr, struct err *err)
{
	uint32_t all;
	const struct call_row *row = &calls_rows(r->calls, &all)[nr];

	jsonw_open(w);
	jsonw_key_string(w, "type", "calls-row");
	jsonw_key(w, "others");
	jsonw_bool(w, nr == CALLS_OTHERS);
	put_key(w, row, r->by);
	put_sums(w, &row->is, &row->hist, r);
	if (r->shape == CALLS_HIST)
		put_bars(w, &row->hist);
	jsonw_close(w);
	return jsonw_line(w, out, err);
}

static int put_rows(struct jsonw *w, FILE *out, const struct calls_report *r,
		    struct err *err)
{
	uint32_t nr;
	uint32_t *order = call_order_rows(r, &nr);
	int rc = 0;

	if (!order)
		return err_set(err, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < nr && (!r->limit || i < r->limit) && !rc; i++)
		rc = put_row(w, out, r, order[i], err);
	free(order);
	return rc;
}

/* All of them: a program picks for itself. */
static int put_nodes(struct jsonw *w, FILE *out, const struct calls_report *r,
		     struct err *err)
{
	uint32_t nr, all;
	const struct call_node *node = calls_nodes(r->calls, &nr);
	const struct call_row *row = calls_rows(r->calls, &all);
	int rc = 0;

	for (uint32_t i = 1; i < nr && !rc; i++) {
		jsonw_open(w);
		jsonw_key_string(w, "type", "calls-node");
		jsonw_key_uint(w, "id", i);
		jsonw_key_known(w, "parent", node[i].parent);
		jsonw_key_uint(w, "depth", node[i].depth - 1);
		jsonw_key(w, "others");
		jsonw_bool(w, node[i].row == CALLS_OTHERS);
		put_key(w, &row[node[i].row], CALLS_FUNC);
		put_sums(w, &node[i].is, NULL, r);
		jsonw_close(w);
		rc = jsonw_line(w, out, err);
	}
	return rc;
}

static void put_repairs(struct jsonw *w, const struct shadow_totals *s)
{
	jsonw_key(w, "repairs");
	jsonw_open(w);
#define X(name, words) jsonw_key_uint(w, #name, s->name);
	SHADOW_TOTALS(X)
#undef X
	jsonw_close(w);
}

static void put_verified(struct jsonw *w, const struct verified *v)
{
	jsonw_key(w, "verified");
	if (!v) {
		jsonw_null(w);
		return;
	}
	jsonw_open(w);
	jsonw_key_uint(w, "compared", v->compared);
	jsonw_key_uint(w, "differed", v->differed);
	jsonw_key_uint(w, "untold", v->untold);
	jsonw_key_uint(w, "unknown", v->unknown);
	if (v->differed) {
		jsonw_key_uint(w, "t", v->t);
		jsonw_key_uint(w, "tid", v->tid);
		jsonw_key_string(w, "walked", v->walked);
		jsonw_key_string(w, "calls", v->kept);
	}
	jsonw_close(w);
}

static int put_total(struct jsonw *w, FILE *out, const struct calls_report *r,
		     struct err *err)
{
	const struct calls_about *a = calls_about(r->calls);

	jsonw_open(w);
	jsonw_key_string(w, "type", "calls-total");
	jsonw_key_known(w, "t", a->first_t);
	jsonw_key_known(w, "until", a->last_t);
	jsonw_key_uint(w, "threads", a->nr_threads);
	put_sums(w, &a->all, NULL, r);
	put_repairs(w, r->repairs);
	put_verified(w, r->verified);
	jsonw_close(w);
	return jsonw_line(w, out, err);
}

int calls_json(FILE *out, const struct calls_report *r, struct err *err)
{
	struct jsonw w;
	int rc = jsonw_init(&w, err);

	if (rc)
		return rc;
	rc = put_total(&w, out, r, err);
	if (!rc)
		rc = r->shape == CALLS_TREE ? put_nodes(&w, out, r, err) :
					      put_rows(&w, out, r, err);
	jsonw_fini(&w);
	return rc;
}
