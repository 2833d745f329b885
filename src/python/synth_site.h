/* SPDX-License-Identifier: MIT */
/* synth_site: which instruction a probe is best put on. */
#ifndef PT_SYNTH_SITE_H
#define PT_SYNTH_SITE_H

#include "python/synth.h"
#include "python/synth_code.h"

/* Make `s` what `like` is, on `ins`.  -ENOTSUP: it is not in the file. */
int synth_site_set(struct synth_site *s, struct elfimg *img,
		   const struct synth_insn *ins, const struct synth_site *like,
		   struct err *err) PT_MUST_CHECK;

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

/*
 * The handler at `label`, one of those in `same`, which mean the same (0 ends
 * them).  Where the frame is comes out of `like`: it is alive at the site.  If
 * `over_calls`, the site is behind a call that the handler begins with, not on
 * it.  `back` is where a frame has its caller's address.
 */
struct synth_handler {
	const uint64_t *same;
	size_t nr_same;
	bool over_calls;
	int32_t back;
};

int synth_site_handler(struct synth *out, const struct synth_code *code,
		       uint64_t label, const struct synth_handler *h,
		       const struct synth_site *like, struct err *err)
	PT_MUST_CHECK;

/*
 * Each return of the evaluator.  `given_back_at`: where a pointer of the thread
 * state is set to what it was before the call; a site in front of that has the
 * frame that ends in `frame_reg`.  Negative: there is none.
 */
int synth_site_ends(struct synth *out, const struct synth_code *code,
		    uint8_t frame_reg, int32_t given_back_at, struct err *err)
	PT_MUST_CHECK;

#endif /* PT_SYNTH_SITE_H */
