/* SPDX-License-Identifier: MIT */
/* screen_head: what was traced, and the account of its time. */
#include <inttypes.h>
#include <time.h>

#include "report/screen_priv.h"

#define CAUSES_MAX	9	/* lines; the rest is one of them */
#define BAR		24

/* ---- what was traced ------------------------------------------------------ */

/* A master is older than its workers; those born while tracing come behind. */
static const struct process_info *first_process(const struct model *m)
{
	const struct process_info *first = NULL;

	for (uint32_t i = 0; i < m->nr_processes; i++) {
		const struct process_info *p = &m->processes[i];

		if (!first || (!p->born && !p->left_out &&
			       (first->born || p->pid < first->pid)))
			first = p;
	}
	return first;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Do they go by one name, as forked workers do? */
static bool are_alike(const struct model *m, const struct process_info *first)
{
	for (uint32_t i = 0; i < m->nr_processes; i++) {
		const struct process_info *p = &m->processes[i];

		if (!p->left_out && strcmp(p->comm, first->comm))
			return false;
	}
	return first->comm[0];
}

/* What a line that is too long can do without, in this order. */
enum brief {
	BRIEF_NOT,
	BRIEF_METHOD,		/* "walking" */
	BRIEF_BORN,		/* "while tracing" */
	BRIEF_CLOCK,		/* "from 14:02:31" */
	BRIEF_NAME,		/* the end of a long name */
	BRIEF_NR,
};

static void put_others(struct text *t, uint32_t others, uint32_t born,
		       const char *word, enum brief brief)
{
	text_add(t, " + %" PRIu32 " %s%s", others, word, others == 1 ? "" :
		 *word == 'w' ? "s" : "es");
	if (born)
		text_add(t, " (%" PRIu32 " born%s)", born,
			 brief >= BRIEF_BORN ? "" : " while tracing");
}

/* "811 gunicorn + 4 workers" */
static void put_program(struct text *t, const struct model *m, enum brief brief)
{
	const struct process_info *p = first_process(m);
	uint32_t born, others = model_processes(m, &born);

	if (p && !p->left_out && others) {	/* is one of them */
		others--;
		born -= p->born && born;
	}
	if (p) {
		const char *name = p->comm[0] ? p->comm : base_name(p->exe);
		struct text safe = { 0 };

		text_name(&safe, name, strlen(name));
		if (brief >= BRIEF_NAME)
			text_cut(&safe, 9);
		text_add(t, "%" PRIu32 " %s", p->pid, safe.s);
	} else if (m->program) {
		text_add(t, "%" PRIu32 " ", m->program_pid);
		text_name(t, base_name(m->program),
			  strlen(base_name(m->program)));
		text_add(t, ", which is no Python");
	} else if (m->nr_threads) {
		text_add(t, "%" PRIu32, m->threads[1].pid);
	} else {
		text_add(t, "no process");
	}
	if (others)
		put_others(t, others, born, p && are_alike(m, p) ? "worker" :
			   "process", brief);
}

static void put_since(struct text *t, const struct screen *s, enum brief brief)
{
	const struct model *m = s->m;
	uint64_t tenths = (m->end - m->begin + 50000000) / 100000000;
	uint64_t ns = m->begin + (uint64_t)m->realtime_offset;
	time_t second = (time_t)(ns / 1000000000);
	char hms[16] = "";
	struct tm tm;

	text_add(t, "   %" PRIu64 ".%" PRIu64 " s", tenths / 10, tenths % 10);
	if (!m->has_clock || ns / 1000000000 >= UINT64_C(1) << 40 ||
	    brief >= BRIEF_CLOCK)
		return;
	if (s->o.utc ? !gmtime_r(&second, &tm) : !localtime_r(&second, &tm))
		return;
	strftime(hms, sizeof(hms), "%H:%M:%S", &tm);
	text_add(t, " from %s", hms);
}

/* "17 threads", "2 of 17 threads" */
static void put_threads(struct text *t, const struct model *m)
{
	uint32_t all, nr = model_threads(m, &all);

	text_add(t, "   %" PRIu32, nr);
	if (m->chosen)
		text_add(t, " of %" PRIu32, all);
	text_add(t, " thread%s", (m->chosen ? all : nr) == 1 ? "" : "s");
}

static void compose_header(struct text *t, const struct screen *s,
			   enum brief brief)
{
	const struct process_info *p = first_process(s->m);

	*t = (struct text){ 0 };
	put_program(t, s->m, brief);
	if (p && p->python[0]) {
		text_add(t, "   CPython ");
		text_name(t, p->python, strlen(p->python));
	}
	put_since(t, s, brief);
	put_threads(t, s->m);
	if (brief < BRIEF_METHOD && s->m->nr_threads)
		text_add(t, "   walking");
}

static void put_header(struct screen *s)
{
	struct text t;

	for (int brief = 0; brief < BRIEF_NR; brief++) {
		compose_header(&t, s, (enum brief)brief);
		if (columns_of(t.s, t.len) <= s->width)
			break;
	}
	screen_line(s, &t);
}

/* ---- the account ---------------------------------------------------------- */

static void put_sum(struct screen *s)
{
	const struct account *sum = &s->m->account;
	struct text t = { 0 };

	text_add(&t, "thread time  ");
	words_time(&t, s->unit, sum->thread_ns);
	text_add(&t, " %s = idle ", s->unit.name);
	words_time(&t, s->unit, sum->idle_ns);
	text_add(&t, "%s + ", s->width < SCREEN_WIDTH && sum->unseen_ns ? "" :
		 " (waiting for work)");
	if (sum->unseen_ns) {
		text_add(&t, "blocked since before ");
		words_time(&t, s->unit, sum->unseen_ns);
		text_add(&t, " + ");
	}
	text_add(&t, "busy ");
	words_time(&t, s->unit, sum->busy_ns);
	screen_line(s, &t);
}

/* Estimates look different, and the reader is told why these are. */
static void put_shed(struct screen *s)
{
	static const char *const left_out[] = {
		[PT_SHED_STACKS] = "stacks of quick calls",
		[PT_SHED_CALLS] = "short calls",
		[PT_SHED_SAMPLES] = "samples",
		[PT_SHED_DETACH] = "all",
	};
	int nr = 0;
	uint64_t after = s->m->shed_at > s->m->begin ?
		s->m->shed_at - s->m->begin : 0;
	struct text t = { 0 };

	if (!s->m->shed)
		return;
	text_add(&t, "note: over --max-overhead; after %.1f s", (double)after / 1e9);
	for (uint32_t i = 0; i < ARRAY_LEN(left_out); i++)
		if (left_out[i] && s->m->shed & 1u << i)
			text_add(&t, "%s%s", nr++ ? ", " : " without ", left_out[i]);
	screen_line(s, &t);
}

void screen_head(struct screen *s)
{
	put_header(s);
	if (!s->no_times)
		put_sum(s);
	put_shed(s);
}

static bool has_quota(const struct screen *s)
{
	return s->m->quota || s->m->throttled_ns;
}

/* Numbers that are bounds or estimates look different. */
static const char *mark_of(const struct screen *s, enum spent cause)
{
	if (!s->m->lossy)
		return "";
	return cause == SPENT_CPU_USER ? "~" : "\xe2\x89\xa5";
}

static void explain_cpu(struct text *t, const struct screen *s)
{
	const char *mark = s->m->kernel == EXACT ? "" : "~";

	if (s->m->kernel == NOT_KNOWN) {
		text_add(t, "  (user and kernel mode not told apart)");
		return;
	}
	text_add(t, "  (user %s", mark);
	words_time(t, s->unit, s->m->account.busy[SPENT_CPU_USER]);
	text_add(t, ", kernel %s", mark);
	words_time(t, s->unit, s->m->account.busy[SPENT_CPU_KERNEL]);
	text_add(t, ")");
}

static void explain_runq(struct text *t, const struct screen *s)
{
	text_add(t, "  (preempted ");
	words_time(t, s->unit, s->m->account.busy[SPENT_PREEMPTED]);
	if (has_quota(s)) {
		text_add(t, "; CPU quota throttled ~");
		words_time(t, s->unit, s->m->throttled_ns);
	}
	if (s->m->throttled_periods)
		text_add(t, " in %" PRIu64 " of %" PRIu64 " periods",
			 s->m->throttled_periods, s->m->periods);
	text_add(t, ")");
}

static const char *words_of(const struct screen *s, enum spent cause)
{
	if (cause == SPENT_CPU_USER)
		return "on CPU";
	if (cause == SPENT_NR)
		return "other causes";
	if (cause == SPENT_UNKNOWN && s->m->off == NOT_KNOWN)
		return "not in a system call";
	return spent_words(cause);
}

static void put_cause(struct screen *s, enum spent cause, uint64_t ns,
		      uint64_t largest)
{
	struct text t = { 0 }, share = { 0 }, time = { 0 };
	size_t bar = largest ? (size_t)((double)ns * BAR / (double)largest + .5) :
			       0;

	words_share(&share, ns, s->m->account.busy_ns);
	text_add(&time, "%s", mark_of(s, cause));
	words_time(&time, s->unit, ns);
	text_add(&t, "%5s %%  %*s%s   %s", share.s,
		 (int)(7 - columns_of(time.s, time.len)), "", time.s,
		 words_of(s, cause));
	if (cause == SPENT_CPU_USER)
		explain_cpu(&t, s);
	else if (cause == SPENT_RUNQ)
		explain_runq(&t, s);
	if (bar && s->width >= SCREEN_WIDTH && columns_of(t.s, t.len) < 74) {
		text_add(&t, "%*s", (int)(75 - columns_of(t.s, t.len)), "");
		for (size_t i = 0; i < bar; i++)
			text_add(&t, "#");
	}
	screen_line(s, &t);
}

struct line {
	enum spent cause;
	uint64_t ns;
	bool always;
};

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (int)x->cause - (int)y->cause;
}

