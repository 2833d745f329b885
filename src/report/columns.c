/* SPDX-License-Identifier: MIT */
/* columns: short texts that must fit a column of a terminal. */
#include "report/columns.h"

#include <stdarg.h>

#include "base/printable.h"

static void append(struct text *t, const char *s, size_t len)
{
	size_t room = sizeof(t->s) - 1 - t->len;

	if (len > room) {
		len = room;
		while (len && ((unsigned char)s[len] & 0xc0) == 0x80)
			len--;		/* not within a character */
	}
	memcpy(t->s + t->len, s, len);
	t->len += len;
	t->s[t->len] = '\0';
}

void text_name(struct text *t, const char *s, size_t len)
{
	char *clean = NULL;
	size_t size = 0;
	FILE *to;

	if (len > sizeof(t->s))
		len = sizeof(t->s);
	to = open_memstream(&clean, &size);
	if (!to)
		return;
	printable_put(to, s, len);
	if (!fclose(to))
		append(t, clean, size);
	free(clean);
}

void text_add(struct text *t, const char *fmt, ...)
{
	char buf[sizeof(t->s)];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n > 0)
		append(t, buf, (size_t)n < sizeof(buf) ? (size_t)n :
						       sizeof(buf) - 1);
}

/* Unicode's East Asian Width W and F, in blocks; marks that combine. */
static const struct {
	uint32_t from, to;
	uint8_t columns;
} widths[] = {
	{ 0x0300, 0x036f, 0 }, { 0x200b, 0x200d, 0 }, { 0x20d0, 0x20ff, 0 },
	{ 0xfe00, 0xfe0f, 0 },
	{ 0x1100, 0x115f, 2 }, { 0x2e80, 0x303e, 2 }, { 0x3041, 0xa4cf, 2 },
	{ 0xac00, 0xd7a3, 2 }, { 0xf900, 0xfaff, 2 }, { 0xfe30, 0xfe6f, 2 },
	{ 0xff00, 0xff60, 2 }, { 0xffe0, 0xffe6, 2 }, { 0x1f300, 0x1f64f, 2 },
	{ 0x1f680, 0x1f6ff, 2 }, { 0x1f900, 0x1f9ff, 2 },
	{ 0x20000, 0x3fffd, 2 },
};

static size_t width_of(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_LEN(widths); i++)
		if (c >= widths[i].from && c <= widths[i].to)
			return widths[i].columns;
	return 1;
}

/* Bytes of the character at `s`, and its columns. */
static size_t step(const char *s, size_t len, size_t *columns)
{
	uint32_t c = 0;
	size_t n = utf8_char(s, len, &c);

	*columns = n ? width_of(c) : 1;
	return n ? n : 1;
}

size_t columns_of(const char *s, size_t len)
{
	size_t sum = 0, columns;

	for (size_t i = 0; i < len; sum += columns)
		i += step(s + i, len - i, &columns);
	return sum;
}

static const char ellipsis[] = "\xe2\x80\xa6";

void text_cut(struct text *t, size_t columns)
{
	size_t sum = 0, i = 0, n, c;

	if (columns_of(t->s, t->len) <= columns || !columns)
		return;
	while (i < t->len) {
		n = step(t->s + i, t->len - i, &c);
		if (sum + c > columns - 1)
			break;
		sum += c;
		i += n;
	}
	t->len = i;
	append(t, ellipsis, sizeof(ellipsis) - 1);
}

void text_cut_start(struct text *t, size_t columns)
{
	struct text cut = { 0 };
	size_t sum = columns_of(t->s, t->len), i = 0, c;

	if (sum <= columns || !columns)
		return;
	while (i < t->len && sum > columns - 1) {
		i += step(t->s + i, t->len - i, &c);
		sum -= c;
	}
	append(&cut, ellipsis, sizeof(ellipsis) - 1);
	append(&cut, t->s + i, t->len - i);
	*t = cut;
}

void text_put(FILE *out, const struct text *t, size_t columns)
{
	size_t is = columns_of(t->s, t->len);

	fwrite(t->s, 1, t->len, out);
	if (is < columns)
		fprintf(out, "%*s", (int)(columns - is), "");
}
