/* SPDX-License-Identifier: MIT */
/* text_fields: which fields a record has, by name, and how each is spelled. */
#ifndef PT_TEXT_FIELDS_H
#define PT_TEXT_FIELDS_H

#include <stddef.h>
#include <stdint.h>

enum field_style {
	STYLE_DEC,		/* unsigned */
	STYLE_SIGNED,
	STYLE_HEX,
	STYLE_VERSION,		/* 3.11 */
	STYLE_WORD,		/* a name, or a number that has none */
	STYLE_CHARS,		/* quoted, up to the last byte that is not 0 */
	STYLE_WORDS6,		/* six numbers with commas, zeros at the end cut */
	STYLE_REF,		/* struct pt_part_ref: state,len,kind,ascii,addr */
};

/* Names of the values 0, 1, 2...; NULL where one has no name. */
struct field_words {
	const char *const *name;
	size_t nr;
};

struct field {
	const char *name;	/* NULL ends a list */
	uint16_t offset;
	uint8_t size;
	uint8_t style;		/* enum field_style */
	const struct field_words *words;
};

extern const struct field fields_of_header[];

/* Of the fixed part behind the header; for a type that record_type() knows. */
const struct field *fields_of(uint16_t type);

/* Names of the strings of a record; the last one's is used for all others. */
const char *const *fields_strings(uint16_t type, uint32_t flags);

extern const struct field_words words_arg_kind;

#endif /* PT_TEXT_FIELDS_H */
