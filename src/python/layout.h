/* SPDX-License-Identifier: MIT */
/*
 * layout: where CPython keeps what a walk of its frames needs.
 *
 * From 3.13 an interpreter says it itself, in the struct _Py_DebugOffsets that
 * begins its _PyRuntime; that is believed, once checked, before the table.
 * For older versions, and for what is not in that struct, there is a row a
 * minor version, made from CPython's headers (layout_rows.h).
 */
#ifndef PT_LAYOUT_H
#define PT_LAYOUT_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "pytrace_abi.h"

/* The oldest and the newest minor version there is a row for. */
#define LAYOUT_OLDEST 0x0306
#define LAYOUT_NEWEST 0x030f

/*
 * What is told of a GIL: conditions and mutexes of struct _gil_runtime_state
 * (pycore_gil.h), 3.7 to 3.15; scripts/gen-layouts checks it.
 */
#define LAYOUT_GIL_BYTES 208

/* The row of a version (0x030b for 3.11), or NULL: not known. */
const struct pt_layout *layout_for(uint16_t version);

/*
 * Read the layout out of the _PyRuntime at `runtime` of a target or of an ELF
 * file's data.  0, or
 *	-ENOENT		there are no debug offsets: an interpreter before 3.13
 *	-ENOTSUP	a version or a kind of build that pytrace does not know,
 *			named in the sentence (ERR_UNSUPPORTED)
 *	-EBADMSG	offsets that cannot be true (ERR_UNSUPPORTED)
 * or the error of the read.  `hex`, if not NULL, gets the PY_VERSION_HEX that
 * was found, after an -ENOTSUP too.  `out` is written on success only.
 */
int layout_from_debug_offsets(const struct mem *m, uint64_t runtime,
			      struct pt_layout *out, uint32_t *hex,
			      struct err *err) PT_MUST_CHECK;

/*
 * Is every number of `l` within what a walk can bear: offsets inside structs
 * of sane size, in order, aligned, not one over the other.  0 or -EBADMSG and
 * the name of the first that is not.
 */
int layout_check(const struct pt_layout *l, struct err *err) PT_MUST_CHECK;

/*
 * The bytes of a code object without its bytecode, and of one unit of that, as
 * PyCode_Type of this version has them (tp_basicsize and tp_itemsize): a
 * build whose code objects are others is not the CPython of the row.
 * 0 or -ENOENT.
 */
int layout_code_sizes(uint16_t version, uint64_t *basic, uint64_t *item)
	PT_MUST_CHECK;

/* "3.15.0b4" of a PY_VERSION_HEX, into `buf`; returns `buf`. */
const char *layout_version_text(uint32_t hex, char *buf, size_t len);

/* Is it a final release: neither alpha, beta nor candidate. */
static inline int layout_is_final(uint32_t hex)
{
	return (hex >> 4 & 0xf) == 0xf;
}

#endif /* PT_LAYOUT_H */
