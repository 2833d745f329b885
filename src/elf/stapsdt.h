/* SPDX-License-Identifier: MIT */
/*
 * stapsdt: the USDT probes of a file, from its .note.stapsdt notes.
 *
 * A note (owner "stapsdt", type 3) has three addresses of the file's class and
 * byte order, then three strings, each closed by a NUL:
 *
 *	| location | base | semaphore | provider | name | arguments |
 *
 * The notes are not relocated when prelink moves a file, so `base` is where
 * .stapsdt.base was at link time: what that section has moved by, location and
 * semaphore have moved by too.  A file without that section has not moved.
 *
 * One provider and name may have many locations, each with arguments and a
 * semaphore of its own: there is one struct for each note, in file order.
 */
#ifndef PT_STAPSDT_H
#define PT_STAPSDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct elfimg;

struct stapsdt_note {
	const char *provider;	/* as found: may hold any byte but NUL */
	const char *name;
	const char *args;	/* "-4@%edi 8@8(%rsp)"; see sdtarg */
	uint64_t location;	/* vaddr of the probe's nop, adjusted */
	uint64_t base;		/* as found, 0 in some files */
	uint64_t semaphore;	/* vaddr, adjusted; 0: it has none */
	bool has_offset;	/* location lies in code of this file */
	uint64_t offset;	/* of the location in the file */
	bool has_sem_offset;	/* semaphore lies in writable bytes of it */
	uint64_t sem_offset;
};

struct stapsdt {
	struct stapsdt_note *notes;
	size_t nr;
	size_t nr_bad;		/* of that owner, but damaged: left out */
	bool is_partial;	/* some area of notes could not be read */
	char *strings;		/* what the notes point to */
};

/*
 * Read all notes of `img` into `out`, which is to be given to stapsdt_fini()
 * and does not need `img` any more.  A file without any is fine.  0 or -ENOMEM.
 */
int stapsdt_init(struct stapsdt *out, const struct elfimg *img,
		 struct err *err) PT_MUST_CHECK;
void stapsdt_fini(struct stapsdt *s);

#endif /* PT_STAPSDT_H */
