/* SPDX-License-Identifier: MIT */
/*
 * pyimage: is this file a Python interpreter, and can its frames be walked?
 *
 * By what is in the file, never by its name: an executable or a shared library
 * may be renamed, embedded in another program, stripped.
 */
#ifndef PT_PYIMAGE_H
#define PT_PYIMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "pytrace_abi.h"

struct elfimg;

enum pyimage_kind {
	PYIMAGE_CPYTHON,
	PYIMAGE_DEBUG,		/* Py_DEBUG: other structs, counted references */
	PYIMAGE_FREE_THREADED,
	PYIMAGE_FORK,		/* Cinder, Pyston and the like */
	PYIMAGE_PYPY,
};

struct pyimage {
	enum pyimage_kind kind;
	uint16_t version;	/* 0x030b; 0 unknown (PyPy) */
	uint32_t hex;		/* PY_VERSION_HEX; 0 unknown */
	char text[48];		/* "3.11.2", PyPy's "7.3.11"; "" unknown */
	/*
	 * Can the frames be walked?  If so, `image` is complete but for `init`,
	 * which is 0 in a file without symbols.  If not, `why` is a sentence
	 * and `hint` says what to do instead.
	 */
	bool walk;
	char why[256];
	char hint[256];
	struct pt_image image;
};

/*
 * 0 and `out`; or -ENOENT (ERR_NOT_PYTHON) when there is no interpreter in the
 * file (which may still use one in a library: the hint names it).
 */
int pyimage_find(struct elfimg *img, struct pyimage *out, struct err *err)
	PT_MUST_CHECK;

/* "CPython 3.11.2", "CPython 3.14.0 (free-threaded)", "PyPy 7.3.11". */
const char *pyimage_describe(const struct pyimage *p, char *buf, size_t size);

/*
 * What a CPython of `version` really does with a USDT probe that its file
 * has, as words to print after the probe's name; NULL if it is not a probe
 * that CPython is known to have.
 */
const char *pyimage_probe_verdict(uint16_t version, const char *provider,
				  const char *name);

/* Do function__entry and function__return of this version tell of every call? */
bool pyimage_probes_tell_calls(uint16_t version);

struct uprobedef_arg;
struct stapsdt_note;

/*
 * What argument `i` (from 0) of a probe of CPython is, the same in all versions,
 * without a name where it is of no use outside; false: not known.  For
 * uprobedef.h.
 */
bool pyimage_probe_arg(const struct stapsdt_note *note, size_t i,
		       struct uprobedef_arg *out);

#endif /* PT_PYIMAGE_H */
