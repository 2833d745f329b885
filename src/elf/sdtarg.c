/* SPDX-License-Identifier: MIT */
/* sdtarg: from the text of an argument to where it is, and to its value. */
#include "elf/sdtarg.h"

#include <elf.h>
#include <errno.h>

#include "elf/sdtoperand.h"
#include "elf/sdtreg.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Length of "-8@", "4f@" at the head of `s`; 0 when there is none. */
static size_t prefix_len(const char *s)
{
	size_t i = s[0] == '-' || s[0] == '+', digits = i;

	while (is_digit(s[i]) && i - digits < 3)
		i++;
	if (i == digits)
		return 0;
	i += s[i] == 'f';
	return s[i] == '@' ? i + 1 : 0;
}

/*
 * Where the argument at `s` ends.  Operands may hold spaces ("[x0, 8]"), so
 * where arguments have sizes the next one begins with a size; those of the
 * first <sys/sdt.h> had none, and only a space outside of brackets ends them.
 */
static size_t arg_len(const char *s)
{
	bool sized = prefix_len(s) > 0;
	int depth = 0;
	size_t i;

	for (i = 0; s[i]; i++) {
		depth += (s[i] == '[' || s[i] == '(') -
			 (s[i] == ']' || s[i] == ')');
		if (s[i] != ' ' || (!sized && depth > 0))
			continue;
		if (!sized || s[i + 1] == ' ' || !s[i + 1] ||
		    prefix_len(s + i + 1))
			break;
	}
	return i;
}

/* The size, sign and kind that stand before the '@'. */
static void take_prefix(struct sdtarg *arg, bool is_64)
{
	size_t n = prefix_len(arg->text), i;
	unsigned int size = 0;

	arg->operand = arg->text + n;
	arg->operand_len = arg->len - n;
	arg->size = is_64 ? 8 : 4;
	if (!n)
		return;
	for (i = 0; i < n; i++)
		if (is_digit(arg->text[i]))
			size = 10 * size + (unsigned int)(arg->text[i] - '0');
	arg->size = size > UINT8_MAX ? UINT8_MAX : (uint8_t)size;
	arg->is_signed = arg->text[0] == '-';
	arg->is_float = arg->text[n - 2] == 'f';
}

static bool size_is_readable(const struct sdtarg *arg)
{
	return arg->size == 1 || arg->size == 2 || arg->size == 4 ||
	       arg->size == 8;
}

static void parse_one(unsigned int machine, bool is_64, const char *text,
		      size_t len, struct sdtarg *arg)
{
	*arg = (struct sdtarg){
		.text = text, .len = len, .scale = 1,
		.base = SDTREG_NONE, .index = SDTREG_NONE,
	};
	take_prefix(arg, is_64);
	arg->why = sdtoperand_parse(machine, arg);
	if (!arg->why && !size_is_readable(arg))
		arg->why = "its size is not 1, 2, 4 or 8 bytes";
	if (arg->why) {
		arg->place = SDTARG_UNKNOWN;
		arg->sym = NULL;
	} else if (arg->place == SDTARG_CONST && !arg->sym) {
		arg->value = (int64_t)sdtarg_fit(arg, (uint64_t)arg->value);
	}
}

size_t sdtarg_parse(unsigned int machine, bool is_64, const char *args,
		    struct sdtarg *out, size_t max)
{
	size_t nr = 0, len;

	for (;;) {
		while (*args == ' ')
			args++;
		if (!*args)
			return nr;
		len = arg_len(args);
		if (nr < max)
			parse_one(machine, is_64, args, len, &out[nr]);
		nr++;
		args += len;
	}
}

uint64_t sdtarg_fit(const struct sdtarg *arg, uint64_t raw)
{
	unsigned int bits = 8u * arg->size;
	uint64_t sign;

	if (bits >= 64)
		return raw;
	raw &= ((uint64_t)1 << bits) - 1;
	sign = arg->is_signed && bits ? (uint64_t)1 << (bits - 1) : 0;
	return (raw ^ sign) - sign;
}

void sdtarg_bind(struct sdtarg *arg, uint64_t addr)
{
	arg->value = (int64_t)((uint64_t)arg->value + addr);
	arg->sym = NULL;
	arg->sym_len = 0;
	if (arg->place == SDTARG_CONST)
		arg->value = (int64_t)sdtarg_fit(arg, (uint64_t)arg->value);
}

/* The register's part that is meant, extended with zeroes. */
static int read_reg(const struct sdtreg *reg, const uint64_t *regs,
		    size_t nr_regs, uint64_t *v)
{
	*v = 0;
	if (reg->slot < 0)
		return 0;
	if ((size_t)reg->slot >= nr_regs)
		return -ENOTSUP;
	*v = regs[reg->slot] >> reg->shift;
	if (reg->size < 8)
		*v &= ((uint64_t)1 << (8 * reg->size)) - 1;
	return 0;
}

/* With a base of 4 bytes the sum wraps there. */
static int address(const struct sdtarg *arg, const uint64_t *regs,
		   size_t nr_regs, uint64_t *addr)
{
	uint64_t base, index;

	if (read_reg(&arg->base, regs, nr_regs, &base) < 0 ||
	    read_reg(&arg->index, regs, nr_regs, &index) < 0)
		return -ENOTSUP;
	if (arg->index_is_signed && arg->index.size == 4)
		index = (uint64_t)(int64_t)(int32_t)index;
	*addr = base + index * arg->scale + (uint64_t)arg->value;
	if (arg->base.slot >= 0 && arg->base.size == 4)
		*addr = (uint32_t)*addr;
	return 0;
}

static int read_mem(const struct sdtarg *arg, const struct mem *mem,
		    uint64_t addr, uint64_t *value)
{
	uint8_t buf[8] = { 0 };
	uint16_t two;
	uint32_t four;
	int rc = mem_read(mem, addr, buf, arg->size);

	if (rc < 0)
		return rc;
	memcpy(&two, buf, sizeof(two));
	memcpy(&four, buf, sizeof(four));
	memcpy(value, buf, sizeof(*value));
	if (arg->size < 8)
		*value = arg->size == 4 ? four : arg->size == 2 ? two : buf[0];
	return 0;
}

int sdtarg_eval(const struct sdtarg *arg, const uint64_t *regs, size_t nr_regs,
		const struct mem *mem, uint64_t *value)
{
	uint64_t raw = 0, addr;
	int rc = -ENOTSUP;

	if (arg->sym || !size_is_readable(arg))
		return -ENOTSUP;
	switch (arg->place) {
	case SDTARG_UNKNOWN:
		return -ENOTSUP;
	case SDTARG_CONST:
		raw = (uint64_t)arg->value;
		rc = 0;
		break;
	case SDTARG_REG:
		rc = read_reg(&arg->base, regs, nr_regs, &raw);
		break;
	case SDTARG_MEM:
		rc = address(arg, regs, nr_regs, &addr);
		if (!rc)
			rc = read_mem(arg, mem, addr, &raw);
		break;
	}
	if (rc < 0)
		return rc;
	*value = sdtarg_fit(arg, raw);
	return 0;
}
