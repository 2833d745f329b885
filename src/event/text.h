/* SPDX-License-Identifier: MIT */
/*
 * text: a record as a line that people write, both ways.
 *
 *	100 thread pid=7 tid=7 proc=1 comm="python3"
 *	120 syscall pid=7 tid=7 proc=1 nr=39 stack=0x20 dur=90 ret=7
 *
 * Time and type come first, then fields by name in any order; a field that is 0
 * may be left out.  What follows a record's fixed part (strings, frames,
 * arguments) is given by repeated fields, in order.  docs/EVENTS.md has them
 * all.  '#' begins a comment.
 *
 * Line and record say the same: parsing what was written gives the same bytes,
 * but for reserved fields and padding, which become 0.
 */
#ifndef PT_TEXT_H
#define PT_TEXT_H

#include "event/record.h"

/* One line with its newline.  -EIO if the stream refuses it. */
int text_write(FILE *out, const struct pt_hdr *rec) PT_MUST_CHECK;

/*
 * Parse a line (without its newline, NULs are errors).  1 and *rec, which lives
 * in `b` until its next use; 0 for a blank line or a comment; -errno, of kind
 * ERR_INPUT where the line is at fault.
 */
int text_parse(const char *line, size_t len, struct recbuf *b,
	       const struct pt_hdr **rec, struct err *err) PT_MUST_CHECK;

#endif /* PT_TEXT_H */
