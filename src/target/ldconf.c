/* SPDX-License-Identifier: MIT */
/* ldconf: the folders that /etc/ld.so.conf and what it includes name. */
#include "target/ldconf.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <unistd.h>

#define MAX_BYTES	(64U << 10)	/* of one file */
#define MAX_DEPTH	4		/* of includes */
#define MAX_FILES	256

struct conf {
	const struct root *root;
	char *dirs;
	size_t len;
	unsigned int files;
};

static int add_dir(struct conf *c, const char *dir)
{
	size_t len = strlen(dir);
	char *more = realloc(c->dirs, c->len + len + 2);

	if (!more)
		return -ENOMEM;
	c->dirs = more;
	if (c->len)
		c->dirs[c->len++] = ':';
	memcpy(c->dirs + c->len, dir, len + 1);
	c->len += len;
	return 0;
}

static int read_file(struct conf *c, const char *path, unsigned int depth);

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* "include ld.so.conf.d/" "*.conf": a pattern in the last part only. */
static int include(struct conf *c, const char *pattern, unsigned int depth)
{
	const char *etc = *pattern == '/' ? "" : "/etc/";
	const char *slash = strrchr(pattern, '/');
	int len = slash ? (int)(slash - pattern) : 0;
	const char *last = slash ? slash + 1 : pattern;
	char dir[PATH_MAX], path[2 * PATH_MAX];
	struct dirent **names;
	int fd, nr, i, rc = 0;

	if ((size_t)len >= sizeof(dir) - sizeof("/etc/"))
		return 0;
	snprintf(dir, sizeof(dir), "%s%.*s", etc, len, pattern);
	fd = root_open_dir(c->root, dir);
	if (fd < 0)
		return 0;
	nr = scandirat(fd, ".", &names, NULL, by_name);
	close(fd);
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
		if (!rc && !fnmatch(last, names[i]->d_name, FNM_PERIOD))
			rc = read_file(c, path, depth + 1);
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
	return rc;
}

static int take_line(struct conf *c, char *line, unsigned int depth)
{
	static const char blanks[] = " \t\r";
	char *end;

	line[strcspn(line, "#")] = '\0';
	line += strspn(line, blanks);
	end = line + strlen(line);
	while (end > line && strchr(blanks, end[-1]))
		*--end = '\0';
	if (!strncmp(line, "include", 7) && line[7] && strchr(blanks, line[7]))
		return include(c, line + 7 + strspn(line + 7, blanks), depth);
	/* "hwcap ..." and relative names mean nothing (any more). */
	return *line == '/' ? add_dir(c, line) : 0;
}

static int read_file(struct conf *c, const char *path, unsigned int depth)
{
	char *text, *line, *next;
	ssize_t n;
	int fd, rc = 0;

	if (depth > MAX_DEPTH || c->files++ >= MAX_FILES)
		return 0;
	fd = root_open_file(c->root, path);
	if (fd < 0)
		return 0;
	text = malloc(MAX_BYTES + 1);
	n = text ? read(fd, text, MAX_BYTES) : -1;
	close(fd);
	if (!text)
		return -ENOMEM;
	text[n > 0 ? n : 0] = '\0';
	for (line = text; line && !rc; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		rc = take_line(c, line, depth);
	}
	free(text);
	return rc;
}

char *ldconf_read(const struct root *root)
{
	struct conf c = { .root = root, .dirs = calloc(1, 1) };

	if (c.dirs && read_file(&c, "/etc/ld.so.conf", 0) < 0) {
		free(c.dirs);
		return NULL;
	}
	return c.dirs;
}
