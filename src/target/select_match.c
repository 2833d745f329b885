/* SPDX-License-Identifier: MIT */
/* select_match: one value that was asked for against one fact of a process. */
#include "target/select.h"

#include <fnmatch.h>

#include "target/where.h"

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_glob(const char *glob, const char *s)
{
	return !fnmatch(glob, s, 0);
}

/* ---- the program ---------------------------------------------------------- */

/* The kernel says " (deleted)" behind a name that is gone; it may be a name, too. */
bool select_exe(const char *glob, const char *exe)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(exe), tail = sizeof(deleted) - 1;
	char path[4096];

	if (!strchr(glob, '/'))
		exe = last_part(exe);
	if (is_glob(glob, exe))
		return true;
	len = strlen(exe);
	if (len <= tail || len - tail >= sizeof(path) ||
	    strcmp(exe + len - tail, deleted) != 0)
		return false;
	memcpy(path, exe, len - tail);
	path[len - tail] = '\0';
	return is_glob(glob, path);
}

/* ---- the command line ----------------------------------------------------- */

#define ARGS_MAX 4096		/* as much of a command line is looked at */

static bool is_word(const char *glob, const char *word)
{
	return *word && (is_glob(glob, word) || is_glob(glob, last_part(word)));
}

bool select_name(const char *glob, const char *comm, const char *args,
		 size_t len)
{
	char line[ARGS_MAX + 1];

	if (comm && *comm && is_glob(glob, comm))
		return true;
	if (!args || !len)
		return false;
	if (len > ARGS_MAX)
		len = ARGS_MAX;
	memcpy(line, args, len);
	line[len] = '\0';
	for (size_t at = 0; at < len; at += strlen(line + at) + 1)
		if (is_word(glob, line + at))
			return true;
	/* a title that a program wrote for itself ends in many NULs */
	while (len && !line[len - 1])
		len--;
	for (size_t i = 0; i < len; i++)
		if (!line[i])
			line[i] = ' ';
	line[len] = '\0';
	return len && is_glob(glob, line);
}

/* ---- control groups ------------------------------------------------------- */

/* "4:cpu,cpuacct:/a/b": list and path of a line, neither NUL-terminated. */
struct line {
	const char *list, *path;
	size_t list_len, path_len;
};

static bool next_line(const char **at, struct line *out)
{
	while (**at) {
		const char *s = *at, *end = s + strcspn(s, "\n");
		const char *list = memchr(s, ':', (size_t)(end - s)), *path;

		*at = *end ? end + 1 : end;
		if (!list++)
			continue;
		path = memchr(list, ':', (size_t)(end - list));
		if (!path)
			continue;
		*out = (struct line){
			.list = list, .list_len = (size_t)(path - list),
			.path = path + 1, .path_len = (size_t)(end - path - 1),
		};
		return true;
	}
	return false;
}

/* Is the first word of the line's list among those of `words`? */
static bool is_hierarchy(const struct line *l, const char *words)
{
	size_t len;

	for (len = 0; len < l->list_len && l->list[len] != ','; len++)
		;
	if (!len)
		return !*words;
	while (*words) {
		size_t n = strcspn(words, ",");

		if (n == len && !memcmp(words, l->list, len))
			return true;
		words += n + (words[n] == ',');
	}
	return false;
}

bool select_cgroup(const char *path, const char *controllers, const char *text)
{
	size_t len = strlen(path);
	struct line l;

	while (len && path[len - 1] == '/')
		len--;
	while (next_line(&text, &l)) {
		if (controllers && !is_hierarchy(&l, controllers))
			continue;
		if (l.path_len < len || memcmp(l.path, path, len) != 0)
			continue;
		if (l.path_len == len || l.path[len] == '/')
			return true;
	}
	return false;
}

/* ---- units ---------------------------------------------------------------- */

static bool has_suffix(const char *glob)
{
	static const char *const kinds[] = {
		".service", ".scope", ".slice", ".socket", ".mount", ".swap",
	};
	const char *dot = strrchr(glob, '.');

	for (size_t i = 0; dot && i < ARRAY_LEN(kinds); i++)
		if (!strcmp(dot, kinds[i]))
			return true;
	return false;
}

static bool part_is(const char *glob, const char *s, size_t len)
{
	char name[256];

	if (!len || len >= sizeof(name))
		return false;
	memcpy(name, s, len);
	name[len] = '\0';
	return is_glob(glob, name);
}

bool select_unit(const char *glob, const char *text)
{
	char full[512];
	struct line l;

	if (snprintf(full, sizeof(full), "%s%s", glob,
		     has_suffix(glob) ? "" : ".service") >= (int)sizeof(full))
		return false;
	while (next_line(&text, &l)) {
		if (!is_hierarchy(&l, "") && !is_hierarchy(&l, "name=systemd"))
			continue;
		for (size_t at = 0, n; at < l.path_len; at += n + 1) {
			const char *part = l.path + at;
			const char *slash = memchr(part, '/', l.path_len - at);

			n = slash ? (size_t)(slash - part) : l.path_len - at;
			if (part_is(full, part, n))
				return true;
		}
	}
	return false;
}

/* ---- containers ----------------------------------------------------------- */

bool select_container(const char *id, const char *text)
{
	struct where w;

	where_parse(text, &w);
	if (!*w.container || !*id)
		return false;
	if (!strcmp(w.container, id))
		return true;
	/* of a name each part is somebody else's name */
	return strlen(w.container) == 64 &&
	       !strncmp(w.container, id, strlen(id));
}
