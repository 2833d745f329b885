/* SPDX-License-Identifier: MIT */
/* origin: whose code is this?  Judged by the file name of a code object. */
#ifndef PT_ORIGIN_H
#define PT_ORIGIN_H

enum origin {
	ORIGIN_APP,		/* none of the following */
	ORIGIN_STDLIB,		/* under lib/python3.N, or a zip of it */
	ORIGIN_SITE,		/* site-packages, dist-packages */
	ORIGIN_FROZEN,		/* <frozen importlib._bootstrap> and so on */
};

enum origin origin_of(const char *file);

#endif /* PT_ORIGIN_H */
