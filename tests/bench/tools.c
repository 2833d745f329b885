/* SPDX-License-Identifier: MIT */
/*
 * tools: what pytrace and its neighbours add to a system call, to a context
 * switch or to a call of a Python function, attached to the same process one
 * after the other.
 *
 * Each round measures blocks before, with and after each tool: what it adds is
 * the difference of the medians.  By wall time: ptrace's price is waiting.
 */
#include <errno.h>
#include <time.h>

#include "bench.h"
#include "child.h"

#define ROUNDS		3
#define SETTLE		60	/* looks, a third of a second apart */
#define NR_WORDS	16
#define WORD		1024	/* bytes of one */

#define MAX_TOOLS	4

struct tool {
	const char *name;
	double limit;		/* ours against this one: at most */
	const char *words[NR_WORDS];	/* %d: the pid */
};

/* What is done all the while, and who looks at it; the first is ours. */
struct rivals {
	const char *command;	/* of workload.py */
	int blocks;
	int fewer;		/* of b->calls, in a block */
	double dearer;		/* with a tool, at least that much */
	struct tool tools[MAX_TOOLS];
};

static const struct rivals of_calls = {
	"calls", 50, 4, 1.15, {
		{ "pytrace record", 0,
		  { "pytrace", "record", "-q", "--max-overhead", "0", "-e",
		    "syscalls", "-d", "10m",
		    "-o", "/dev/null", "-p", "%d" } },
		{ "perf record -e raw_syscalls:* -g", 0.2,
		  { "perf", "record", "-q", "-e", "raw_syscalls:*", "-g",
		    "-o", "/dev/null", "-p", "%d" } },
		{ "strace -c", 1.0 / 15,
		  { "strace", "-qq", "-c", "-o", "/dev/null", "-p", "%d" } },
		{ "bpftrace, count by ustack", 1,
		  { "bpftrace", "-q", "-e", "tracepoint:raw_syscalls:sys_enter "
		    "/pid == %d/ { @[ustack] = count(); }" } },
	},
};

static const struct rivals of_switches = {
	"pong", 50, 4, 1.03, {
		{ "pytrace record -e offcpu", 0,
		  { "pytrace", "record", "-q", "--max-overhead", "0", "-e",
		    "offcpu", "-d", "10m",
		    "-o", "/dev/null", "-p", "%d" } },
		{ "perf record -e sched:sched_switch -g", 0.5,
		  { "perf", "record", "-q", "-e", "sched:sched_switch", "-g",
		    "-o", "/dev/null", "-p", "%d" } },
		{ "offcputime-bpfcc", 1,
		  { "offcputime-bpfcc", "-f", "-p", "%d" } },
		/* the same where there are no headers of the kernel */
		{ "bpftrace, off-CPU time by ustack", 1,
		  { "bpftrace", "-q", "-e", "BEGIN { @p = %d; } "
		    "tracepoint:sched:sched_switch { "
		    "if ((uint64)args->prev_pid == @p) "
		    "{ @s = nsecs; @n[ustack] = count(); } "
		    "if ((uint64)args->next_pid == @p && @s > 0) "
		    "{ @t = sum(nsecs - @s); } }" } },
	},
};

#define ENTRY "usdt:/proc/%d/exe:python:function__entry "
#define RETURN "usdt:/proc/%d/exe:python:function__return "

static const struct rivals of_functions = {
	"functions", 50, 4, 1.15, {
		{ "pytrace record -e calls", 0,
		  { "pytrace", "record", "-q", "--max-overhead", "0", "-e",
		    "calls", "-d", "10m",
		    "-o", "/dev/null", "-p", "%d" } },
		/* perf is told by its own signal: sh would wait for it */
		{ "perf record, both probes with strings", 0.75,
		  { "sh", "-c", "add=${PERF_PROBE:-pytrace-perf-probe}; "
		    "\"$add\" --add -e 'function__*' -p %d >/dev/null || exit; "
		    "trap 'kill -TERM $perf' INT; "
		    "perf record -q -e sdt_python:function__entry "
		    "-e sdt_python:function__return -o /dev/null -p %d & perf=$!; "
		    "wait $perf; wait $perf; \"$add\" --del >/dev/null" } },
		{ "bpftrace, stacks of threads, latency", 0.75,
		  { "bpftrace", "--usdt-file-activation", "-q", "-e",
		    ENTRY "{ @d[tid] = @d[tid] + 1; @t[tid, @d[tid]] = nsecs; "
		    "@n[tid, @d[tid]] = str(arg1); } "
		    RETURN "{ if (@d[tid] > 0) { printf(\"%s %d\\n\", "
		    "@n[tid, @d[tid]], nsecs - @t[tid, @d[tid]]); "
		    "delete(@t[tid, @d[tid]]); delete(@n[tid, @d[tid]]); "
		    "@d[tid] = @d[tid] - 1; } }" } },
		{ "ucalls -L", 0.75,
		  { "ucalls", "-l", "python", "-L", "%d", "1" } },
	},
};

/* All of `%d` are the pid, but in what a tool prints. */
static void put_word(char *out, const char *word, pid_t pid)
{
	char *end = out + WORD;

	while (*word && out < end - 16) {
		if (!strncmp(word, "%d", 2) && strncmp(word, "%d\\n", 4)) {
			out += snprintf(out, (size_t)(end - out), "%d", (int)pid);
			word += 2;
		} else {
			*out++ = *word++;
		}
	}
	*out = '\0';
}

