/* SPDX-License-Identifier: MIT */
/* json: the stream as one JSON object a line, for programs. */
#include "report/json.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "event/eventset.h"
#include "event/record.h"
#include "report/json_priv.h"
#include "report/shed.h"

struct json {
	struct jsonw w;
	FILE *out;
	struct json_opts opts;
	uint32_t events;	/* traced: of PT_BEGIN */
};

int json_new(struct json **out, FILE *f, const struct json_opts *opts,
	     struct err *err)
{
	struct json *j = calloc(1, sizeof(*j));
	int rc;

	if (!j)
		return err_set(err, -ENOMEM, "out of memory");
	rc = jsonw_init(&j->w, err);
	if (rc < 0) {
		free(j);
		return rc;
	}
	j->out = f;
	if (opts)
		j->opts = *opts;
	*out = j;
	return 0;
}

void json_free(struct json *j)
{
	if (!j)
		return;
	jsonw_fini(&j->w);
	free(j);
}

/* ---- parts of many -------------------------------------------------------- */

void json_put_type(struct jsonw *w, const struct pt_hdr *rec)
{
	jsonw_key_string(w, "type", record_type(rec->type)->name);
	jsonw_key_uint(w, "t", rec->t);
}

void json_put_task(struct jsonw *w, const struct moment *m)
{
	jsonw_key_known(w, "pid", m->rec->pid);
	jsonw_key_known(w, "tid", m->rec->tid);
	jsonw_key_name(w, "thread", m->thread ? m->thread->comm : NULL);
}

/* ---- the other records ---------------------------------------------------- */

static void put_meta(struct jsonw *w, const struct pt_hdr *rec)
{
	const struct pt_meta *meta = (const void *)rec;
	size_t args = rec->flags & PT_META_BOOT_ID ? 4 : 3;
	const char *arg;

	json_put_type(w, rec);
	jsonw_key_uint(w, "version", 1);
	jsonw_key_string(w, "clock", "monotonic");
	jsonw_key_int(w, "realtime_offset_ns", meta->realtime_offset);
	jsonw_key_name(w, "tool", record_string(rec, 0));
	jsonw_key_name(w, "kernel", record_string(rec, 1));
	jsonw_key_name(w, "host", record_string(rec, 2));
	jsonw_key_name(w, "boot_id", args > 3 ? record_string(rec, 3) : NULL);
	jsonw_key(w, "argv");
	jsonw_open_list(w);
	for (size_t i = args; (arg = record_string(rec, i)); i++)
		jsonw_string(w, arg);
	jsonw_close_list(w);
}

static const char *calls_by(uint8_t by)
{
	switch ((enum pt_calls_by)by) {
	case PT_CALLS_NONE:
		return "none";
	case PT_CALLS_USDT:
		return "usdt";
	case PT_CALLS_SYNTHETIC:
		return "synthetic";
	}
	return NULL;		/* of a newer stream */
}

static void put_process(struct jsonw *w, const struct pt_hdr *rec)
{
	const struct pt_process *p = (const void *)rec;

	json_put_type(w, rec);
	jsonw_key_known(w, "pid", rec->pid);
	jsonw_key_known(w, "nspid", p->nspid);
	jsonw_key_name(w, "exe", record_string(rec, 0));
	jsonw_key_name(w, "python", record_string(rec, 1));
	jsonw_key_name(w, "library", record_string(rec, 2));
	jsonw_key_name(w, "cgroup", record_string(rec, 4));
	jsonw_key(w, "walk");
	if (p->walk == PT_WALK_STARTING)
		jsonw_null(w);
	else
		jsonw_bool(w, p->walk == PT_WALK_YES);
	jsonw_key_string(w, "calls", calls_by(p->calls));
	if (p->calls == PT_CALLS_NONE)
		jsonw_key_name(w, "no_calls", record_string(rec, 5));
	if (p->walk != PT_WALK_YES)
		jsonw_key_name(w, "why", p->walk == PT_WALK_STARTING ?
			       "the interpreter is not initialised yet" :
			       record_string(rec, 3));
}

