/* SPDX-License-Identifier: MIT */
/*
 * linetable_stream: read what tests/live/dump_linetables.py writes, the tables
 * of code objects and the line of each instruction as Python says it, and
 * hold linetable_line() against it.
 *
 * A stream, in host order: u32 version; then for each code object u32 bytes
 * of the table, i32 first line, u32 runs, the table, and a run of
 * instructions after the other: u32 instructions, i32 line (-1: none).
 */
#ifndef PT_LINETABLE_STREAM_H
#define PT_LINETABLE_STREAM_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "python/linetable.h"

struct linetable_counts {
	uint16_t version;
	unsigned long codes, instructions, without_line, different;
	int damaged;
};

static int stream_get(FILE *f, void *to, size_t len)
{
	return fread(to, 1, len, f) == len;
}

static void stream_run(struct linetable_counts *c, const uint8_t *table,
		       size_t len, int first, int *lasti, uint32_t nr,
		       int expected)
{
	for (; nr; nr--, *lasti += 2) {
		int line = linetable_line(c->version, table, len, first,
					  *lasti);

		c->instructions++;
		c->without_line += expected == -1;
		if (line == expected)
			continue;
		if (c->different++ < 10)
			fprintf(stderr, "%#x code %lu lasti %d: line %d, "
				"not %d\n", c->version, c->codes, *lasti, line,
				expected);
	}
}

static int stream_code(FILE *f, struct linetable_counts *c, uint8_t *table,
		       size_t room)
{
	struct { uint32_t len; int32_t first; uint32_t runs; } head;
	struct { uint32_t nr; int32_t line; } run;
	int lasti = 0;

	if (!stream_get(f, &head, sizeof(head)))
		return 0;
	c->damaged = head.len > room || !stream_get(f, table, head.len);
	for (; head.runs && !c->damaged; head.runs--) {
		c->damaged = !stream_get(f, &run, sizeof(run)) ||
			     run.nr > 1u << 24;
		if (!c->damaged)
			stream_run(c, table, head.len, head.first, &lasti,
				   run.nr, run.line);
	}
	c->codes++;
	return !c->damaged;
}

static void linetable_stream(FILE *f, struct linetable_counts *c)
{
	enum { ROOM = 16 << 20 };
	uint8_t *table = malloc(ROOM);
	uint32_t version = 0;

	*c = (struct linetable_counts){ .damaged = 1 };
	if (table && stream_get(f, &version, sizeof(version))) {
		c->damaged = 0;
		c->version = (uint16_t)version;
		while (stream_code(f, c, table, ROOM))
			;
	}
	free(table);
}

#endif /* PT_LINETABLE_STREAM_H */
