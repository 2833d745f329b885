/* SPDX-License-Identifier: MIT */
/*
 * memimg: an ELF file put together again from the memory of a process.
 *
 * For one that is in an image layer or a folder that we may not open.  What the
 * loader maps is what pyimage needs: headers, dynamic symbols, code and data.
 * Section headers, notes and debug information are not in memory.
 */
#ifndef PT_MEMIMG_H
#define PT_MEMIMG_H

#include "base/err.h"
#include "base/mem.h"
#include "target/maps.h"

/*
 * A descriptor of such a file: the loaded parts of the file of `m`, at their
 * places, as they were before the loader relocated them as far as that is
 * known.  Not of a file whose dynamic strings do not have `word`: -ENOENT, at
 * little cost.  -ENOEXEC: no 64-bit ELF file of our byte order; -EFBIG; or the
 * error of a read.
 */
int memimg_make(const struct maps *maps, const struct map *m,
		const struct mem *mem, const char *word) PT_MUST_CHECK;

#endif /* PT_MEMIMG_H */
