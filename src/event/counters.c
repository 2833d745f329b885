/* SPDX-License-Identifier: MIT */
/* counters: events that the kernel or the processor counts. */
#include "event/counters.h"

#include <errno.h>
#include <string.h>

#include <linux/perf_event.h>

#include "base/num.h"

#define HZ_DEFAULT 49
#define HZ_MAX 4999
#define PERIOD_MIN 1000		/* of the processor's: it counts fast */
#define PERIOD_MIN_NS 100000	/* of a clock, that counts nanoseconds */

#define HARDWARE(name, what, instead)					\
	{ name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##what, instead }
#define SOFTWARE(name, what)						\
	{ name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##what, NULL }

static const char time_instead[] =
	"-e cpu samples by the clock: where the time goes";
static const char memory_instead[] =
	"-e page-faults shows memory that is touched first, -e cpu where the "
	"time goes";

/* Names as of tools/perf/util/parse-events.c; the first of each is shown. */
static const struct counter counters[] = {
	HARDWARE("cycles", CPU_CYCLES, time_instead),
	HARDWARE("cpu-cycles", CPU_CYCLES, time_instead),
	HARDWARE("instructions", INSTRUCTIONS, time_instead),
	HARDWARE("cache-references", CACHE_REFERENCES, memory_instead),
	HARDWARE("cache-misses", CACHE_MISSES, memory_instead),
	HARDWARE("branches", BRANCH_INSTRUCTIONS, time_instead),
	HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS, time_instead),
	HARDWARE("branch-misses", BRANCH_MISSES, time_instead),
	HARDWARE("bus-cycles", BUS_CYCLES, time_instead),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND,
		 time_instead),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND,
		 memory_instead),
	HARDWARE("ref-cycles", REF_CPU_CYCLES, time_instead),
	SOFTWARE("cpu-clock", CPU_CLOCK),
	SOFTWARE("task-clock", TASK_CLOCK),
	SOFTWARE("page-faults", PAGE_FAULTS),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ),
	SOFTWARE("context-switches", CONTEXT_SWITCHES),
	SOFTWARE("cs", CONTEXT_SWITCHES),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS),
	SOFTWARE("migrations", CPU_MIGRATIONS),
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS),
	SOFTWARE("emulation-faults", EMULATION_FAULTS),
};

static size_t name_len(const char *word)
{
	return strcspn(word, ":/");
}

/* The first with the same meaning: a name of perf's own that it stands for. */
static const struct counter *first_of(const struct counter *c)
{
	const struct counter *f = counters;

	while (f->type != c->type || f->config != c->config)
		f++;
	return f;
}

const struct counter *counter_named(const char *word)
{
	size_t len = name_len(word);

	for (size_t i = 0; i < ARRAY_LEN(counters); i++)
		if (strlen(counters[i].name) == len &&
		    !memcmp(counters[i].name, word, len))
			return first_of(&counters[i]);
	return NULL;
}

bool counter_is_clock(const struct counter *c)
{
	return c->type == PERF_TYPE_SOFTWARE &&
	       (c->config == PERF_COUNT_SW_CPU_CLOCK ||
		c->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* The least period of what counts by itself: one event is no event there. */
static int64_t least_period(const struct counter *c)
{
	if (c->type == PERF_TYPE_HARDWARE)
		return PERIOD_MIN;
	return counter_is_clock(c) ? PERIOD_MIN_NS : 1;
}

int counter_rate(const struct counter *c, const char *word, uint64_t *rate,
		 bool *is_period, struct err *err)
{
	bool fast = least_period(c) > 1;
	const char *given = word + name_len(word);
	int64_t min = 1, max = HZ_MAX, v;

	*is_period = *given ? *given == '/' : !fast;
	*rate = fast ? HZ_DEFAULT : 1;
	if (!*given)
		return 0;
	if (*is_period) {
		min = least_period(c);
		max = INT64_C(1) << 40;
	}
	if (!num_parse(given + 1, min, max, &v))
		return err_kind(err, ERR_USAGE, -EINVAL, *is_period ?
				"%s/PERIOD takes a sample every %lld to %lld "
				"events, not '%s'" :
				"%s:HZ takes %lld to %lld samples a second, not "
				"'%s'", c->name, (long long)min, (long long)max,
				given + 1);
	*rate = (uint64_t)v;
	return 0;
}

const char *counter_of(uint32_t type, uint64_t config)
{
	/* the clock of -e cpu: no counter that is asked for by that name */
	if (type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_CPU_CLOCK)
		return "cpu-clock";
	for (size_t i = 0; i < ARRAY_LEN(counters); i++)
		if (counters[i].type == type && counters[i].config == config)
			return counters[i].name;
	return "a counter";
}
