/* SPDX-License-Identifier: MIT */
/*
 * show_synth: what synth_find() makes of FILE as Python MAJOR.MINOR, a site a
 * line.  For tests/live, and for looking at what a new interpreter has.
 *
 * usage: show_synth MINOR FILE
 */
#include <inttypes.h>
#include <stdio.h>

#include "elf/elfimg.h"
#include "python/synth.h"

static void show(const struct synth_site *s)
{
	printf("%-9s op %3u  %#" PRIx64 " at %#" PRIx64 "  frame %s%+d  %s",
	       synth_kind_name(s->kind), s->opcode, s->vaddr, s->offset,
	       synth_reg_name(s->frame_reg), s->frame_at,
	       s->emulated ? "emulated" : "STEPPED");
	if (s->cond != SYNTH_ALWAYS)
		printf("  if %u", s->cond);
	printf("  ");
	for (int i = 0; i < s->len; i++)
		printf("%02x", s->bytes[i]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct elfimg *img = NULL;
	struct err e = { 0 };
	struct synth s;
	int rc;

	if (argc != 3)
		return 2;
	rc = elfimg_open(&img, argv[2], &e);
	if (!rc)
		rc = synth_find(&s, img, (uint16_t)(0x300 + atoi(argv[1])), &e);
	if (rc < 0) {
		printf("refused: %s\n", e.text);
	} else {
		printf("method %d, table %#" PRIx64 ", %zu sites, %zu "
		       "stepped\n", s.method, s.table, s.nr, s.nr_stepped);
		for (size_t i = 0; i < s.nr; i++)
			show(&s.sites[i]);
		for (size_t i = 0; i < s.nr_jit; i++)
			show(&s.jit[i]);
	}
	elfimg_close(img);
	return rc < 0;
}
