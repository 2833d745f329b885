/* SPDX-License-Identifier: MIT */
/* analysis: moments in, a model out. */
#include "analysis/analysis.h"

#include <errno.h>

#include "analysis/analysis_priv.h"
#include "event/record.h"

#define MEMORY_DEFAULT ((size_t)256 << 20)

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

int analysis_new(struct analysis **out, const struct analysis_opts *opts,
		 struct err *err)
{
	struct analysis *a = calloc(1, sizeof(*a));
	int rc;

	if (!a)
		return no_memory(err);
	rc = idle_new(&a->idle, err);
	for (size_t i = 0; !rc && opts && i < opts->nr_idle_at; i++)
		rc = idle_add(a->idle, opts->idle_at[i], err);
	if (rc) {
		analysis_free(a);
		return rc;
	}
	a->ledger.limit = opts && opts->memory ? opts->memory : MEMORY_DEFAULT;
	if (opts) {
		a->kernel = opts->kernel;
		a->sampled_kernel = opts->sampled_kernel;
		a->ledger.app = (struct app_rule){
			.glob = opts->app, .nr = opts->nr_app,
		};
		a->chosen = (struct chosen){
			.tids = opts->tids, .nr_tids = opts->nr_tids,
			.names = opts->threads, .nr_names = opts->nr_threads,
		};
		a->model.chosen = opts->nr_tids || opts->nr_threads;
	}
	/* until PT_BEGIN says more: the first streams had calls alone */
	a->model.events = 1u << PT_SYSCALL;
	a->model.off = a->model.kernel = NOT_KNOWN;
	a->threads = calloc(64, sizeof(*a->threads));
	a->threads_cap = 64;
	a->model.threads = a->threads;
	a->model.counters = a->counters;
	if (!a->threads) {
		analysis_free(a);
		return no_memory(err);
	}
	*out = a;
	return 0;
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	ledger_free(&a->ledger);
	clocks_free(&a->clocks);
	files_free(&a->files);
	idle_free(a->idle);
	for (uint32_t i = 0; i < a->nr_groups; i++)
		free(a->groups[i].path);
	free(a->threads);
	free(a->processes);
	free(a->idle_stack);
	free(a);
}

/* ---- records of their own ------------------------------------------------- */

/*
 * What came before was seen by chance, while programs were being attached: the
 * account begins here, for all threads that are known.
 */
static void begin_accounts(struct analysis *a, uint64_t t)
{
	a->model.before = a->charged;
	ledger_reset(&a->ledger);
	a->model.account = (struct account){ 0 };
	a->unfinished_end = 0;
	for (uint32_t i = 0; i <= a->model.nr_threads; i++)
		a->threads[i].life_ns = a->threads[i].off_ns =
			a->threads[i].kernel_ns = 0;
	for (struct clock *c = clocks_first(&a->clocks); c; c = clocks_next(c)) {
		c->born = c->booked = c->last = c->kernel_end = t;
		c->off_ns = c->kernel_ns = 0;
		c->nr_off = 0;
		c->open = 0;
		c->nr_pieces = 0;
		c->seen = c->gil = c->cut = c->settled = false;
		if (c->thread)
			a->threads[c->thread].born = t;
	}
}

static void begin(struct analysis *a, const struct pt_begin *b)
{
	struct model *m = &a->model;
	const uint32_t in_kernel = 1u << PT_SYSCALL | 1u << PT_FAULT;

	if (a->began)
		return;
	a->began = true;
	m->begin = a->first = b->h.t;
	m->events = b->events;
	m->sample_hz = b->sample_hz;
	if (b->events & 1u << PT_OFFCPU)
		m->off = EXACT;
	if (m->off == EXACT && (b->events & in_kernel) == in_kernel &&
	    !a->sampled_kernel)
		m->kernel = EXACT;
	begin_accounts(a, b->h.t);
}

static void learn_group(struct analysis *a, const struct pt_cpustat *stat)
{
	const char *path = record_string(&stat->h, 0);
	struct group *g;

	for (uint32_t i = 0; i < a->nr_groups; i++) {
		if (!strcmp(a->groups[i].path, path)) {
			a->groups[i].last = *stat;
			return;
		}
	}
	if (a->nr_groups == GROUPS_MAX)
		return;
	g = &a->groups[a->nr_groups];
	g->path = strdup(path);
	if (!g->path) {
		a->failed = true;
		return;
	}
	g->first = g->last = *stat;
	a->nr_groups++;
}

