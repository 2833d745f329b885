/* SPDX-License-Identifier: MIT */
/* sdtlex: the words of an operand, eaten from the left. */
#ifndef PT_SDTLEX_H
#define PT_SDTLEX_H

#include "elf/sdtarg.h"

/* Reasons, shared by what parses operands. */
#define SDT_NO_FORM "this form of operand is not supported"
#define SDT_NO_RELOC "a relocation that the assembler did not resolve"

struct lex {
	const char *p, *end;	/* what is left */
	unsigned int machine;
};

static inline bool lex_more(const struct lex *l)
{
	return l->p < l->end;
}

static inline bool lex_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Is `c` next?  Then it is eaten. */
bool lex_eat(struct lex *l, char c);
void lex_spaces(struct lex *l);
/* Length of the symbol or name that is next; 0: none.  Eats nothing. */
size_t lex_word(const struct lex *l);
/* A register of the machine; a '%' belongs to its name where it has one. */
bool lex_reg(struct lex *l, struct sdtreg *reg);
/* A decimal or 0x number; false if there is none, or none of 64 bits. */
bool lex_number(struct lex *l, uint64_t *v);
/*
 * A sum of numbers and at most one symbol: "-8", "counter+4", "16+counter",
 * into value and sym.  Added up as the assembler does it, in 64 bits that wrap.
 * NULL, or a reason.
 */
const char *lex_sum(struct lex *l, struct sdtarg *arg);

#endif /* PT_SDTLEX_H */
