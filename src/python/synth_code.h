/* SPDX-License-Identifier: MIT */
/*
 * synth_code: one function's machine code, all of it decoded.
 *
 * A function may be in several parts (a compiler moves what it believes to be
 * cold); they are told from others by the unwind tables, which a stripped file
 * keeps.  The instructions are decoded one after the other, and where control
 * can come from is known: every direct jump, the labels of the dispatch table,
 * and those of the compiler's own jump tables.
 */
#ifndef PT_SYNTH_CODE_H
#define PT_SYNTH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct elfimg;

enum synth_flow {
	FLOW_NEXT,		/* goes on behind itself */
	FLOW_JCC,		/* there, or to `target` */
	FLOW_JMP,		/* to `target` */
	FLOW_CALL,		/* of `target`, comes back */
	FLOW_CALL_TO,		/* of what is in a register or memory */
	FLOW_JMP_TO,		/* the same, does not come back */
	FLOW_RET,
	FLOW_STOP,		/* ud2, hlt, int3 */
};

struct synth_insn {
	uint64_t vaddr;
	uint64_t target;	/* of JCC, JMP, CALL */
	uint8_t len;
	uint8_t flow;		/* enum synth_flow */
	uint8_t cond;		/* of a JCC: x86's number */
	bool emulated;		/* by the kernel's uprobes */
	uint16_t writes;	/* registers, a bit each; calls: scratch ones */
	/* 8 bytes are moved to STORE_AT(%STORE_BASE); else SYNTH_NO_REG */
	uint8_t store_base;
	bool store_zero;	/* $0, else a register */
	int32_t store_at;
	/* the absolute or rip-relative address that it mentions; 0 */
	uint64_t mentions;
	uint8_t mentions_scale;	/* 8: mentions(,%reg,8) */
};

/* A direct jump. */
struct synth_join {
	uint64_t to;
	size_t from;		/* number of the instruction */
};

struct synth_range {
	uint64_t lo, hi;	/* [lo, hi) */
};

#define SYNTH_MAX_PARTS 8

struct synth_code {
	struct elfimg *img;
	size_t nr_parts;
	struct synth_range parts[SYNTH_MAX_PARTS];
	struct synth_insn *ins;	/* by address */
	size_t nr;
	struct synth_join *joins;	/* by target */
	size_t nr_joins;
	uint64_t *labels;	/* targets of indirect jumps, in order */
	size_t nr_labels;
};

/*
 * Decode the function at `entry`.  `labels` are addresses inside of it that
 * indirect jumps go to (repeated ones too): each part that holds one is a
 * part of it.  0 or -ENOTSUP and why not.  Close it in either case.
 */
int synth_code_open(struct synth_code *code, struct elfimg *img,
		    uint64_t entry, const uint64_t *labels, size_t nr_labels,
		    struct err *err) PT_MUST_CHECK;
void synth_code_close(struct synth_code *code);

/* The instruction that begins at `vaddr`, or NULL. */
const struct synth_insn *synth_code_at(const struct synth_code *code,
				       uint64_t vaddr);
/* The one behind or in front of it in the same part, or NULL. */
const struct synth_insn *synth_code_next(const struct synth_code *code,
					 const struct synth_insn *ins);
const struct synth_insn *synth_code_prev(const struct synth_code *code,
					 const struct synth_insn *ins);
/* Does a direct jump, or an indirect one, go there? */
bool synth_code_is_join(const struct synth_code *code, uint64_t vaddr);
bool synth_code_is_label(const struct synth_code *code, uint64_t vaddr);
/* The direct jumps that go there: how many, and the first. */
size_t synth_code_joins(const struct synth_code *code, uint64_t vaddr,
			const struct synth_join **first);

/*
 * What a direct call goes to: the name of the function in another file or in
 * this one behind a stub of the procedure linkage table, else NULL.
 */
const char *synth_code_stub(struct elfimg *img, uint64_t target);

/*
 * The range of the unwind table's entry for `vaddr`; `split`: it is a part of
 * another function.  0 or -ENOENT.
 */
int synth_fde(struct elfimg *img, uint64_t vaddr, struct synth_range *out,
	      bool *split) PT_MUST_CHECK;

#endif /* PT_SYNTH_CODE_H */
