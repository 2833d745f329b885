/* SPDX-License-Identifier: MIT */
/*
 * synth_frames: what each version's bytecode does with frames, as sites.
 *
 * Each handler begins with frame->instr_ptr = next_instr++ (prev_instr in 3.11
 * and 3.12): the base of that store is the register that has the frame.
 */
#include "python/synth_frames.h"

#include <errno.h>
#include <inttypes.h>

#include "elf/elfimg.h"
#include "python/layout.h"
#include "python/synth_site.h"

enum {
	MAX_STORE = 32,		/* instructions up to the store */
	MAX_PATHS = 8, MAX_PATH = 96,
	MIN_CLEARS = 2,		/* calls for: a return, an exception */
	/* PyFrameObject.f_frame: after its header and f_back.  3.11's
	 * Include/internal/pycore_frame.h */
	F_FRAME = 24,
};

/* The register of the first store to `at` in the handler; SYNTH_NO_REG. */
static uint8_t stored_by(const struct synth_code *code, uint64_t label,
			 int32_t at)
{
	const struct synth_insn *i = synth_code_at(code, label);
	uint16_t written = 0;

	for (int k = 0; i && k < MAX_STORE && i->flow == FLOW_NEXT; k++) {
		if (i->store_base < 16 && !i->store_zero &&
		    i->store_at == at && i->store_base != SYNTH_RSP)
			return written >> i->store_base & 1 ? SYNTH_NO_REG :
			       i->store_base;
		written |= i->writes;
		i = synth_code_next(code, i);
		if (i && synth_code_is_join(code, i->vaddr))
			break;
	}
	return SYNTH_NO_REG;
}

/* What most handlers say, and at least a third of them. */
static int find_frame_reg(const struct synth_code *code,
			  const struct synth_table *t, int32_t at, uint8_t *reg,
			  struct err *err)
{
	unsigned int votes[16] = { 0 }, all = 0;

	*reg = 0;
	for (size_t i = 0; i < OPCODES_NR; i++) {
		uint8_t r = stored_by(code, t->handler[i], at);

		if (r < 16) {
			votes[r]++;
			all++;
		}
	}
	for (uint8_t r = 0; r < 16; r++)
		if (votes[r] > votes[*reg])
			*reg = r;
	if (votes[*reg] < OPCODES_NR / 3 || votes[*reg] < all - all / 8)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"no one register has the frame: %s in %u of "
				"%u opcodes that tell", synth_reg_name(*reg),
				votes[*reg], all);
	return 0;
}

struct frames {
	struct synth *out;
	const struct synth_code *code;
	const struct synth_table *table;
	const struct opcodes *ops;
	const struct pt_layout *layout;
	uint8_t frame_reg;
};

/* The handlers of one kind; where two are the same code, one site. */
static int add_kind(const struct frames *f, enum synth_kind kind,
		    const uint8_t *opcodes, bool over_calls, struct err *err)
{
	uint64_t labels[OPCODES_EACH];
	struct synth_handler h = { labels, 0, over_calls, f->layout->fr_back };
	struct synth_site like = {
		.kind = kind, .frame_reg = f->frame_reg, .frame_at = -1,
		.tstate_reg = SYNTH_NO_REG, .throw_reg = SYNTH_NO_REG,
		.cond = SYNTH_ALWAYS,
	};
	int rc = 0;

	for (size_t i = 0; i < OPCODES_EACH && opcodes[i]; i++)
		labels[h.nr_same++] = f->table->handler[opcodes[i]];
	for (size_t i = 0; i < h.nr_same && !rc; i++) {
		uint8_t r = stored_by(f->code, labels[i], f->layout->fr_lasti);

		like.opcode = opcodes[i];
		if (r != SYNTH_NO_REG && r != f->frame_reg)
			return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
					"the frame is in %s in opcode %u, and "
					"in %s in others", synth_reg_name(r),
					opcodes[i],
					synth_reg_name(f->frame_reg));
		rc = synth_site_handler(f->out, f->code, labels[i], &h, &like,
					err);
	}
	return rc;
}