static void put_fork(struct jsonw *w, const struct moment *m)
{
	const struct pt_fork *fork = (const void *)m->rec;

	json_put_type(w, m->rec);
	json_put_task(w, m);
	jsonw_key_known(w, "child_pid", fork->child_pid);
	jsonw_key_known(w, "child_tid", fork->child_tid);
}

static void put_exit(struct jsonw *w, const struct moment *m)
{
	const struct pt_exit *end = (const void *)m->rec;
	int status = (int)end->code;

	json_put_type(w, m->rec);
	json_put_task(w, m);
	jsonw_key(w, "code");
	if (WIFEXITED(status))
		jsonw_int(w, WEXITSTATUS(status));
	else
		jsonw_null(w);
	jsonw_key(w, "signal");
	if (WIFEXITED(status))
		jsonw_null(w);
	else
		jsonw_int(w, WTERMSIG(status));
	jsonw_key(w, "last");
	jsonw_bool(w, end->last);
}

/* "ring-full": the name of a reason as a key. */
static const char *loss_key(uint32_t reason, char *out, size_t size)
{
	static const char *const names[] = {
#define X(nr, NAME, text) [nr] = #NAME,
		PT_LOSSES(X)
#undef X
	};
	size_t i;

	if (reason >= ARRAY_LEN(names))
		return "other";
	for (i = 0; names[reason][i] && i + 1 < size; i++) {
		out[i] = (char)tolower((unsigned char)names[reason][i]);
		if (out[i] == '_')
			out[i] = '-';
	}
	out[i] = '\0';
	return out;
}

static void put_lost(struct jsonw *w, const struct pt_hdr *rec)
{
	const struct pt_lost *lost = (const void *)rec;
	char key[32];

	json_put_type(w, rec);
	jsonw_key_uint(w, "until", lost->until);
	jsonw_key_string(w, "reason", loss_key(lost->reason, key, sizeof(key)));
	jsonw_key_uint(w, "count", lost->count);
	jsonw_key_uint(w, "cpu", rec->cpu);
	jsonw_key_known(w, "tid", rec->tid);
}

static void put_begin(struct jsonw *w, const struct pt_hdr *rec)
{
	const struct pt_begin *begin = (const void *)rec;

	json_put_type(w, rec);
	jsonw_key(w, "events");
	jsonw_open_list(w);
	for (uint16_t type = 0; type < PT_TYPE_END; type++)
		if (begin->events & EVENTS_OF(type) && eventset_kind(type))
			jsonw_string(w, eventset_kind(type));
	jsonw_close_list(w);
	jsonw_key_known(w, "sample_hz", begin->sample_hz);
}

static void put_gil(struct jsonw *w, const struct pt_hdr *rec)
{
	const struct pt_gil *gil = (const void *)rec;

	json_put_type(w, rec);
	jsonw_key_known(w, "pid", rec->pid);
	jsonw_key_uint(w, "from", gil->from);
	jsonw_key_uint(w, "to", gil->to);
}

/* A group without a quota has no periods either. */
static void put_cpustat(struct jsonw *w, const struct pt_hdr *rec)
{
	const struct pt_cpustat *stat = (const void *)rec;

	json_put_type(w, rec);
	jsonw_key_known(w, "pid", rec->pid);
	jsonw_key_name(w, "cgroup", record_string(rec, 0));
	jsonw_key_known(w, "quota_us", stat->quota_us);
	jsonw_key_known(w, "period_us", stat->period_us);
	jsonw_key_uint(w, "nr_periods", stat->nr_periods);
	jsonw_key_uint(w, "nr_throttled", stat->nr_throttled);
	jsonw_key_uint(w, "throttled_us", stat->throttled_us);
	jsonw_key_uint(w, "memory_high", stat->memory_high);
}

