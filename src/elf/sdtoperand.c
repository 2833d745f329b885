/* SPDX-License-Identifier: MIT */
/*
 * sdtoperand: operands of x86, s390 and powerpc ("8(%rsp)"), and of the ARMs
 * ("[sp, 8]").
 */
#include "elf/sdtoperand.h"

#include <elf.h>

#include "elf/sdtreg.h"

static const char no_form[] = "this form of operand is not supported";
static const char no_reloc[] = "a relocation that the assembler did not resolve";
static const char no_vector[] = "a floating-point or vector register";
static const char no_tls[] = "thread-local";

/* The operand, being eaten from the left. */
struct lex {
	const char *p, *end;
	unsigned int machine;
};

static bool more(const struct lex *l)
{
	return l->p < l->end;
}

static bool eat(struct lex *l, char c)
{
	if (!more(l) || *l->p != c)
		return false;
	l->p++;
	return true;
}

static void eat_spaces(struct lex *l)
{
	while (eat(l, ' '))
		;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* May stand in a symbol or in a register's name. */
static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c == '.' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t word_len(const struct lex *l)
{
	size_t n = 0;

	while (l->p + n < l->end && is_word(l->p[n]))
		n++;
	return n;
}

/* A '%' belongs to the name where the syntax has it. */
static bool eat_reg(struct lex *l, struct sdtreg *reg)
{
	struct lex try = *l;
	size_t n;

	eat(&try, '%');
	n = word_len(&try);
	if (!n || !sdtreg_find(l->machine, try.p, n, reg))
		return false;
	l->p = try.p + n;
	return true;
}

static bool eat_number(struct lex *l, uint64_t *v)
{
	unsigned int base = 10, digit;
	const char *start;

	if (l->end - l->p > 2 && l->p[0] == '0' &&
	    (l->p[1] == 'x' || l->p[1] == 'X')) {
		base = 16;
		l->p += 2;
	}
	*v = 0;
	for (start = l->p; more(l); l->p++) {
		char c = *l->p;

		if (is_digit(c))
			digit = (unsigned int)(c - '0');
		else if (base == 16 && ((c >= 'a' && c <= 'f') ||
					(c >= 'A' && c <= 'F')))
			digit = (unsigned int)((c | 32) - 'a') + 10;
		else
			break;
		if (__builtin_mul_overflow(*v, base, v) ||
		    __builtin_add_overflow(*v, digit, v))
			return false;
	}
	return l->p > start;
}

/* One symbol at most, and not a negated one. */
static const char *eat_symbol(struct lex *l, bool negative, struct sdtarg *arg)
{
	size_t n = word_len(l);

	if (!n || negative || arg->sym)
		return no_form;
	arg->sym = l->p;
	arg->sym_len = n;
	l->p += n;
	return more(l) && *l->p == '@' ? no_reloc : NULL;
}

/*
 * A sum of numbers and a symbol: "-8", "counter+4", "16+counter".  Added up as
 * the assembler does it, in 64 bits that wrap.
 */
static const char *eat_sum(struct lex *l, struct sdtarg *arg)
{
	const char *why;
	bool negative;
	uint64_t v;

	do {
		negative = eat(l, '-');
		if (!negative)
			eat(l, '+');
		if (more(l) && is_digit(*l->p)) {
			if (!eat_number(l, &v))
				return no_form;
			v = negative ? -v : v;
			arg->value = (int64_t)((uint64_t)arg->value + v);
		} else {
			why = eat_symbol(l, negative, arg);
			if (why)
				return why;
		}
	} while (more(l) && (*l->p == '+' || *l->p == '-'));
	return NULL;
}

/* All of it one register? */
static bool whole_reg(const struct lex *l, struct sdtreg *reg)
{
	struct lex try = *l;

	return eat_reg(&try, reg) && !more(&try);
}

static bool whole_vector(const struct lex *l)
{
	struct lex try = *l;

	eat(&try, '%');
	return word_len(&try) && sdtreg_is_vector(l->machine, try.p,
						  word_len(&try));
}

static const char *constant(struct lex *l, struct sdtarg *arg)
{
	const char *why = eat_sum(l, arg);

	arg->place = SDTARG_CONST;
	if (!why && more(l))
		why = *l->p == '@' ? no_reloc : no_form;
	return why;
}

static bool eat_scale(struct lex *l, struct sdtarg *arg)
{
	uint64_t v;

	if (!eat_number(l, &v) || (v != 1 && v != 2 && v != 4 && v != 8))
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
	eat_spaces(l);
	if (more(l) && *l->p != ',' && !eat_reg(l, &arg->base))
		return no_form;
	eat_spaces(l);
	if (eat(l, ',')) {
		eat_spaces(l);
		if (!eat_reg(l, &arg->index))
			return no_form;
		eat_spaces(l);
		if (eat(l, ',')) {
			eat_spaces(l);
			if (!eat_scale(l, arg))
				return no_form;
		}
	}
	eat_spaces(l);
	if (!eat(l, ')') || more(l))
		return no_form;
	if (arg->base.slot < 0 && arg->index.slot < 0)
		return no_form;
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
			return no_form;
		arg->base = SDTREG_NONE;
	}
	return is_pc(l, &arg->index) ? no_form : NULL;
}

