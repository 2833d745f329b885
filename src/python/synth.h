/* SPDX-License-Identifier: MIT */
/*
 * synth: where in an interpreter's machine code Python functions begin and end.
 *
 * Most CPythons have no probes that tell of calls, but each has one function
 * that runs bytecode, and in it one place that begins a frame and few that end
 * one.  synth_find() finds them in the file, stripped or not, by what they are:
 * nothing is guessed, and what is not understood is refused with a sentence.
 *
 *	3.6 - 3.10	each Python call is one call of the evaluator:
 *			SYNTH_EVAL, SYNTH_EVAL_END
 *	3.11		SYNTH_ENTRY, _RETURN, _YIELD; exceptions by
 *			SYNTH_TRACEBACK and SYNTH_EVAL_END
 *	3.12 - 3.15	SYNTH_ENTRY, _YIELD; returns and exceptions by
 *			SYNTH_CLEAR; on 3.15 SYNTH_MAKES
 *
 * From 3.11 a generator into which an exception is thrown begins without a
 * SYNTH_ENTRY: SYNTH_EVAL with `throw_reg` not 0.
 *
 * A site is hit just before its instruction runs.  Of a frame that a place of
 * the bytecode handles, the address is in `frame_reg`.  Pure: only the file is
 * read.
 */
#ifndef PT_SYNTH_H
#define PT_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct elfimg;

enum synth_kind {
	SYNTH_ENTRY,		/* RESUME: a frame begins, or goes on.  It can
				 * be hit twice for one: a frame that runs
				 * has begun already */
	SYNTH_RETURN,		/* RETURN_VALUE, RETURN_CONST */
	SYNTH_YIELD,		/* YIELD_VALUE: a generator's frame stops */
	SYNTH_MAKES,		/* RETURN_GENERATOR on 3.15: a frame whose
				 * SYNTH_ENTRY came just before, if it did,
				 * only makes a generator; to be forgotten */
	SYNTH_CLEAR,		/* _PyEval_FrameClearAndPop(tstate, frame): the
				 * frame has ended, by return or exception.
				 * Also hit for frames that never began */
	SYNTH_EVAL,		/* the evaluator is called */
	SYNTH_EVAL_END,		/* a call of the evaluator is over.  With a frame
				 * (3.11): the thread state still has it, and it
				 * may have ended before, or yielded */
	SYNTH_TRACEBACK,	/* PyTraceBack_Here(f): an exception has reached
				 * the frame at `frame_at` in f; those that it
				 * called are over */
	SYNTH_JIT,		/* code is made while the program runs, or goes
				 * on: _PyOptimizer_Optimize(), ENTER_EXECUTOR.
				 * No other place tells of what it does */
};

/* x86-64's registers by their number in machine code. */
enum synth_reg {
	SYNTH_RAX, SYNTH_RCX, SYNTH_RDX, SYNTH_RBX,
	SYNTH_RSP, SYNTH_RBP, SYNTH_RSI, SYNTH_RDI,
	SYNTH_R8, SYNTH_R9, SYNTH_R10, SYNTH_R11,
	SYNTH_R12, SYNTH_R13, SYNTH_R14, SYNTH_R15,
	SYNTH_NO_REG = 0xff,
};

#define SYNTH_ALWAYS	0xff	/* a condition that always holds */
#define SYNTH_MAX_INSN	15	/* bytes of an instruction of x86 */

struct synth_site {
	enum synth_kind kind;
	uint64_t offset;	/* in the file */
	uint64_t vaddr;
	/*
	 * Where the frame's address is: in the register if `frame_at` is
	 * negative, else in the 8 bytes that are so far behind where the
	 * register points to.
	 */
	uint8_t frame_reg;	/* enum synth_reg; SYNTH_NO_REG: not here */
	int16_t frame_at;
	uint8_t tstate_reg;	/* the thread state's; SYNTH_NO_REG */
	uint8_t throw_reg;	/* SYNTH_EVAL: its lower half is throwflag */
	/*
	 * The kernel emulates the instruction: one trap.  Else it is stepped
	 * over: two, and far dearer in virtual machines.
	 */
	bool emulated;
	/*
	 * SYNTH_ALWAYS, or the condition, by x86's number (the lower four bits
	 * of a conditional jump's opcode), that must hold in the flags for the
	 * hit to count: synth_holds().
	 */
	uint8_t cond;
	uint8_t opcode;		/* of the bytecode whose handler it is in; 0 */
	uint8_t len;
	uint8_t bytes[SYNTH_MAX_INSN];	/* the instruction: `len` of them */
};

enum synth_method {
	SYNTH_EVALUATOR,	/* calls of the evaluator alone: to 3.10 */
	SYNTH_UNWIND_TRACEBACK,	/* 3.11 */
	SYNTH_UNWIND_CLEAR,	/* from 3.12 */
};

#define SYNTH_MAX_SITES	64
#define SYNTH_MAX_JIT	2

struct synth {
	enum synth_method method;
	uint16_t version;
	uint64_t table;		/* vaddr of the dispatch table; 0: to 3.10 */
	size_t nr;
	size_t nr_stepped;	/* of them: not emulated */
	struct synth_site sites[SYNTH_MAX_SITES];
	/*
	 * From 3.13 on, apart: a hit here says that the sites no longer tell
	 * of all.  Without a JIT that is on there is none, so that it does not
	 * matter what one would cost.
	 */
	size_t nr_jit;
	struct synth_site jit[SYNTH_MAX_JIT];
};

/*
 * The sites of an interpreter of `version` (0x030b), ordered by kind and
 * address.  0, or -ENOTSUP (ERR_UNSUPPORTED) with a sentence that says what
 * about which file is not as it must be.  At most 0.3 s for an interpreter, 1 s
 * for any file.
 */
int synth_find(struct synth *out, struct elfimg *img, uint16_t version,
	       struct err *err) PT_MUST_CHECK;

/* "entry", "return", ...: a word of `pytrace probes`. */
const char *synth_kind_name(enum synth_kind kind);
const char *synth_method_name(enum synth_method method);
/* "rbx"; "-" for SYNTH_NO_REG. */
const char *synth_reg_name(uint8_t reg);
/* "jnz 0x443b6d", as assembler text; returns `buf`. */
const char *synth_insn_text(const struct synth_site *site, char *buf,
			    size_t size);

/* Does condition `cond` hold in these flags?  Intel SDM 1, appendix B. */
static inline bool synth_holds(uint8_t cond, uint64_t flags)
{
	bool cf = flags & 1, pf = flags & 4, zf = flags & 0x40;
	bool sf = flags & 0x80, of = flags & 0x800, is;

	if (cond == SYNTH_ALWAYS)
		return true;
	switch (cond >> 1 & 7) {
	case 0: is = of; break;
	case 1: is = cf; break;
	case 2: is = zf; break;
	case 3: is = cf || zf; break;
	case 4: is = sf; break;
	case 5: is = pf; break;
	case 6: is = sf != of; break;
	default: is = zf || sf != of; break;
	}
	return is != (cond & 1);
}

#endif /* PT_SYNTH_H */
