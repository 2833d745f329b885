/* SPDX-License-Identifier: MIT */
/*
 * sdtarg: the argument string of a USDT note, parsed and typed.
 *
 * The compiler writes each argument as size, '@' and the operand as the
 * assembler of that machine spells it:
 *
 *	-4@%edi			signed, 4 bytes, in a register
 *	8@8(%rsp)		unsigned, 8 bytes, in memory
 *	-8@-8(%rdi,%rsi,8)	base + index * scale + displacement
 *	1@$200			a constant
 *	8f@%rax			the bits of a double
 *	-4@counter+4(%rip)	relative to a symbol
 *	4@[x22, 20]		aarch64 and arm
 *	4@160(%r15), 8@9	s390x, ppc64
 *
 * An operand that is not understood is kept as text, with the reason, and
 * spoils none of its neighbours.  Any bytes may be given.
 */
#ifndef PT_SDTARG_H
#define PT_SDTARG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

/* <sys/sdt.h> has macros for up to 12. */
#define SDTARG_MAX 12

enum sdtarg_place {
	SDTARG_UNKNOWN,		/* `why` says why it cannot be read */
	SDTARG_CONST,		/* value */
	SDTARG_REG,		/* base */
	SDTARG_MEM,		/* at base + index * scale + value */
};

/* A register, or a part of it. */
struct sdtreg {
	/*
	 * -1: none.  x86-64, i386: index of the 8-byte word in x86-64's struct
	 * pt_regs, which serves 32-bit tasks too; aarch64, arm: in pt_regs of
	 * that machine; others: the number of the register.
	 */
	int16_t slot;
	uint8_t size;		/* bytes that the name means */
	uint8_t shift;		/* bits: 8 for %ah, else 0 */
};

struct sdtarg {
	const char *text;	/* the whole argument, in the string given */
	size_t len;
	const char *operand;	/* what follows the '@' */
	size_t operand_len;
	uint8_t size;		/* bytes: 1, 2, 4, 8, or as the note claims */
	bool is_signed;
	bool is_float;
	enum sdtarg_place place;
	const char *why;	/* SDTARG_UNKNOWN: a static phrase, else NULL */
	int64_t value;		/* constant (fitted to size), displacement */
	struct sdtreg base;
	struct sdtreg index;
	bool index_is_signed;	/* an index of 4 bytes is sign-extended */
	uint8_t scale;		/* 1, 2, 4, 8, 16; of the index */
	const char *sym;	/* its address is to be added; NULL: none */
	size_t sym_len;
};

/*
 * Parse `args` of a file for `machine` (EM_...) into `out`, at most `max`.
 * The result is how many arguments there are, which may be more than `max`.
 */
size_t sdtarg_parse(unsigned int machine, bool is_64, const char *args,
		    struct sdtarg *out, size_t max);

/* Truncate `raw` to the argument's size, then extend it by its sign. */
uint64_t sdtarg_fit(const struct sdtarg *arg, uint64_t raw);

/* The address of `sym` became known (load bias included): add it. */
void sdtarg_bind(struct sdtarg *arg, uint64_t addr);

/*
 * What the argument is, given the registers in the order of `slot` and the
 * memory of the target (its byte order being ours): the value, or the bits of
 * a floating one.  0; -ENOTSUP for what is unknown or still bound to a symbol;
 * -EFAULT.
 */
int sdtarg_eval(const struct sdtarg *arg, const uint64_t *regs, size_t nr_regs,
		const struct mem *mem, uint64_t *value) PT_MUST_CHECK;

#endif /* PT_SDTARG_H */
