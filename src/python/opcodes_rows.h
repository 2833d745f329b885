/* SPDX-License-Identifier: MIT */
/* Made by scripts/gen-opcodes from CPython's opcode modules: do not edit. */
#ifndef PT_OPCODES_ROWS_H
#define PT_OPCODES_ROWS_H

#include "python/opcodes.h"

static const struct opcodes opcodes_rows[] = {
	{
		.version = 0x030b,
		.unassigned = {
			0x00000000, 0x00000000, 0x00000000, 0x00000000,
			0x00000000, 0xffe00000, 0xffffffff, 0x7fffffff,
		},
		/* RESUME_QUICK, RESUME */
		.entry = { 150, 151 },
		/* YIELD_VALUE */
		.yield = { 86 },
		/* RETURN_VALUE */
		.ret = { 83 },
		/* RETURN_GENERATOR */
		.makes = { 75 },
	},
	{
		.version = 0x030c,
		.unassigned = {
			0x00000000, 0x00000000, 0x00000000, 0x00000000,
			0x00000000, 0xfffe0600, 0xffffffff, 0x80001fff,
		},
		/* RESUME, INSTRUMENTED_RESUME */
		.entry = { 151, 240 },
		/* YIELD_VALUE, INSTRUMENTED_YIELD_VALUE */
		.yield = { 150, 243 },
		/* RETURN_VALUE, RETURN_CONST, INSTRUMENTED_RETURN_VALUE,
		 * INSTRUMENTED_RETURN_CONST */
		.ret = { 83, 121, 242, 247 },
		/* RETURN_GENERATOR */
		.makes = { 75 },
	},
	{
		.version = 0x030d,
		.unassigned = {
			0x00000000, 0x00000000, 0x00000000, 0xff800000,
			0x001fffff, 0x00000000, 0x80000000, 0x80000fff,
		},
		/* RESUME, RESUME_CHECK, INSTRUMENTED_RESUME */
		.entry = { 149, 207, 236 },
		/* YIELD_VALUE, INSTRUMENTED_YIELD_VALUE */
		.yield = { 118, 241 },
		/* RETURN_VALUE, RETURN_CONST, INSTRUMENTED_RETURN_VALUE,
		 * INSTRUMENTED_RETURN_CONST */
		.ret = { 36, 103, 239, 240 },
		/* RETURN_GENERATOR */
		.makes = { 35 },
		/* ENTER_EXECUTOR */
		.jit = { 70 },
	},
	{
		.version = 0x030e,
		.unassigned = {
			0x00000000, 0x00000000, 0x00000000, 0xfe000000,
			0x00000000, 0x00000000, 0xfff00000, 0x000003ff,
		},
		/* RESUME, RESUME_CHECK, INSTRUMENTED_RESUME */
		.entry = { 128, 196, 245 },
		/* YIELD_VALUE, INSTRUMENTED_YIELD_VALUE */
		.yield = { 120, 247 },
		/* RETURN_VALUE, INSTRUMENTED_RETURN_VALUE */
		.ret = { 35, 246 },
		/* RETURN_GENERATOR */
		.makes = { 34 },
		/* ENTER_EXECUTOR */
		.jit = { 255 },
	},
	{
		.version = 0x030f,
		.unassigned = {
			0x00000000, 0x00000000, 0x00000000, 0xff000000,
			0x00000000, 0x00000000, 0xf8000000, 0x000001ff,
		},
		/* RESUME, RESUME_CHECK, RESUME_CHECK_JIT,
		 * INSTRUMENTED_RESUME */
		.entry = { 128, 200, 201, 244 },
		/* YIELD_VALUE, INSTRUMENTED_YIELD_VALUE */
		.yield = { 119, 246 },
		/* RETURN_VALUE, INSTRUMENTED_RETURN_VALUE */
		.ret = { 33, 245 },
		/* RETURN_GENERATOR */
		.makes = { 32 },
		/* ENTER_EXECUTOR */
		.jit = { 254 },
	},
};

#endif /* PT_OPCODES_ROWS_H */