/*
 * displacement(base,index,scale); what stands alone is `bare`: an address on
 * x86, a constant on s390 and powerpc.
 */
static const char *memory(struct lex *l, struct sdtarg *arg,
			  enum sdtarg_place bare)
{
	const char *why;

	if (!more(l))
		return "nothing after the '@'";
	if (*l->p != '(') {
		why = eat_sum(l, arg);
		if (why)
			return why;
	}
	arg->place = SDTARG_MEM;
	if (eat(l, '('))
		return parens(l, arg);
	arg->place = bare;
	return more(l) || (arg->sym && bare == SDTARG_CONST) ? no_form : NULL;
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
		return no_tls;
	if (eat(l, '$'))
		return constant(l, arg);
	if (more(l) && *l->p == '%') {
		arg->place = SDTARG_REG;
		if (whole_reg(l, &arg->base))
			return NULL;
		return whole_vector(l) ? no_vector : no_form;
	}
	return memory(l, arg, SDTARG_MEM);
}

static const char *parse_s390(struct lex *l, struct sdtarg *arg)
{
	arg->place = SDTARG_REG;
	if (more(l) && *l->p == '%') {
		if (whole_reg(l, &arg->base))
			return NULL;
		return whole_vector(l) ? no_vector : no_form;
	}
	return memory(l, arg, SDTARG_CONST);
}

/* <sys/sdt.h> there has "%I": 'i' before a constant, "9" alone is register 9. */
static const char *parse_ppc(struct lex *l, struct sdtarg *arg)
{
	if (more(l) && *l->p == 'i' && l->end - l->p > 1 &&
	    (is_digit(l->p[1]) || l->p[1] == '-')) {
		l->p++;
		return constant(l, arg);
	}
	arg->place = SDTARG_REG;
	if (whole_reg(l, &arg->base))
		return NULL;
	if (whole_vector(l))
		return no_vector;
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
	size_t n = word_len(l), i;
	uint64_t shift = 0;

	for (i = 0; i < ARRAY_LEN(kinds); i++)
		if (n == strlen(kinds[i].name) && !memcmp(l->p, kinds[i].name, n))
			break;
	if (i == ARRAY_LEN(kinds) ||
	    (kinds[i].size && kinds[i].size != arg->index.size))
		return no_form;
	arg->index_is_signed = kinds[i].is_signed;
	l->p += n;
	eat_spaces(l);
	eat(l, '#');
	if (more(l) && is_digit(*l->p) && (!eat_number(l, &shift) || shift > 4))
		return no_form;
	arg->scale = (uint8_t)(1u << shift);
	return NULL;
}

/* What follows the comma in "[x0, 8]", "[x0, x1, lsl 3]". */
static const char *second(struct lex *l, struct sdtarg *arg)
{
	const char *why;

	eat_spaces(l);
	if (eat_reg(l, &arg->index)) {
		eat_spaces(l);
		if (!eat(l, ','))
			return NULL;
		eat_spaces(l);
		return extend(l, arg);
	}
	eat(l, '#');
	if (more(l) && *l->p == ':')
		return no_reloc;
	why = eat_sum(l, arg);
	return why ? why : arg->sym ? no_reloc : NULL;
}

static const char *brackets(struct lex *l, struct sdtarg *arg)
{
	const char *why = NULL;

	arg->place = SDTARG_MEM;
	eat_spaces(l);
	if (!eat_reg(l, &arg->base))
		return no_form;
	eat_spaces(l);
	if (eat(l, ','))
		why = second(l, arg);
	eat_spaces(l);
	if (why || !eat(l, ']') || more(l))
		return why ? why : no_form;
	/* On arm pc is rounded, and ahead by two instructions. */
	return l->machine == EM_ARM && arg->base.slot == 15 ? no_form : NULL;
}

static const char *parse_arm(struct lex *l, struct sdtarg *arg)
{
	const char *why;

	if (eat(l, '['))
		return brackets(l, arg);
	arg->place = SDTARG_REG;
	if (whole_reg(l, &arg->base))
		return NULL;
	arg->place = SDTARG_CONST;
	if (sdtreg_is_zero(l->machine, l->p, (size_t)(l->end - l->p)))
		return NULL;
	if (whole_vector(l))
		return no_vector;
	eat(l, '#');
	if (more(l) && *l->p == ':')
		return no_reloc;
	why = constant(l, arg);
	return why ? why : arg->sym ? no_form : NULL;
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
