/* SPDX-License-Identifier: MIT */
/* shed: what a trace over its budget has left out, in words. */
#include "report/shed.h"

#include <inttypes.h>

#include "base/compiler.h"
#include "base/num.h"

static const struct {
	const char *key, *words;
} steps[] = {
	[PT_SHED_NOTHING] = { "nothing", "nothing is left out" },
	[PT_SHED_STACKS] = { "stacks", "no stacks of system calls that do not "
			     "block" },
	[PT_SHED_CALLS] = { "calls", "no short system calls" },
	[PT_SHED_SAMPLES] = { "samples", "no samples" },
	[PT_SHED_DETACH] = { "detach", "nothing: it is detached" },
};

const char *shed_step_key(uint32_t step)
{
	return step < ARRAY_LEN(steps) ? steps[step].key : NULL;
}

const char *shed_step_words(uint32_t step)
{
	return step < ARRAY_LEN(steps) ? steps[step].words :
					 "a step that this version does not know";
}

static double percent(uint64_t part, uint64_t of)
{
	return of ? (double)part * 100 / (double)of : 0;
}

void shed_put(FILE *out, const struct pt_shed *shed)
{
	uint64_t untraced = shed->target_ns > shed->cost_ns ?
		shed->target_ns - shed->cost_ns : 0;
	char slower[32];

	if (shed->why == PT_SHED_OWN)
		fprintf(out, "pytrace itself used %.0f %% of a CPU",
			percent(shed->own_ns, shed->span_ns));
	else
		fprintf(out, "tracing took ~%.0f %% of the target's CPU time",
			percent(shed->cost_ns, untraced));
	fprintf(out, " in %.1f s (limit %" PRIu32 " %%): from here on ",
		(double)shed->span_ns / 1e9, shed->limit);
	if (shed->step == PT_SHED_CALLS)
		fprintf(out, "no system calls below %s",
			num_duration_text(shed->slower_ns, slower,
					  sizeof(slower)));
	else
		fputs(shed_step_words(shed->step), out);
}
