/* SPDX-License-Identifier: MIT */
/* pyversion: which Python an interpreter's file is, as it says itself. */
#ifndef PT_PYVERSION_H
#define PT_PYVERSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct elfimg;

struct pyversion {
	uint32_t hex;		/* PY_VERSION_HEX; 0 unknown */
	char text[48];		/* PY_VERSION: "3.11.2", "3.15.0b4+"; or "" */
	char fork[32];		/* "Cinder", "Pyston"; "": CPython */
};

/*
 * From Py_Version (3.11+), else from the strings that Py_GetVersion() is made
 * of, else, if `search`, from a string that looks like one.
 */
void pyversion_find(struct elfimg *img, bool search, struct pyversion *out);

/*
 * "3.10.5+cinder" to PY_VERSION_HEX; `rest`, if not NULL, gets what follows
 * the version ("+cinder").  0 if it is not the text of a version.
 */
uint32_t pyversion_parse(const char *text, const char **rest);

#endif /* PT_PYVERSION_H */
