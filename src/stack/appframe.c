/* SPDX-License-Identifier: MIT */
/* appframe: which frame of a stack is the application's. */
#include "stack/appframe.h"

#include <string.h>

#include "stack/pattern.h"

/* "/usr/bin/gunicorn": what an installer makes to start a library. */
static bool is_start_script(const struct frame *f)
{
	const char *slash = f->file ? strrchr(f->file, '/') : NULL;

	return slash && slash - f->file >= 4 && !memcmp(slash - 4, "/bin", 4) &&
	       f->func && !strcmp(f->func, "<module>");
}

bool app_is(struct app_rule *rule, const struct frame *frame)
{
	bool is = false;

	if (!rule->nr)
		return frame->origin == ORIGIN_APP && !is_start_script(frame);
	for (size_t i = 0; frame->file && i < rule->nr; i++) {
		if (!pattern_file_matches(rule->glob[i], frame->file))
			continue;
		if (i < 64)
			rule->matched |= UINT64_C(1) << i;
		is = true;
	}
	return is;
}

/* How threads and modules are started says nothing of what they do. */
static bool is_beginning(const struct frame *f)
{
	return f->origin == ORIGIN_FROZEN || is_start_script(f) ||
	       (f->origin == ORIGIN_STDLIB && f->file &&
		pattern_file_matches("threading.py", f->file));
}

uint32_t app_frame(struct app_rule *rule, const struct pystack *st)
{
	for (uint32_t i = 0; i < st->nr; i++)
		if (app_is(rule, &st->frames[i]))
			return i;
	for (uint32_t i = st->nr; i-- > 0;)
		if (st->frames[i].origin == ORIGIN_SITE)
			return i;
	for (uint32_t i = st->nr; i-- > 0;)
		if (!is_beginning(&st->frames[i]))
			return i;
	return st->nr - 1;
}
