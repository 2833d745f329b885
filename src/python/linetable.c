/* SPDX-License-Identifier: MIT */
/*
 * linetable: the line of an instruction, from the table of its code object.
 *
 * The formats are described in CPython's Objects/lnotab_notes.txt (to 3.10)
 * and Objects/locations.md or InternalDocs/code_objects.md (from 3.11).
 */
#include "python/linetable.h"

#include <limits.h>

#include "base/rd.h"

#define NO_LINE (-1)

/* A line that a hostile table has driven out of its range is no line. */
static int to_line(int64_t line)
{
	return line < 0 || line > INT_MAX ? NO_LINE : (int)line;
}

/*
 * To 3.9: pairs of bytes that an address and a line (signed from 3.6) grow
 * by; PyCode_Addr2Line.
 */
static int from_lnotab(struct rd *r, int64_t line, int64_t lasti)
{
	int64_t addr = 0;

	while (rd_left(r) >= 2) {
		addr += rd_u8(r);
		if (addr > lasti)
			break;
		line += (int8_t)rd_u8(r);
	}
	return to_line(line);
}

/*
 * 3.10: pairs of the bytes that a line lasts and of what is added before;
 * -128: these bytes have no line, and the next begin from the one before.
 */
static int from_ranges(struct rd *r, int64_t line, int64_t lasti)
{
	int64_t end = 0;

	while (rd_left(r) >= 2) {
		int8_t delta;

		end += rd_u8(r);
		delta = (int8_t)rd_u8(r);
		if (delta != -128)
			line += delta;
		if (lasti < end)
			return delta == -128 ? NO_LINE : to_line(line);
	}
	return NO_LINE;
}

/* Six bits a byte, least first; bit 6: more follow.  Over 32 bits is bad. */
static uint32_t varint(struct rd *r)
{
	uint32_t v = 0;
	uint8_t byte;

	for (unsigned int shift = 0; shift < 32; shift += 6) {
		byte = rd_u8(r);
		v |= (uint32_t)(byte & 63) << shift;
		if (!(byte & 64))
			return v;
	}
	r->bad = true;
	return 0;
}

static int64_t svarint(struct rd *r)
{
	uint32_t v = varint(r);

	return v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

/* Codes of entries: _PyCodeLocationInfoKind in pycore_code.h. */
enum {
	ONE_LINE0 = 10,
	ONE_LINE2 = 12,
	NO_COLUMNS = 13,
	LONG = 14,
	NONE = 15,
};

/*
 * From 3.11: entries of one byte 1|code(4)|units-1(3) and, by code, the line's
 * growth and columns.  Bytes of columns may have any value: they are skipped
 * by code.
 */
static int from_locations(struct rd *r, int64_t line, int64_t lasti)
{
	int64_t end = 0;

	while (rd_left(r)) {
		uint8_t first = rd_u8(r), code = first >> 3 & 15;

		end += 2 * ((first & 7) + 1);
		if (code == NO_COLUMNS || code == LONG)
			line += svarint(r);
		else if (code >= ONE_LINE0 && code <= ONE_LINE2)
			line += code - ONE_LINE0;
		if (r->bad || !(first & 0x80))
			return NO_LINE;
		if (lasti < end)
			return code == NONE ? NO_LINE : to_line(line);
		if (code == LONG) {
			varint(r);	/* lines, and two columns */
			varint(r);
			varint(r);
		} else if (code < NO_COLUMNS) {
			rd_take(r, code < ONE_LINE0 ? 1 : 2);
		}
	}
	return NO_LINE;
}

int linetable_line(uint16_t version, const uint8_t *table, size_t len,
		   int firstline, int lasti)
{
	struct rd r = rd_over(table, len);

	if (lasti < 0)
		return to_line(firstline);
	if (version < 0x030a)
		return from_lnotab(&r, firstline, lasti);
	if (version == 0x030a)
		return from_ranges(&r, firstline, lasti);
	return from_locations(&r, firstline, lasti);
}
