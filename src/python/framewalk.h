/* SPDX-License-Identifier: MIT */
/*
 * framewalk: the Python stack of a thread that does not run, from outside.
 *
 * What probes/walk.bpf.h does for the current thread, for one that sleeps: its
 * frames cannot move for as long as it does.  That it did is for the caller to
 * show (src/live/asleep.c); of a thread that runs the result is nonsense.
 */
#ifndef PT_FRAMEWALK_H
#define PT_FRAMEWALK_H

#include "base/mem.h"
#include "pytrace_abi.h"

struct framewalk_frame {
	uint64_t code;		/* address of its code object */
	int32_t lasti;		/* as in struct pt_frame */
};

struct framewalk {
	uint32_t nr;
	uint32_t omitted;	/* left out behind the first PT_INNER */
	struct framewalk_frame frames[PT_MAX_FRAMES];	/* innermost first */
};

/*
 * The frames of the thread whose fs_base is `fs`, in a process that has `image`
 * loaded at `bias`.  Whole or not at all: PT_WHY_NONE and the frames, 0 of a
 * thread that runs no Python; or why they are not known.
 */
enum pt_why framewalk(const struct mem *m, const struct pt_image *image,
		      uint64_t bias, uint64_t fs, struct framewalk *out);

#endif /* PT_FRAMEWALK_H */
