/* SPDX-License-Identifier: MIT */
/* calls_head: what was traced and how, and what is not known of it. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/printable.h"
#include "event/eventset.h"
#include "report/calls_priv.h"
#include "report/stacktext.h"
#include "report/words.h"
#include "stack/cause.h"

static void put_count(FILE *out, const char *before, uint64_t n,
		      const char *after)
{
	struct text t = { 0 };

	words_count(&t, n);
	fprintf(out, "%s%s%s", before, t.s, after);
}

static void put_ns(FILE *out, uint64_t ns)
{
	struct text t = { 0 };

	words_duration(&t, ns);
	fputs(t.s, out);
}

/* ---- time of day ----------------------------------------------------------------- */

static void put_clock(FILE *out, uint64_t ns, int64_t offset, bool utc,
		      bool millis)
{
	uint64_t at = ns + (uint64_t)offset;
	time_t second = (time_t)(at / 1000000000);
	char hms[16] = "??:??:??";
	struct tm tm;

	if (at / 1000000000 < INT64_C(1) << 40 &&
	    (utc ? gmtime_r(&second, &tm) : localtime_r(&second, &tm)))
		strftime(hms, sizeof(hms), "%H:%M:%S", &tm);
	fputs(hms, out);
	if (millis)
		fprintf(out, ".%03" PRIu64, at / 1000000 % 1000);
}

/* ---- head ------------------------------------------------------------------------- */

/* By what calls were told; of old streams it is not known. */
static const char *told_by(const struct calls_report *r)
{
	const uint32_t usdt = 1u << PT_CALLS_USDT;
	const uint32_t synthetic = 1u << PT_CALLS_SYNTHETIC;
	uint32_t by = calls_about(r->calls)->told_by;

	if (r->repairs->by_name)
		return "function probes, by name";
	if (!(by & synthetic))
		return "function probes";
	return by & usdt ? "function and synthetic probes" : "synthetic probes";
}

/* "900 python3.15   CPython 3.15.2   7.00s from 19:32:32   2 threads" */
static void put_what(FILE *out, const struct calls_report *r)
{
	const struct calls_about *a = calls_about(r->calls);
	const char *name = strrchr(a->exe, '/');

	name = name ? name + 1 : a->exe;
	fprintf(out, "%" PRIu32 " ", a->pid);
	printable_put(out, name, strlen(name));
	if (a->nr_processes > 1)
		fprintf(out, " + %" PRIu32 " processes", a->nr_processes - 1);
	if (a->python[0]) {
		fputs("   CPython ", out);
		printable_put(out, a->python, strlen(a->python));
	}
	fputs("   ", out);
	put_ns(out, a->last_t - a->first_t);
	if (a->has_clock) {
		fputs(" from ", out);
		put_clock(out, a->first_t, a->realtime_offset, r->utc, false);
	}
	fprintf(out, "   %" PRIu32 " thread%s   %s\n", a->nr_threads,
		a->nr_threads == 1 ? "" : "s", told_by(r));
}

static void put_counts(FILE *out, const struct calls_report *r)
{
	const struct call_sums *all = &calls_about(r->calls)->all;

	put_count(out, r->filtered ? "calls of these " : "calls ", all->calls,
		  "");
	if (all->seeded)
		put_count(out, " (", all->seeded, " ran already)");
	if (all->resumes)
		put_count(out, "   resumes ", all->resumes, "");
	if (all->made)
		put_count(out, "   generators made ", all->made, "");
	put_count(out, "   lost ", r->totals->lost_all -
		  r->totals->lost[PT_LOSS_NOT_PYTHON], "\n");
}

void calls_put_head(FILE *out, const struct calls_report *r)
{
	if (!calls_about(r->calls)->first_t) {
		fputs("no calls in it\n", out);
		return;
	}
	put_what(out, r);
	put_counts(out, r);
}

/* ---- foot ------------------------------------------------------------------------- */

static void put_losses(FILE *out, const struct engine_totals *t)
{
	const char *between = "lost: ";

	for (uint32_t i = 1; i < ARRAY_LEN(t->lost); i++) {
		if (!t->lost[i] || i == PT_LOSS_NOT_PYTHON)
			continue;
		put_count(out, between, t->lost[i], " ");
		fputs(engine_loss_words(i), out);
		between = ", ";
	}
	if (between[0] == ',')
		putc('\n', out);
}

static void put_repairs(FILE *out, const struct shadow_totals *s)
{
	const struct {
		uint64_t n;
		const char *words;
	} rows[] = {
		{ s->leaked, "returns not seen" },
		{ s->reused, "frames whose end was not seen" },
		{ s->unknown_callers, "callers not known" },
		{ s->cut, "calls on too deep a stack" },
		{ s->given_up, "stacks given up for memory" },
	};
	const char *between = "repaired: ";

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (!rows[i].n)
			continue;
		put_count(out, between, rows[i].n, " ");
		fputs(rows[i].words, out);
		between = ", ";
	}
	if (between[0] == ',')
		putc('\n', out);
}

static void put_name(FILE *out, const char *s)
{
	printable_put(out, s, strlen(s));
}

