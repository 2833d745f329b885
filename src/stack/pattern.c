/* SPDX-License-Identifier: MIT */
/* pattern: a function or a file, as -F names it. */
#include "stack/pattern.h"

#include <fnmatch.h>
#include <string.h>

static bool names_a_file(const char *s)
{
	size_t len = strlen(s);

	return strchr(s, '/') || (len > 3 && !strcmp(s + len - 3, ".py"));
}

/* What is behind the last ':' is the function. */
void pattern_split(struct pattern *p, char *text)
{
	char *colon = strrchr(text, ':');

	*p = (struct pattern){ 0 };
	if (colon) {
		*colon = '\0';
		p->func = colon[1] ? colon + 1 : NULL;
		p->file = *text ? text : NULL;
	} else if (names_a_file(text)) {
		p->file = text;
	} else {
		p->func = text;
	}
}

/* The whole, or what follows one of its separators. */
static bool matches_from(const char *glob, const char *s, char separator)
{
	const char *p;

	if (!fnmatch(glob, s, 0))
		return true;
	for (p = strchr(s, separator); p; p = strchr(p + 1, separator))
		if (!fnmatch(glob, p + 1, 0))
			return true;
	return false;
}

bool pattern_file_matches(const char *glob, const char *file)
{
	return matches_from(glob, file, '/');
}

bool pattern_matches(const struct pattern *p, const struct frame *frame)
{
	if (p->file && (!frame->file || !pattern_file_matches(p->file, frame->file)))
		return false;
	return !p->func ||
	       (frame->func && matches_from(p->func, frame->func, '.'));
}
