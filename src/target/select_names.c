/* SPDX-License-Identifier: MIT */
/* select_names: control groups and containers by what people call them. */
#include "target/select_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yajl/yajl_tree.h>

/* ---- a folder of a hierarchy ---------------------------------------------- */

/* The fields of a line of mountinfo that are looked at. */
struct mounted {
	char root[1024], where[1024], type[32], options[512];
};

/* "36 35 0:30 /root /where rw,... shared:9 - cgroup2 cgroup2 rw,nsdelegate" */
static bool parse_mount(const char *line, struct mounted *m)
{
	const char *dash = strstr(line, " - ");
	const char *end = strchr(line, '\n');

	if (!dash || (end && dash > end))
		return false;
	return sscanf(line, "%*s %*s %*s %1023s %1023s", m->root,
		      m->where) == 2 &&
	       sscanf(dash + 3, "%31s %*s %511s", m->type, m->options) == 2;
}

/* What of `path` is behind `folder`; NULL: it is not below it. */
static const char *below(const char *folder, const char *path)
{
	size_t len = strcmp(folder, "/") ? strlen(folder) : 0;

	if (strncmp(path, folder, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path + len;
}

static int fill_group(const struct mounted *m, const char *rest,
		      struct select_group *out)
{
	const char *root = strcmp(m->root, "/") ? m->root : "";

	if (asprintf(&out->path, "%s%s", root, rest) < 0)
		out->path = NULL;
	out->controllers = strdup(strcmp(m->type, "cgroup2") ? m->options : "");
	if (out->path && out->controllers)
		return 0;
	free(out->path);
	free(out->controllers);
	return -ENOMEM;
}

int select_group_of(const char *mounts, const char *folder,
		    struct select_group *out)
{
	struct mounted m, best = { .type = "" };
	size_t longest = 0;
	const char *at = mounts;

	while (*at) {
		const char *end = at + strcspn(at, "\n");

		if (parse_mount(at, &m) && below(m.where, folder) &&
		    strlen(m.where) >= longest) {
			best = m;
			longest = strlen(m.where);
		}
		at = *end ? end + 1 : end;
	}
	if (strcmp(best.type, "cgroup") != 0 && strcmp(best.type, "cgroup2") != 0)
		return -ENOENT;
	return fill_group(&best, below(best.where, folder), out);
}

/* ---- names of containers -------------------------------------------------- */

static const char *text_at(yajl_val v, const char *key)
{
	const char *path[] = { key, NULL };

	return YAJL_GET_STRING(yajl_tree_get(v, path, yajl_t_string));
}

static bool is_named(yajl_val one, const char *name)
{
	const char *path[] = { "names", NULL };
	yajl_val names = yajl_tree_get(one, path, yajl_t_array);

	for (size_t i = 0; names && i < names->u.array.len; i++) {
		const char *s = YAJL_GET_STRING(names->u.array.values[i]);

		if (s && !strcmp(s, name))
			return true;
	}
	return false;
}

char *select_podman_id(const char *json, const char *name)
{
	yajl_val all = yajl_tree_parse(json, NULL, 0);
	char *id = NULL;

	for (size_t i = 0; YAJL_IS_ARRAY(all) && !id && i < all->u.array.len;
	     i++) {
		yajl_val one = all->u.array.values[i];
		const char *s = text_at(one, "id");

		if (s && is_named(one, name))
			id = strdup(s);
	}
	yajl_tree_free(all);
	return id;
}

char *select_docker_id(const char *json, const char *name)
{
	yajl_val one = yajl_tree_parse(json, NULL, 0);
	const char *its = text_at(one, "Name"), *s = text_at(one, "ID");
	char *id = NULL;

	if (its && s && !strcmp(its + (*its == '/'), name))
		id = strdup(s);
	yajl_tree_free(one);
	return id;
}

#define MAX_STATE (4U << 20)	/* bytes of a file of theirs */

/* All of a regular file, NUL-terminated; NULL: there is none, or too long. */
static char *slurp(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat st;
	char *s = NULL;
	ssize_t n = -1;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size < MAX_STATE)
		s = malloc((size_t)st.st_size + 1);
	if (s)
		n = read(fd, s, (size_t)st.st_size);
	close(fd);
	if (n < 0) {
		free(s);
		return NULL;
	}
	s[n] = '\0';
	return s;
}

static char *docker_id(const char *name)
{
	static const char folder[] = "/var/lib/docker/containers";
	DIR *dir = opendir(folder);
	struct dirent *e;
	char *id = NULL;

	while (dir && !id && (e = readdir(dir))) {
		char path[512], *json;

		if (e->d_name[0] == '.' ||
		    snprintf(path, sizeof(path), "%s/%s/config.v2.json", folder,
			     e->d_name) >= (int)sizeof(path))
			continue;
		json = slurp(path);
		if (json)
			id = select_docker_id(json, name);
		free(json);
	}
	if (dir)
		closedir(dir);
	return id;
}

char *select_id_of_name(const char *name)
{
	static const char *const podman[] = {
		"/var/lib/containers/storage/overlay-containers/containers.json",
		"/var/lib/containers/storage/vfs-containers/containers.json",
	};
	char *id = docker_id(name);

	for (size_t i = 0; !id && i < ARRAY_LEN(podman); i++) {
		char *json = slurp(podman[i]);

		if (json)
			id = select_podman_id(json, name);
		free(json);
	}
	return id;
}
