/* SPDX-License-Identifier: MIT */
/* sdtfetch: an argument of a USDT note as a "fetcharg" of uprobe_events. */
#include "elf/sdtfetch.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>

/* By slot: struct pt_regs of x86-64, see sdtreg.c. */
static const char x86_64[][9] = {
	"r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax",
	"cx", "dx", "si", "di", "orig_ax", "ip", "cs", "flags", "sp", "ss",
};

/* The kernel's name of a register, or false: it has none. */
static bool name_of(unsigned int machine, const struct sdtreg *reg, char *buf,
		    size_t size)
{
	int slot = reg->slot;

	if (slot < 0)
		return false;
	if (machine == EM_X86_64 && (size_t)slot < ARRAY_LEN(x86_64))
		snprintf(buf, size, "%s", x86_64[slot]);
	else if (machine == EM_AARCH64 && slot < 31)
		snprintf(buf, size, "x%d", slot);
	else if (machine == EM_AARCH64 && slot < 33)
		snprintf(buf, size, "%s", slot == 31 ? "sp" : "pc");
	else
		return false;
	return true;
}

#define NO_REGISTER "a register that the kernel has no name for"

static const char *from_register(unsigned int machine,
				 const struct sdtarg *arg, struct sdtfetch *out)
{
	char name[12];

	if (!name_of(machine, &arg->base, name, sizeof(name)))
		return NO_REGISTER;
	snprintf(out->from, sizeof(out->from), "%%%s", name);
	if (!arg->base.shift)
		return NULL;
	/* %ah: a field of bits is always unsigned there */
	if (arg->is_signed || arg->size != 1)
		return "a signed part of a register";
	snprintf(out->type, sizeof(out->type), "b8@%u/16", arg->base.shift);
	return NULL;
}

static const char *from_memory(unsigned int machine, const struct sdtarg *arg,
			       struct sdtfetch *out)
{
	char name[12];

	if (arg->index.slot >= 0)
		return "an address with an index";
	if (arg->base.slot < 0)
		return "an address that is fixed";
	if (arg->base.size != 8)
		return "an address of 4 bytes";
	if (!name_of(machine, &arg->base, name, sizeof(name)))
		return NO_REGISTER;
	snprintf(out->from, sizeof(out->from), "%+" PRId64 "(%%%s)", arg->value,
		 name);
	return NULL;
}

static void from_constant(const struct sdtarg *arg, struct sdtfetch *out)
{
	if (arg->is_signed)
		snprintf(out->from, sizeof(out->from), "\\%" PRId64, arg->value);
	else
		snprintf(out->from, sizeof(out->from), "\\%" PRIu64,
			 (uint64_t)arg->value);
}

/* Where the argument itself is. */
static const char *place(unsigned int machine, const struct sdtarg *arg,
			 struct sdtfetch *out)
{
	if (arg->place != SDTARG_UNKNOWN && arg->sym)
		return "relative to a symbol";
	switch (arg->place) {
	case SDTARG_UNKNOWN:
		return arg->why;
	case SDTARG_CONST:
		from_constant(arg, out);
		return NULL;
	case SDTARG_REG:
		return from_register(machine, arg, out);
	case SDTARG_MEM:
		return from_memory(machine, arg, out);
	}
	return "unknown";
}

/* The string that the argument points to. */
static const char *follow(const struct sdtarg *arg, struct sdtfetch *out)
{
	char pointer[sizeof(out->from)];

	if (arg->size != 8 || arg->place == SDTARG_CONST || arg->is_float)
		return "no pointer";
	memcpy(pointer, out->from, sizeof(pointer));
	if ((size_t)snprintf(out->from, sizeof(out->from), "+0(%s)", pointer) >=
	    sizeof(out->from))
		return "too long";
	snprintf(out->type, sizeof(out->type), "ustring");
	return NULL;
}

const char *sdtfetch_of(unsigned int machine, const struct sdtarg *arg,
			bool is_text, struct sdtfetch *out)
{
	const char *why;

	*out = (struct sdtfetch){ 0 };
	snprintf(out->type, sizeof(out->type), "%c%u",
		 arg->is_float ? 'x' : arg->is_signed ? 's' : 'u',
		 8u * arg->size);
	why = place(machine, arg, out);
	return why || !is_text ? why : follow(arg, out);
}