/* ---- _PyEval_FrameClearAndPop -------------------------------------------- */

/* What the first calls on all ways from `label` go to. */
struct calls {
	uint64_t to[MAX_PATHS];
	size_t nr;
};

static void follow(const struct synth_code *code, const struct synth_insn *i,
		   struct calls *c)
{
	const struct synth_insn *later[MAX_PATHS];
	size_t nr = 0, steps = 0;

	for (;;) {
		if (!i || steps++ == MAX_PATH || i->flow == FLOW_CALL) {
			if (i && i->flow == FLOW_CALL && c->nr < MAX_PATHS)
				c->to[c->nr++] = i->target;
			if (!nr || steps > MAX_PATH)
				return;
			i = later[--nr];
			continue;
		}
		switch ((enum synth_flow)i->flow) {
		case FLOW_JCC:
			if (nr < MAX_PATHS)
				later[nr++] = synth_code_at(code, i->target);
			i = synth_code_next(code, i);
			break;
		case FLOW_JMP:
			i = synth_code_at(code, i->target);
			break;
		case FLOW_NEXT: case FLOW_CALL: case FLOW_CALL_TO:
			i = synth_code_next(code, i);
			break;
		case FLOW_JMP_TO: case FLOW_RET: case FLOW_STOP:
			i = NULL;
			break;
		}
	}
}

#define STATIC_CLEAR "_PyEvalFrameClearAndPop"

/* 3.12, where it is static: what RETURN_VALUE and RETURN_CONST call first. */
static int find_static_clear(const struct frames *f, uint64_t *clear,
			     struct err *err)
{
	if (!elfimg_sym(f->code->img, STATIC_CLEAR, clear, NULL))
		return 0;
	*clear = 0;
	for (size_t i = 0; i < OPCODES_EACH && f->ops->ret[i]; i++) {
		uint64_t label = f->table->handler[f->ops->ret[i]];
		struct calls c = { .nr = 0 };

		if (f->ops->ret[i] > 200)	/* instrumented */
			continue;
		follow(f->code, synth_code_at(f->code, label), &c);
		if (!c.nr || (*clear && *clear != c.to[0]))
			return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
					"the function that clears a frame is "
					"not seen in RETURN_VALUE and "
					"RETURN_CONST");
		*clear = c.to[0];
	}
	return 0;
}

static bool is_call_of(const struct frames *f, uint64_t target, uint64_t clear,
		       const char *name)
{
	const char *stub;

	if (target == clear)
		return true;
	stub = synth_code_stub(f->code->img, target);
	return stub && !strcmp(stub, name);
}

/*
 * Is it what returns and exceptions both call, and not a copy of what the
 * compiler has put into the evaluator itself?
 */
static int check_clear(const struct frames *f, uint64_t clear,
		       const char *name, struct err *err)
{
	uint64_t label = f->table->handler[f->ops->ret[0]], last = 0;
	struct calls c = { .nr = 0 };
	unsigned int nr = 0;
	bool is_returned = false, is_it = false;

	follow(f->code, synth_code_at(f->code, label), &c);
	for (size_t i = 0; i < c.nr; i++)
		is_returned |= is_call_of(f, c.to[i], clear, name);
	for (size_t i = 0; i < f->code->nr; i++) {
		const struct synth_insn *ins = &f->code->ins[i];

		if (ins->flow != FLOW_CALL)
			continue;
		if (ins->target != last)
			is_it = is_call_of(f, ins->target, clear, name);
		last = ins->target;
		nr += is_it;
	}
	if (is_returned && nr >= MIN_CLEARS)
		return 0;
	return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
			"a return does not go through %s: it is called in %u "
			"places of the evaluator", name, nr);
}

