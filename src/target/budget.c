/* SPDX-License-Identifier: MIT */
/* budget: has tracing cost more than it may? */
#include "target/budget.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LEAST_SPAN UINT64_C(500000000)
#define SPAN UINT64_C(1000000000)
#define LEAST_TIMED 16

static bool is_over(const struct budget *b, const struct pt_shed *of)
{
	uint64_t untraced = of->target_ns > of->cost_ns ?
		of->target_ns - of->cost_ns : 0;

	if (of->cost_ns < of->span_ns / 50)
		return false;
	return of->cost_ns > (uint64_t)((double)untraced * b->percent / 100);
}

static uint16_t next_step(const struct budget *b)
{
	uint16_t step = b->step;

	while (++step < PT_SHED_DETACH)
		if (b->steps & 1u << step)
			break;
	return step;
}

/* Shorter spans say little; the first one is a trial. */
static bool is_short(struct budget *b, uint64_t span)
{
	if (b->first_ns && span >= b->first_ns) {
		b->first_ns = 0;
		return false;
	}
	return span < LEAST_SPAN;
}

bool budget_exceeded(struct budget *b, const struct budget_look *look,
		     struct pt_shed *out)
{
	struct pt_shed of = { .limit = b->percent, .why = PT_SHED_TARGET };

	if (!b->percent || b->step == PT_SHED_DETACH)
		return false;
	if (!b->begun) {
		b->begun = true;
		b->since = *look;
	}
	of.span_ns = look->now - b->since.now;
	if (is_short(b, of.span_ns))
		return false;
	of.cost_ns = look->cost - b->since.cost;
	of.target_ns = look->target - b->since.target;
	of.own_ns = look->own - b->since.own;
	if (look->timed - b->since.timed < LEAST_TIMED || !is_over(b, &of)) {
		if (of.own_ns <= of.span_ns / 100 * BUDGET_OWN_PERCENT) {
			if (of.span_ns >= SPAN)
				b->since = *look;
			return false;
		}
		/* to be slow costs nobody but us: no reason to give up */
		if (next_step(b) == PT_SHED_DETACH)
			return false;
		of.why = PT_SHED_OWN;
		of.limit = BUDGET_OWN_PERCENT;
	}
	b->since = *look;
	of.step = b->step = next_step(b);
	*out = of;
	return true;
}

/* The kernel lets anybody read the clock of any process (pid_for_clock()). */
bool budget_cpu_of(pid_t pid, uint64_t *ns)
{
	struct timespec ts;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return false;
	*ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	return true;
}

uint64_t budget_children_of(pid_t pid)
{
	char path[32], text[1024];
	unsigned long long user, kernel;
	const char *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	p = strrchr(text, ')');
	/* fields 16 and 17 (cutime, cstime); the third follows the bracket */
	if (!p || sscanf(p + 1, "%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s%*s"
			 "%llu%llu", &user, &kernel) != 2)
		return 0;
	return user + kernel;
}
