/* SPDX-License-Identifier: MIT */
/* screen: the default report, in 24 lines. */
#include "report/screen.h"

#include <errno.h>
#include <inttypes.h>

#include "report/screen_priv.h"

static uint64_t sum_from(const uint64_t *n, size_t from, size_t to)
{
	uint64_t sum = 0;

	for (size_t i = from; i < to; i++)
		sum += n[i];
	return sum;
}

/* What one interval cost is not known. */
static void put_overhead(struct text *t, const struct screen *s)
{
	uint64_t elapsed = s->m->end - s->m->begin;
	/* the end of the line is worth more than the words */
	bool crowded = s->width < SCREEN_WIDTH ||
		       (s->m->tracer_ns && s->m->before);

	text_add(t, crowded ? "cost " : "cost to the target ");
	if (s->m->overhead_ns && elapsed) {
		text_add(t, "~");
		words_share(t, s->m->overhead_ns, elapsed);
		text_add(t, " %% of a CPU");
		if (s->m->tracer_ns) {
			text_add(t, " + tracer ");
			words_share(t, s->m->tracer_ns, elapsed);
			text_add(t, " %%");
		}
	} else {
		text_add(t, "? (not measured)");
	}
	text_add(t, "   ");
}

void screen_cost(struct screen *s, const struct engine_totals *totals)
{
	uint64_t unknown = sum_from(totals->unknown, 0,
				    ARRAY_LEN(totals->unknown));
	struct text t = { 0 };

	if (!s->m->interval)
		put_overhead(&t, s);
	words_count(&t, totals->events);
	text_add(&t, " events");
	text_add(&t, "   lost ");
	words_count(&t, totals->lost_all - totals->lost[PT_LOSS_NOT_PYTHON]);
	text_add(&t, "   stacks unknown ");
	words_count(&t, unknown);
	if (s->m->before) {		/* events that are in no sum of the account */
		text_add(&t, "   before it began ");
		words_count(&t, s->m->before);
	}
	if (s->m->coarse) {
		text_add(&t, "   coarser for memory: ");
		words_count(&t, s->m->coarse);
	}
	if (s->m->going_on && !s->no_times) {
		text_add(&t, "   in something not over: ");
		words_count(&t, s->m->going_on);
		text_add(&t, " thread%s", s->m->going_on == 1 ? "" : "s");
	}
	if (!s->m->complete && !s->m->interval)
		text_add(&t, "   cut: no end");
	screen_line(s, &t);
}

void screen_line(struct screen *s, struct text *t)
{
	screen_end_line(s, t, 0);
}

static bool is_idle(const struct screen *s)
{
	const struct account *sum = &s->m->account;

	return sum->busy_ns < sum->thread_ns / 100 || !sum->thread_ns;
}

static void put_idle(struct screen *s)
{
	uint64_t tenths = (s->m->end - s->m->begin + 50000000) / 100000000;
	struct text t = { 0 };

	if (!s->m->account.thread_ns && !s->m->nr_processes && s->m->program)
		text_add(&t, "no Python was run: nothing to account for");
	else if (!s->m->account.thread_ns)
		text_add(&t, "no thread was seen: nothing to account for");
	else if (s->m->account.unseen_ns > s->m->account.thread_ns / 2)
		text_add(&t, "nothing ran in these %" PRIu64 ".%" PRIu64 " s",
			 tenths / 10, tenths % 10);
	else
		text_add(&t, "idle: nothing to explain in these %" PRIu64
			 ".%" PRIu64 " s", tenths / 10, tenths % 10);
	screen_line(s, &t);
}

static int put_all(struct screen *s, const struct engine_totals *totals,
		   struct err *err)
{
	int rc = 0;

	screen_head(s);
	if (is_idle(s) && !s->o.idle) {
		put_idle(s);
	} else {
		putc('\n', s->out);
		s->lines++;
		screen_causes(s);
		screen_memory(s);
		rc = screen_rows(s, err);
	}
	screen_cost(s, totals);
	if (!rc)
		next_put(s);
	return rc;
}

int screen_put(FILE *out, const struct analysis *a,
	       const struct engine_totals *totals,
	       const struct screen_opts *opts, struct err *err)
{
	struct screen s = { .out = out, .a = a, .m = analysis_model(a) };
	int rc;

	if (opts)
		s.o = *opts;
	s.width = s.o.width ? s.o.width : SCREEN_WIDTH;
	s.base_ns = s.o.idle ? s.m->account.thread_ns : s.m->account.busy_ns;
	s.unit = words_unit(s.m->account.thread_ns);
	errno = 0;
	rc = put_all(&s, totals, err);
	if (rc || !ferror(out))
		return rc;
	rc = errno ? -errno : -EIO;
	return err_kind(err, ERR_OUTPUT, rc, "cannot write the report: %s",
			strerror(-rc));
}
