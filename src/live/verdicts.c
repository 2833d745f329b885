/* SPDX-License-Identifier: MIT */
/* verdicts: which functions' calls the kernel half sends, by their code objects. */
#include <errno.h>
#include <stdlib.h>

#include "live/tracer_priv.h"
#include "pytrace.skel.h"

int verdicts_open(struct tracer *t, bool filter)
{
	if (!filter)
		return bpf_map__set_max_entries(t->skel->maps.verdicts, 1);
	t->verdicts = calloc(PT_VERDICT_SETS, sizeof(*t->verdicts));
	t->skel->rodata->cfg.filter_calls = 1;
	return t->verdicts ? 0 : -ENOMEM;
}

/* Where its verdict goes: where it is, or is free, or what is there longest. */
static uint64_t *place_of(struct pt_verdicts *set, uint64_t code)
{
	for (size_t i = 0; i < PT_VERDICT_WAYS; i++)
		if (!((set->is[i] ^ code) & ~UINT64_C(1)))
			return &set->is[i];
	for (size_t i = 0; i < PT_VERDICT_WAYS; i++)
		if (!set->is[i])
			return &set->is[i];
	memmove(set->is, set->is + 1, sizeof(set->is) - sizeof(set->is[0]));
	return &set->is[PT_VERDICT_WAYS - 1];
}

int tracer_judge(struct tracer *t, uint64_t code, bool wanted)
{
	uint32_t nr = PT_VERDICT_SET(code);
	uint64_t is = (code & ~UINT64_C(1)) | wanted, *place;

	if (!t->verdicts)
		return 0;
	place = place_of(&t->verdicts[nr], code);
	if (*place == is)
		return 0;
	*place = is;
	return tracer_put(t, t->skel->maps.verdicts, &nr, &t->verdicts[nr]);
}
