/* SPDX-License-Identifier: MIT */
/* subject: pytrace's kernel half on one process, beside the floor. */
#include "subject.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "floor.h"
#include "interp.h"
#include "live/ring.h"
#include "live/tracer.h"

struct subject {
	struct tracer *tracer;
	struct ring *ring;
	struct floor *floor;
	pid_t pid;		/* the last one that was added: the floor's */
	bool refuses;		/* all code objects that come */
	pthread_t drainer;
	bool draining;
	atomic_bool stop;
	atomic_uint rounds;	/* of the drainer */
	struct subject_counts counts;
	struct err err;		/* of the drainer */
	int rc;
};

static void nap(void)
{
	struct timespec ms = { .tv_nsec = 1000000 };

	nanosleep(&ms, NULL);
}

static void count(struct subject_counts *c, const struct pt_hdr *h)
{
	const struct pt_event *event = (const void *)h;

	c->bytes += h->size;
	if (h->type == PT_CALL || h->type == PT_RETURN) {
		c->calls++;
		return;
	}
	if (h->type != PT_SYSCALL && h->type != PT_FAULT) {
		c->others++;
		return;
	}
	c->calls++;
	c->with_stack += event->stack >= PT_STACK_FIRST;
}

static int refuse(struct subject *s, const struct pt_code *code)
{
	return tracer_judge(s->tracer, code->code, false);
}

static int drain(struct subject *s)
{
	const struct pt_hdr *h;
	int rc;

	while ((rc = ring_next(s->ring, &h, &s->err)) > 0) {
		count(&s->counts, h);
		if (s->refuses && h->type == PT_CODE && refuse(s, (const void *)h))
			return err_set(&s->err, -EIO, "cannot refuse a function");
	}
	if (!rc && s->floor)
		rc = floor_drain(s->floor, &s->err);
	return rc;
}

static void *drain_all(void *arg)
{
	struct subject *s = arg;
	struct timespec cpu;

	while (!atomic_load(&s->stop) && !s->rc) {
		s->rc = drain(s);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
		s->counts.cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u +
				   (uint64_t)cpu.tv_nsec;
		atomic_fetch_add(&s->rounds, 1);
		nap();
	}
	return NULL;
}

static int open_both(struct subject **out, const struct tracer_opts *opts,
		     bool floor, struct err *err)
{
	struct subject *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	s->refuses = opts->filter_calls;
	rc = tracer_open(&s->tracer, opts, err);
	if (!rc)
		rc = ring_open(&s->ring, s->tracer, err);
	if (!rc && floor)
		rc = floor_open(&s->floor, err);
	if (rc) {
		subject_close(s);
		return rc;
	}
	*out = s;
	return 0;
}

int subject_open(struct subject **out, bool floor, struct err *err)
{
	const struct tracer_opts opts = { .events = 1u << PT_SYSCALL };

	return open_both(out, &opts, floor, err);
}

int subject_open_for(struct subject **out, uint32_t events, struct err *err)
{
	const struct tracer_opts opts = { .events = events };

	return open_both(out, &opts, false, err);
}

int subject_open_refusing(struct subject **out, struct err *err)
{
	const struct tracer_opts opts = {
		.events = 1u << PT_CALL, .filter_calls = true,
	};

	return open_both(out, &opts, false, err);
}

int subject_add(struct subject *s, pid_t pid, struct err *err)
{
	s->pid = pid;
	return interp_trace(s->tracer, pid, err);
}

int subject_start(struct subject *s, struct err *err)
{
	int rc = tracer_start(s->tracer, err);

	if (rc)
		return rc;
	rc = pthread_create(&s->drainer, NULL, drain_all, s);
	if (rc)
		return err_set(err, -rc, "no thread: %s", strerror(rc));
	s->draining = true;
	return 0;
}

void subject_close(struct subject *s)
{
	if (!s)
		return;
	if (s->draining) {
		atomic_store(&s->stop, true);
		pthread_join(s->drainer, NULL);
	}
	if (s->tracer)
		tracer_stop(s->tracer);
	floor_close(s->floor);
	ring_close(s->ring);
	tracer_close(s->tracer);
	free(s);
}

void subject_mode(struct subject *s, enum mode mode)
{
	struct pt_switches *sw = tracer_switches(s->tracer);

	if (s->floor)
		floor_set(s->floor, mode == MODE_FLOOR ? s->pid : 0);
	sw->stacks = mode == MODE_STACKS;
	sw->on = mode == MODE_CALLS || mode == MODE_STACKS;
}

static int add_loss(const struct pt_hdr *record, void *arg)
{
	const struct pt_lost *lost = (const void *)record;
	struct subject *s = arg;

	s->counts.lost += lost->count;
	return 0;
}

int subject_count(struct subject *s, struct subject_counts *out,
		  struct err *err)
{
	unsigned int now = atomic_load(&s->rounds);
	struct pt_cost cost;
	int rc;

	/* one round may have begun before the last record */
	while (atomic_load(&s->rounds) - now < 2 && !s->rc)
		nap();
	if (s->rc) {
		*err = s->err;
		return s->rc;
	}
	rc = tracer_losses(s->tracer, add_loss, s);
	if (rc)
		return err_set(err, rc, "cannot read the losses: %s",
			       strerror(-rc));
	tracer_cost(s->tracer, &cost);
	*out = s->counts;
	if (cost.timed)
		out->overhead_ns = (uint64_t)((double)cost.timed_ns *
					      (double)cost.runs /
					      (double)cost.timed);
	return 0;
}

uint64_t subject_floor_records(struct subject *s)
{
	return s->floor ? floor_records(s->floor) : 0;
}
