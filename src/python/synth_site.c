/* SPDX-License-Identifier: MIT */
/*
 * synth_site: which instruction a probe is best put on.
 *
 * The kernel emulates a push, a nop, and direct calls and jumps.  A probe may
 * move along straight code to such an instruction: towards the front as far as
 * nothing else joins in behind it, towards the back as far as the registers
 * that it reads are not written.
 */
#include "python/synth_site.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>

#include "elf/elfimg.h"

int synth_site_set(struct synth_site *s, struct elfimg *img,
		   const struct synth_insn *ins, const struct synth_site *like,
		   struct err *err)
{
	*s = *like;
	s->vaddr = ins->vaddr;
	s->len = ins->len;
	s->emulated = ins->emulated;
	if (elfimg_offset(img, s->vaddr, PF_X, &s->offset) < 0 ||
	    elfimg_read(img, s->vaddr, s->bytes, s->len) < 0)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"the code at %#" PRIx64 " is not in the file",
				s->vaddr);
	return 0;
}

int synth_site_add(struct synth *out, struct elfimg *img,
		   const struct synth_insn *ins, const struct synth_site *like,
		   struct err *err)
{
	struct synth_site *s = &out->sites[out->nr];
	int rc;

	if (out->nr == SYNTH_MAX_SITES)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"its functions begin and end in more than %d "
				"places", SYNTH_MAX_SITES);
	rc = synth_site_set(s, img, ins, like, err);
	if (rc < 0)
		return rc;
	out->nr++;
	out->nr_stepped += !s->emulated;
	return 0;
}

static uint16_t bit(uint8_t reg)
{
	return reg < 16 ? (uint16_t)(1u << reg) : 0;
}

static uint16_t needs(const struct synth_site *s)
{
	return bit(s->frame_reg) | bit(s->tstate_reg) | bit(s->throw_reg);
}

static bool is_endbr(struct elfimg *img, const struct synth_insn *ins)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t p[sizeof(endbr)];

	return ins->len == sizeof(endbr) &&
	       !elfimg_read(img, ins->vaddr, p, sizeof(p)) &&
	       !memcmp(p, endbr, sizeof(p));
}

static int find_first(struct synth *out, const struct synth_code *code,
		      const struct synth_insn *first,
		      const struct synth_site *like, struct err *err)
{
	const struct synth_insn *i;

	if (is_endbr(code->img, first) && synth_code_next(code, first))
		first++;
	for (i = first; i; i = synth_code_next(code, i)) {
		if (i > first && synth_code_is_join(code, i->vaddr))
			break;
		if (i->emulated && i->flow != FLOW_CALL)
			return synth_site_add(out, code->img, i, like, err);
		if (i->flow != FLOW_NEXT || i->writes & needs(like))
			break;
	}
	return synth_site_add(out, code->img, first, like, err);
}

int synth_site_function(struct synth *out, struct elfimg *img, uint64_t vaddr,
			const struct synth_site *like, struct err *err)
{
	const struct synth_insn *first;
	struct synth_code code;
	int rc;

	rc = synth_code_open(&code, img, vaddr, NULL, 0, err);
	if (!rc) {
		first = synth_code_at(&code, vaddr);
		rc = first ? find_first(out, &code, first, like, err) :
		     err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
			      "no instruction begins at %#" PRIx64, vaddr);
	}
	synth_code_close(&code);
	return rc;
}

/* ---- handlers ------------------------------------------------------------ */

enum { MAX_WALK = 96 };

static bool falls_through(const struct synth_insn *i)
{
	return i->flow == FLOW_NEXT || i->flow == FLOW_CALL ||
	       i->flow == FLOW_CALL_TO;
}

/* Is `ins` in the straight code that begins at `label`, its end included? */
static bool is_led_by(const struct synth_code *code, uint64_t label,
		      const struct synth_insn *ins)
{
	const struct synth_insn *i = synth_code_at(code, label);

	for (int k = 0; i && k < MAX_WALK; k++) {
		if (i == ins)
			return true;
		if (!falls_through(i))
			return false;
		i = synth_code_next(code, i);
		if (i && (synth_code_is_join(code, i->vaddr) ||
			  synth_code_is_label(code, i->vaddr)))
			return false;
	}
	return false;
}

