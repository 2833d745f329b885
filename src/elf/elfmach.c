/* SPDX-License-Identifier: MIT */
/* elfmach: machines by name, and the one that pytrace was built for. */
#include <stdio.h>

#include "elf/elfimg.h"
#include "elf/elfimg_priv.h"

#if defined(__x86_64__) && !defined(__ILP32__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

static const struct {
	unsigned int machine;
	const char *name;
} machines[] = {
	{ EM_X86_64, "x86-64" },   { EM_386, "i386" },
	{ EM_AARCH64, "aarch64" }, { EM_ARM, "arm" },
	{ EM_PPC64, "ppc64" },	   { EM_PPC, "ppc" },
	{ EM_S390, "s390" },	   { EM_RISCV, "riscv" },
	{ EM_MIPS, "mips" },	   { EM_SPARCV9, "sparc64" },
	{ EM_LOONGARCH, "loongarch" },
	{ EM_BPF, "bpf" },
};

const char *elfimg_machine_name(const struct elfimg *img)
{
	static _Thread_local char other[32];
	unsigned int machine = elfimg_machine(img);
	size_t i;

	if (machine == EM_S390 && elfimg_is_64(img))
		return "s390x";
	if (machine == EM_X86_64 && !elfimg_is_64(img))
		return "x32";
	for (i = 0; i < ARRAY_LEN(machines); i++)
		if (machines[i].machine == machine)
			return machines[i].name;
	snprintf(other, sizeof(other), "machine %u", machine);
	return other;
}

bool elfimg_is_native(const struct elfimg *img)
{
	return OWN_MACHINE != EM_NONE && elfimg_machine(img) == OWN_MACHINE &&
	       elfimg_is_64(img) && !elfimg_is_swapped(img);
}
