/* SPDX-License-Identifier: MIT */
/*
 * count: how many processes and threads there were.
 *
 * An exec begins a new address space, and so a new row of the model, of a
 * process and its first thread: a person counts them once.
 */
#include "analysis/model.h"

static bool has_execed(const struct model *m, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (m->processes[i].pid == m->processes[nr].pid)
			return true;
	return false;
}

uint32_t model_processes(const struct model *m, uint32_t *born)
{
	uint32_t nr = 0;

	*born = 0;
	for (uint32_t i = 0; i < m->nr_processes; i++) {
		if (m->processes[i].left_out || has_execed(m, i))
			continue;
		nr++;
		*born += m->processes[i].born;
	}
	return nr;
}

/* The first thread of a process that had another program before. */
static bool goes_on(const struct model *m, uint32_t nr)
{
	const struct thread_info *t = &m->threads[nr];

	if (t->tid != t->pid)
		return false;
	for (uint32_t i = 1; i < nr; i++)
		if (m->threads[i].tid == t->tid && m->threads[i].life_ns)
			return true;
	return false;
}

uint32_t model_threads(const struct model *m, uint32_t *all)
{
	uint32_t nr = 0;

	*all = 0;
	for (uint32_t i = 1; i <= m->nr_threads; i++) {
		if (!m->threads[i].life_ns || goes_on(m, i))
			continue;
		nr += !m->threads[i].left_out;
		++*all;
	}
	return nr;
}
