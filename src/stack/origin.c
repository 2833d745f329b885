/* SPDX-License-Identifier: MIT */
/* origin: whose code is this?  Judged by the file name of a code object. */
#include "stack/origin.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/*
 * "/lib/python3.11/os.py", "/lib64/python3.13t/os.py", "/lib/python311.zip/os.py":
 * what sysconfig calls stdlib and platstdlib, wherever the prefix is.
 */
static bool in_stdlib(const char *file)
{
	static const char dir[] = "/python3";
	const char *p = file;

	while ((p = strstr(p, dir))) {
		bool in_lib = (p - file >= 4 && !memcmp(p - 4, "/lib", 4)) ||
			      (p - file >= 6 && !memcmp(p - 6, "/lib64", 6));

		p += sizeof(dir) - 1;
		if (*p == '.')
			p++;
		if (!in_lib || !isdigit((unsigned char)*p))
			continue;
		while (isdigit((unsigned char)*p))
			p++;
		if (*p == 't')		/* free-threaded */
			p++;
		if (*p == '/' || !strncmp(p, ".zip/", 5))
			return true;
	}
	return false;
}

enum origin origin_of(const char *file)
{
	if (!strncmp(file, "<frozen ", 8))
		return ORIGIN_FROZEN;
	if (strstr(file, "/site-packages/") || strstr(file, "/dist-packages/"))
		return ORIGIN_SITE;
	return in_stdlib(file) ? ORIGIN_STDLIB : ORIGIN_APP;
}
