/* SPDX-License-Identifier: MIT */
/* pystr: the contents of a str object, as UTF-8. */
#include "python/pystr.h"

#include <stdint.h>
#include <string.h>

#define REPLACEMENT 0xfffd

static uint32_t code_point(const uint8_t *data, unsigned int kind, size_t i)
{
	uint32_t wide;
	uint16_t two;

	if (kind == 1)
		return data[i];
	if (kind == 2) {
		memcpy(&two, data + 2 * i, sizeof(two));
		wide = two;
	} else {
		memcpy(&wide, data + 4 * i, sizeof(wide));
	}
	if (wide > 0x10ffff || (wide >= 0xd800 && wide <= 0xdfff))
		return REPLACEMENT;
	return wide;
}

/* One character into `b`; returns its bytes. */
static size_t encode(char b[4], uint32_t c)
{
	size_t nr = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = nr - 1; i > 0; i--, c >>= 6)
		b[i] = (char)(0x80 | (c & 0x3f));
	b[0] = (char)(lead[nr] | c);
	return nr;
}

size_t pystr_utf8(char *out, size_t size, unsigned int kind, const void *data,
		  size_t len)
{
	size_t at = 0, nr;
	char b[4];

	if (!size)
		return 0;
	if (kind != 1 && kind != 2 && kind != 4)
		len = 0;
	for (size_t i = 0; i < len; i++) {
		nr = encode(b, code_point(data, kind, i));
		if (nr >= size - at)
			break;
		memcpy(out + at, b, nr);
		at += nr;
	}
	out[at] = '\0';
	return at;
}