const char *json_named_kind(uint8_t kind)
{
	switch ((enum pt_named_kind)kind) {
	case PT_NAMED_TRACEPOINT:
		return "tracepoint";
	case PT_NAMED_COUNTER:
		return "counter";
	case PT_NAMED_USDT:
		return "usdt";
	case PT_NAMED_GC:
		return "gc";
	case PT_NAMED_IMPORT:
		return "import";
	case PT_NAMED_AUDIT:
		return "audit";
	case PT_NAMED_LINE:
		return "line";
	}
	return "unknown";
}

/* What "name" of a tracepoint or a sample stands for. */
static void put_named(struct jsonw *w, const struct moment *m)
{
	const struct pt_named *n = (const void *)m->rec;
	const char *text;

	json_put_type(w, m->rec);
	jsonw_key_name(w, "name", record_string(m->rec, 0));
	jsonw_key_string(w, "kind", json_named_kind(n->kind));
	if (n->kind == PT_NAMED_COUNTER)
		jsonw_key_known(w, n->is_period ? "period" : "hz", n->rate);
	jsonw_key(w, "fields");
	jsonw_open_list(w);
	for (size_t i = 1; (text = record_string(m->rec, i)); i++)
		jsonw_string(w, text);
	jsonw_close_list(w);
}

static void put_shed(struct jsonw *w, const struct pt_hdr *rec)
{
	const struct pt_shed *shed = (const void *)rec;

	json_put_type(w, rec);
	jsonw_key_name(w, "step", shed_step_key(shed->step));
	jsonw_key_string(w, "why", shed->why == PT_SHED_OWN ? "own" : "target");
	jsonw_key_uint(w, "limit_percent", shed->limit);
	jsonw_key_known(w, "slower_ns", shed->slower_ns);
	jsonw_key_uint(w, "span_ns", shed->span_ns);
	jsonw_key_uint(w, "cost_ns", shed->cost_ns);
	jsonw_key_uint(w, "target_ns", shed->target_ns);
	jsonw_key_uint(w, "own_ns", shed->own_ns);
}

/* "syscall":12 for each kind that there was. */
static void put_event_totals(struct jsonw *w, const struct engine_totals *t)
{
	jsonw_key(w, "by_type");
	jsonw_open(w);
	for (uint16_t type = 0; type < PT_TYPE_END; type++)
		if (t->of_type[type])
			jsonw_key_uint(w, record_type(type)->name,
				       t->of_type[type]);
	jsonw_close(w);
}

static void put_losses(struct jsonw *w, const struct engine_totals *t)
{
	uint64_t other = 0;
	char key[32];

	jsonw_key(w, "losses");
	jsonw_open(w);
	for (uint32_t i = 0; i < ARRAY_LEN(t->lost); i++) {
		if (i >= PT_NR_LOSSES)
			other += t->lost[i];
		else if (t->lost[i])
			jsonw_key_uint(w, loss_key(i, key, sizeof(key)),
				       t->lost[i]);
	}
	if (other)
		jsonw_key_uint(w, "other", other);
	jsonw_close(w);
}

static void put_stack_totals(struct jsonw *w, const struct engine_totals *t)
{
	uint64_t other = t->unknown[PT_WHY_NONE];

	jsonw_key(w, "stacks");
	jsonw_open(w);
	jsonw_key_uint(w, "known", t->with_stack);
	jsonw_key_uint(w, "no_frames", t->no_frames);
	jsonw_key(w, "unknown");
	jsonw_open(w);
	for (uint32_t i = 1; i < ARRAY_LEN(t->unknown); i++) {
		if (i >= PT_NR_WHYS)
			other += t->unknown[i];
		else if (t->unknown[i])
			jsonw_key_uint(w, engine_why_words(i), t->unknown[i]);
	}
	if (other)
		jsonw_key_uint(w, "no reason given", other);
	jsonw_close(w);
	jsonw_close(w);
}

