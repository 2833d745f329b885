/* SPDX-License-Identifier: MIT */
/*
 * uprobedef: USDT notes as the lines that register them in uprobe_events.
 *
 *	p:sdt_python/gc__done /usr/bin/python3.11:0x000000000002705b(0x67dd50) collected=%r12:s64
 *
 * is the probe's group and event, the file, the offset in it of the probe and of
 * its semaphore, and what is to be put into the event: as the kernel prints it
 * when the file is read (kernel/trace/trace_uprobe.c, trace_uprobe_show()), so
 * that lines can be compared, and one that begins with "-" instead of "p"
 * takes away what that line has made and nothing else.
 *
 * Other lines are comments, for the kernel as well: a keyword behind the '#',
 * then words, all separated by tabs.
 *
 *	#without EVENT FIELD WHY	a field that the event will not have
 *	#skipped EVENT OFFSET WHY	a location that cannot be registered
 *
 * All locations of an event have the same fields there.  Where the notes of one
 * probe differ in them, the later ones are an event of their own, NAME_2.
 */
#ifndef PT_UPROBEDEF_H
#define PT_UPROBEDEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct stapsdt_note;

/* What an argument of a probe is called, and whether it points to a text. */
struct uprobedef_arg {
	const char *name;	/* NULL: it is to be left out */
	bool is_text;
};

struct uprobedef_file {
	const char *path;	/* by which the kernel will find it */
	unsigned int machine;	/* EM_... */
	bool is_64;
	/*
	 * Of argument `i` (from 0) of the note; false: nobody knows, and it is
	 * a number called "arg1".  May be NULL.
	 */
	bool (*arg)(const struct stapsdt_note *note, size_t i,
		    struct uprobedef_arg *out);
};

/*
 * Write the lines of these notes, of which those of one probe stand together.
 * 0, or -ENOMEM.
 */
int uprobedef_put(FILE *out, const struct uprobedef_file *file,
		  const struct stapsdt_note *const *notes, size_t nr,
		  struct err *err) PT_MUST_CHECK;

/*
 * Can a line have this path as it is?  Blanks end a word in uprobe_events (of
 * the bytes, whatever letter they are part of), and '#' begins a comment.
 */
bool uprobedef_takes(const char *path);
/*
 * Write a path as one word: as it is, or if a line cannot have that, with \040
 * for each byte that is no plain letter, digit or mark of ASCII.
 */
void uprobedef_put_path(FILE *out, const char *path);

#endif /* PT_UPROBEDEF_H */
