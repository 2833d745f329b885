/* SPDX-License-Identifier: MIT */
/*
 * flow: 300,000 system calls a second for ten seconds, recorded by `pytrace
 * record`: what is lost, and what the recording process takes.
 *
 * rush: the same of Python calls, as many as the probes allow, into a file: how
 * many bytes each takes there.
 *
 * volley: the same of 200,000 context switches, two processes on each of two
 * CPUs that wake one another through pipes.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "child.h"

#define PROCESSES	2
#define SECONDS		10
#define LIMIT		0.5	/* cores */

struct flow {
	const char *command;	/* of workload.py: "COMMAND RATE SECONDS" */
	int rate;		/* a second, of all together; 0: all they can */
	int each;		/* events of what the workload counts as one */
	int least;		/* of them, in percent, that there must be */
	bool kept;		/* into a file, which has a limit */
	char events[16];	/* -e */
	bool pinned;		/* each process to a CPU of its own */
};

static const struct flow of_calls = {
	"pace", 300000, 1, 100, false, "syscalls", false,
};
/* one that is preempted instead of blocked leaves the other's out */
static const struct flow of_switches = {
	"volley", 200000, 2, 50, false, "offcpu", true,
};
static const struct flow of_functions = {
	"rush", 0, 2, 100, true, "calls", true,
};

#define BYTES_LIMIT 16.0	/* a call, with its return */

/* Recording has begun a moment after it says that it traces them. */
static void wait_begun(const struct child *c)
{
	struct pollfd says = { .fd = c->says, .events = POLLIN };
	struct timespec s = { .tv_sec = 3 };

	poll(&says, 1, 30000);
	nanosleep(&s, NULL);
}

static int start_recording(struct child *c, const struct work w[PROCESSES],
			   const struct flow *f, const char *file,
			   struct err *err)
{
	const char *pytrace = getenv("PYTRACE");
	char pids[64], name[4096], events[16], to[64];
	char *argv[] = { name, (char[]){ "record" }, (char[]){ "-d" },
			 (char[]){ "10m" }, (char[]){ "--max-overhead" },
			 (char[]){ "0" }, (char[]){ "-o" }, to,
			 (char[]){ "-f" },
			 (char[]){ "-e" }, events, (char[]){ "-p" }, pids,
			 NULL };
	int rc;

	snprintf(name, sizeof(name), "%s", pytrace ? pytrace : "pytrace");
	snprintf(to, sizeof(to), "%s", file);
	memcpy(events, f->events, sizeof(events));
	snprintf(pids, sizeof(pids), "%d,%d", (int)w[0].pid, (int)w[1].pid);
	rc = child_start(c, argv, err);
	if (!rc)
		wait_begun(c);
	return rc;
}

static int run_flow(struct work w[PROCESSES], const struct flow *f,
		    uint64_t *made, uint64_t *ns, struct err *err)
{
	uint64_t out[2];
	int rc = 0;

	*made = *ns = 0;
	for (int i = 0; !rc && i < PROCESSES; i++)
		rc = work_tell(&w[i], err, "%s %d %d", f->command,
			       f->rate / PROCESSES, SECONDS);
	for (int i = 0; !rc && i < PROCESSES; i++) {
		rc = work_hear(&w[i], out, err);
		*made += out[0] * (uint64_t)f->each;
		if (out[1] > *ns)
			*ns = out[1];
	}
	return rc;
}

/* A number as people read it, "3,000,210"; what follows it, or NULL. */
static const char *read_grouped(const char *s, unsigned long long *out)
{
	if (*s < '0' || *s > '9')
		return NULL;
	for (*out = 0; (*s >= '0' && *s <= '9') || *s == ','; s++)
		if (*s != ',')
			*out = 10 * *out + (unsigned long long)(*s - '0');
	return s;
}