/* Groups with some time, largest first; unknown is the last of them. */
static size_t gather(const struct screen *s, struct line *lines)
{
	uint64_t sums[SPENT_NR] = { 0 }, rest = 0;
	size_t nr = 0, keep;

	for (int c = 0; c < SPENT_NR; c++)
		sums[spent_group((enum spent)c)] += s->m->account.busy[c];
	for (int c = 0; c < SPENT_NR; c++) {
		bool always = c == SPENT_RUNQ && has_quota(s);

		if (c == SPENT_UNKNOWN || (!sums[c] && !always))
			continue;
		lines[nr++] = (struct line){ (enum spent)c, sums[c], always };
	}
	qsort(lines, nr, sizeof(*lines), by_time);
	/* what has no tenth of a percent is one line, and so what is too much */
	for (keep = 0; keep < nr && keep < CAUSES_MAX - 2; keep++)
		if (lines[keep].ns * 1000 < s->m->account.busy_ns &&
		    !lines[keep].always)
			break;
	for (size_t i = keep; i < nr; i++)
		rest += lines[i].ns;
	nr = keep;
	if (rest)
		lines[nr++] = (struct line){ SPENT_NR, rest, false };
	lines[nr++] = (struct line){ SPENT_UNKNOWN, sums[SPENT_UNKNOWN], true };
	return nr;
}

void screen_causes(struct screen *s)
{
	struct line lines[SPENT_NR + 2];
	size_t nr = gather(s, lines);
	uint64_t largest = 0;
	struct text t = { 0 };

	text_add(&t, "   busy       %2s   what the busy threads were doing",
		 s->unit.name);
	if (s->m->off == NOT_KNOWN)
		text_add(&t, " (system calls alone: CPU time is in them)");
	screen_line(s, &t);
	for (size_t i = 0; i < nr; i++)
		if (lines[i].ns > largest)
			largest = lines[i].ns;
	for (size_t i = 0; i < nr; i++)
		put_cause(s, lines[i].cause, lines[i].ns, largest);
}

/* How long that held them back is told by nobody: it is in other causes. */
void screen_memory(struct screen *s)
{
	struct text t = { 0 };

	if (!s->m->memory_high)
		return;
	text_add(&t, "note: over memory.high ");
	words_count(&t, s->m->memory_high);
	text_add(&t, " times: reclaim is in kernel CPU and faults, being held "
		 "back in unknown");
	screen_line(s, &t);
}
