/* SPDX-License-Identifier: MIT */
/* recfile_head: the first bytes of a recording, for its writer and reader. */
#ifndef PT_RECFILE_HEAD_H
#define PT_RECFILE_HEAD_H

#include "base/compiler.h"

#include <stdint.h>

#define RECFILE_ORDER UINT32_C(0x01020304)

struct recfile_head {
	char magic[8] PT_NONSTRING;
	uint32_t order;		/* RECFILE_ORDER as the writer's machine has it */
	uint16_t version;	/* RECFILE_VERSION, or ..._PACKED */
	uint16_t size;		/* of this header; records begin behind it */
	uint64_t reserved;
};

_Static_assert(sizeof(struct recfile_head) == 24, "size of the header");

#endif /* PT_RECFILE_HEAD_H */
