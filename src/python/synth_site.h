/* SPDX-License-Identifier: MIT */
/* synth_site: which instruction a probe is best put on. */
#ifndef PT_SYNTH_SITE_H
#define PT_SYNTH_SITE_H

#include "python/synth.h"
#include "python/synth_code.h"

/*
 * A site on `ins` of `img` behind those that `out` has.  -ENOTSUP if there are
 * too many, or it is not in the file.
 */
int synth_site_add(struct synth *out, struct elfimg *img,
		   const struct synth_insn *ins, const struct synth_site *like,
		   struct err *err) PT_MUST_CHECK;

/*
 * The beginning of a function that is called, with arguments in registers: an
 * emulated instruction before any of the registers in `keep` is written, or
 * the first one that does something.
 */
int synth_site_function(struct synth *out, struct elfimg *img, uint64_t vaddr,
			const struct synth_site *like, struct err *err)
	PT_MUST_CHECK;

/* Each return of the evaluator. */
int synth_site_ends(struct synth *out, const struct synth_code *code,
		    struct err *err) PT_MUST_CHECK;

#endif /* PT_SYNTH_SITE_H */
