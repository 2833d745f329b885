/* SPDX-License-Identifier: MIT */
/*
 * fuzz_codeobj: a code object and what it points to, in a memory of any bytes.
 *
 * The first byte chooses the version; the rest lies at BASE, where the code
 * object begins.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "python/codeobj.h"
#include "python/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BASE 0x1000

struct bytes {
	struct mem mem;
	const uint8_t *data;
	size_t size;
};

static int read_bytes(const struct mem *m, uint64_t addr, void *buf, size_t len)
{
	const struct bytes *b = (const struct bytes *)m;

	if (addr < BASE || addr - BASE > b->size ||
	    len > b->size - (addr - BASE))
		return -EFAULT;
	memcpy(buf, b->data + (addr - BASE), len);
	return 0;
}

static void check_part(const struct bytes *b, const struct pt_part_ref *ref)
{
	static uint8_t buf[4096];
	size_t size = codeobj_part_size(ref);
	int rc;

	if (ref->state == PT_PART_LONG &&
	    (size > CODEOBJ_MAX_PART ||
	     (ref->kind != 1 && ref->kind != 2 && ref->kind != 4)))
		abort();
	rc = codeobj_read_part(&b->mem, ref, buf, sizeof(buf), NULL);
	if (!rc && ref->state != PT_PART_LONG)
		abort();
	if (rc == -ENOBUFS && size <= sizeof(buf))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bytes b = { { read_bytes }, data + 1, size - 1 };
	const struct pt_layout *l;
	struct codeobj c, again;
	struct err e = { 0 };
	uint64_t type;

	if (size < 17)
		return 0;
	l = layout_for((uint16_t)(LAYOUT_OLDEST + data[0] %
				  (LAYOUT_NEWEST - LAYOUT_OLDEST + 1)));
	if (!l)
		abort();
	memcpy(&type, b.data + l->ob_type, sizeof(type));
	if (codeobj_look(&b.mem, l, BASE, type, &c, &e))
		return 0;
	for (int i = 0; i < PT_NR_PARTS; i++)
		check_part(&b, &c.part[i]);
	if (codeobj_look(&b.mem, l, BASE, type, &again, &e) ||
	    !codeobj_same(&c, &again))
		abort();
	return 0;
}