static void put_end(struct jsonw *w, const struct pt_hdr *rec,
		    const struct engine_totals *totals)
{
	const struct pt_end *end = (const void *)rec;

	json_put_type(w, rec);
	jsonw_key_uint(w, "events", end->events);
	jsonw_key_uint(w, "lost", end->lost);
	if (totals) {
		put_event_totals(w, totals);
		put_losses(w, totals);
		put_stack_totals(w, totals);
	}
	jsonw_key_known(w, "overhead_ns", end->overhead_ns);
	jsonw_key_known(w, "tracer_ns", UINT64_C(1000000) * end->own_ms);
	jsonw_key_uint(w, "exit", end->exit);
}

/* Definitions have no object of their own. */
static bool has_object(uint16_t type)
{
	return type != PT_CODE && type != PT_PART && type != PT_STACK &&
	       type != PT_MAPPED && type != PT_SEED && type != PT_CALL &&
	       type != PT_RETURN && type != PT_KSTACK;
}

static void put_object(struct json *j, const struct moment *m,
		       const struct engine_totals *totals)
{
	struct jsonw *w = &j->w;

	switch ((enum pt_type)m->rec->type) {
	case PT_META:
		put_meta(w, m->rec);
		break;
	case PT_PROCESS:
		put_process(w, m->rec);
		break;
	case PT_THREAD:
		json_put_type(w, m->rec);
		json_put_task(w, m);
		break;
	case PT_FORK:
		put_fork(w, m);
		break;
	case PT_EXEC:
		json_put_type(w, m->rec);
		json_put_task(w, m);
		jsonw_key_string(w, "file", record_string(m->rec, 0));
		break;
	case PT_EXIT:
		put_exit(w, m);
		break;
	case PT_SYSCALL:
	case PT_FAULT:
	case PT_OFFCPU:
	case PT_SAMPLE:
	case PT_TRACEPOINT:
		json_put_event(w, m, &j->opts);
		break;
	case PT_LOST:
		put_lost(w, m->rec);
		break;
	case PT_END:
		put_end(w, m->rec, totals);
		break;
	case PT_BEGIN:
		put_begin(w, m->rec);
		break;
	case PT_GIL:
		put_gil(w, m->rec);
		break;
	case PT_CPUSTAT:
		put_cpustat(w, m->rec);
		break;
	case PT_NAMED:
		put_named(w, m);
		break;
	case PT_SHED:
		put_shed(w, m->rec);
		break;
	case PT_CALL:
	case PT_RETURN:
	case PT_SEED:
	case PT_KSTACK:
	case PT_CODE:
	case PT_PART:
	case PT_STACK:
	case PT_MAPPED:
	case PT_TYPE_END:
		break;
	}
}

int json_moment(struct json *j, const struct moment *m,
		const struct engine_totals *totals, struct err *err)
{
	if (m->rec->type == PT_BEGIN)
		j->events = ((const struct pt_begin *)(const void *)m->rec)->
			events;
	if (!has_object(m->rec->type))
		return 0;
	jsonw_open(&j->w);
	put_object(j, m, totals);
	jsonw_close(&j->w);
	return jsonw_line(&j->w, j->out, err);
}

int json_step(struct json *j, const struct moment_step *ms, struct err *err)
{
	jsonw_open(&j->w);
	json_put_step(&j->w, ms, j->events);
	jsonw_close(&j->w);
	return jsonw_line(&j->w, j->out, err);
}

int json_error(struct json *j, const struct err *what, struct err *err)
{
	jsonw_open(&j->w);
	jsonw_key_string(&j->w, "type", "error");
	jsonw_key_string(&j->w, "kind", err_kind_name(what->kind));
	jsonw_key_string(&j->w, "text", what->text);
	if (what->hint[0])
		jsonw_key_string(&j->w, "hint", what->hint);
	jsonw_close(&j->w);
	return jsonw_line(&j->w, j->out, err);
}