/*
 * Do all that jump to `ins` come from handlers that mean the same?  So does
 * RESUME_CHECK when it gives up: it goes to the middle of RESUME.
 */
static bool is_joined_by_same(const struct synth_code *code,
			      const struct synth_insn *ins,
			      const struct synth_handler *h)
{
	const struct synth_join *join;
	size_t nr = synth_code_joins(code, ins->vaddr, &join);

	for (size_t i = 0; i < nr; i++) {
		bool found = false;

		for (size_t k = 0; k < h->nr_same && !found; k++)
			found = is_led_by(code, h->same[k],
					  &code->ins[join[i].from]);
		if (!found)
			return false;
	}
	return true;
}

/* Where the frame's address is while a handler is walked along. */
struct holder {
	uint8_t reg;		/* SYNTH_NO_REG: it is lost */
	uint8_t other;		/* holds it too */
};

/*
 * frame->previous = NULL is done to the frame that yields alone (YIELD_VALUE
 * in Python/bytecodes.c): its base is that frame, when the register of the
 * current frame has the caller's already.
 */
static void hold(struct holder *f, const struct synth_insn *i, int32_t back)
{
	if (bit(f->other) & i->writes)
		f->other = SYNTH_NO_REG;
	if (bit(f->reg) & i->writes)
		f->reg = SYNTH_NO_REG;
	if (i->store_zero && i->store_at == back)
		f->other = i->store_base;
}

static bool is_good(const struct synth_insn *i, const struct synth_handler *h)
{
	return i->emulated && (i->flow != FLOW_CALL || !h->over_calls);
}

/* The emulated instruction for the handler, or NULL. */
static const struct synth_insn *find_good(const struct synth_code *code,
					  const struct synth_insn *first,
					  const struct synth_handler *h,
					  struct holder *f)
{
	const struct synth_insn *i = first;

	for (int k = 0; i && k < MAX_WALK; k++) {
		if (i != first && (synth_code_is_label(code, i->vaddr) ||
				   !is_joined_by_same(code, i, h)))
			return NULL;
		if (is_good(i, h))
			return f->reg != SYNTH_NO_REG ||
			       f->other != SYNTH_NO_REG ? i : NULL;
		if (!falls_through(i))
			return NULL;
		hold(f, i, h->back);
		i = synth_code_next(code, i);
	}
	return NULL;
}

int synth_site_handler(struct synth *out, const struct synth_code *code,
		       uint64_t label, const struct synth_handler *h,
		       const struct synth_site *like, struct err *err)
{
	const struct synth_insn *first = synth_code_at(code, label), *good;
	struct holder f = { like->frame_reg, SYNTH_NO_REG };
	struct synth_site site = *like;

	if (!first)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"no instruction begins at %#" PRIx64, label);
	good = find_good(code, first, h, &f);
	if (!good)
		return synth_site_add(out, code->img, first, like, err);
	site.frame_reg = f.reg != SYNTH_NO_REG ? f.reg : f.other;
	return synth_site_add(out, code->img, good, &site, err);
}

/* ---- the way back from a return ------------------------------------------ */

enum { MAX_BACK = 64, MAX_ENDS = 12 };

struct ends {
	struct {
		const struct synth_insn *ins;
		uint8_t cond;
		bool early;	/* the thread state is given back later */
	} v[MAX_ENDS];
	size_t nr;
	bool early;		/* those that are added now are */
};

static bool add_end(struct ends *e, const struct synth_insn *ins, uint8_t cond)
{
	for (size_t i = 0; i < e->nr; i++)
		if (e->v[i].ins == ins)
			return false;	/* hit for both ways */
	if (e->nr == MAX_ENDS || !ins->emulated)
		return false;
	e->v[e->nr].ins = ins;
	e->v[e->nr].early = e->early;
	e->v[e->nr++].cond = cond;
	return true;
}

/* The direct jumps to `ins`; each is emulated, and at most all are needed. */
static bool add_jumps(struct ends *e, const struct synth_code *code,
		      const struct synth_insn *ins)
{
	const struct synth_join *join;
	size_t nr = synth_code_joins(code, ins->vaddr, &join);

	for (size_t i = 0; i < nr; i++) {
		const struct synth_insn *j = &code->ins[join[i].from];

		if ((j->flow == FLOW_JMP && !add_end(e, j, SYNTH_ALWAYS)) ||
		    (j->flow == FLOW_JCC && !add_end(e, j, j->cond)))
			return false;
	}
	return true;
}

