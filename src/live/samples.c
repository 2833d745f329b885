/* SPDX-License-Identifier: MIT */
/* samples: a clock for each CPU, whose ticks say where threads are. */
#include <errno.h>
#include <linux/perf_event.h>

#include "live/attach.h"
#include "live/tracer_priv.h"
#include "pytrace.skel.h"

static int sample_cpu(struct tracer *t, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = t->sample_hz,
		.exclude_idle = 1,
	};
	struct err err;
	int rc = attach_event(&t->sampled[cpu], t->skel->progs.on_sample,
			      &attr, cpu, &err);

	if (!rc)
		return 0;
	t->sampled[cpu] = NULL;
	if (rc == -ENODEV)	/* it went offline just now */
		return 0;
	if (rc == -EINVAL)
		err_kind(&err, ERR_KERNEL, rc,
			 "%u samples a second: more than "
			 "kernel.perf_event_max_sample_rate allows",
			 t->sample_hz);
	t->no_samples = err;
	return rc;
}

static void stop_cpu(struct tracer *t, int cpu)
{
	bpf_link__destroy(t->sampled[cpu]);
	t->sampled[cpu] = NULL;
}

/* "0-3,8": CPU `cpu` is in such a list. */
static bool in_list(const char *list, int cpu)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		long from = strtol(list, &end, 10), to = from;

		if (*end == '-')
			to = strtol(end + 1, &end, 10);
		if (from <= cpu && cpu <= to)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

void tracer_sample(struct tracer *t)
{
	char list[1024];
	FILE *f;

	if (!t->sample_hz || t->no_samples.kind)
		return;
	f = fopen("/sys/devices/system/cpu/online", "re");
	if (!f || !fgets(list, sizeof(list), f))
		snprintf(list, sizeof(list), "0-%d", t->nr_cpus - 1);
	if (f)
		fclose(f);
	for (int cpu = 0; cpu < t->nr_cpus; cpu++) {
		bool online = in_list(list, cpu);

		if (online && !t->sampled[cpu])
			(void)!sample_cpu(t, cpu);	/* kept in no_samples */
		else if (!online && t->sampled[cpu])
			stop_cpu(t, cpu);
	}
}

void tracer_stop_samples(struct tracer *t)
{
	for (int cpu = 0; t->sampled && cpu < t->nr_cpus; cpu++)
		if (t->sampled[cpu])
			stop_cpu(t, cpu);
}

const char *tracer_no_samples(const struct tracer *t)
{
	return t->no_samples.kind ? t->no_samples.text : NULL;
}
