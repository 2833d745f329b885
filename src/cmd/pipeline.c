/* SPDX-License-Identifier: MIT */
/* pipeline: records from a source, through the engine, to where they go. */
#include "cmd/pipeline.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "event/record.h"

#define FLUSH_NS	UINT64_C(100000000)	/* a line is seen within 200 ms */
#define NAP_MIN_NS	1000000L	/* many events, or a program that begins */
#define NAP_BUSY_NS	5000000L	/* few events: a wake-up costs, too */
#define NAP_MAX_NS	10000000L	/* none */
#define MANY		2048		/* records after one nap */

static volatile sig_atomic_t asked;

static void on_signal(int sig)
{
	if (asked && sig == SIGINT)
		_exit(130);
	asked = 1;
}

void pipeline_catch_signals(void)
{
	const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	/* what is being written is not given up for the first one */
	struct sigaction sa = { .sa_handler = on_signal,
				.sa_flags = SA_RESTART };

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		sigaction(signals[i], &sa, NULL);
}

bool pipeline_was_asked(void)
{
	return asked;
}

static int flush(struct pipeline *p, struct err *err)
{
	int rc = 0;

	if (p->recording)
		rc = recfile_flush(p->recording, err);
	if (!rc && p->sink)
		rc = p->sink->flush(p->sink, err);
	return rc;
}

/* They come nearly in order: the ring has those of several CPUs. */
static void note_event(struct pipeline *p, uint64_t t)
{
	if (!p->events++ || t < p->first_ns)
		p->first_ns = t;
	if (t > p->last_ns)
		p->last_ns = t;
}

static int put(struct pipeline *p, const struct pt_hdr *rec, struct err *err)
{
	struct moment m;
	int rc = 0;

	p->records++;
	if (rec->type == PT_SHED && p->shed)
		p->shed((const void *)rec);
	if (record_event(rec) || rec->type == PT_CALL || rec->type == PT_RETURN)
		note_event(p, rec->t);
	if (p->recording)
		rc = recfile_put(p->recording, rec, err);
	if (rc || !p->engine)
		return rc;
	rc = engine_feed(p->engine, rec, &m, err);
	if (!p->drifts && engine_drift(p->engine)) {
		p->drifts = true;	/* the engine has by how much */
		if (p->stop)
			p->stop(p->arg);
		p->stop = NULL;
	}
	if (rc || !p->sink)
		return rc;
	return p->sink->put(p->sink, &m, err);
}

static bool is_full(const struct pipeline *p)
{
	return p->recording && p->max_bytes &&
	       recfile_size(p->recording) >= p->max_bytes;
}

/* Is it time to end?  Told once to whoever can end it. */
static void check_end(struct pipeline *p, uint64_t now)
{
	if (!p->stop)
		return;
	if (!asked && (!p->end_ns || now < p->end_ns)) {
		if (!is_full(p))
			return;
		p->full = true;
	}
	p->stop(p->arg);
	p->stop = NULL;
}

struct pace {
	uint64_t flushed_ns;
	long nap_ns;
	uint64_t since_look;	/* records since the clock was read */
	uint64_t since_nap;
};

/*
 * The ring has room for far more than comes in a nap of milliseconds; but a
 * process that begins waits to be recognised.
 */
static void set_nap(struct pace *pace, const struct pt_hdr *rec)
{
	pace->since_nap++;
	if (pace->since_nap > MANY || rec->type == PT_EXEC ||
	    rec->type == PT_PROCESS)
		pace->nap_ns = NAP_MIN_NS;
	else if (pace->nap_ns > NAP_BUSY_NS)
		pace->nap_ns = NAP_BUSY_NS;
}

static int nothing_now(struct pipeline *p, struct pace *pace, struct err *err)
{
	struct timespec nap = { .tv_nsec = pace->nap_ns };
	uint64_t now = now_ns();
	int rc = 0;

	if (now - pace->flushed_ns >= FLUSH_NS) {
		rc = flush(p, err);
		pace->flushed_ns = now;
	}
	check_end(p, now);
	nanosleep(&nap, NULL);
	pace->since_nap = 0;
	if (pace->nap_ns < NAP_MAX_NS)
		pace->nap_ns += pace->nap_ns / 4;
	return rc;
}

int pipeline_run(struct pipeline *p, struct err *err)
{
	struct pace pace = { .flushed_ns = now_ns(), .nap_ns = NAP_MIN_NS };
	const struct pt_hdr *rec;
	struct err late;
	int rc;

	for (;;) {
		rc = source_next(p->source, &rec, err);
		if (rc == -EAGAIN) {
			rc = nothing_now(p, &pace, err);
			if (rc)
				break;
			continue;
		}
		if (rc <= 0)
			break;
		rc = put(p, rec, err);
		if (rc)
			break;
		set_nap(&pace, rec);
		if (!(++pace.since_look & 1023))
			check_end(p, now_ns());
	}
	/* an error of the flush must not hide the one that came first */
	if (!rc)
		return flush(p, err);
	(void)flush(p, &late);
	return rc;
}
