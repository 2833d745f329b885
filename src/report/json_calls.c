/* SPDX-License-Identifier: MIT */
/* json_calls: the objects of calls, one at each of their ends. */
#include "event/eventset.h"
#include "report/json_priv.h"
#include "stack/cause.h"

static const char *const begins[] = {
	[BEGIN_ENTRY] = "entry", [BEGIN_RESUME] = "resume",
	[BEGIN_THROW] = "throw", [BEGIN_SEEDED] = "seeded",
};

static const char *const ends[] = {
	[END_RETURN] = "return", [END_YIELD] = "yield",
	[END_EXCEPTION] = "exception", [END_UNFINISHED] = "unfinished",
};

static void put_function(struct jsonw *w, const struct moment_step *ms)
{
	const struct step *step = ms->step;

	jsonw_key_known(w, "pid", step->pid);
	jsonw_key_known(w, "tid", step->tid);
	jsonw_key_name(w, "thread", ms->thread ? ms->thread->comm : NULL);
	jsonw_key_uint(w, "depth", step->depth);
	json_put_name(w, "func", ms->func.func, ms->func.func_len);
	json_put_name(w, "file", ms->func.file, ms->func.file_len);
	json_put_line(w, "line", ms->func.def);
}

/* Which of its numbers are lower bounds, and which may be of several calls. */
static void put_doubt(struct jsonw *w, const struct step *step)
{
	jsonw_key(w, "late");
	jsonw_bool(w, step->late);
	if (step->kind != STEP_END)
		return;
	jsonw_key(w, "gap");
	jsonw_bool(w, step->gap);
}

static uint64_t off_cpu(const struct step *step)
{
	uint64_t sum = step->inside.aside_ns;

	for (size_t i = 0; i < SHADOW_CAUSES; i++)
		sum += step->inside.off_ns[i];
	return sum;
}

/* What was not traced is not known. */
static void put_inside(struct jsonw *w, const struct step *step,
		       uint32_t events)
{
	uint64_t dur = step->t - step->begin_t, off = off_cpu(step);

	jsonw_key_uint(w, "self", dur - step->child_ns);
	if (events & EVENTS_OF(PT_OFFCPU))
		jsonw_key_uint(w, "off_cpu", off < dur ? off : dur);
	if (events & EVENTS_OF(PT_SYSCALL)) {
		jsonw_key_uint(w, "syscalls", step->inside.syscalls);
		jsonw_key_uint(w, "syscall_ns", step->inside.sys_ns < dur ?
			       step->inside.sys_ns : dur);
	}
	if (events & EVENTS_OF(PT_FAULT))
		jsonw_key_uint(w, "faults", step->inside.faults);
}

static void put_end(struct jsonw *w, const struct moment_step *ms,
		    uint32_t events)
{
	const struct step *step = ms->step;

	jsonw_key_string(w, "type", "call");
	jsonw_key_uint(w, "t", step->begin_t);
	jsonw_key_uint(w, "dur", step->t - step->begin_t);
	put_function(w, ms);
	jsonw_key_string(w, "begin", begins[step->begin]);
	jsonw_key_string(w, "end", ends[step->end]);
	put_doubt(w, step);
	put_inside(w, step, events);
}

void json_put_step(struct jsonw *w, const struct moment_step *ms,
		   uint32_t events)
{
	const struct step *step = ms->step;

	if (step->kind == STEP_END) {
		put_end(w, ms, events);
	} else {
		jsonw_key_string(w, "type", step->kind == STEP_BEGIN ?
				 "enter" : "generator");
		jsonw_key_uint(w, "t", step->t);
		put_function(w, ms);
	}
	if (step->kind == STEP_BEGIN) {
		jsonw_key_string(w, "begin", begins[step->begin]);
		put_doubt(w, step);
	}
	if (step->suspended)
		jsonw_key_uint(w, "suspended", step->suspended_ns);
	if (ms->stack.known)
		json_put_stack(w, &ms->stack);
}
