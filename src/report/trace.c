/* SPDX-License-Identifier: MIT */
/* trace: one line an event, and under it the Python code that made it. */
#include "report/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/printable.h"

#define CALLERS 2		/* shown beside the application frame */

struct trace {
	FILE *out;
	struct trace_opts opts;
	bool has_clock;			/* PT_META has come */
	int64_t realtime_offset;
	uint64_t events;
	time_t second;			/* that `hms` is of */
	char hms[16];
};

int trace_new(struct trace **out, FILE *f, const struct trace_opts *opts,
	      struct err *err)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t)
		return err_set(err, -ENOMEM, "out of memory");
	t->out = f;
	t->second = -1;
	if (opts)
		t->opts = *opts;
	*out = t;
	return 0;
}

void trace_free(struct trace *t)
{
	free(t);
}

void trace_skip(struct trace *t, const struct moment *m)
{
	if (m->rec->type == PT_SYSCALL)
		t->events++;
}

/* ---- the beginning of a line ---------------------------------------------- */

/* Broken-down time is costly: once a second. */
static const char *hms(struct trace *t, time_t second)
{
	struct tm tm;

	if (second == t->second)
		return t->hms;
	if (t->opts.utc ? !gmtime_r(&second, &tm) : !localtime_r(&second, &tm))
		return "??:??:??";
	strftime(t->hms, sizeof(t->hms), "%H:%M:%S", &tm);
	t->second = second;
	return t->hms;
}

/* Clock time; without PT_META seconds of the stream's own clock. */
static size_t put_time(struct trace *t, uint64_t ns)
{
	uint64_t at = ns;
	int n;

	if (t->has_clock)
		at += (uint64_t)t->realtime_offset;
	if (t->has_clock && at / 1000000000 < INT64_C(1) << 40)
		n = fprintf(t->out, "%s.%06" PRIu64,
			    hms(t, (time_t)(at / 1000000000)),
			    at / 1000 % 1000000);
	else
		n = fprintf(t->out, "%" PRIu64 ".%06" PRIu64,
			    at / 1000000000, at / 1000 % 1000000);
	return n < 0 ? 0 : (size_t)n;
}

/* "TIME PID THREAD  "; the columns it took. */
static size_t put_start(struct trace *t, const struct moment *m)
{
	const struct pt_hdr *rec = m->rec;
	size_t columns = put_time(t, rec->t);
	int n;

	n = fprintf(t->out, " %" PRIu32 " ", rec->pid);
	columns += n < 0 ? 0 : (size_t)n;
	if (m->thread && m->thread->comm[0]) {
		columns += printable_put(t->out, m->thread->comm,
				      strlen(m->thread->comm));
	} else {
		n = fprintf(t->out, "%" PRIu32, rec->tid);
		columns += n < 0 ? 0 : (size_t)n;
	}
	fputs("  ", t->out);
	return columns + 2;
}

/* Milliseconds are enough for what takes some. */
static void put_duration(struct trace *t, uint64_t ns)
{
	uint64_t us = (ns + 500) / 1000, ms = (us + 500) / 1000;

	if (us < 1000)
		fprintf(t->out, " <0.%06" PRIu64 " s>", us);
	else
		fprintf(t->out, " <%" PRIu64 ".%03" PRIu64 " s>", ms / 1000,
			ms % 1000);
}

/* ---- stacks --------------------------------------------------------------- */

static void put_func(struct trace *t, const struct frame *frame)
{
	if (frame->func)
		printable_put(t->out, frame->func, frame->func_len);
	else
		putc('?', t->out);
}

/* "shop/rates.py:31+36 fetch (why)": '?' is unknown, '-' is none. */
static void put_frame(struct trace *t, const struct frame *frame)
{
	if (frame->file)
		printable_put(t->out, frame->file, frame->file_len);
	else
		putc('?', t->out);
	if (frame->line >= 0)
		fprintf(t->out, ":%d", frame->line);
	else
		fputs(frame->why ? ":?" : ":-", t->out);
	if (t->opts.lasti)
		fprintf(t->out, "%+d", frame->lasti);
	putc(' ', t->out);
	put_func(t, frame);
	if (frame->why)
		fprintf(t->out, " (%s)", frame->why);
}

static void put_indent(struct trace *t, size_t columns)
{
	fprintf(t->out, "%*s", (int)columns, "");
}

/*
 * The innermost frame of the application; of a stack that has none, the
 * outermost one of all.
 */
static uint32_t application_frame(const struct moment *m)
{
	for (uint32_t i = 0; i < m->stack.nr; i++)
		if (m->stack.frames[i].origin == ORIGIN_APP)
			return i;
	return m->stack.nr - 1;
}

/* What is not known of the callers is not left out silently. */
static void put_callers(struct trace *t, const struct moment *m, uint32_t at)
{
	uint32_t i;

	for (i = at + 1; i < m->stack.nr && i <= at + CALLERS; i++) {
		if (i == m->stack.nr_inner && m->stack.omitted)
			fprintf(t->out, " < (%" PRIu32 " left out)",
				m->stack.omitted);
		fputs(" < ", t->out);
		put_func(t, &m->stack.frames[i]);
	}
	if (i <= at + CALLERS && m->stack.why)
		fprintf(t->out, " < ? (%s)", m->stack.why);
}

