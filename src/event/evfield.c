/* SPDX-License-Identifier: MIT */
/* evfield: the fields in the data of an event that was asked for by name. */
#include "event/evfield.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "event/text_value.h"

/* ---- descriptions ------------------------------------------------------- */

static bool has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The last word of `text`, which ends at *end; *end is moved before it. */
static const char *last_word(const char *text, const char **end)
{
	const char *p = *end;

	while (p > text && p[-1] != ' ')
		p--;
	if (p == text || p == *end)
		return NULL;
	*end = p - 1;
	return p;
}

static bool parse_number(const char *p, const char *end, uint16_t *out)
{
	uint32_t v = 0;

	if (p >= end)
		return false;
	for (; p < end; p++) {
		if (*p < '0' || *p > '9')
			return false;
		v = v * 10 + (uint32_t)(*p - '0');
		if (v > UINT16_MAX)
			return false;
	}
	*out = (uint16_t)v;
	return true;
}

static bool is_unit(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool contains(const char *p, const char *end, const char *word)
{
	return memmem(p, (size_t)(end - p), word, strlen(word)) != NULL;
}

/* Is it the text of plain char, not of "unsigned char"? */
static bool is_char(const char *decl)
{
	return has_prefix(decl, "char") && !is_name(decl[4]);
}

/* How many elements "x[10]" says to have; 0: it does not say. */
static uint16_t elements(const char *from, const char *end)
{
	const char *open = memchr(from, '[', (size_t)(end - from));
	uint16_t n = 0;

	if (!open || end[-1] != ']' || !parse_number(open + 1, end - 1, &n))
		return 0;
	return n;
}

/* The kind of what stands in the fixed part. */
static void set_kind(struct evfield *f, const char *decl, const char *end)
{
	bool array = contains(decl, end, "[");
	uint16_t n = array ? elements(decl, end) : 0;

	f->unit = is_unit(f->size) ? (uint8_t)f->size : 0;
	if (!array && f->unit)
		f->kind = contains(decl, end, "*") ? EVFIELD_POINTER :
						     EVFIELD_NUMBER;
	else if (array && is_char(decl))
		f->kind = EVFIELD_CHARS;
	else if (n && f->size % n == 0 && is_unit(f->size / n)) {
		f->kind = EVFIELD_NUMBERS;
		f->unit = (uint8_t)(f->size / n);
	} else {
		f->kind = EVFIELD_BYTES;
	}
}

/* "char[] cmd", and what stands before it says where it is. */
static void set_behind(struct evfield *f, const char *decl)
{
	f->is_behind = true;
	f->kind = is_char(decl) ? EVFIELD_TEXT : EVFIELD_BYTES;
}

static bool set_name(struct evfield *f, const char *decl, const char *end)
{
	const char *open = memchr(decl, '[', (size_t)(end - decl));
	const char *p;

	/* "char rwbs[10]", but "char[] cmd" */
	if (open && end[-1] == ']')
		end = open;
	for (p = end; p > decl && is_name(p[-1]); p--)
		;
	f->name = p;
	f->name_len = (uint16_t)(end - p);
	return p < end && p > decl && end - p < 256;
}

bool evfield_parse(const char *text, struct evfield *out)
{
	const char *end = text + strlen(text);
	const char *sign_end = end, *size_end, *offset_end;
	const char *sign = last_word(text, &end), *size, *offset;

	memset(out, 0, sizeof(*out));
	size_end = end;
	size = sign ? last_word(text, &end) : NULL;
	offset_end = end;
	offset = size ? last_word(text, &end) : NULL;
	if (!offset || sign_end - sign != 1 || (*sign != 's' && *sign != 'u') ||
	    !parse_number(size, size_end, &out->size) ||
	    !parse_number(offset, offset_end, &out->offset) ||
	    !set_name(out, text, end))
		return false;
	out->is_signed = *sign == 's';
	out->is_relative = has_prefix(text, "__rel_loc ");
	if (out->is_relative)
		set_behind(out, text + strlen("__rel_loc "));
	else if (has_prefix(text, "__data_loc "))
		set_behind(out, text + strlen("__data_loc "));
	else
		set_kind(out, has_prefix(text, "const ") ? text + 6 : text,
			 end);
	return !out->is_behind || out->size == 4;
}

bool evfield_from_format(const char *line, char *out, size_t size)
{
	unsigned int offset, bytes, is_signed;
	const char *decl = strstr(line, "field:"), *semi;
	int n;

	semi = decl ? strchr(decl, ';') : NULL;
	if (!semi || sscanf(semi, "; offset:%u; size:%u; signed:%u;", &offset,
			    &bytes, &is_signed) != 3)
		return false;
	decl += strlen("field:");
	if (contains(decl, semi, " common_"))
		return false;
	n = snprintf(out, size, "%.*s %u %u %c", (int)(semi - decl), decl,
		     offset, bytes, is_signed ? 's' : 'u');
	return n > 0 && (size_t)n < size;
}

/* ---- values ------------------------------------------------------------- */

/* Where the place says that it is: length << 16 | offset. */
static bool follow(const struct evfield *f, const uint8_t *data, size_t nr,
		   struct evvalue *out)
{
	uint32_t word = (uint32_t)value_get(data + f->offset, 4);
	size_t at = word & 0xffff, len = word >> 16;

	if (f->is_relative)
		at += f->offset + 4u;
	if (at > nr || len > nr - at)
		return false;
	out->bytes = data + at;
	out->len = len;
	return true;
}

bool evfield_value(const struct evfield *f, const uint8_t *data, size_t nr,
		   struct evvalue *out)
{
	memset(out, 0, sizeof(*out));
	if (f->offset > nr || f->size > nr - f->offset)
		return false;
	out->bytes = data + f->offset;
	out->len = f->size;
	if (f->is_behind && !follow(f, data, nr, out))
		return false;
	if (f->kind == EVFIELD_CHARS || f->kind == EVFIELD_TEXT)
		out->len = strnlen((const char *)out->bytes, out->len);
	if (f->kind == EVFIELD_NUMBER || f->kind == EVFIELD_POINTER)
		out->number = evfield_number(f, out, 0);
	return true;
}

uint64_t evfield_number(const struct evfield *f, const struct evvalue *v,
			size_t i)
{
	const uint8_t *at = v->bytes + i * f->unit;

	if (!f->unit || f->unit > v->len || i > v->len / f->unit - 1)
		return 0;
	return f->is_signed ? (uint64_t)value_signed(at, f->unit) :
			      value_get(at, f->unit);
}
