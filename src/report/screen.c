/* SPDX-License-Identifier: MIT */
/* screen: the default report, in 24 lines. */
#include "report/screen.h"

#include <errno.h>
#include <inttypes.h>
#include <time.h>

#include "report/screen_priv.h"

#define CAUSES_MAX	9	/* lines; the rest is one of them */
#define ROWS_MAX	5
#define FIXED_LINES	8	/* all that is neither cause nor row */
#define BAR		24
#define LEAST_SHARE	50	/* a row is at least a fiftieth of busy */

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

static void put_causes(struct screen *s)
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
static void put_memory(struct screen *s)
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

/* ---- rows ----------------------------------------------------------------- */

static size_t code_columns(const struct screen *s)
{
	return s->width >= SCREEN_WIDTH ? 40 : 32;
}

static void put_place(struct screen *s, const struct words *w, uint32_t place)
{
	size_t columns = code_columns(s), line_columns;
	struct text line = { 0 }, func = { 0 };

	if (!place || place == ROW_NO_FRAMES) {
		text_add(&line, place ? "(no Python frame)" :
			 "(line not known)");
		text_put(s->out, &line, columns + 1);
		return;
	}
	words_line(&line, w, place);
	words_func(&func, w, place);
	line_columns = columns_of(line.s, line.len);
	if (line_columns > columns * 2 / 3)
		text_cut_start(&line, columns * 2 / 3);
	line_columns = columns_of(line.s, line.len);
	if (line_columns < columns / 2)
		line_columns = columns / 2;
	text_put(s->out, &line, line_columns + 1);
	text_cut(&func, columns - line_columns - 1);
	text_put(s->out, &func, columns - line_columns);
}

static void put_rows_head(struct screen *s, const struct words *w)
{
	struct text code = { 0 };

	text_add(&code, "your code");
	if (w->prefix[0]) {
		text_add(&code, " (in ");
		text_name(&code, w->prefix, strlen(w->prefix));
		text_add(&code, ")");
	}
	text_cut(&code, code_columns(s));
	fprintf(s->out, "\n #   %s       %2s  times  ",
		s->o.idle ? "time" : "busy", s->unit.name);
	text_put(s->out, &code, code_columns(s) + 1);
	fputs("waits for\n", s->out);
	s->lines += 2;
}

static void put_row_start(struct screen *s, unsigned int nr,
			  const struct row *row)
{
	struct text t = { 0 }, share = { 0 }, time = { 0 }, count = { 0 };

	words_share(&share, row->is.ns, s->base_ns);
	if (row->estimate_ns || model_is_thinned(s->m))
		text_add(&time, "~");
	words_time(&time, s->unit, row->is.ns);
	if (row->cause == SPENT_CPU_USER)
		text_add(&count, "-");
	else
		text_add(&count, "%" PRIu64, row->is.count);
	text_add(&t, "%2u %5s %% %7s %6s  ", nr, share.s, time.s, count.s);
	text_put(s->out, &t, 27);
}

static void end_line(struct screen *s, struct text *t, size_t used)
{
	if (s->width > used)
		text_cut(t, s->width - used);
	text_put(s->out, t, 0);
	putc('\n', s->out);
	s->lines++;
}

static const char *ended_by(uint8_t cause)
{
	if (cause == SPENT_LOCK || cause == SPENT_GIL)
		return "      released by";
	if (cause == SPENT_SOCKET || cause == SPENT_PIPE ||
	    cause == SPENT_POLL || cause == SPENT_PROCESS)
		return "      woken by";
	return NULL;
}

/* Who ended the waits, if that was mostly a thread that is known. */
static bool put_waker(struct screen *s, const struct words *w,
		      const struct rows *rows, const struct row *row)
{
	const struct detail *kind = rows_detail(rows, row, DETAIL_WAKER);
	const struct detail *place = rows_detail(rows, row, DETAIL_WAKER_PLACE);
	const struct detail *who = rows_detail(rows, row, DETAIL_WAKER_THREAD);
	const char *how = ended_by(row->cause);
	struct text t = { 0 };

	if (!how || !kind->all || kind->value != PT_WAKER_TASK ||
	    (!place->value && !who->value) || s->lines + 3 > SCREEN_LINES)
		return false;
	text_add(&t, "%s", how);
	text_put(s->out, &t, 27);
	put_place(s, w, place->value);
	t = (struct text){ 0 };
	if (who->value) {
		text_add(&t, "thread ");
		words_thread(&t, w, who->value);
	} else {
		text_add(&t, "outside the trace");
	}
	if (who->others)
		text_add(&t, " and %" PRIu32 " other%s", who->others,
			 who->others == 1 ? "" : "s");
	end_line(s, &t, 27 + code_columns(s) + 1);
	return true;
}

