/* SPDX-License-Identifier: MIT */
/* sdtlex: words, registers, numbers and sums. */
#include "elf/sdtlex.h"

#include "elf/sdtreg.h"

bool lex_eat(struct lex *l, char c)
{
	if (!lex_more(l) || *l->p != c)
		return false;
	l->p++;
	return true;
}

void lex_spaces(struct lex *l)
{
	while (lex_eat(l, ' '))
		;
}

/* May stand in a symbol or in a register's name. */
static bool is_word(char c)
{
	return lex_is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

size_t lex_word(const struct lex *l)
{
	size_t n = 0;

	while (l->p + n < l->end && is_word(l->p[n]))
		n++;
	return n;
}

bool lex_reg(struct lex *l, struct sdtreg *reg)
{
	struct lex try = *l;
	size_t n;

	lex_eat(&try, '%');
	n = lex_word(&try);
	if (!n || !sdtreg_find(l->machine, try.p, n, reg))
		return false;
	l->p = try.p + n;
	return true;
}

bool lex_number(struct lex *l, uint64_t *v)
{
	unsigned int base = 10, digit;
	const char *start;

	if (l->end - l->p > 2 && l->p[0] == '0' &&
	    (l->p[1] == 'x' || l->p[1] == 'X')) {
		base = 16;
		l->p += 2;
	}
	*v = 0;
	for (start = l->p; lex_more(l); l->p++) {
		char c = *l->p;

		if (lex_is_digit(c))
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
	size_t n = lex_word(l);

	if (!n || negative || arg->sym)
		return SDT_NO_FORM;
	arg->sym = l->p;
	arg->sym_len = n;
	l->p += n;
	return lex_more(l) && *l->p == '@' ? SDT_NO_RELOC : NULL;
}

const char *lex_sum(struct lex *l, struct sdtarg *arg)
{
	const char *why;
	bool negative;
	uint64_t v;

	do {
		negative = lex_eat(l, '-');
		if (!negative)
			lex_eat(l, '+');
		if (lex_more(l) && lex_is_digit(*l->p)) {
			if (!lex_number(l, &v))
				return SDT_NO_FORM;
			v = negative ? -v : v;
			arg->value = (int64_t)((uint64_t)arg->value + v);
		} else {
			why = eat_symbol(l, negative, arg);
			if (why)
				return why;
		}
	} while (lex_more(l) && (*l->p == '+' || *l->p == '-'));
	return NULL;
}
