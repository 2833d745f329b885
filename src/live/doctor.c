/* SPDX-License-Identifier: MIT */
/* doctor: what works on this host. */
#include "live/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "event/eventset.h"
#include "event/tracefs.h"
#include "live/doctor_priv.h"
#include "live/kread.h"
#include "live/tracer.h"
#include "target/leftovers.h"

static bool is_refusal(int rc)
{
	return rc == -EPERM || rc == -EACCES;
}

/* The end of one try: what the row says of `rc`. */
static void conclude(struct checks *c, struct check *row, enum rights_need need,
		     const char *what, int rc)
{
	if (!rc)
		return;
	if (is_refusal(rc)) {
		check_refused(row, CHECK_NO, &c->rights, need, rc);
		return;
	}
	if (rc == -ENODATA)
		check_say(row, CHECK_NO, "%s: attached, but nothing came", what);
	else if (rc == -ESRCH || rc == -ENOENT)
		check_say(row, CHECK_NO, "%s: this kernel has none", what);
	else
		check_say(row, CHECK_NO, "%s: %s", what, strerror(-rc));
	row->why.kind = ERR_KERNEL;
}

/*
 * Rows that cannot be without BPF programs: one cause, one sentence.  (If the
 * tracer's do not load, small ones may.)
 */
static bool needs_load(const struct checks *c, const struct tries *t,
		       struct check *row)
{
	const struct check *load = checks_find(c, "load");

	if (t && (load->state != CHECK_NO ||
		  load->why.kind != ERR_NOT_PERMITTED))
		return false;
	check_say(row, CHECK_NO, "needs BPF programs, see there");
	row->why.kind = load->why.kind;
	return true;
}

static struct btf *check_btf(struct checks *c)
{
	struct check *row = checks_add(c, "btf", "kernel types (BTF)");
	struct btf *btf;
	int rc;

	row->needed = true;
	btf = btf__load_vmlinux_btf();
	rc = (int)libbpf_get_error(btf);
	if (!rc) {
		check_say(row, CHECK_OK, "%u types",
			  (unsigned int)btf__type_cnt(btf));
		return btf;
	}
	check_say(row, CHECK_NO, "/sys/kernel/btf/vmlinux: %s", strerror(-rc));
	row->why.kind = ERR_KERNEL;
	err_hint(&row->why, "a kernel built with CONFIG_DEBUG_INFO_BTF=y; in a "
		 "container /sys must be mounted");
	return NULL;
}

/* Kernel memory of the BPF maps and programs that we hold. */
static uint64_t kernel_bytes(void)
{
	uint64_t sum = 0;

	for (int fd = 0; fd < 256; fd++) {
		char path[64], line[128];
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		f = fopen(path, "re");
		while (f && fgets(line, sizeof(line), f))
			if (!strncmp(line, "memlock:", 8))
				sum += strtoull(line + 8, NULL, 10);
		if (f)
			fclose(f);
	}
	return sum;
}

static void check_load(struct checks *c)
{
	struct check *row = checks_add(c, "load", "BPF programs");
	const struct tracer_opts opts = { 0 };
	struct tracer *t = NULL;
	int rc = tracer_open(&t, &opts, &row->why);

	row->needed = true;
	if (rc) {
		row->state = CHECK_NO;
		return;
	}
	rc = tracer_start(t, &row->why);
	if (rc)
		row->state = CHECK_NO;
	else
		check_say(row, CHECK_OK, "all load and attach, %.1f MiB of "
			  "kernel memory", (double)kernel_bytes() / (1 << 20));
	tracer_close(t);
}

static const struct points {
	const char *id, *what;
	const char *names[5];
	try_act act;
	bool needed;
} points[] = {
	{ "syscalls", "system calls", { "sys_enter", "sys_exit" },
	  act_call, true },
	{ "processes", "forks, exits", { "sched_process_fork",
	  "sched_process_exit" }, act_fork, true },
	{ "offcpu", "off-CPU, wake-ups", { "sched_switch", "sched_waking",
	  "sched_wakeup" }, act_sleep, false },
	{ "faults", "page faults", { "page_fault_user" }, act_fault, false },
	{ "timers", "timers, interrupts", { "softirq_entry",
	  "local_timer_entry" }, act_spin, false },
};

static void check_points(struct checks *c, struct tries *t,
			 const struct points *p)
{
	struct check *row = checks_add(c, p->id, p->what);

	row->needed = p->needed;
	if (needs_load(c, t, row))
		return;
	check_say(row, CHECK_OK, "BTF tracepoints");
	for (size_t i = 0; row->state == CHECK_OK && p->names[i]; i++)
		conclude(c, row, RIGHTS_TO_LOAD, p->names[i],
			 try_tracepoint(t, p->names[i], p->act));
}

static void check_events(struct checks *c, struct tries *t)
{
	struct check *row = checks_add(c, "samples", "on-CPU samples");

	if (!needs_load(c, t, row)) {
		check_say(row, CHECK_OK, "cpu-clock, perf_event_paranoid %d",
			  c->rights.perf_paranoid);
		conclude(c, row, RIGHTS_TO_SAMPLE, "cpu-clock",
			 try_event(t, PERF_TYPE_SOFTWARE,
				   PERF_COUNT_SW_CPU_CLOCK, act_spin));
	}
	row = checks_add(c, "fault-kinds", "minor, major faults");
	if (!needs_load(c, t, row)) {
		check_say(row, CHECK_OK, "software events");
		conclude(c, row, RIGHTS_TO_SAMPLE, "page-faults",
			 try_event(t, PERF_TYPE_SOFTWARE,
				   PERF_COUNT_SW_PAGE_FAULTS_MIN, act_fault));
	}
	row = checks_add(c, "hardware", "hardware events");
	if (!needs_load(c, t, row)) {
		int rc = try_event(t, PERF_TYPE_HARDWARE,
				   PERF_COUNT_HW_CPU_CYCLES, act_spin);

		check_say(row, CHECK_OK, "cycles");
		conclude(c, row, RIGHTS_TO_SAMPLE, "cycles", rc);
		if (rc == -ENOENT || rc == -EOPNOTSUPP)
			check_say(row, CHECK_NO, "this machine has no counters "
				  "(usual for a virtual one)");
	}
}

