/* SPDX-License-Identifier: MIT */
/*
 * check_linetables: hold linetable_line() against a stream on standard input.
 * Prints "CODES INSTRUCTIONS WITHOUT-LINE DIFFERENT"; exits 1 on a difference.
 */
#include "linetable_stream.h"

int main(void)
{
	struct linetable_counts c;

	linetable_stream(stdin, &c);
	printf("%lu %lu %lu %lu\n", c.codes, c.instructions, c.without_line,
	       c.different);
	if (c.damaged)
		fputs("check_linetables: the stream is damaged\n", stderr);
	return c.damaged || c.different;
}
