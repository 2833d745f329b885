/* SPDX-License-Identifier: MIT */
/*
 * sdtfetch: an argument of a USDT note as a "fetcharg" of uprobe_events, which
 * is how the kernel is told to put it into an event.
 *
 *	-4@%edi			%di:s32
 *	8@%rbp, a text		+0(%bp):ustring
 *	-4@112(%rsp)		+112(%sp):s32
 *	1@$200			\200:u8
 *
 * (kernel, Documentation/trace/uprobetracer.rst; registers are called as in
 * arch/x86/kernel/ptrace.c and arch/arm64/kernel/ptrace.c, regoffset_table.)
 */
#ifndef PT_SDTFETCH_H
#define PT_SDTFETCH_H

#include "elf/sdtarg.h"

struct sdtfetch {
	char from[40];		/* "+112(%sp)" */
	char type[16];		/* "s32", "ustring" */
};

/*
 * `is_text`: the argument points to a string, which is what is wanted.  NULL, or
 * the reason, a static phrase, why the kernel cannot fetch it.  The bits of a
 * floating argument are given as a hexadecimal number.
 */
const char *sdtfetch_of(unsigned int machine, const struct sdtarg *arg,
			bool is_text, struct sdtfetch *out);

#endif /* PT_SDTFETCH_H */
