/* SPDX-License-Identifier: MIT */
/*
 * codeobj: the names and the line table of a code object in a target's memory.
 *
 * For what the kernel half could not send: long names, pages that were not
 * there.  The target may be running: an address that held a code object can
 * hold anything a moment later.  So look, read, look again and compare:
 *
 *	codeobj_look(m, layout, code, code_type, &before, err);
 *	codeobj_read_part(m, &before.part[PT_NAME], buf, sizeof(buf), err);
 *	codeobj_look(m, layout, code, code_type, &after, err);
 *	codeobj_same(&before, &after)
 */
#ifndef PT_CODEOBJ_H
#define PT_CODEOBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "pytrace_abi.h"

/* Longest part believed in, in bytes. */
#define CODEOBJ_MAX_PART (16u << 20)

struct codeobj {
	int32_t firstline;
	/*
	 * Each part's state is PT_PART_LONG (it is there, and not read yet),
	 * PT_PART_ABSENT, PT_PART_UNREAD or PT_PART_BAD.
	 */
	struct pt_part_ref part[PT_NR_PARTS];
};

/*
 * Find the parts of the code object at `code`.  `code_type` is where the
 * target has PyCode_Type.  0, a part that cannot be had being a state; or
 * -EBADMSG when what lies there is not a code object, or the error of the
 * read.
 */
int codeobj_look(const struct mem *m, const struct pt_layout *l, uint64_t code,
		 uint64_t code_type, struct codeobj *out, struct err *err)
	PT_MUST_CHECK;

/* Bytes of a part. */
static inline size_t codeobj_part_size(const struct pt_part_ref *ref)
{
	return (size_t)ref->len * ref->kind;
}

/*
 * Its bytes: 0; -ENODATA when the part's state says that there are none;
 * -ENOBUFS when `size` is less than codeobj_part_size(); an error of the read.
 */
int codeobj_read_part(const struct mem *m, const struct pt_part_ref *ref,
		      void *buf, size_t size, struct err *err) PT_MUST_CHECK;

/* Was the same object there at both looks?  The states are not compared. */
bool codeobj_same(const struct codeobj *a, const struct codeobj *b);

#endif /* PT_CODEOBJ_H */
