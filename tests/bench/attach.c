/* SPDX-License-Identifier: MIT */
/*
 * attach: how long it takes to attach to a process of 200 threads, and how long
 * that holds the process up.
 */
#include <time.h>

#include "bench.h"
#include "live/session.h"

#define THREADS		200
#define ROUNDS		7
#define LOOK		2	/* seconds that the target looks at its clock */
#define LIMIT		500	/* ms until attached */
#define PAUSE		10	/* ms: what a scheduler does to anybody */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* Attach as `pytrace trace -p` does, wait, detach. */
static int attach_once(pid_t pid, double *seconds, struct err *err)
{
	static const char *const argv[] = { "ptbench", NULL };
	struct session_opts opts = {
		.pids = &pid,
		.nr_pids = 1,
		.argv = argv,
		.version = "bench",
	};
	struct timespec wait = { .tv_nsec = 300000000 };
	struct session *s;
	double start = now();
	int rc = session_open(&s, &opts, err);

	if (rc)
		return rc;
	*seconds = now() - start;
	nanosleep(&wait, NULL);
	session_close(s);
	return 0;
}

/* The longest gap in the clock of the target, in ms; attached to if `took`. */
static int longest_gap(struct work *w, double *gap, double *took,
		       struct err *err)
{
	struct timespec half = { .tv_nsec = 500000000 };
	uint64_t ns[2];
	int rc = work_tell(w, err, "gap %d", LOOK);

	if (!rc && took) {
		nanosleep(&half, NULL);
		rc = attach_once(w->pid, took, err);
	}
	if (!rc)
		rc = work_hear(w, ns, err);
	if (!rc)
		*gap = (double)ns[0] / 1e6;
	return rc;
}

static int measure(struct work *w, struct series *took, struct series *alone,
		   struct series *attached, struct err *err)
{
	double gap, seconds;
	uint64_t n[2];
	int rc = work_tell(w, err, "threads %d", THREADS);

	if (!rc)
		rc = work_hear(w, n, err);
	for (int i = 0; !rc && i < ROUNDS; i++) {
		rc = longest_gap(w, &gap, NULL, err);
		if (rc)
			break;
		series_add(alone, gap);
		rc = longest_gap(w, &gap, &seconds, err);
		if (rc)
			break;
		series_add(attached, gap);
		series_add(took, 1000 * seconds);
	}
	return rc;
}

static void print(uint32_t hexversion, struct series *took,
		  struct series *alone, struct series *attached)
{
	struct spread t = series_spread(took), a = series_spread(alone);
	struct spread with = series_spread(attached);
	char version[16];

	printf("%-6s %7d %7.0f (%5.0f-%5.0f) %14.2f (%5.2f-%5.2f) "
	       "%14.2f (%5.2f-%5.2f)  limit %d: %s; no pause: %s\n",
	       version_text(hexversion, version), THREADS, t.median, t.q1, t.q3,
	       a.median, a.q1, a.q3, with.median, with.q1, with.q3, LIMIT,
	       verdict(t.median < LIMIT),
	       verdict(with.median - a.median < PAUSE));
}

int bench_attach(const struct bench *b, struct err *err)
{
	struct series took = { 0 }, alone = { 0 }, attached = { 0 };
	struct work w;
	int rc;

	if (!b->argv[0]) {
		printf("%-6s %7s %21s %28s %28s\n", "python", "threads",
		       "ms until attached", "longest gap, ms: left alone",
		       "attached to");
		return 0;
	}
	rc = work_start(&w, b->argv, err);
	if (!rc)
		rc = measure(&w, &took, &alone, &attached, err);
	if (!rc)
		print(w.hexversion, &took, &alone, &attached);
	work_stop(&w);
	series_fini(&took);
	series_fini(&alone);
	series_fini(&attached);
	return rc;
}