/*
 * A function that runs no Python code, so that what ends behind its call may
 * be said to end in front of it.
 */
static bool is_quiet(struct elfimg *img, uint64_t target)
{
	static const char quiet[] = "_Py_CheckFunctionResult";
	const char *name = synth_code_stub(img, target);
	uint64_t vaddr;

	if (name)
		return !strcmp(name, quiet);
	return !elfimg_sym(img, quiet, &vaddr, NULL) && vaddr == target;
}

/* What falls through to `ins`: 1 is all of it, 0 go on with `prev`, or -1. */
static int add_before(struct ends *e, const struct synth_code *code,
		      const struct synth_insn *ins,
		      const struct synth_insn *prev)
{
	if (!prev)
		return synth_code_is_join(code, ins->vaddr) ? 1 : -1;
	switch ((enum synth_flow)prev->flow) {
	case FLOW_JMP: case FLOW_JMP_TO: case FLOW_RET: case FLOW_STOP:
		return synth_code_is_join(code, ins->vaddr) ? 1 : -1;
	case FLOW_JCC:
		return add_end(e, prev, prev->cond ^ 1) ? 1 : -1;
	case FLOW_CALL:
		return is_quiet(code->img, prev->target) &&
		       add_end(e, prev, SYNTH_ALWAYS) ? 1 : -1;
	case FLOW_CALL_TO:
		return -1;
	case FLOW_NEXT:
		break;
	}
	if (!prev->emulated)
		return 0;
	return add_end(e, prev, SYNTH_ALWAYS) ? 1 : -1;
}

/* tstate->cframe = cframe.previous (3.11); `at` negative: there is none. */
static bool gives_back(const struct synth_insn *i, int32_t at)
{
	return at >= 0 && i->store_at == at && !i->store_zero &&
	       i->store_base != SYNTH_NO_REG && i->store_base != SYNTH_RSP;
}

/* All ways to `ret` lead over exactly one of these? */
static bool find_ends(struct ends *e, const struct synth_code *code,
		      const struct synth_insn *ret, int32_t given_back_at)
{
	const struct synth_insn *ins = ret, *prev;
	int rc = 0;

	for (int i = 0; i < MAX_BACK && !rc; i++, ins = prev) {
		prev = synth_code_prev(code, ins);
		e->early |= gives_back(ins, given_back_at);
		if (synth_code_is_label(code, ins->vaddr) ||
		    !add_jumps(e, code, ins))
			return false;
		rc = add_before(e, code, ins, prev);
	}
	return rc == 1;
}

static int add_return(struct synth *out, const struct synth_code *code,
		      const struct synth_insn *ret, uint8_t frame_reg,
		      int32_t given_back_at, struct err *err)
{
	struct synth_site like = {
		.kind = SYNTH_EVAL_END, .frame_reg = SYNTH_NO_REG,
		.frame_at = -1, .tstate_reg = SYNTH_NO_REG,
		.throw_reg = SYNTH_NO_REG, .cond = SYNTH_ALWAYS,
	};
	struct ends e = { .nr = 0 };
	int rc = 0;

	if (!find_ends(&e, code, ret, given_back_at))
		return synth_site_add(out, code->img, ret, &like, err);
	for (size_t i = 0; i < e.nr && !rc; i++) {
		like.cond = e.v[i].cond;
		like.frame_reg = e.v[i].early ? frame_reg : SYNTH_NO_REG;
		rc = synth_site_add(out, code->img, e.v[i].ins, &like, err);
	}
	return rc;
}

int synth_site_ends(struct synth *out, const struct synth_code *code,
		    uint8_t frame_reg, int32_t given_back_at, struct err *err)
{
	size_t nr = 0;
	int rc = 0;

	for (size_t i = 0; i < code->nr && !rc; i++) {
		if (code->ins[i].flow != FLOW_RET)
			continue;
		nr++;
		rc = add_return(out, code, &code->ins[i], frame_reg,
				given_back_at, err);
	}
	if (!rc && !nr)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"the evaluator never returns");
	return rc;
}
