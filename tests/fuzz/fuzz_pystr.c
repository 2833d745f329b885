/* SPDX-License-Identifier: MIT */
/*
 * fuzz_pystr: contents of any bytes become UTF-8 that fits.
 *
 * The first byte chooses the kind, the second the room; the rest is contents.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "python/pystr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes of the well-formed character at `p` (Unicode, table 3-7), or 0. */
static size_t well_formed(const uint8_t *p, size_t left)
{
	static const struct { uint8_t lo, hi, lo2, hi2, len; } rows[] = {
		{ 0x00, 0x7f, 0, 0, 1 },
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (*p < rows[i].lo || *p > rows[i].hi || rows[i].len > left)
			continue;
		if (rows[i].len > 1 && (p[1] < rows[i].lo2 ||
					p[1] > rows[i].hi2))
			return 0;
		for (size_t k = 2; k < rows[i].len; k++)
			if ((p[k] & 0xc0) != 0x80)
				return 0;
		return rows[i].len;
	}
	return 0;
}

static void check(const char *out, size_t len)
{
	size_t at, n;

	for (at = 0; at < len; at += n) {
		n = well_formed((const uint8_t *)out + at, len - at);
		if (!n)
			abort();
	}
	if (out[len])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned int kinds[] = { 1, 2, 4, 1, 2, 4, 0, 3 };
	unsigned int kind;
	size_t room, whole, len;
	char *out, *all;

	if (size < 2)
		return 0;
	kind = kinds[data[0] % 8];
	room = data[1];
	len = kind ? (size - 2) / kind : 0;
	out = malloc(room + 1);
	all = malloc(PYSTR_ROOM(kind, len));
	if (out && all) {
		whole = pystr_utf8(all, PYSTR_ROOM(kind, len), kind, data + 2,
				   len);
		check(all, whole);
		if (kind != 3 && whole < len)
			abort();	/* a character is a byte at least */
		len = pystr_utf8(out, room, kind, data + 2, len);
		if (room && (len >= room || memcmp(out, all, len)))
			abort();
		if (room)
			check(out, len);
	}
	free(out);
	free(all);
	return 0;
}
