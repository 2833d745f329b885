/* SPDX-License-Identifier: MIT */
/* samples: clocks and counters of each CPU, which say where threads are. */
#include <errno.h>
#include <linux/perf_event.h>

#include "event/counters.h"
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
			      &attr, cpu, 0, &err);

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

/* ---- counters -------------------------------------------------------------- */

static struct bpf_link **counted(struct tracer *t, uint32_t i, int cpu)
{
	return &t->counted[i * (uint32_t)t->nr_cpus + (uint32_t)cpu];
}

/* What the kernel's errno means, and what would do instead. */
static int no_counter(const struct counter *c, const struct named_event *e, int rc,
		      struct err *err)
{
	if (rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENODEV) {
		err_kind(err, ERR_KERNEL, rc, "this machine does not count '%s': "
			 "its processor, or the hypervisor, shows no such "
			 "counter", c->name);
		if (c->instead)
			err_hint(err, "%s", c->instead);
	} else if (rc == -EINVAL && !e->is_period) {
		err_kind(err, ERR_KERNEL, rc,
			 "%llu samples a second of '%s': more than "
			 "kernel.perf_event_max_sample_rate allows",
			 (unsigned long long)e->rate, c->name);
	} else {
		err_wrap(err, rc, "counting '%s'", c->name);
	}
	return rc;
}

static int count_cpu(struct tracer *t, uint32_t i, int cpu, struct err *err)
{
	const struct named_event *e = &t->named[i];
	const struct counter *c = counter_named(e->name);
	struct perf_event_attr attr = {
		.type = c->type,
		.size = sizeof(attr),
		.config = c->config,
		.freq = !e->is_period,
		.sample_freq = e->rate,		/* or sample_period */
		.exclude_idle = c->type == PERF_TYPE_HARDWARE,
	};
	int rc = attach_event(counted(t, i, cpu), t->skel->progs.on_counter,
			      &attr, cpu, i + 1, err);

	if (!rc)
		return 0;
	*counted(t, i, cpu) = NULL;
	return no_counter(c, e, rc, err);
}

static int count_on(struct tracer *t, int cpu, bool online, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < t->nr_named; i++) {
		struct bpf_link **link = counted(t, i, cpu);

		if (t->named[i].kind != PT_NAMED_COUNTER)
			continue;
		if (online && !*link) {
			rc = count_cpu(t, i, cpu, err);
		} else if (!online && *link) {
			bpf_link__destroy(*link);
			*link = NULL;
		}
	}
	return rc;
}

/* ---- the clock ------------------------------------------------------------- */

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

static void read_online(const struct tracer *t, char *list, int size)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");

	if (!f || !fgets(list, size, f))
		snprintf(list, (size_t)size, "0-%d", t->nr_cpus - 1);
	if (f)
		fclose(f);
}

int tracer_count(struct tracer *t, struct err *err)
{
	char list[1024];
	int rc = 0;

	if (!tracer_has(t, PT_NAMED))
		return 0;
	read_online(t, list, sizeof(list));
	for (int cpu = 0; !rc && cpu < t->nr_cpus; cpu++)
		rc = count_on(t, cpu, in_list(list, cpu), err);
	return rc;
}

void tracer_sample(struct tracer *t)
{
	char list[1024];

	(void)!tracer_count(t, NULL);	/* of a CPU that has come */
	if (!t->sample_hz || t->no_samples.kind)
		return;
	read_online(t, list, sizeof(list));
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
	for (int cpu = 0; t->counted && cpu < t->nr_cpus; cpu++)
		(void)!count_on(t, cpu, false, NULL);
}

const char *tracer_no_samples(const struct tracer *t)
{
	return t->no_samples.kind ? t->no_samples.text : NULL;
}