static void put_verified(FILE *out, const struct verified *v)
{
	put_count(out, "verified: ", v->compared, " stacks compared with walked ones, ");
	put_count(out, "", v->differed, " differed");
	if (v->untold)
		put_count(out, ", ", v->untold, " but for generators thrown into");
	if (v->unknown)
		put_count(out, ", ", v->unknown, " not comparable");
	putc('\n', out);
	if (!v->differed)
		return;
	fprintf(out, "  first, thread %" PRIu32 ":\n    walked ", v->tid);
	put_name(out, v->walked);
	fputs("\n    calls  ", out);
	put_name(out, v->kept);
	putc('\n', out);
}

void calls_put_foot(FILE *out, const struct calls_report *r)
{
	const struct call_sums *all = &calls_about(r->calls)->all;

	if (all->cut) {
		put_count(out, "≥ lower bounds: ", all->cut, " of the runs ");
		fputs("ran when first seen, or their end was not\n", out);
	}
	if (all->gaps)
		put_count(out, "~ of ", all->gaps, " runs it is not known "
			  "whether they are one: records were lost meanwhile\n");
	if (all->calls && !call_has_cpu(r))
		fputs("CPU: not known, time off the CPU was not traced "
		      "(-e calls,offcpu)\n", out);
	if (all->calls && r->filtered)
		fputs("self: not known, -F left what they call in the kernel "
		      "(--sort self has it)\n", out);
	put_losses(out, r->totals);
	put_repairs(out, r->repairs);
	if (r->verified)
		put_verified(out, r->verified);
}

/* ---- slow calls --------------------------------------------------------------------- */

static const char *const causes[] = {
	[CAUSE_UNKNOWN] = "cause not known", [CAUSE_PREEMPTED] = "preempted",
	[CAUSE_GIL] = "GIL", [CAUSE_FUTEX] = "futex",
	[CAUSE_SYSCALL] = "in system calls", [CAUSE_FAULT] = "page faults",
	[CAUSE_STOPPED] = "stopped",
};

/* "         on CPU 94.0ms, off CPU 3.11s: futex 3.05s, preempted 11.0ms" */
static void put_off(FILE *out, const struct step *step)
{
	uint64_t off = 0, dur = step->t - step->begin_t;
	const char *between = ": ";

	for (size_t i = 0; i < SHADOW_CAUSES; i++)
		off += step->inside.off_ns[i];
	fputs("    on CPU ", out);
	put_ns(out, off + step->inside.aside_ns < dur ?
	       dur - off - step->inside.aside_ns : 0);
	fputs(", off CPU ", out);
	put_ns(out, off);
	for (size_t i = 0; i < ARRAY_LEN(causes); i++) {
		if (!step->inside.off_ns[i])
			continue;
		fprintf(out, "%s%s ", between, causes[i]);
		put_ns(out, step->inside.off_ns[i]);
		between = ", ";
	}
	putc('\n', out);
}

static void put_done(FILE *out, const struct step *step, uint32_t events)
{
	if (events & EVENTS_OF(PT_OFFCPU))
		put_off(out, step);
	if (step->inside.aside_ns) {
		fputs("    while other greenlets ran ", out);
		put_ns(out, step->inside.aside_ns);
		putc('\n', out);
	}
	if (events & EVENTS_OF(PT_SYSCALL)) {
		put_count(out, "    system calls ", step->inside.syscalls, ", ");
		put_ns(out, step->inside.sys_ns);
		putc('\n', out);
	}
	if (events & EVENTS_OF(PT_FAULT)) {
		put_count(out, "    page faults ", step->inside.faults, "");
		put_count(out, ", major ", step->inside.majors, "\n");
	}
}

void calls_put_slow(FILE *out, const struct moment_step *ms, uint32_t events,
		    const int64_t *clock, bool utc)
{
	static const char *const ends[] = {
		[END_RETURN] = "", [END_YIELD] = ", yielded",
		[END_EXCEPTION] = ", raised", [END_UNFINISHED] = ", unfinished",
	};
	const struct stacktext_opts opts = {
		.indent = 4, .whole = true, .defs = true,
	};
	const struct step *step = ms->step;
	bool least = step->late || step->end == END_UNFINISHED;

	if (clock)
		put_clock(out, step->t, *clock, utc, true);
	else
		fprintf(out, "%" PRIu64 ".%03" PRIu64, step->t / 1000000000,
			step->t / 1000000 % 1000);
	fprintf(out, "  %s", least ? "≥" : step->gap ? "~" : "");
	put_ns(out, step->t - step->begin_t);
	fputs("  ", out);
	if (ms->func.func)
		printable_put(out, ms->func.func, ms->func.func_len);
	else
		putc('?', out);
	fprintf(out, "%s   %" PRIu32 " ", ends[step->end], step->pid);
	if (ms->thread && ms->thread->comm[0])
		put_name(out, ms->thread->comm);
	else
		fprintf(out, "%" PRIu32, step->tid);
	putc('\n', out);
	put_done(out, step, events);
	if (ms->stack.known)
		stacktext_put(out, &ms->stack, &opts);
}

void calls_put_slow_end(FILE *out, const struct calls_report *r,
			uint64_t slow, uint64_t slower_ns)
{
	const struct call_sums *all = &calls_about(r->calls)->all;

	put_count(out, "", slow, " over ");
	put_ns(out, slower_ns);
	put_count(out, " of ", all->calls + all->resumes, " calls and resumes");
	put_count(out, ", lost ", r->totals->lost_all -
		  r->totals->lost[PT_LOSS_NOT_PYTHON], "\n");
	calls_put_foot(out, r);
}
