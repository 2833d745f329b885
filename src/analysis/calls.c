/* SPDX-License-Identifier: MIT */
/* calls: what functions cost, from the steps of their calls. */
#include "analysis/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls_priv.h"
#include "event/record.h"

#define MEMORY_DEFAULT ((size_t)256 << 20)

int calls_new(struct calls **out, const struct calls_opts *opts,
	      struct err *err)
{
	struct calls *c = calloc(1, sizeof(*c));

	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	c->opts = *opts;
	if (!c->opts.memory)
		c->opts.memory = MEMORY_DEFAULT;
	c->cap = 64;
	c->nr = 1;
	c->row = calloc(c->cap, sizeof(*c->row));
	if (!c->row || calls_tree_new(c)) {
		calls_free(c);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*out = c;
	return 0;
}

void calls_free(struct calls *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; c->row && i < c->nr; i++)
		hist_free(&c->row[i].hist);
	free(c->row);
	calls_tree_free(c);
	intern_free(&c->names);
	intern_free(&c->seen);
	free(c);
}

bool calls_full(const struct calls *c)
{
	return c->memory + c->names.memory + c->seen.memory >= c->opts.memory;
}

const struct calls_about *calls_about(const struct calls *c)
{
	return &c->about;
}

const struct call_row *calls_rows(const struct calls *c, uint32_t *nr)
{
	*nr = c->nr;
	return c->row;
}

const struct call_node *calls_nodes(const struct calls *c, uint32_t *nr)
{
	*nr = c->nr_nodes;
	return c->node;
}

uint64_t calls_cpu_ns(const struct call_sums *s)
{
	uint64_t off = s->off_ns + s->aside_ns;

	return off < s->total_ns ? s->total_ns - off : 0;
}

/* ---- sums ------------------------------------------------------------------- */

static uint64_t at_most(uint64_t v, uint64_t most)
{
	return v < most ? v : most;
}

/* What the thread did, of time that is counted once; never more than that. */
static void sum_inside(struct call_sums *s, const struct step *step)
{
	uint64_t dur = step->t - step->begin_t, off = 0;
	uint64_t aside = at_most(step->inside.aside_ns, dur);

	for (size_t i = 0; i < SHADOW_CAUSES; i++)
		off += step->inside.off_ns[i];
	s->total_ns += dur;
	s->aside_ns += aside;
	s->off_ns += at_most(off, dur - aside);
	s->sys_ns += at_most(step->inside.sys_ns, dur);
	s->syscalls += step->inside.syscalls;
	s->faults += step->inside.faults;
	s->majors += step->inside.majors;
}

void calls_sum(struct call_sums *s, const struct step *step, bool outermost)
{
	uint64_t dur = step->t - step->begin_t;
	bool cut = step->late || step->end == END_UNFINISHED;
	bool again = step->begin == BEGIN_RESUME || step->begin == BEGIN_THROW;

	s->calls += !again;
	s->seeded += step->begin == BEGIN_SEEDED;
	s->resumes += again;
	s->raised += step->end == END_EXCEPTION;
	s->cut += cut;
	s->gaps += step->gap;
	s->self_ns += dur - step->child_ns;
	s->suspended_ns += step->suspended ? step->suspended_ns : 0;
	if (outermost) {
		sum_inside(s, step);
		s->cut_ns += cut ? dur : 0;
	}
	if (dur >= s->max_ns) {
		s->max_ns = dur;
		s->max_cut = cut;
	}
}

/* ---- rows ------------------------------------------------------------------- */

/* Bytes that tell rows apart, at most as many as a name of any use has. */
struct row_key {
	uint32_t def, pid, tid, func_len;
	char text[2048];
};

static size_t add_text(struct row_key *k, size_t used, const char *s,
		       size_t len)
{
	len = at_most(len, sizeof(k->text) - used);
	if (len)
		memcpy(k->text + used, s, len);
	return used + len;
}

static size_t make_key(const struct calls *c, const struct moment_step *ms,
		       struct row_key *k)
{
	const struct frame *f = &ms->func;
	size_t used = 0;

	k->def = k->pid = k->tid = k->func_len = 0;
	switch (c->opts.by) {
	case CALLS_FUNC:
		k->def = (uint32_t)f->def;
		used = add_text(k, 0, f->func, f->func ? f->func_len : 0);
		k->func_len = (uint32_t)used;
		used = add_text(k, used, f->file, f->file ? f->file_len : 0);
		break;
	case CALLS_THREAD:
		k->tid = ms->step->tid;
		k->pid = ms->step->pid;
		break;
	case CALLS_PROCESS:
		k->pid = ms->step->pid;
		break;
	}
	return offsetof(struct row_key, text) + used;
}

/* Its names live with the key that was interned. */
static void name_row(struct calls *c, uint32_t nr, const struct moment_step *ms)
{
	const struct row_key *k;
	struct call_row *row = &c->row[nr];
	size_t len;

	k = intern_bytes(&c->names, nr, &len);
	len -= offsetof(struct row_key, text);
	*row = (struct call_row){ .def = -1, .pid = k->pid, .tid = k->tid };
	if (ms->thread)
		memcpy(row->comm, ms->thread->comm, sizeof(row->comm));
	if (c->opts.by != CALLS_FUNC)
		return;
	row->def = ms->func.def;
	row->origin = ms->func.origin;
	row->func = ms->func.func ? k->text : NULL;
	row->func_len = k->func_len;
	row->file = ms->func.file ? k->text + k->func_len : NULL;
	row->file_len = len - k->func_len;
}

