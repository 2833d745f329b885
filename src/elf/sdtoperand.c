/* SPDX-License-Identifier: MIT */
/*
 * sdtoperand: operands of x86, s390 and powerpc ("8(%rsp)"), and of the ARMs
 * ("[sp, 8]").
 */
#include "elf/sdtoperand.h"

#include <elf.h>

#include "elf/sdtlex.h"
#include "elf/sdtreg.h"

#define NO_VECTOR "a floating-point or vector register"
#define NO_TLS "thread-local"

/* All of it one register? */
static bool whole_reg(const struct lex *l, struct sdtreg *reg)
{
	struct lex try = *l;

	return lex_reg(&try, reg) && !lex_more(&try);
}

static bool whole_vector(const struct lex *l)
{
	struct lex try = *l;

	lex_eat(&try, '%');
	return lex_word(&try) && sdtreg_is_vector(l->machine, try.p,
						  lex_word(&try));
}

static const char *constant(struct lex *l, struct sdtarg *arg)
{
	const char *why = lex_sum(l, arg);

	arg->place = SDTARG_CONST;
	if (!why && lex_more(l))
		why = *l->p == '@' ? SDT_NO_RELOC : SDT_NO_FORM;
	return why;
}

static bool eat_scale(struct lex *l, struct sdtarg *arg)
{
	uint64_t v;

	if (!lex_number(l, &v) || (v != 1 && v != 2 && v != 4 && v != 8))
		return false;
	arg->scale = (uint8_t)v;
	return true;
}

/* Relative to the next instruction; the symbol is what is meant. */
static bool is_pc(const struct lex *l, const struct sdtreg *reg)
{
	struct sdtreg pc;

	return (l->machine == EM_X86_64 || l->machine == EM_386) &&
	       sdtreg_find(l->machine, "eip", 3, &pc) && reg->slot == pc.slot;
}

/* "(%rbp)", "(%rdi,%rsi,8)", "(,%rsi,8)", and "(31)" on powerpc. */
static const char *parens(struct lex *l, struct sdtarg *arg)
{
	lex_spaces(l);
	if (lex_more(l) && *l->p != ',' && !lex_reg(l, &arg->base))
		return SDT_NO_FORM;
	lex_spaces(l);
	if (lex_eat(l, ',')) {
		lex_spaces(l);
		if (!lex_reg(l, &arg->index))
			return SDT_NO_FORM;
		lex_spaces(l);
		if (lex_eat(l, ',')) {
			lex_spaces(l);
			if (!eat_scale(l, arg))
				return SDT_NO_FORM;
		}
	}
	lex_spaces(l);
	if (!lex_eat(l, ')') || lex_more(l))
		return SDT_NO_FORM;
	if (arg->base.slot < 0 && arg->index.slot < 0)
		return SDT_NO_FORM;
	/* r0 as a base or index of an address is a zero there. */
	if (l->machine == EM_S390 || l->machine == EM_PPC64 ||
	    l->machine == EM_PPC) {
		if (!arg->base.slot)
			arg->base = SDTREG_NONE;
		if (!arg->index.slot && l->machine == EM_S390)
			arg->index = SDTREG_NONE;
	}
	if (is_pc(l, &arg->base)) {
		if (!arg->sym || arg->index.slot >= 0)
			return SDT_NO_FORM;
		arg->base = SDTREG_NONE;
	}
	return is_pc(l, &arg->index) ? SDT_NO_FORM : NULL;
}

/*
 * displacement(base,index,scale); what stands alone is `bare`: an address on
 * x86, a constant on s390 and powerpc.
 */
static const char *memory(struct lex *l, struct sdtarg *arg,
			  enum sdtarg_place bare)
{
	const char *why;

	if (!lex_more(l))
		return "nothing after the '@'";
	if (*l->p != '(') {
		why = lex_sum(l, arg);
		if (why)
			return why;
	}
	arg->place = SDTARG_MEM;
	if (lex_eat(l, '('))
		return parens(l, arg);
	arg->place = bare;
	if (lex_more(l) || (arg->sym && bare == SDTARG_CONST))
		return SDT_NO_FORM;
	return NULL;
}

/* "%fs:name@tpoff" */
static bool is_segment(const struct lex *l)
{
	return l->end - l->p > 4 && l->p[0] == '%' && l->p[2] == 's' &&
	       l->p[3] == ':' && (l->p[1] == 'f' || l->p[1] == 'g');
}

static const char *parse_x86(struct lex *l, struct sdtarg *arg)
{
	if (is_segment(l))
		return NO_TLS;
	if (lex_eat(l, '$'))
		return constant(l, arg);
	if (lex_more(l) && *l->p == '%') {
		arg->place = SDTARG_REG;
		if (whole_reg(l, &arg->base))
			return NULL;
		return whole_vector(l) ? NO_VECTOR : SDT_NO_FORM;
	}
	return memory(l, arg, SDTARG_MEM);
}

static const char *parse_s390(struct lex *l, struct sdtarg *arg)
{
	arg->place = SDTARG_REG;
	if (lex_more(l) && *l->p == '%') {
		if (whole_reg(l, &arg->base))
			return NULL;
		return whole_vector(l) ? NO_VECTOR : SDT_NO_FORM;
	}
	return memory(l, arg, SDTARG_CONST);
}

