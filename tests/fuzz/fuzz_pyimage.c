/* SPDX-License-Identifier: MIT */
/*
 * fuzz_pyimage: ELF files of any bytes: no interpreter, one that is refused
 * with a reason, or one with a layout that can be borne.
 */
#include <stdint.h>
#include <stdlib.h>

#include "elf/elfimg.h"
#include "python/layout.h"
#include "python/pyimage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elfimg *img = NULL;
	struct pyimage p;
	struct err e = { 0 };

	if (elfimg_open_bytes(&img, data, size, "fuzz", &e) < 0)
		return 0;
	if (pyimage_find(img, &p, &e) < 0) {
		if (!*e.text)
			abort();
	} else if (!p.walk) {
		if (!*p.why || !*p.hint)
			abort();
	} else if (layout_check(&p.image.layout, &e) || !p.image.code_type) {
		abort();
	}
	elfimg_close(img);
	return 0;
}
