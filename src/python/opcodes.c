/* SPDX-License-Identifier: MIT */
/* opcodes: the bytecodes that begin and end a frame, by version. */
#include "python/opcodes.h"

#include <stddef.h>

#include "base/compiler.h"
#include "python/opcodes_rows.h"

const struct opcodes *opcodes_for(uint16_t version)
{
	for (size_t i = 0; i < ARRAY_LEN(opcodes_rows); i++)
		if (opcodes_rows[i].version == version)
			return &opcodes_rows[i];
	return NULL;
}