static bool room_for_row(struct calls *c)
{
	uint32_t cap = c->cap * 2;
	struct call_row *row;

	if (c->nr < c->cap)
		return true;
	row = realloc(c->row, cap * sizeof(*row));
	if (!row)
		return false;
	c->memory += (cap - c->cap) * sizeof(*row);
	c->row = row;
	c->cap = cap;
	return true;
}

/* The row of a step; what finds no room goes to the others. */
static uint32_t row_of(struct calls *c, const struct moment_step *ms)
{
	struct row_key key;
	size_t len = make_key(c, ms, &key);
	uint32_t nr = intern_find(&c->names, &key, len);

	if (nr || calls_full(c) || !room_for_row(c))
		return nr;
	nr = intern_get(&c->names, &key, len);
	if (!nr)
		return CALLS_OTHERS;
	c->nr = nr + 1;		/* numbers go up by one, as rows do */
	name_row(c, nr, ms);
	return nr;
}

/* Recursion, and what a thread's functions call, is time that is counted. */
static bool is_outermost(const struct calls *c, const struct step *step)
{
	return c->opts.by == CALLS_FUNC ? !step->recursive : !step->parent;
}

static void count(struct calls *c, struct call_row *row,
		  const struct step *step)
{
	bool whole = !step->late && !step->gap && step->end != END_UNFINISHED;
	size_t before = hist_memory(&row->hist);

	calls_sum(&row->is, step, is_outermost(c, step));
	if (!whole)
		return;
	hist_add(&row->hist, step->t - step->begin_t, calls_full(c));
	c->memory += hist_memory(&row->hist) - before;
}

/* ---- the stream --------------------------------------------------------------- */

static void count_seen(struct calls *c, const struct step *step)
{
	const uint32_t thread[2] = { step->pid, step->tid };
	const uint32_t process[2] = { step->pid, 0 };

	if (calls_full(c))
		return;
	if (!intern_find(&c->seen, thread, sizeof(thread)) &&
	    intern_get(&c->seen, thread, sizeof(thread)))
		c->about.nr_threads++;
	if (!intern_find(&c->seen, process, sizeof(process)) &&
	    intern_get(&c->seen, process, sizeof(process)))
		c->about.nr_processes++;
}

static void see(struct calls *c, const struct step *step)
{
	struct calls_about *a = &c->about;

	if (!a->first_t || step->begin_t < a->first_t)
		a->first_t = step->begin_t;
	if (step->t > a->last_t)
		a->last_t = step->t;
	if (!a->pid)
		a->pid = step->pid;
	if (step->kind != STEP_END)
		return;
	calls_sum(&a->all, step, !step->parent);
	count_seen(c, step);
}

int calls_add_step(struct calls *c, const struct moment_step *ms,
		   struct err *err)
{
	const struct step *step = ms->step;
	bool wanted = !c->opts.wants || c->opts.wants(c->opts.arg, &ms->func);
	uint32_t row;
	int rc = 0;

	see(c, step);
	c->about.all.made += step->kind == STEP_MAKES;
	if (!wanted && !c->opts.tree)
		return 0;
	row = row_of(c, ms);
	if (wanted && step->kind == STEP_MAKES)
		c->row[row].is.made++;
	if (wanted && step->kind == STEP_END)
		count(c, &c->row[row], step);
	if (c->opts.tree && step->kind != STEP_MAKES)
		rc = calls_tree_add(c, step, row, wanted);
	return rc ? err_set(err, rc, "out of memory") : 0;
}

static void copy(char *out, size_t size, const char *s)
{
	size_t len = at_most(strlen(s), size - 1);

	memcpy(out, s, len);
	out[len] = '\0';
}

static void see_record(struct calls_about *a, const struct moment *m)
{
	if (m->rec->type == PT_META) {
		a->realtime_offset = ((const struct pt_meta *)(const void *)
				      m->rec)->realtime_offset;
		a->has_clock = true;
	}
	if (m->rec->type == PT_BEGIN) {
		a->events = ((const struct pt_begin *)(const void *)m->rec)->
			events;
		a->has_begin = true;
	}
	if (m->rec->type == PT_PROCESS) {
		uint8_t by = ((const struct pt_process *)(const void *)
			      m->rec)->calls;

		if (by <= PT_CALLS_SYNTHETIC)
			a->told_by |= 1u << by;
	}
	if (m->process && m->process->described && m->rec->pid == a->pid) {
		copy(a->exe, sizeof(a->exe), m->process->exe);
		copy(a->python, sizeof(a->python), m->process->python);
	}
}

int calls_add(struct calls *c, const struct moment *m, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < m->nr_steps && !rc; i++)
		rc = calls_add_step(c, &m->steps[i], err);
	if (m->rec)
		see_record(&c->about, m);
	return rc;
}
