/* SPDX-License-Identifier: MIT */
/* bounded: do something that may block for ever, but wait only so long. */
#include "target/bounded.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#define MAX_HUNG	4
#define STACK_BYTES	(1U << 20)

/* Shared by the two threads; freed by the last of them. */
struct worker {
	pthread_mutex_t lock;
	pthread_cond_t wake;		/* both wait here, never together */
	void (*run)(void *job);
	void (*drop)(void *job);
	void *job;
	bool done;			/* the job that was there has returned */
	bool given_up;			/* nobody waits for it any more */
};

struct bounded {
	struct worker *worker;
	unsigned int hung;
};

static void worker_free(struct worker *w)
{
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->given_up && (!w->job || w->done))
			pthread_cond_wait(&w->wake, &w->lock);
		if (w->given_up)
			break;
		pthread_mutex_unlock(&w->lock);
		w->run(w->job);
		pthread_mutex_lock(&w->lock);
		w->done = true;
		pthread_cond_signal(&w->wake);
	}
	pthread_mutex_unlock(&w->lock);
	if (w->job)
		w->drop(w->job);
	worker_free(w);
	return NULL;
}

static struct worker *worker_new(void)
{
	struct worker *w = calloc(1, sizeof(*w));
	pthread_condattr_t attr;

	if (!w)
		return NULL;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, &attr);
	pthread_condattr_destroy(&attr);
	return w;
}

/* Signals are for the threads of the caller. */
static struct worker *worker_start(void)
{
	struct worker *w = worker_new();
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	if (!w)
		return NULL;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&thread, &attr, worker_main, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (rc) {
		worker_free(w);
		return NULL;
	}
	return w;
}

/* From here on the worker frees itself, when and if it comes back. */
static void worker_give_up(struct worker *w)
{
	w->given_up = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
}

static struct timespec deadline_in(unsigned int ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

int bounded_run(struct bounded *b, void (*run)(void *job),
		void (*drop)(void *job), void *job, unsigned int ms)
{
	struct timespec until = deadline_in(ms);
	struct worker *w;
	int rc = 0;

	if (b->hung >= MAX_HUNG) {
		drop(job);
		return -ETIMEDOUT;
	}
	if (!b->worker)
		b->worker = worker_start();
	w = b->worker;
	if (!w)
		return -EAGAIN;
	pthread_mutex_lock(&w->lock);
	w->run = run;
	w->drop = drop;
	w->job = job;
	w->done = false;
	pthread_cond_signal(&w->wake);
	while (!w->done && !rc)
		rc = pthread_cond_timedwait(&w->wake, &w->lock, &until);
	if (!w->done) {
		b->hung++;
		b->worker = NULL;
		worker_give_up(w);
		return -ETIMEDOUT;
	}
	w->job = NULL;
	pthread_mutex_unlock(&w->lock);
	return 0;
}

unsigned int bounded_hung(const struct bounded *b)
{
	return b->hung;
}

struct bounded *bounded_new(void)
{
	return calloc(1, sizeof(struct bounded));
}

void bounded_free(struct bounded *b)
{
	if (b && b->worker) {
		pthread_mutex_lock(&b->worker->lock);
		worker_give_up(b->worker);
	}
	free(b);
}
