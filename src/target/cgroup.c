/* SPDX-License-Identifier: MIT */
/* cgroup: what a control group says of its CPU quota and of memory.high. */
#include "target/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_INFO ((size_t)16 << 20)

/* ---- where they are mounted ---------------------------------------------- */

/* The word that begins at `s`; it may not need to be unescaped. */
static char *word(const char *s)
{
	size_t len = strcspn(s, " \n");

	return memchr(s, '\\', len) ? NULL : strndup(s, len);
}

static const char *next_word(const char *s)
{
	s += strcspn(s, " \n");
	return *s == ' ' ? s + 1 : s;
}

/* Is `name` one of the options that end a line? */
static bool has_option(const char *s, const char *name)
{
	size_t len = strlen(name);

	while (*s && *s != '\n') {
		size_t n = strcspn(s, ",\n");

		if (n == len && !memcmp(s, name, len))
			return true;
		s += n + (s[n] == ',');
	}
	return false;
}

/*
 *	36 35 0:30 /root /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu
 *
 * 1 or 2 for a hierarchy of that version that may share out the CPU, else 0.
 */
static int version_of(const char *line)
{
	size_t len = strcspn(line, "\n");
	const char *dash = memmem(line, len, " - ", 3), *options;

	if (!dash)
		return 0;
	if (!strncmp(dash, " - cgroup2 ", 11))
		return 2;
	if (strncmp(dash, " - cgroup ", 10) != 0)
		return 0;
	options = next_word(dash + 10);
	return has_option(options, "cpu") ? 1 : 0;
}

static int take(const char *line, bool v1, struct cgroup_mount *out)
{
	for (int i = 0; i < 3; i++)
		line = next_word(line);
	*out = (struct cgroup_mount){
		.root = word(line), .where = word(next_word(line)), .v1 = v1,
	};
	if (out->root && out->where)
		return 0;
	cgroup_mount_fini(out);
	return -ENOENT;
}

int cgroup_parse_mounts(const char *text, struct cgroup_mount *out)
{
	const char *v2 = NULL, *end;

	*out = (struct cgroup_mount){ 0 };
	for (; *text; text = *end ? end + 1 : end) {
		int version = version_of(text);

		end = text + strcspn(text, "\n");
		if (version == 1)
			return take(text, true, out);
		if (version == 2 && !v2)
			v2 = text;
	}
	return v2 ? take(v2, false, out) : -ENOENT;
}

/* A file of at most `size` bytes with its NUL. */
static int slurp(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	while (n > 0 && len + 1 < size) {
		n = read(fd, buf + len, size - len - 1);
		if (n > 0)
			len += (size_t)n;
	}
	n = n < 0 ? -errno : 0;
	close(fd);
	buf[len] = '\0';
	return (int)n;
}

int cgroup_find_mount(struct cgroup_mount *out)
{
	char *text = malloc(MAX_INFO);
	int rc;

	*out = (struct cgroup_mount){ 0 };
	if (!text)
		return -ENOMEM;
	rc = slurp("/proc/self/mountinfo", text, MAX_INFO);
	if (!rc)
		rc = cgroup_parse_mounts(text, out);
	free(text);
	return rc;
}

void cgroup_mount_fini(struct cgroup_mount *m)
{
	free(m->where);
	free(m->root);
	*m = (struct cgroup_mount){ 0 };
}

/* ---- what a group says ---------------------------------------------------- */

/* What is mounted may be a part of the hierarchy, and names outside it others'. */
static char *folder_of(const struct cgroup_mount *m, const char *path)
{
	size_t len = strcmp(m->root, "/") ? strlen(m->root) : 0;
	char *folder;

	if (strncmp(path, m->root, len) != 0 ||
	    (path[len] && path[len] != '/') || strstr(path, "/.."))
		return NULL;
	return asprintf(&folder, "%s%s", m->where, path + len) < 0 ? NULL :
								     folder;
}

static int read_file(const char *folder, const char *name, char *buf, size_t size)
{
	char *path;
	int rc;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -ENOMEM;
	rc = slurp(path, buf, size);
	free(path);
	return rc;
}

/* The number behind `key` at the start of a line; 0 if there is none. */
static uint64_t value_of(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (!strncmp(text, key, len) && text[len] == ' ')
			return strtoull(text + len + 1, NULL, 10);
	return 0;
}

static void read_quota_v1(const char *folder, struct cgroup_stat *out)
{
	char text[64];

	/* -1: none */
	if (!read_file(folder, "cpu.cfs_quota_us", text, sizeof(text)) &&
	    text[0] != '-')
		out->quota_us = strtoull(text, NULL, 10);
	if (out->quota_us &&
	    !read_file(folder, "cpu.cfs_period_us", text, sizeof(text)))
		out->period_us = strtoull(text, NULL, 10);
}

/* "max 100000", or "50000 100000" */
static void read_quota_v2(const char *folder, struct cgroup_stat *out)
{
	char text[64], *end;

	if (read_file(folder, "cpu.max", text, sizeof(text)) ||
	    !strncmp(text, "max", 3))
		return;
	out->quota_us = strtoull(text, &end, 10);
	out->period_us = strtoull(end, NULL, 10);
}

int cgroup_read(const struct cgroup_mount *m, const char *path,
		struct cgroup_stat *out)
{
	char *folder = m->where ? folder_of(m, path) : NULL;
	char text[4096];
	int rc;

	*out = (struct cgroup_stat){ 0 };
	if (!folder)
		return -ENOENT;
	rc = access(folder, X_OK) ? -ENOENT : 0;
	if (!rc && m->v1)
		read_quota_v1(folder, out);
	else if (!rc)
		read_quota_v2(folder, out);
	if (!rc && !read_file(folder, "cpu.stat", text, sizeof(text))) {
		out->nr_periods = value_of(text, "nr_periods");
		out->nr_throttled = value_of(text, "nr_throttled");
		out->throttled_us = m->v1 ?
			value_of(text, "throttled_time") / 1000 :
			value_of(text, "throttled_usec");
	}
	if (!rc && !m->v1 &&
	    !read_file(folder, "memory.events.local", text, sizeof(text)))
		out->memory_high = value_of(text, "high");
	free(folder);
	return rc;
}

bool cgroup_parent(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || !path[1])
		return false;
	slash[slash == path] = '\0';
	return true;
}
