/* SPDX-License-Identifier: MIT */
/*
 * fuzz_synth: ELF files of any bytes: refused with a reason, or sites that are
 * in the file, decoded and in order.  The first byte says which version.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>

#include "elf/elfimg.h"
#include "python/synth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct elfimg *img, const struct synth *s)
{
	uint8_t bytes[SYNTH_MAX_INSN];
	char text[96];

	if (!s->nr || s->nr > SYNTH_MAX_SITES)
		abort();
	for (size_t i = 0; i < s->nr; i++) {
		const struct synth_site *site = &s->sites[i];

		if (!site->len || site->len > SYNTH_MAX_INSN ||
		    elfimg_bytes(img, site->offset, bytes, site->len) < 0 ||
		    (i && site->kind < s->sites[i - 1].kind) ||
		    *synth_insn_text(site, text, sizeof(text)) == '?')
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elfimg *img = NULL;
	struct err e = { 0 };
	struct synth s;

	if (!size ||
	    elfimg_open_bytes(&img, data + 1, size - 1, "fuzz", &e) < 0)
		return 0;
	if (!synth_find(&s, img, (uint16_t)(0x0300 + data[0] % 20), &e))
		check(img, &s);
	else if (!*e.text)
		abort();
	elfimg_close(img);
	return 0;
}
