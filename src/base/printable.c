/* SPDX-License-Identifier: MIT */
/* printable: escape and clean bytes that others chose. */
#include "base/printable.h"

#include <stdbool.h>

#include "base/compiler.h"

/* By first byte: how long, and what the second byte must be. */
static const struct {
	uint8_t from, to, len, low, high;
} forms[] = {
	{ 0x00, 0x7f, 1, 0, 0 },
	{ 0xc2, 0xdf, 2, 0x80, 0xbf },
	{ 0xe0, 0xe0, 3, 0xa0, 0xbf },
	{ 0xe1, 0xec, 3, 0x80, 0xbf },
	{ 0xed, 0xed, 3, 0x80, 0x9f },
	{ 0xee, 0xef, 3, 0x80, 0xbf },
	{ 0xf0, 0xf0, 4, 0x90, 0xbf },
	{ 0xf1, 0xf3, 4, 0x80, 0xbf },
	{ 0xf4, 0xf4, 4, 0x80, 0x8f },
};

size_t utf8_char(const char *s, size_t len, uint32_t *c)
{
	static const uint8_t first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const uint8_t *p = (const uint8_t *)s;
	uint32_t v;
	size_t i, k;

	for (i = 0; len && i < ARRAY_LEN(forms); i++)
		if (p[0] >= forms[i].from && p[0] <= forms[i].to)
			break;
	if (!len || i == ARRAY_LEN(forms) || forms[i].len > len)
		return 0;
	v = p[0] & first_bits[forms[i].len];
	for (k = 1; k < forms[i].len; k++) {
		if (p[k] < (k == 1 ? forms[i].low : 0x80) ||
		    p[k] > (k == 1 ? forms[i].high : 0xbf))
			return 0;
		v = v << 6 | (p[k] & 0x3f);
	}
	if (c)
		*c = v;
	return forms[i].len;
}

/* C0, DEL, C1, and what makes a terminal show text in another order. */
static bool acts(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c ||
	       c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static size_t put_hex(FILE *out, const char *s, size_t len)
{
	size_t i;

	for (i = 0; out && i < len; i++)
		fprintf(out, "\\x%02x", (uint8_t)s[i]);
	return 4 * len;
}

size_t printable_put(FILE *out, const char *s, size_t len)
{
	size_t i, n, columns = 0;
	uint32_t c;

	for (i = 0; i < len; i += n ? n : 1) {
		n = utf8_char(s + i, len - i, &c);
		if (!n || acts(c)) {
			columns += put_hex(out, s + i, n ? n : 1);
			continue;
		}
		if (out)
			fwrite(s + i, 1, n, out);
		columns++;
	}
	return columns;
}

char *utf8_clean(const char *s, size_t len, size_t *out_len)
{
	static const char unknown[] = "\xef\xbf\xbd";
	size_t i, n, at = 0;
	char *out;

	if (len > (SIZE_MAX - 1) / 3)
		return NULL;
	out = malloc(3 * len + 1);
	if (!out)
		return NULL;
	for (i = 0; i < len; i += n ? n : 1) {
		n = utf8_char(s + i, len - i, NULL);
		memcpy(out + at, n ? s + i : unknown, n ? n : 3);
		at += n ? n : 3;
	}
	out[at] = '\0';
	*out_len = at;
	return out;
}