/* Either way will do; so a refusal of one is no more than a remark. */
static void check_uprobes(struct checks *c, struct tries *t)
{
	struct check *perf = checks_add(c, "uprobe", "uprobes, perf_event_open");
	struct check *multi = checks_add(c, "uprobe-multi",
					 "uprobes, uprobe_multi");

	if (!needs_load(c, t, perf)) {
		check_say(perf, CHECK_OK, "tried on pytrace itself");
		conclude(c, perf, RIGHTS_TO_PROBE, "a uprobe", try_uprobe_perf(t));
	}
	if (!needs_load(c, t, multi)) {
		char why[sizeof(perf->why.text)];
		int rc = try_uprobe_multi(t);

		check_say(multi, CHECK_OK, "tried on pytrace itself");
		conclude(c, multi, RIGHTS_TO_LOAD, "a uprobe_multi link", rc);
		if (rc == -EINVAL)
			check_say(multi, CHECK_NO, "this kernel has no "
				  "uprobe_multi links (6.6 and later)");
		if (rc || perf->state != CHECK_NO)
			return;
		memcpy(why, perf->why.text, sizeof(why));
		check_say(perf, CHECK_PARTLY, "%.200s; uprobe_multi is used "
			  "instead", why);
		perf->why.hint[0] = '\0';
	}
}

static void check_iterator(struct checks *c, struct tries *t)
{
	struct check *row = checks_add(c, "iterator", "task iterator");

	if (needs_load(c, t, row))
		return;
	check_say(row, CHECK_OK, "calls that have not returned are told");
	conclude(c, row, RIGHTS_TO_LOAD, "a task iterator", try_iterator(t));
}

/* What it reads is tried with -p, on that process. */
static void check_reader(struct checks *c, const struct tries *t)
{
	struct check *row = checks_add(c, "reader", "memory iterators");
	int rc;

	if (needs_load(c, t, row))
		return;
	rc = kread_try();
	check_say(row, CHECK_OK, "read processes that /proc does not show");
	conclude(c, row, RIGHTS_TO_LOAD, "reading by an iterator", rc);
	c->kernel_reads = !rc;
	if (!rc)
		kread_offer();
}

static bool has_fields(const char *name)
{
	struct tracefs_event *e = malloc(sizeof(*e));
	const char *path = tracefs_path();
	struct err err = { 0 };
	bool has = e && path && !tracefs_event(path, name, e, &err);

	free(e);
	return has;
}

/* Any tracepoint by its name: one that each kernel has stands for all. */
static void check_named(struct checks *c, const struct tries *t)
{
	static const char name[] = "sched:sched_process_fork";
	struct check *row = checks_add(c, "tracepoints", "-e category:name");
	const char *word = name;
	struct tracer *tracer = NULL;
	struct eventset set;
	int rc;

	if (needs_load(c, t, row))
		return;
	rc = eventset_parse(&set, &word, 1, 0, &row->why);
	if (!rc) {
		const struct tracer_opts opts = {
			.events = set.types,
			.named = set.named,
			.nr_named = set.nr_named,
		};

		rc = tracer_open(&tracer, &opts, &row->why);
	}
	if (!rc)
		rc = tracer_start(tracer, &row->why);
	tracer_close(tracer);
	if (rc)
		row->state = CHECK_NO;
	else if (has_fields(name))
		check_say(row, CHECK_OK, "with their fields, from tracefs");
	else
		check_say(row, CHECK_PARTLY, "without names of fields: those "
			  "are in tracefs");
}

/* Only for names of tracepoints and for what perf is to find there. */
static void check_tracefs(struct checks *c)
{
	struct check *row = checks_add(c, "tracefs", "tracefs");
	int fd = leftovers_open(O_RDWR | O_APPEND);

	if (fd >= 0) {
		close(fd);
		check_say(row, CHECK_OK, "uprobe_events can be written");
		return;
	}
	if (is_refusal(fd)) {
		check_refused(row, CHECK_NO, &c->rights, RIGHTS_TO_NAME, fd);
		return;
	}
	row->why.kind = ERR_KERNEL;
	if (fd == -ENOENT)
		check_say(row, CHECK_NO, "not mounted, or without uprobe_events");
	else
		check_say(row, CHECK_NO, "%s", strerror(-fd));
	err_hint(&row->why, "mount -t tracefs tracefs /sys/kernel/tracing");
}

void doctor_host(struct checks *c)
{
	struct tries t = { .map = -1 };
	struct btf *btf;
	int rc;

	checks_rights(c);
	btf = check_btf(c);
	check_load(c);
	rc = tries_open(&t, btf);
	for (size_t i = 0; i < ARRAY_LEN(points); i++)
		check_points(c, rc ? NULL : &t, &points[i]);
	check_events(c, rc ? NULL : &t);
	check_uprobes(c, rc ? NULL : &t);
	check_iterator(c, rc ? NULL : &t);
	check_reader(c, rc ? NULL : &t);
	check_named(c, rc ? NULL : &t);
	check_tracefs(c);
	tries_close(&t);
	btf__free(btf);
}