static void put_short_stack(struct trace *t, const struct moment *m,
			    size_t indent)
{
	uint32_t at = application_frame(m);

	put_indent(t, indent);
	put_frame(t, &m->stack.frames[at]);
	put_callers(t, m, at);
	putc('\n', t->out);
}

static void put_left_out(struct trace *t, uint32_t nr, size_t indent)
{
	put_indent(t, indent);
	fprintf(t->out, "[%" PRIu32 " frames left out]\n", nr);
}

static void put_whole_stack(struct trace *t, const struct moment *m,
			    size_t indent)
{
	for (uint32_t i = 0; i < m->stack.nr; i++) {
		if (i == m->stack.nr_inner && m->stack.omitted)
			put_left_out(t, m->stack.omitted, indent);
		put_indent(t, indent);
		put_frame(t, &m->stack.frames[i]);
		putc('\n', t->out);
	}
	if (m->stack.nr == m->stack.nr_inner && m->stack.omitted)
		put_left_out(t, m->stack.omitted, indent);
}

static void put_stack(struct trace *t, const struct moment *m, size_t indent)
{
	if (!m->stack.known) {
		if (m->stack.why_nr == PT_WHY_NOT_WALKED)
			return;
		put_indent(t, indent);
		fprintf(t->out, "[stack unknown: %s]\n", m->stack.why);
		return;
	}
	if (!m->stack.nr && !m->stack.why) {
		put_indent(t, indent);
		fputs("[no Python frames]\n", t->out);
		return;
	}
	if (m->stack.nr && t->opts.whole_stacks)
		put_whole_stack(t, m, indent);
	else if (m->stack.nr)
		put_short_stack(t, m, indent);
	if (m->stack.why && (t->opts.whole_stacks || !m->stack.nr)) {
		put_indent(t, indent);
		fprintf(t->out, "[the rest is unknown: %s]\n", m->stack.why);
	}
}

/* ---- lines ---------------------------------------------------------------- */

static void put_syscall(struct trace *t, const struct moment *m)
{
	const struct pt_syscall *sys = (const void *)m->rec;
	size_t indent = put_start(t, m);

	t->events++;
	sysargs_put(t->out, sys, &t->opts.args);
	fputs(" = ", t->out);
	sysargs_put_result(t->out, sys);
	if (sys->state == PT_SYS_DONE)
		put_duration(t, sys->dur);
	putc('\n', t->out);
	if (!t->opts.no_stacks)
		put_stack(t, m, indent);
}

static void put_lost(struct trace *t, const struct pt_lost *lost)
{
	uint64_t all = lost->count + t->events;

	if (lost->reason == PT_LOSS_NOT_PYTHON) {	/* nobody asked for them */
		fprintf(t->out, "-- left out %" PRIu64 " event%s (%s) --\n",
			(uint64_t)lost->count, lost->count == 1 ? "" : "s",
			engine_loss_words(lost->reason));
		return;
	}
	fprintf(t->out, "-- lost %" PRIu64 " event%s (%s)", (uint64_t)lost->count,
		lost->count == 1 ? "" : "s", engine_loss_words(lost->reason));
	if (all && all >= lost->count)
		fprintf(t->out, ", %.1f %%",
			100.0 * (double)lost->count / (double)all);
	fputs(" --\n", t->out);
}

static void put_exit(struct trace *t, const struct moment *m)
{
	int status = (int)((const struct pt_exit *)(const void *)m->rec)->code;
	const char *name;

	put_start(t, m);
	if (WIFEXITED(status)) {
		fprintf(t->out, "+++ exited with %d +++\n",
			WEXITSTATUS(status));
		return;
	}
	name = sigabbrev_np(WTERMSIG(status));
	if (name)
		fprintf(t->out, "+++ killed by SIG%s%s +++\n", name,
			WCOREDUMP(status) ? " (core dumped)" : "");
	else
		fprintf(t->out, "+++ killed by signal %d +++\n",
			WTERMSIG(status));
}

static void put_moment(struct trace *t, const struct moment *m)
{
	const struct pt_hdr *rec = m->rec;

	switch (rec->type) {
	case PT_META:
		t->realtime_offset =
			((const struct pt_meta *)(const void *)rec)->
			realtime_offset;
		t->has_clock = true;
		break;
	case PT_SYSCALL:
		put_syscall(t, m);
		break;
	case PT_LOST:
		put_lost(t, (const void *)rec);
		break;
	case PT_EXIT:
		if (!t->opts.events_only &&
		    ((const struct pt_exit *)(const void *)rec)->last)
			put_exit(t, m);
		break;
	default:
		break;
	}
}

int trace_moment(struct trace *t, const struct moment *m, struct err *err)
{
	int rc;

	errno = 0;
	put_moment(t, m);
	if (!ferror(t->out))
		return 0;
	rc = errno ? -errno : -EIO;
	return err_kind(err, ERR_OUTPUT, rc, "cannot write the report: %s",
			strerror(-rc));
}
