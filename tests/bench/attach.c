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
#define LOOK		3	/* seconds that the target looks at its clock */

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* Attach as `pytrace trace -p` does, wait for a second, detach. */
static int attach_once(pid_t pid, double *seconds, struct err *err)
{
	static const char *const argv[] = { "ptbench", NULL };
	struct session_opts opts = {
		.pids = &pid,
		.nr_pids = 1,
		.argv = argv,
		.version = "bench",
	};
	struct timespec second = { .tv_sec = 1 };
	struct session *s;
	double start = now();
	int rc = session_open(&s, &opts, err);

	if (rc)
		return rc;
	*seconds = now() - start;
	nanosleep(&second, NULL);
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

int bench_attach(const struct bench *b, struct err *err)
{
	struct series took = { 0 }, alone = { 0 }, attached = { 0 };
	char version[16];
	struct work w;
	int rc;

	if (!b->argv[0]) {
		printf("%-6s %7s %22s %24s %24s\n", "python", "threads",
		       "ms until attached, max", "longest gap, ms: alone",
		       "attached to");
		return 0;
	}
	rc = work_start(&w, b->argv, err);
	if (!rc)
		rc = measure(&w, &took, &alone, &attached, err);
	if (!rc)
		printf("%-6s %7d %10.0f %11.0f %12.2f, max %6.2f %12.2f, max %6.2f\n",
		       version_text(w.hexversion, version), THREADS,
		       series_spread(&took).median, series_max(&took),
		       series_spread(&alone).median, series_max(&alone),
		       series_spread(&attached).median, series_max(&attached));
	work_stop(&w);
	series_fini(&took);
	series_fini(&alone);
	series_fini(&attached);
	return rc;
}
