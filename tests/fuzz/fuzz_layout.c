/* SPDX-License-Identifier: MIT */
/* fuzz_layout: debug offsets of any bytes: refused, or such as can be borne. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "python/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RUNTIME 0x1000

struct bytes {
	struct mem mem;
	const uint8_t *data;
	size_t size;
};

static int read_bytes(const struct mem *m, uint64_t addr, void *buf, size_t len)
{
	const struct bytes *b = (const struct bytes *)m;

	if (addr < RUNTIME || addr - RUNTIME > b->size ||
	    len > b->size - (addr - RUNTIME))
		return -EFAULT;
	memcpy(buf, b->data + (addr - RUNTIME), len);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bytes b = { { read_bytes }, data, size };
	struct pt_layout l;
	struct err e = { 0 };
	int rc = layout_from_debug_offsets(&b.mem, RUNTIME, &l, NULL, &e);

	if (rc && !*e.text)
		abort();
	if (!rc && (layout_check(&l, &e) || l.fr_size > 256 ||
		    l.fr_size < 25 || l.version < 0x030d))
		abort();
	return 0;
}
