/* SPDX-License-Identifier: MIT */
/* interval: -I: a model of its own, of what ended since the last report. */
#include "cmd/interval.h"

#include "event/record.h"

int interval_init(struct interval *iv, uint64_t length,
		  const struct analysis_opts *opts, struct err *err)
{
	*iv = (struct interval){ .length = length, .nr = 1 };
	return length ? analysis_new(&iv->analysis, opts, err) : 0;
}

void interval_fini(struct interval *iv)
{
	analysis_free(iv->analysis);
	*iv = (struct interval){ 0 };
}

bool interval_is_over(const struct interval *iv, uint64_t t, uint64_t *end)
{
	if (!iv->next || t < iv->next || !analysis_may_cut(iv->analysis))
		return false;
	/* of a long silence one report is enough */
	*end = iv->next + (t - iv->next) / iv->length * iv->length;
	return true;
}

void interval_next(struct interval *iv, uint64_t end,
		   const struct engine_totals *now)
{
	iv->next = end + iv->length;
	iv->then = *now;
	iv->nr++;
	analysis_next(iv->analysis);
}

int interval_add(struct interval *iv, const struct moment *m, struct err *err)
{
	if (m->rec->type == PT_BEGIN || (!iv->next && record_event(m->rec)))
		iv->next = m->rec->t + iv->length;
	return analysis_add(iv->analysis, m, err);
}
