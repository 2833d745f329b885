/* SPDX-License-Identifier: MIT */
/*
 * evfield: the fields in the data of an event that was asked for by name.
 *
 * A field is described by one string, in a stream and in between:
 *
 *	"TYPE NAME OFFSET SIZE u"	"char rwbs[10] 34 10 u"
 *	"TYPE NAME OFFSET SIZE s"	"pid_t prev_pid 24 4 s"
 *
 * TYPE NAME is as tracefs spells it.  Both the description and the data may be
 * any bytes.
 */
#ifndef PT_EVFIELD_H
#define PT_EVFIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum evfield_kind {
	EVFIELD_NUMBER,		/* 1, 2, 4 or 8 bytes */
	EVFIELD_POINTER,	/* the same, shown in hex */
	EVFIELD_CHARS,		/* text in a place of fixed size */
	EVFIELD_TEXT,		/* text behind the fixed part */
	EVFIELD_NUMBERS,	/* several of `unit` bytes each */
	EVFIELD_BYTES,		/* anything else */
};

struct evfield {
	const char *name;	/* in the string that was parsed */
	uint16_t name_len;
	uint16_t offset, size;	/* of its place in the fixed part */
	uint8_t kind;		/* enum evfield_kind */
	uint8_t unit;		/* bytes of one number */
	bool is_signed;
	bool is_behind;		/* its place says where it is: __data_loc */
	bool is_relative;	/* ... counted from the end of its place */
};

/* False: no such description. */
bool evfield_parse(const char *text, struct evfield *out) PT_MUST_CHECK;

/*
 * A line of tracefs's `format` as such a string.  False: the line describes no
 * field, or one that all events have (common_...).
 */
bool evfield_from_format(const char *line, char *out, size_t size) PT_MUST_CHECK;

struct evvalue {
	const uint8_t *bytes;	/* of it, in the data; text without its NUL */
	size_t len;
	uint64_t number;	/* NUMBER, POINTER; as signed if it is */
};

/* False: the data do not have it (they were cut, or are not such data). */
bool evfield_value(const struct evfield *f, const uint8_t *data, size_t nr,
		   struct evvalue *out) PT_MUST_CHECK;
/* Number `i` of EVFIELD_NUMBERS, of which there are len / unit. */
uint64_t evfield_number(const struct evfield *f, const struct evvalue *v,
			size_t i);

#endif /* PT_EVFIELD_H */
