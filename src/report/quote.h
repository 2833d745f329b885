/* SPDX-License-Identifier: MIT */
/* quote: a string in quotes, safe for a terminal. */
#ifndef PT_QUOTE_H
#define PT_QUOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* `cut`: there was more; "..." stands behind the closing quote, as in strace. */
void quote_put(FILE *out, const char *s, size_t len, bool cut);

#endif /* PT_QUOTE_H */
