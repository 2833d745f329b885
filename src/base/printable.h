/* SPDX-License-Identifier: MIT */
/*
 * printable: names of others, made fit for a terminal and for JSON.
 *
 * Names of probes, functions, files and threads are bytes that a hostile
 * target chose.  On a terminal a control byte or an escape must not act, and
 * JSON must be valid UTF-8.
 */
#ifndef PT_PRINTABLE_H
#define PT_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Bytes of the well-formed UTF-8 character at `s` (Unicode, table 3-7: no
 * surrogates, nothing overlong), at most `len`; 0 when there is none.  The
 * character goes to `*c`, which may be NULL.
 */
size_t utf8_char(const char *s, size_t len, uint32_t *c);

/*
 * Print `len` bytes: control characters, marks that turn the direction of text,
 * and bytes that are not UTF-8 as \x1b.  Returns how many columns that took,
 * counting one for each character.  `out` may be NULL, to measure.
 */
size_t printable_put(FILE *out, const char *s, size_t len);

/*
 * A copy with U+FFFD for each byte that is not UTF-8, closed; `*out_len` is its
 * length.  To be freed; NULL when out of memory.
 */
char *utf8_clean(const char *s, size_t len, size_t *out_len);

#endif /* PT_PRINTABLE_H */
