/* SPDX-License-Identifier: MIT */
/*
 * pysearch: find parts of an interpreter by what they look like.
 *
 * For files whose symbols were taken away, such as a program that libpython.a
 * was linked into and that was stripped.  Each search reads whole segments;
 * ask for symbols first.
 */
#ifndef PT_PYSEARCH_H
#define PT_PYSEARCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct elfimg;

/* The _PyRuntime of 3.13 and later, by its cookie.  0 or -ENOENT. */
int pysearch_runtime(struct elfimg *img, uint64_t *vaddr) PT_MUST_CHECK;

/*
 * PyCode_Type, by its name ("code") and the sizes of its objects
 * (layout_code_sizes).  0 or -ENOENT.
 */
int pysearch_code_type(struct elfimg *img, uint64_t basic, uint64_t item,
		       uint64_t *vaddr) PT_MUST_CHECK;

/*
 * PY_VERSION ("3.11.2"): a string of this form, where there is a PyCode_Type
 * of that version too.  0, or -ENOENT if there is none or more than one.
 */
int pysearch_version(struct elfimg *img, char *text, size_t size)
	PT_MUST_CHECK;

/* What follows `prefix` wherever it is, up to a space, "," or "]". */
int pysearch_word(struct elfimg *img, const char *prefix, char *word,
		  size_t size) PT_MUST_CHECK;

#endif /* PT_PYSEARCH_H */
