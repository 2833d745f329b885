/* SPDX-License-Identifier: MIT */
/*
 * elfnote: every note of a file, once.
 *
 * Notes lie in sections of type SHT_NOTE, in PT_NOTE segments, or in both; what
 * is in both is given once.  A note that overruns its area ends that area.
 *
 *	| owner length | desc length | type | owner, NUL, pad | desc, pad |
 */
#ifndef PT_ELFNOTE_H
#define PT_ELFNOTE_H

#include <stddef.h>
#include <stdint.h>

struct elfimg;

struct elfnote {
	const char *owner;	/* not closed */
	size_t owner_len;	/* without the NUL that it should end with */
	uint32_t type;
	const uint8_t *desc;	/* in the file's byte order */
	size_t desc_len;
};

/*
 * Give each note to `each` until that returns other than 0, which is then the
 * result.  Notes live only during the call.  -EBADMSG, after all that could be
 * read, when some area is cut short or too large; -ENOMEM.
 */
int elfnote_each(const struct elfimg *img,
		 int (*each)(const struct elfnote *note, void *ctx), void *ctx);

#endif /* PT_ELFNOTE_H */