/* <sys/sdt.h> has "%I" there: 'i' before a constant, "9" is register 9. */
static const char *parse_ppc(struct lex *l, struct sdtarg *arg)
{
	if (lex_more(l) && *l->p == 'i' && l->end - l->p > 1 &&
	    (lex_is_digit(l->p[1]) || l->p[1] == '-')) {
		l->p++;
		return constant(l, arg);
	}
	arg->place = SDTARG_REG;
	if (whole_reg(l, &arg->base))
		return NULL;
	if (whole_vector(l))
		return NO_VECTOR;
	return memory(l, arg, SDTARG_CONST);
}

/* "lsl 3", "sxtw 2", "uxtw", "sxtx #3": what is done to an index. */
static const char *extend(struct lex *l, struct sdtarg *arg)
{
	static const struct {
		char name[5];
		uint8_t size;
		bool is_signed;
	} kinds[] = {
		{ "lsl", 0, false },  { "sxtw", 4, true },
		{ "uxtw", 4, false }, { "sxtx", 8, true },
		{ "uxtx", 8, false },
	};
	size_t n = lex_word(l), i;
	uint64_t shift = 0;

	for (i = 0; i < ARRAY_LEN(kinds); i++)
		if (n == strlen(kinds[i].name) &&
		    !memcmp(l->p, kinds[i].name, n))
			break;
	if (i == ARRAY_LEN(kinds) ||
	    (kinds[i].size && kinds[i].size != arg->index.size))
		return SDT_NO_FORM;
	arg->index_is_signed = kinds[i].is_signed;
	l->p += n;
	lex_spaces(l);
	lex_eat(l, '#');
	if (lex_more(l) && lex_is_digit(*l->p) &&
	    (!lex_number(l, &shift) || shift > 4))
		return SDT_NO_FORM;
	arg->scale = (uint8_t)(1u << shift);
	return NULL;
}

/* What follows the comma in "[x0, 8]", "[x0, x1, lsl 3]". */
static const char *second(struct lex *l, struct sdtarg *arg)
{
	const char *why;

	lex_spaces(l);
	if (lex_reg(l, &arg->index)) {
		lex_spaces(l);
		if (!lex_eat(l, ','))
			return NULL;
		lex_spaces(l);
		return extend(l, arg);
	}
	lex_eat(l, '#');
	if (lex_more(l) && *l->p == ':')
		return SDT_NO_RELOC;
	why = lex_sum(l, arg);
	return why ? why : arg->sym ? SDT_NO_RELOC : NULL;
}

static const char *brackets(struct lex *l, struct sdtarg *arg)
{
	const char *why = NULL;

	arg->place = SDTARG_MEM;
	lex_spaces(l);
	if (!lex_reg(l, &arg->base))
		return SDT_NO_FORM;
	lex_spaces(l);
	if (lex_eat(l, ','))
		why = second(l, arg);
	lex_spaces(l);
	if (why || !lex_eat(l, ']') || lex_more(l))
		return why ? why : SDT_NO_FORM;
	/* On arm pc is rounded, and ahead by two instructions. */
	if (l->machine == EM_ARM && arg->base.slot == 15)
		return SDT_NO_FORM;
	return NULL;
}

static const char *parse_arm(struct lex *l, struct sdtarg *arg)
{
	const char *why;

	if (lex_eat(l, '['))
		return brackets(l, arg);
	arg->place = SDTARG_REG;
	if (whole_reg(l, &arg->base))
		return NULL;
	arg->place = SDTARG_CONST;
	if (sdtreg_is_zero(l->machine, l->p, (size_t)(l->end - l->p)))
		return NULL;
	if (whole_vector(l))
		return NO_VECTOR;
	lex_eat(l, '#');
	if (lex_more(l) && *l->p == ':')
		return SDT_NO_RELOC;
	why = constant(l, arg);
	return why ? why : arg->sym ? SDT_NO_FORM : NULL;
}

/*
 * Compilers named %al and meant the int in %eax (gcc PR 80115): the size of the
 * argument counts, as for gdb and systemtap.  A pair of registers has only its
 * first one in the note.
 */
static const char *match_size(unsigned int machine, struct sdtarg *arg)
{
	struct sdtreg *reg = &arg->base;

	if (arg->place != SDTARG_REG || reg->shift || reg->size >= arg->size)
		return NULL;
	if (arg->size > 4 && (machine == EM_386 || machine == EM_ARM ||
			      machine == EM_PPC))
		return "in two registers, of which the note names one";
	if (machine == EM_X86_64 || machine == EM_386)
		reg->size = arg->size;
	return NULL;
}

static const char *parse(struct lex *l, struct sdtarg *arg)
{
	switch (l->machine) {
	case EM_X86_64:
	case EM_386:
		return parse_x86(l, arg);
	case EM_S390:
		return parse_s390(l, arg);
	case EM_PPC64:
	case EM_PPC:
		return parse_ppc(l, arg);
	case EM_AARCH64:
	case EM_ARM:
		return parse_arm(l, arg);
	default:
		return "operands of this machine are not known";
	}
}

const char *sdtoperand_parse(unsigned int machine, struct sdtarg *arg)
{
	struct lex l = { arg->operand, arg->operand + arg->operand_len,
			 machine };
	const char *why = parse(&l, arg);

	return why ? why : match_size(machine, arg);
}