/* Its number is part of a key of cells, so that it must be small. */
static void learn_counter(struct analysis *a, const struct pt_named *n)
{
	const char *name = record_string(&n->h, 0);
	struct counter_info *c = a->counters;
	uint32_t i = 0;

	if (n->kind != PT_NAMED_COUNTER || n->event > UINT16_MAX || !name)
		return;
	while (i < a->model.nr_counters && c[i].event != n->event)
		i++;
	if (i == COUNTERS_MAX)
		return;
	if (i == a->model.nr_counters)
		a->model.nr_counters++;
	c[i] = (struct counter_info){
		.event = n->event, .is_period = n->is_period, .rate = n->rate,
	};
	snprintf(c[i].name, sizeof(c[i].name), "%s", name);
}

static void lose(struct analysis *a, const struct pt_lost *lost)
{
	if (lost->reason == PT_LOSS_NOT_PYTHON || !lost->count)
		return;
	a->model.lossy = true;
	files_forget(&a->files, 0);
}

static void end_stream(struct analysis *a, const struct pt_end *end)
{
	a->model.complete = true;
	a->model.overhead_ns = end->overhead_ns;
	a->model.tracer_ns = UINT64_C(1000000) * end->own_ms;
}

/* Without short calls sums are what they are when such records are lost. */
static void shed(struct analysis *a, const struct pt_shed *rec)
{
	if (!a->model.shed)
		a->model.shed_at = rec->h.t;
	if (rec->step < 32)
		a->model.shed |= 1u << rec->step;
	if (rec->step == PT_SHED_CALLS)
		a->model.lossy = true;
}

/* What a sample of a counter stands for are events. */
static bool has_length(const struct pt_hdr *rec)
{
	return rec->type != PT_SAMPLE ||
	       !((const struct pt_sample *)(const void *)rec)->event;
}

/* The trace has lasted until then. */
static void note_time(struct analysis *a, const struct pt_hdr *rec)
{
	const struct pt_event *ev = record_event(rec);
	uint64_t end = rec->t;

	if (rec->type == PT_META)
		return;
	if (ev && has_length(rec) && rec->t + ev->dur >= rec->t)
		end += ev->dur;
	if (end > a->model.end)
		a->model.end = end;
	if (ev && !a->began && (!a->first || rec->t < a->first)) {
		if (a->first == a->model.begin)
			a->model.begin = rec->t;
		a->first = rec->t;
	}
}

int analysis_add(struct analysis *a, const struct moment *m, struct err *err)
{
	const struct pt_hdr *rec = m->rec;

	note_time(a, rec);
	switch (rec->type) {
	case PT_META:
		a->model.has_clock = true;
		a->model.realtime_offset =
			((const struct pt_meta *)(const void *)rec)->
			realtime_offset;
		break;
	case PT_BEGIN:
		begin(a, (const void *)rec);
		break;
	case PT_CPUSTAT:
		learn_group(a, (const void *)rec);
		break;
	case PT_SHED:
		shed(a, (const void *)rec);
		break;
	case PT_NAMED:
		learn_counter(a, (const void *)rec);
		break;
	case PT_LOST:
		lose(a, (const void *)rec);
		break;
	case PT_END:
		end_stream(a, (const void *)rec);
		break;
	default:
		a->charged += record_event(rec) != NULL;
		tasks_of_moment(a, m);
		charge_event(a, m);
		break;
	}
	return a->failed || a->ledger.failed ? no_memory(err) : 0;
}

bool analysis_may_cut(const struct analysis *a)
{
	return (a->began || a->first) && !a->unfinished_end &&
	       !a->model.complete;
}

int analysis_cut(struct analysis *a, uint64_t t, struct err *err)
{
	a->model.interval = true;
	settle_interval(a, t);
	return a->failed || a->ledger.failed ? no_memory(err) : 0;
}

/* What is known of threads and processes goes on, and what they did begins. */
void analysis_next(struct analysis *a)
{
	struct model *m = &a->model;

	ledger_reset(&a->ledger);
	a->ledger.coarse = 0;
	m->account = (struct account){ 0 };
	m->begin = m->end;
	m->before = m->going_on = 0;
	m->periods = m->throttled_periods = m->throttled_ns = 0;
	m->memory_high = m->coarse = 0;
	m->lossy = false;
	if (m->kernel != EXACT)
		m->kernel = NOT_KNOWN;
	for (uint32_t i = 0; i <= m->nr_threads; i++)
		a->threads[i].life_ns = a->threads[i].off_ns =
			a->threads[i].kernel_ns = 0;
	for (uint32_t i = 0; i < a->nr_groups; i++)
		a->groups[i].first = a->groups[i].last;
	for (struct clock *c = clocks_first(&a->clocks); c; c = clocks_next(c))
		c->gil = false;
}

