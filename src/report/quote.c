/* SPDX-License-Identifier: MIT */
/* quote: a string in quotes, safe for a terminal. */
#include "report/quote.h"

#include "base/printable.h"

void quote_put(FILE *out, const char *s, size_t len, bool cut)
{
	size_t from = 0;

	putc('"', out);
	for (size_t i = 0; i < len; i++) {
		if (s[i] != '"' && s[i] != '\\')
			continue;
		printable_put(out, s + from, i - from);
		fprintf(out, "\\%c", s[i]);
		from = i + 1;
	}
	printable_put(out, s + from, len - from);
	fputs(cut ? "\"..." : "\"", out);
}
