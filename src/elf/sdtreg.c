/* SPDX-License-Identifier: MIT */
/* sdtreg: registers by name. */
#include "elf/sdtreg.h"

#include <elf.h>
#include <string.h>

static bool is(const char *name, size_t len, const char *want)
{
	return strlen(want) == len && !memcmp(name, want, len);
}

/* All of it a number below `limit`, without a leading zero; or -1. */
static int number(const char *s, size_t len, int limit)
{
	int n = 0;
	size_t i;

	if (!len || len > 2 || (len > 1 && s[0] == '0'))
		return -1;
	for (i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		n = 10 * n + (s[i] - '0');
	}
	return n < limit ? n : -1;
}

static bool give(struct sdtreg *out, int slot, int size, int shift)
{
	if (slot < 0)
		return false;
	*out = (struct sdtreg){ (int16_t)slot, (uint8_t)size, (uint8_t)shift };
	return true;
}

/*
 * Slots are words of struct pt_regs (arch/x86/include/uapi/asm/ptrace.h):
 * r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags sp ss
 */
static const struct {
	char name[6][5];	/* of 8, 4, 2, 1 bytes; second byte; other */
	int8_t slot;
} x86[] = {
	{ { "rax", "eax", "ax", "al", "ah" }, 10 },
	{ { "rbx", "ebx", "bx", "bl", "bh" }, 5 },
	{ { "rcx", "ecx", "cx", "cl", "ch" }, 11 },
	{ { "rdx", "edx", "dx", "dl", "dh" }, 12 },
	{ { "rsi", "esi", "si", "sil" }, 13 },
	{ { "rdi", "edi", "di", "dil" }, 14 },
	{ { "rbp", "ebp", "bp", "bpl" }, 4 },
	{ { "rsp", "esp", "sp", "spl" }, 19 },
	{ { "rip", "eip", "ip" }, 16 },
	{ { "r8", "r8d", "r8w", "r8b", "", "r8l" }, 9 },
	{ { "r9", "r9d", "r9w", "r9b", "", "r9l" }, 8 },
	{ { "r10", "r10d", "r10w", "r10b", "", "r10l" }, 7 },
	{ { "r11", "r11d", "r11w", "r11b", "", "r11l" }, 6 },
	{ { "r12", "r12d", "r12w", "r12b", "", "r12l" }, 3 },
	{ { "r13", "r13d", "r13w", "r13b", "", "r13l" }, 2 },
	{ { "r14", "r14d", "r14w", "r14b", "", "r14l" }, 1 },
	{ { "r15", "r15d", "r15w", "r15b", "", "r15l" }, 0 },
};

static bool find_x86(const char *name, size_t len, bool is_64,
		     struct sdtreg *out)
{
	static const uint8_t sizes[] = { 8, 4, 2, 1, 1, 1 };
	size_t i, k;

	for (i = 0; i < ARRAY_LEN(x86); i++) {
		if (!is_64 && x86[i].name[0][1] <= '9')	/* r8 to r15 */
			continue;
		for (k = is_64 ? 0 : 1; k < ARRAY_LEN(sizes); k++)
			if (len && is(name, len, x86[i].name[k]))
				return give(out, x86[i].slot, sizes[k],
					    k == 4 ? 8 : 0);
	}
	return false;
}

/* struct user_pt_regs: regs[31], sp, pc, pstate. */
static bool find_aarch64(const char *name, size_t len, struct sdtreg *out)
{
	if (is(name, len, "sp") || is(name, len, "wsp"))
		return give(out, 31, name[0] == 'w' ? 4 : 8, 0);
	if (is(name, len, "pc"))
		return give(out, 32, 8, 0);
	if (is(name, len, "fp") || is(name, len, "lr"))
		return give(out, name[0] == 'f' ? 29 : 30, 8, 0);
	if (len < 2 || (name[0] != 'x' && name[0] != 'w'))
		return false;
	return give(out, number(name + 1, len - 1, 31),
		    name[0] == 'x' ? 8 : 4, 0);
}

/* struct pt_regs: uregs[18], r0 to r15 and more. */
static bool find_arm(const char *name, size_t len, struct sdtreg *out)
{
	static const struct {
		char name[3];
		int8_t slot;
	} others[] = {
		{ "sl", 10 }, { "fp", 11 }, { "ip", 12 },
		{ "sp", 13 }, { "lr", 14 }, { "pc", 15 },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(others); i++)
		if (is(name, len, others[i].name))
			return give(out, others[i].slot, 4, 0);
	return len >= 2 && name[0] == 'r' &&
	       give(out, number(name + 1, len - 1, 16), 4, 0);
}

/* "r9", and on powerpc, whose assembler has no names, "9". */
static bool find_numbered(const char *name, size_t len, int limit, int size,
			  bool bare, struct sdtreg *out)
{
	if (len >= 2 && name[0] == 'r')
		return give(out, number(name + 1, len - 1, limit), size, 0);
	return bare && give(out, number(name, len, limit), size, 0);
}

bool sdtreg_find(unsigned int machine, const char *name, size_t len,
		 struct sdtreg *out)
{
	switch (machine) {
	case EM_X86_64:
		return find_x86(name, len, true, out);
	case EM_386:
		return find_x86(name, len, false, out);
	case EM_AARCH64:
		return find_aarch64(name, len, out);
	case EM_ARM:
		return find_arm(name, len, out);
	case EM_S390:
		return find_numbered(name, len, 16, 8, false, out);
	case EM_PPC64:
		return find_numbered(name, len, 32, 8, true, out);
	case EM_PPC:
		return find_numbered(name, len, 32, 4, true, out);
	default:
		return false;
	}
}

static bool is_x86_vector(const char *name, size_t len)
{
	if (len >= 4 && !memcmp(name + 1, "mm", 2) && strchr("xyz", name[0]))
		return number(name + 3, len - 3, 32) >= 0;
	if (len == 3 && !memcmp(name, "mm", 2))
		return number(name + 2, 1, 8) >= 0;
	return len >= 2 && !memcmp(name, "st", 2);
}

bool sdtreg_is_vector(unsigned int machine, const char *name, size_t len)
{
	const char *letters;

	if (len < 2)
		return false;
	switch (machine) {
	case EM_X86_64:
	case EM_386:
		return is_x86_vector(name, len);
	case EM_AARCH64:
		letters = "bhsdqvz";
		break;
	case EM_ARM:
		letters = "sdq";
		break;
	case EM_S390:
	case EM_PPC64:
	case EM_PPC:
		letters = "fv";
		break;
	default:
		return false;
	}
	return name[0] && strchr(letters, name[0]) &&
	       number(name + 1, len - 1, 64) >= 0;
}

bool sdtreg_is_zero(unsigned int machine, const char *name, size_t len)
{
	return machine == EM_AARCH64 &&
	       (is(name, len, "xzr") || is(name, len, "wzr"));
}