/* What those did who had the lock. */
static void put_hold(struct screen *s, const struct words *w,
		     const struct rows *rows, const struct row *row,
		     bool named)
{
	const struct detail *hold = rows_detail(rows, row, DETAIL_HOLD);
	struct text t = { 0 }, head = { 0 };
	uint64_t percent;

	if (!hold->value || !hold->weight || s->lines + 3 > SCREEN_LINES)
		return;
	percent = (uint64_t)((double)hold->weight * 100 / (double)hold->all);
	text_add(&head, named ? "      who meanwhile was" :
		 "      who had it was");
	text_put(s->out, &head, 27);
	text_add(&t, "%" PRIu64 " %% ", percent);
	words_doing(&t, w, hold->value);
	end_line(s, &t, 27);
}

static void put_row(struct screen *s, const struct words *w, unsigned int nr,
		    const struct rows *rows, const struct row *row)
{
	struct text t = { 0 };
	size_t used;

	put_row_start(s, nr, row);
	put_place(s, w, row->key);
	used = 27 + code_columns(s) + 1;
	words_waits_for(&t, w, rows, row, s->width > used ? s->width - used : 0);
	end_line(s, &t, used);
	put_hold(s, w, rows, row, put_waker(s, w, rows, row));
}

/* A row that is worth a line: time whose line or cause is known, and enough. */
static bool is_worth(const struct screen *s, const struct row *row)
{
	return row->is.ns && row->cause != SPENT_UNKNOWN &&
	       row->is.ns >= s->base_ns / LEAST_SHARE;
}

static unsigned int put_rows(struct screen *s, struct words *w,
			     const struct rows *rows)
{
	unsigned int nr = 0;

	for (uint32_t i = 0; i < rows->nr && nr < ROWS_MAX; i++) {
		if (!is_worth(s, &rows->row[i]))
			continue;
		if (s->lines + 3 > SCREEN_LINES)
			break;
		if (!nr)
			put_rows_head(s, w);
		if (!nr++)
			s->first = rows->row[i];
		put_row(s, w, nr, rows, &rows->row[i]);
	}
	return nr;
}

static int put_causes_by_line(struct screen *s, struct err *err)
{
	const struct rows_query q = {
		.by = BY_APP, .kinds = 1u << CELL_TIME, .by_cause = true,
		.idle = s->o.idle,
	};
	struct words w = { .a = s->a, .no_paths = s->o.no_paths };
	struct rows rows;
	uint32_t nr = 0;
	int rc = rows_make(&rows, s->a, &q, err);

	if (rc)
		return rc;
	while (nr < rows.nr && nr < ROWS_MAX * 2 &&
	       rows.row[nr].is.ns >= s->base_ns / LEAST_SHARE)
		nr++;
	for (uint32_t i = 0; i < nr; i++)
		words_prefix_add(&w, rows.row[i].key);
	words_prefix_end(&w);
	s->nr_rows = put_rows(s, &w, &rows);
	rc = storms_put(s, &w, err);
	if (s->nr_rows && model_place(s->a, s->first.key)) {
		words_line(&s->first_line, &w, s->first.key);
		words_func(&s->first_func, &w, s->first.key);
	}
	rows_free(&rows);
	return rc;
}

/* ---- cost, and where to go on --------------------------------------------- */

static uint64_t sum_from(const uint64_t *n, size_t from, size_t to)
{
	uint64_t sum = 0;

	for (size_t i = from; i < to; i++)
		sum += n[i];
	return sum;
}

void screen_cost(struct screen *s, const struct engine_totals *totals)
{
	uint64_t elapsed = s->m->end - s->m->begin;
	uint64_t unknown = sum_from(totals->unknown, 0,
				    ARRAY_LEN(totals->unknown));
	struct text t = { 0 };

	text_add(&t, s->width < SCREEN_WIDTH ? "cost " : "cost to the target ");
	if (s->m->overhead_ns && elapsed) {
		text_add(&t, "~");
		words_share(&t, s->m->overhead_ns, elapsed);
		text_add(&t, " %% of a CPU");
	} else {
		text_add(&t, "? (not measured)");
	}
	text_add(&t, "   ");
	words_count(&t, totals->events);
	text_add(&t, " events");
	if (s->m->before) {		/* they are in no sum of the account */
		text_add(&t, " (");
		words_count(&t, s->m->before);
		text_add(&t, " before it began)");
	}
	text_add(&t, "   lost ");
	words_count(&t, totals->lost_all - totals->lost[PT_LOSS_NOT_PYTHON]);
	text_add(&t, "   stacks unknown ");
	words_count(&t, unknown);
	if (s->m->coarse) {
		text_add(&t, "   coarser for memory: ");
		words_count(&t, s->m->coarse);
	}
	if (!s->m->complete)
		text_add(&t, "   cut: no end");
	screen_line(s, &t);
}

void screen_line(struct screen *s, struct text *t)
{
	end_line(s, t, 0);
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
		put_causes(s);
		put_memory(s);
		rc = put_causes_by_line(s, err);
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