static int add_clear(const struct frames *f, struct err *err)
{
	const char *name = f->out->version == 0x030c ? STATIC_CLEAR :
			   "_PyEval_FrameClearAndPop";
	static const struct synth_site like = {
		.kind = SYNTH_CLEAR, .frame_reg = SYNTH_RSI, .frame_at = -1,
		.tstate_reg = SYNTH_RDI, .throw_reg = SYNTH_NO_REG,
		.cond = SYNTH_ALWAYS,
	};
	uint64_t clear;
	int rc;

	if (f->out->version == 0x030c)
		rc = find_static_clear(f, &clear, err);
	else if (elfimg_sym(f->code->img, name, &clear, NULL) < 0)
		rc = err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
			      "it has no symbol %s", name);
	else
		rc = 0;
	if (!rc)
		rc = check_clear(f, clear, name, err);
	if (!rc)
		rc = synth_site_function(f->out, f->code->img, clear, &like,
					 err);
	return rc;
}

/*
 * Where a JIT makes code, and where bytecode goes over to it; a loop may do so
 * once, when the code was just made, and then for good.
 */
static int add_jit(const struct frames *f, struct err *err)
{
	static const struct synth_site like = {
		.kind = SYNTH_JIT, .frame_reg = SYNTH_NO_REG, .frame_at = -1,
		.tstate_reg = SYNTH_NO_REG, .throw_reg = SYNTH_NO_REG,
		.cond = SYNTH_ALWAYS,
	};
	struct synth *out = f->out, made = { .nr = 0 };
	uint8_t opcode = f->ops->jit[0];
	uint64_t vaddr;
	int rc;

	if (!opcode)
		return 0;
	rc = synth_site_set(&out->jit[0], f->code->img,
			    synth_code_at(f->code, f->table->handler[opcode]),
			    &like, err);
	if (rc < 0)
		return rc;
	out->jit[0].opcode = opcode;
	out->nr_jit = 1;
	if (elfimg_sym(f->code->img, "_PyOptimizer_Optimize", &vaddr, NULL) < 0)
		return 0;
	rc = synth_site_function(&made, f->code->img, vaddr, &like, err);
	if (!rc)
		out->jit[out->nr_jit++] = made.sites[0];
	return rc;
}

/* ---- by version ---------------------------------------------------------- */

static int add_traceback(const struct frames *f, struct err *err)
{
	static const char name[] = "PyTraceBack_Here";
	static const struct synth_site like = {
		.kind = SYNTH_TRACEBACK, .frame_reg = SYNTH_RDI,
		.frame_at = F_FRAME, .tstate_reg = SYNTH_NO_REG,
		.throw_reg = SYNTH_NO_REG, .cond = SYNTH_ALWAYS,
	};
	uint64_t vaddr;

	if (elfimg_sym(f->code->img, name, &vaddr, NULL) < 0)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"it has no symbol %s", name);
	return synth_site_function(f->out, f->code->img, vaddr, &like, err);
}

static int add_unwind(const struct frames *f, struct err *err)
{
	int rc;

	if (f->out->method == SYNTH_UNWIND_CLEAR)
		return add_clear(f, err);
	rc = add_kind(f, SYNTH_RETURN, f->ops->ret, true, err);
	if (!rc)
		rc = synth_site_ends(f->out, f->code, f->frame_reg,
				     f->layout->ts_frame, err);
	if (!rc)
		rc = add_traceback(f, err);
	return rc;
}

int synth_frames_add(struct synth *out, const struct synth_code *code,
		     const struct synth_table *table,
		     const struct opcodes *ops, struct err *err)
{
	struct frames f = {
		.out = out, .code = code, .table = table, .ops = ops,
		.layout = layout_for(out->version),
	};
	int rc;

	out->method = out->version == 0x030b ? SYNTH_UNWIND_TRACEBACK :
		      SYNTH_UNWIND_CLEAR;
	rc = find_frame_reg(code, table, f.layout->fr_lasti, &f.frame_reg, err);
	if (!rc)
		rc = add_kind(&f, SYNTH_ENTRY, ops->entry, false, err);
	if (!rc)
		rc = add_kind(&f, SYNTH_YIELD, ops->yield, true, err);
	if (!rc && out->version >= 0x030f)
		rc = add_kind(&f, SYNTH_MAKES, ops->makes, false, err);
	if (!rc)
		rc = add_unwind(&f, err);
	if (!rc)
		rc = add_jit(&f, err);
	return rc;
}
