/* SPDX-License-Identifier: MIT */
/*
 * pystr: the contents of a str object, as UTF-8.
 *
 * A str is code points of 1, 2 or 4 bytes each (PEP 393).  What UTF-8 cannot
 * say becomes U+FFFD, one for each: surrogates, which Python itself puts where
 * a file name was not valid (PEP 383), and numbers that no character has.
 */
#ifndef PT_PYSTR_H
#define PT_PYSTR_H

#include <stddef.h>

/* Room, closing NUL included, that `len` code points of `kind` cannot exceed. */
#define PYSTR_ROOM(kind, len) \
	((len) * ((kind) == 1 ? 2 : (kind) == 2 ? 3 : 4) + 1)

/*
 * Write the `len` code points of `kind` bytes each at `data`, in this machine's
 * byte order and at any alignment, to the `size` bytes at `out`, closed by a
 * NUL: as many whole characters as fit.  Returns the bytes before that NUL; of
 * a `kind` other than 1, 2 and 4, and of a `size` of 0, nothing.
 * A str may hold NULs: they are written as they are.
 */
size_t pystr_utf8(char *out, size_t size, unsigned int kind, const void *data,
		  size_t len);

#endif /* PT_PYSTR_H */
