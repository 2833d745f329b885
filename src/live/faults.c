/* SPDX-License-Identifier: MIT */
/* faults: what page faults need beside their tracepoints. */
#include "live/faults.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "live/attach.h"
#include "live/tracer_priv.h"
#include "pytrace.skel.h"

#define HUGE_PAGES "/sys/kernel/mm/transparent_hugepage"

/* The word in brackets of such a file; "" if there is none. */
static void chosen(const char *path, char word[16])
{
	FILE *f = fopen(path, "re");
	int c;

	word[0] = '\0';
	if (!f)
		return;
	while ((c = getc(f)) != EOF && c != '[')
		;
	if (c == '[' && fscanf(f, "%15[a-z]", word) != 1)
		word[0] = '\0';
	fclose(f);
}

/* One size and the word for it; `top` is that of all which inherit. */
static void take_size(struct pt_config *cfg, uint32_t bytes, const char *word,
		      const char *top)
{
	if (!strcmp(word, "inherit"))
		word = top;
	if (!strcmp(word, "always") &&
	    (!cfg->huge_always || bytes < cfg->huge_always))
		cfg->huge_always = bytes;
	if ((!strcmp(word, "always") || !strcmp(word, "madvise")) &&
	    (!cfg->huge_advised || bytes < cfg->huge_advised))
		cfg->huge_advised = bytes;
}

void faults_configure(struct pt_config *cfg)
{
	char top[16], word[16], path[128];
	bool by_size = false;

	chosen(HUGE_PAGES "/enabled", top);
	for (uint32_t kb = 8; kb <= 1u << 20; kb *= 2) {	/* from 6.8 */
		snprintf(path, sizeof(path),
			 HUGE_PAGES "/hugepages-%" PRIu32 "kB/enabled", kb);
		chosen(path, word);
		by_size |= word[0] != '\0';
		take_size(cfg, kb << 10, word, top);
	}
	if (!by_size)
		take_size(cfg, 2u << 20, top, top);
}

static int attach_one(struct tracer *t, const struct bpf_program *prog,
		      uint64_t which, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = which,
		.sample_period = 1,
	};
	struct bpf_link *link;
	struct err ignored;
	int rc = attach_event(&link, prog, &attr, cpu, 0, &ignored);

	return rc ? rc : tracer_keep_link(t, link, &ignored);
}

/*
 * For each CPU and not for each thread: one that begins is in it without
 * anybody doing anything, and a context switch has nothing to exchange.
 */
static int attach_ends(struct tracer *t)
{
	int without = 0;

	for (int cpu = 0; cpu < t->nr_cpus; cpu++) {
		int rc = attach_one(t, t->skel->progs.on_fault_minor,
				    PERF_COUNT_SW_PAGE_FAULTS_MIN, cpu);

		if (!rc)
			rc = attach_one(t, t->skel->progs.on_fault_major,
					PERF_COUNT_SW_PAGE_FAULTS_MAJ, cpu);
		if (rc && rc != -ENODEV)	/* a CPU that is not there */
			without++;
	}
	return without;
}

int faults_attach(struct tracer *t, struct err *err)
{
	static const char *const begins[] = {
		"page_fault_user", "page_fault_kernel",
	};

	t->untimed_cpus = attach_ends(t);
	for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
		struct bpf_link *link;
		int rc = attach_raw_tracepoint(&link, t->skel->progs.on_fault,
					       begins[i], err);

		if (!rc)
			rc = tracer_keep_link(t, link, err);
		if (rc)
			return rc;
	}
	return 0;
}

int tracer_untimed_cpus(const struct tracer *t)
{
	return t->untimed_cpus;
}