static void fill_words(const struct tool *t, pid_t pid, char text[NR_WORDS][WORD],
		       char *argv[NR_WORDS])
{
	const char *ours = getenv("PYTRACE");
	size_t n = 0;

	for (; t->words[n]; n++) {
		const char *word = t->words[n];

		if (!n && !strcmp(word, "pytrace") && ours)
			word = ours;
		put_word(text[n], word, pid);
		argv[n] = text[n];
	}
	argv[n] = NULL;
}

static int median_of(struct work *w, const struct bench *b,
		     const struct rivals *r, int blocks, double *out,
		     struct err *err)
{
	struct series s = { 0 };
	struct block block;
	int rc = 0;

	for (int i = 0; !rc && i < blocks; i++) {
		rc = work_block(w, r->command, b->depth, b->calls / r->fewer,
				&block, err);
		if (!rc)
			series_add(&s, block.wall);
	}
	*out = series_spread(&s).median;
	series_fini(&s);
	return rc;
}

/* Until the tool has taken effect: calls are dearer, three times in a row. */
static int settle(struct work *w, const struct bench *b,
		  const struct rivals *r, struct child *c, double before,
		  struct err *err)
{
	struct timespec third = { .tv_nsec = 333333333 };
	double now;
	int dear = 0;

	for (int i = 0; i < SETTLE && dear < 3; i++) {
		int rc;

		nanosleep(&third, NULL);
		rc = median_of(w, b, r, r->blocks / 5, &now, err);
		if (rc)
			return rc;
		if (!child_runs(c))
			return err_set(err, -ECHILD, "it ended by itself");
		dear = now > r->dearer * before ? dear + 1 : 0;
	}
	return dear < 3 ? err_set(err, -ETIME, "nothing became dearer") : 0;
}

static int with_tool(struct work *w, const struct bench *b,
		     const struct rivals *r, const struct tool *t,
		     double *added, struct err *err)
{
	char text[NR_WORDS][WORD], *argv[NR_WORDS];
	double before, with = 0, after;
	struct child_end end;
	struct child c;
	int rc, rc2;

	fill_words(t, w->pid, text, argv);
	if (!child_exists(argv[0]))
		return err_set(err, -ENOENT, "no %s here", t->words[0]);
	rc = median_of(w, b, r, r->blocks, &before, err);
	if (!rc)
		rc = child_start(&c, argv, err);
	if (rc)
		return rc;
	rc = settle(w, b, r, &c, before, err);
	if (!rc)
		rc = median_of(w, b, r, r->blocks, &with, err);
	child_stop(&c, &end);
	if (rc == -ECHILD || rc == -ETIME) {
		struct err why = *err;

		return err_set(err, rc, "%s: %.200s", why.text, end.said);
	}
	rc2 = median_of(w, b, r, r->blocks, &after, err);
	*added = with - (before + after) / 2;
	return rc ? rc : rc2;
}

static void print_row(const char *version, const struct tool *t,
		      struct series *added, double ours)
{
	struct spread s = series_spread(added);

	printf("%-6s %-36s %8.0f (%6.0f-%6.0f)", version, t->name, s.median,
	       s.q1, s.q3);
	if (t->limit > 0)
		printf("  ours is %5.3f of it, limit %5.3f %s", ours / s.median,
		       t->limit, verdict(ours / s.median <= t->limit));
	printf("\n");
}

static int measure(const struct bench *b, const struct rivals *r,
		   struct work *w, struct err *err)
{
	struct series added[MAX_TOOLS] = { 0 };
	const struct tool *tools = r->tools;
	char version[16];
	double ours = 0, ns;
	int rc = 0;

	version_text(w->hexversion, version);
	for (int i = 0; i < MAX_TOOLS && tools[i].name; i++) {
		for (int round = 0; !rc && round < ROUNDS; round++) {
			rc = with_tool(w, b, r, &tools[i], &ns, err);
			if (!rc)
				series_add(&added[i], ns);
		}
		if (rc && !i)
			return rc;
		if (rc)
			printf("%-6s %-36s skipped: %.*s\n", version,
			       tools[i].name, (int)strcspn(err->text, "\n"),
			       err->text);
		else
			print_row(version, &tools[i], &added[i], ours);
		if (!i)
			ours = series_spread(&added[i]).median;
		rc = 0;
		series_fini(&added[i]);
		fflush(stdout);
	}
	return 0;
}

static int beside(const struct bench *b, const struct rivals *r, int cpu,
		  const char *heading, struct err *err)
{
	struct work w;
	int rc;

	if (!b->argv[0]) {
		printf("%-6s %-36s %22s\n", "python", "tool", heading);
		return 0;
	}
	rc = work_start(&w, b->argv, err);
	if (!rc && cpu >= 0)
		rc = work_pin(&w, cpu, err);
	if (!rc)
		rc = measure(b, r, &w, err);
	work_stop(&w);
	return rc;
}

int bench_tools(const struct bench *b, struct err *err)
{
	return beside(b, &of_calls, -1, "added to a call", err);
}

int bench_calltools(const struct bench *b, struct err *err)
{
	return beside(b, &of_functions, -1, "added to a Python call", err);
}

/* Both on one CPU, so that each byte is a switch. */
int bench_switches(const struct bench *b, struct err *err)
{
	return beside(b, &of_switches, 0, "added to a switch", err);
}
