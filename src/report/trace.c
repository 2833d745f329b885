/* SPDX-License-Identifier: MIT */
/* trace: one line an event, and under it the Python code that made it. */
#include "report/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/printable.h"
#include "event/record.h"
#include "report/calltext.h"
#include "report/eventtext.h"
#include "report/shed.h"
#include "report/stacktext.h"

struct trace {
	FILE *out;
	struct trace_opts opts;
	bool has_clock;			/* PT_META has come */
	int64_t realtime_offset;
	uint64_t events;
	uint64_t lost;
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
	t->events += record_event(m->rec) != NULL;
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
static size_t put_start_of(struct trace *t, uint64_t ns, uint32_t pid,
			   uint32_t tid, const struct thread *thread)
{
	size_t columns = put_time(t, ns);

	putc(' ', t->out);
	columns += eventtext_put_task(t->out, pid, tid, thread);
	fputs("  ", t->out);
	return columns + 3;
}

static size_t put_start(struct trace *t, const struct moment *m)
{
	return put_start_of(t, m->rec->t, m->rec->pid, m->rec->tid, m->thread);
}

/* ---- lines ---------------------------------------------------------------- */

static void put_stack(struct trace *t, const struct pystack *st,
		      size_t indent, const char *lead)
{
	const struct stacktext_opts opts = {
		.indent = indent,
		.lead = lead,
		.whole = t->opts.whole_stacks,
		.lasti = t->opts.lasti,
		.app = t->opts.app,
	};

	stacktext_put(t->out, st, &opts);
}

#define KERNEL_SHORT 5		/* functions of the kernel in one line */

/* All that wait end in these: of a few functions they say nothing. */
static uint32_t behind_scheduler(const struct kstack *k)
{
	uint32_t i = 0;

	while (i + 1 < k->nr && (!strcmp(k->func[i], "__schedule") ||
				 !strcmp(k->func[i], "schedule")))
		i++;
	return i;
}

/* Innermost first, as the Python frames that follow. */
static void put_kernel(struct trace *t, const struct kstack *k, size_t indent)
{
	uint32_t from = t->opts.whole_stacks ? 0 : behind_scheduler(k);
	uint32_t nr = k->nr;

	if (!t->opts.whole_stacks && nr > from + KERNEL_SHORT)
		nr = from + KERNEL_SHORT;
	for (uint32_t i = from; i < nr; i++) {
		if (i == from || t->opts.whole_stacks)
			fprintf(t->out, "%*s[kernel] ", (int)indent, "");
		else
			fputs(" < ", t->out);
		if (k->func[i][0])
			printable_put(t->out, k->func[i], strlen(k->func[i]));
		else
			putc('?', t->out);
		if (t->opts.whole_stacks)
			putc('\n', t->out);
	}
	if (nr && !t->opts.whole_stacks)
		fputs(nr < k->nr ? " < ...\n" : "\n", t->out);
}

/* Where the waker was, if it is a Python that we look at and was in some. */
static void put_waker(struct trace *t, const struct moment *m, size_t indent)
{
	const struct pt_offcpu *off = (const void *)m->rec;

	if (off->waker != PT_WAKER_TASK || !off->waker_proc ||
	    (m->waker.known && !m->waker.nr))
		return;
	put_stack(t, &m->waker, indent, "woken at ");
}

#define RED	"\033[31m"
#define YELLOW	"\033[33m"
#define PLAIN	"\033[m"

static void put_color(const struct trace *t, const char *sequence)
{
	if (t->opts.color)
		fputs(sequence, t->out);
}

static bool has_failed(const struct pt_hdr *rec)
{
	const struct pt_syscall *sys = (const void *)rec;

	return rec->type == PT_SYSCALL && sys->ret < 0 && sys->ret >= -4095 &&
	       (sys->state == PT_SYS_DONE || sys->state == PT_SYS_NO_ENTRY);
}

static void put_event(struct trace *t, const struct moment *m)
{
	size_t indent = put_start(t, m);
	bool failed = has_failed(m->rec);

	t->events++;
	if (failed)
		put_color(t, RED);
	eventtext_put(t->out, m, &t->opts.args);
	if (failed)
		put_color(t, PLAIN);
	putc('\n', t->out);
	if (t->opts.no_stacks)
		return;
	if (t->opts.kernel && m->kernel)
		put_kernel(t, m->kernel, indent);
	put_stack(t, &m->stack, indent, NULL);
	if (m->rec->type == PT_OFFCPU)
		put_waker(t, m, indent);
}

static void put_lost(struct trace *t, const struct pt_lost *lost)
{
	uint64_t all;

	if (lost->reason == PT_LOSS_NOT_PYTHON) {	/* nobody asked for them */
		fprintf(t->out, "-- left out %" PRIu64 " event%s (%s) --\n",
			(uint64_t)lost->count, lost->count == 1 ? "" : "s",
			engine_loss_words(lost->reason));
		return;
	}
	fprintf(t->out, "-- lost %" PRIu64 " event%s (%s)", (uint64_t)lost->count,
		lost->count == 1 ? "" : "s", engine_loss_words(lost->reason));
	t->lost += lost->count;
	all = t->lost + t->events;
	if (all >= t->lost && all >= lost->count)
		fprintf(t->out, ", %.1f %% so far",
			100.0 * (double)t->lost / (double)all);
	fputs(" --\n", t->out);
}

static void put_shed(struct trace *t, const struct pt_shed *shed)
{
	fputs("-- over budget: ", t->out);
	shed_put(t->out, shed);
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
	case PT_LOST:
		put_color(t, YELLOW);
		put_lost(t, (const void *)rec);
		put_color(t, PLAIN);
		break;
	case PT_SHED:
		put_color(t, YELLOW);
		put_shed(t, (const void *)rec);
		put_color(t, PLAIN);
		break;
	case PT_EXIT:
		if (!t->opts.events_only &&
		    ((const struct pt_exit *)(const void *)rec)->last)
			put_exit(t, m);
		break;
	default:
		if (record_event(rec))
			put_event(t, m);
		break;
	}
}

static int written(const struct trace *t, struct err *err)
{
	int rc;

	if (!ferror(t->out))
		return 0;
	rc = errno ? -errno : -EIO;
	return err_kind(err, ERR_OUTPUT, rc, "cannot write the report: %s",
			strerror(-rc));
}

int trace_moment(struct trace *t, const struct moment *m, struct err *err)
{
	errno = 0;
	if (m->rec->type == PT_CALL || m->rec->type == PT_RETURN)
		t->events++;
	put_moment(t, m);
	return written(t, err);
}

int trace_step(struct trace *t, const struct moment_step *ms, struct err *err)
{
	const struct step *step = ms->step;
	struct stacktext_opts opts = { .whole = true, .defs = true };

	errno = 0;
	opts.indent = put_start_of(t, step->t, step->pid, step->tid, ms->thread);
	calltext_put(t->out, ms);
	putc('\n', t->out);
	if (t->opts.whole_stacks && ms->stack.known)
		stacktext_put(t->out, &ms->stack, &opts);
	return written(t, err);
}