int analysis_end(struct analysis *a, struct err *err)
{
	settle(a);
	return a->failed || a->ledger.failed ? no_memory(err) : 0;
}

bool analysis_app_matched(const struct analysis *a, size_t nr)
{
	return nr >= 64 || a->ledger.app.matched & UINT64_C(1) << nr;
}

bool analysis_idle_at_matched(const struct analysis *a, size_t nr)
{
	return idle_added_matched(a->idle, nr);
}

/* ---- the model ------------------------------------------------------------ */

const struct model *analysis_model(const struct analysis *a)
{
	return &a->model;
}

const struct counter_info *model_counter(const struct model *m,
					 const char *name)
{
	for (uint32_t i = 0; i < m->nr_counters; i++)
		if (!strcmp(m->counters[i].name, name))
			return &m->counters[i];
	return NULL;
}

uint32_t model_cells(const struct analysis *a)
{
	return a->ledger.cells.nr;
}

void model_cell(const struct analysis *a, uint32_t nr, struct cell *out)
{
	out->key = intern_bytes(&a->ledger.cells, nr, NULL);
	out->is = a->ledger.sums[nr];
	out->estimate = a->ledger.estimate[nr];
	out->left_out = a->threads[out->key->thread].left_out;
	out->hist = &a->ledger.hists[nr];
}

uint32_t model_wakes(const struct analysis *a)
{
	return a->ledger.wakes.nr;
}

void model_wake(const struct analysis *a, uint32_t nr, struct wake *out)
{
	const struct wake_key *key = intern_bytes(&a->ledger.wakes, nr, NULL);

	*out = (struct wake){
		.cell = key->cell, .thread = key->thread, .stack = key->stack,
		.kind = (uint8_t)key->kind, .is = a->ledger.wake_sums[nr],
	};
}

uint32_t model_holds(const struct analysis *a)
{
	return a->ledger.holds.nr;
}

void model_hold(const struct analysis *a, uint32_t nr, struct hold *out)
{
	const struct hold_key *key = intern_bytes(&a->ledger.holds, nr, NULL);

	*out = (struct hold){ key->cell, key->doing, a->ledger.hold_ns[nr] };
}

const struct doing *model_doing(const struct analysis *a, uint32_t nr)
{
	return nr ? intern_bytes(&a->ledger.doings, nr, NULL) : NULL;
}

const char *model_string(const struct analysis *a, uint32_t nr, size_t *len)
{
	return nr ? intern_bytes(&a->ledger.strings, nr, len) : NULL;
}

const struct place *model_place(const struct analysis *a, uint32_t nr)
{
	return nr && nr <= a->ledger.places.nr ?
		intern_bytes(&a->ledger.places, nr, NULL) : NULL;
}

const struct stack_info *model_stack(const struct analysis *a, uint32_t nr)
{
	static const struct stack_info unknown;

	return nr ? &a->ledger.info[nr] : &unknown;
}

bool model_object(const struct analysis *a, uint32_t nr, struct object *out)
{
	const unsigned char *bytes;
	size_t len;

	*out = (struct object){ 0 };
	if (!nr)
		return false;
	bytes = intern_bytes(&a->ledger.objects, nr, &len);
	out->kind = (enum object_kind)bytes[0];
	bytes += 8;
	len -= 8;
	switch (out->kind) {
	case OBJECT_SOCKET:
		out->socket = (const void *)bytes;
		break;
	case OBJECT_FILE:
		out->path = (const char *)bytes;
		out->path_len = len;
		break;
	case OBJECT_FD:
	case OBJECT_ERRNO:
		memcpy(&out->nr, bytes, sizeof(out->nr));
		break;
	}
	return true;
}

const uint32_t *model_kernel(const struct analysis *a, uint32_t nr,
			     uint32_t *funcs)
{
	const uint32_t *strings;
	size_t len = 0;

	strings = nr ? intern_bytes(&a->ledger.kernels, nr, &len) : NULL;
	*funcs = (uint32_t)(len / sizeof(*strings));
	return strings;
}
