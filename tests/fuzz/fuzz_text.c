/* SPDX-License-Identifier: MIT */
/* fuzz_text: any bytes as lines; a line that is a record says so both ways. */
#include <stdint.h>

#include "event/record.h"
#include "event/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Written and read again, it is the same record. */
static void round_trip(const struct pt_hdr *rec)
{
	const struct pt_hdr *back = NULL;
	struct recbuf b = { 0 };
	char *line = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&line, &len);

	if (!out)
		return;
	if (text_write(out, rec) < 0 || fclose(out) || !len)
		abort();
	if (text_parse(line, len - 1, &b, &back, NULL) != 1)
		abort();
	if (back->size != rec->size || memcmp(back, rec, rec->size) != 0)
		abort();
	recbuf_free(&b);
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size;
	struct recbuf b = { 0 };

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl : end) - p);
		const struct pt_hdr *rec = NULL;
		struct err err = { 0 };

		if (text_parse(p, len, &b, &rec, &err) == 1)
			round_trip(rec);
		p += len + 1;
	}
	recbuf_free(&b);
	return 0;
}
