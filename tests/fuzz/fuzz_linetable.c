/* SPDX-License-Identifier: MIT */
/*
 * fuzz_linetable: tables of any bytes, in each version's format.
 *
 * The first byte chooses the version, four the first line, two the
 * instruction; the rest is the table.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "python/linetable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct { int32_t first; int16_t lasti; } head;
	uint16_t version;
	int line, near;

	if (size < 7)
		return 0;
	version = (uint16_t)(0x0306 + data[0] % 10);
	memcpy(&head.first, data + 1, 4);
	memcpy(&head.lasti, data + 5, 2);
	line = linetable_line(version, data + 7, size - 7, head.first,
			      head.lasti);
	if (line < -1)
		abort();
	/* both bytes of an instruction lie in the same range */
	near = linetable_line(version, data + 7, size - 7, head.first,
			      head.lasti | 1);
	if (version >= 0x030b && head.lasti >= 0 && line != near)
		abort();
	return 0;
}