/* "pytrace: 3,000,210 calls, lost 0, ...", or "... events: ..., lost 0, ..." */
static int parse_account(const struct child_end *end, unsigned long long *events,
			 unsigned long long *lost)
{
	static const char ours[] = "pytrace: ", before[] = ", lost ";
	const char *line = end->said;

	while ((line = strstr(line, ours))) {
		const char *at = read_grouped(line += strlen(ours), events);

		at = at ? strstr(at, before) : NULL;
		if (at && at < strchrnul(line, '\n') && read_grouped(at + strlen(before), lost))
			return 0;
	}
	return -1;
}

static void put_verdict(const struct flow *f, bool all, double reached,
			double cores, double bytes)
{
	if (f->kept)
		printf("  none lost: %s; %.1f bytes a call, at most %.0f: %s\n",
		       verdict(all), bytes, BYTES_LIMIT,
		       verdict(bytes <= BYTES_LIMIT));
	else if (reached < 0.95 * f->rate)
		printf("  no verdict: others had the CPUs\n");
	else
		printf("  none lost: %s; below %.1f: %s\n", verdict(all), LIMIT,
		       verdict(cores < LIMIT));
}

static int one_flow(struct work w[PROCESSES], const struct flow *f,
		    const char *file, struct err *err)
{
	unsigned long long recorded, lost;
	struct child_end end;
	struct child c;
	uint64_t made, ns, least;
	char version[16];
	double cores, reached;
	struct stat st = { 0 };
	int rc = start_recording(&c, w, f, file, err);

	if (rc)
		return rc;
	rc = run_flow(w, f, &made, &ns, err);
	child_stop(&c, &end);
	if (rc)
		return rc;
	if (parse_account(&end, &recorded, &lost))
		return err_set(err, -EBADMSG, "pytrace said: %.300s", end.said);
	cores = end.cpu * 1e9 / (double)ns;
	reached = (double)made * 1e9 / (double)ns;
	printf("%-6s %9.0f %9llu %9llu %7llu %6.2f %9.1f",
	       version_text(w[0].hexversion, version), reached,
	       (unsigned long long)made, recorded, lost, cores,
	       (double)end.peak_kb / 1024);
	least = made * (uint64_t)f->least / 100;
	if (stat(file, &st))
		return err_set(err, -errno, "no recording at %s", file);
	put_verdict(f, !lost && recorded >= least, reached, cores,
		    (double)st.st_size * f->each / (double)made);
	if (recorded < least && !lost)
		return err_set(err, -EIO, "events are missing and not told as lost");
	return 0;
}

static int all_of(const struct bench *b, const struct flow *f, struct err *err)
{
	char file[] = "/tmp/ptbench-XXXXXX";
	struct work w[PROCESSES] = { 0 };
	int rc = 0, fd;

	if (!b->argv[0]) {
		printf("%-6s %9s %9s %9s %7s %6s %9s\n", "python", "a second",
		       "made", "recorded", "lost", "cores", "peak, MiB");
		return 0;
	}
	for (int i = 0; !rc && i < PROCESSES; i++) {
		rc = work_start(&w[i], b->argv, err);
		if (!rc && f->pinned)
			rc = work_pin(&w[i], i, err);
	}
	fd = f->kept ? mkstemp(file) : -1;
	if (!rc && f->kept && fd < 0)
		rc = err_set(err, -errno, "no file in /tmp: %s", strerror(errno));
	if (!rc)
		rc = one_flow(w, f, f->kept ? file : "/dev/null", err);
	if (fd >= 0) {
		unlink(file);
		close(fd);
	}
	for (int i = 0; i < PROCESSES; i++)
		work_stop(&w[i]);
	return rc;
}

int bench_flow(const struct bench *b, struct err *err)
{
	return all_of(b, &of_calls, err);
}

int bench_rush(const struct bench *b, struct err *err)
{
	return all_of(b, &of_functions, err);
}

int bench_volley(const struct bench *b, struct err *err)
{
	return all_of(b, &of_switches, err);
}
