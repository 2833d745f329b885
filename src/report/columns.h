/* SPDX-License-Identifier: MIT */
/*
 * columns: short texts that must fit a column of a terminal.
 *
 * What others named is made printable as it is added (base/printable.h), so
 * that a text can be measured, cut and padded without acting.
 */
#ifndef PT_COLUMNS_H
#define PT_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct text {			/* begin with { 0 } */
	char s[480];
	size_t len;
};

/* A name that others chose; at most what there is room for. */
void text_name(struct text *t, const char *s, size_t len);
/* Our own words. */
void text_add(struct text *t, const char *fmt, ...) PT_PRINTF(2, 3);

/* Columns: two for East Asian wide characters, none for combining ones. */
size_t columns_of(const char *s, size_t len);
/* Cut at the end, or at the start, to at most so many; an ellipsis says so. */
void text_cut(struct text *t, size_t columns);
void text_cut_start(struct text *t, size_t columns);
/* The text, and blanks up to so many columns. */
void text_put(FILE *out, const struct text *t, size_t columns);

#endif /* PT_COLUMNS_H */
