/* SPDX-License-Identifier: MIT */
/*
 * pyenv: the program behind one of pyenv's shims, from pyenv's own files.
 *
 * A shim is a shell script that execs `pyenv exec NAME`, which takes the first
 * of: $PYENV_VERSION, .python-version of the current folder or one above it,
 * $PYENV_ROOT/version; then $PYENV_ROOT/versions/VERSION/bin/NAME.  (Read in
 * libexec/pyenv-version-name and pyenv-exec of pyenv 2.3.)
 */
#include "target/pyenv.h"

#include <dirent.h>
#include <limits.h>
#include <unistd.h>

#define MAX_VERSIONS	4096	/* bytes of a file of versions */

/* What stands in quotes after `key` in the script. */
static char *quoted_after(const char *text, const char *key)
{
	const char *from = strstr(text, key), *to;

	if (!from)
		return NULL;
	from += strlen(key);
	to = strchr(from, '"');
	return to ? strndup(from, (size_t)(to - from)) : NULL;
}

static char *read_file(const struct root *root, const char *path)
{
	int fd = root_open_file(root, path);
	char buf[MAX_VERSIONS];
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = read(fd, buf, sizeof(buf));
	close(fd);
	return n > 0 ? strndup(buf, (size_t)n) : NULL;
}

static char *read_in(const struct root *root, const char *dir, int len,
		     const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%.*s/%s", len, dir, name);

	return n > 0 && (size_t)n < sizeof(path) ? read_file(root, path) : NULL;
}

/* .python-version of the current folder, or of the nearest above it. */
static char *local_versions(const struct root *root)
{
	char cwd[PATH_MAX];
	char *found = NULL;
	size_t len;

	if (!getcwd(cwd, sizeof(cwd)))
		return NULL;
	for (len = strlen(cwd); !found; len--) {
		if (!cwd[len] || cwd[len] == '/')
			found = read_in(root, cwd, (int)len, ".python-version");
		if (!len)
			break;
	}
	return found;
}

static char *versions(const struct root *root, const char *pyenv_root)
{
	const char *env = getenv("PYENV_VERSION");
	char *found;

	if (env && *env)
		return strdup(env);
	found = local_versions(root);
	if (!found)
		found = read_in(root, pyenv_root, (int)strlen(pyenv_root),
				"version");
	return found ? found : strdup("system");
}

/* "3.11" means the newest installed 3.11.x (pyenv-latest). */
static void complete(const struct root *root, const char *dir, char *version,
		     size_t size)
{
	size_t len = strlen(version);
	char best[NAME_MAX + 1] = "";
	struct dirent *e;
	DIR *d;
	int fd = root_open_dir(root, dir);

	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d))) {
		if (!strcmp(e->d_name, version)) {
			*best = '\0';
			break;
		}
		if (!strncmp(e->d_name, version, len) &&
		    e->d_name[len] == '.' &&
		    strverscmp(e->d_name, best) > 0)
			snprintf(best, sizeof(best), "%s", e->d_name);
	}
	closedir(d);
	if (*best)
		snprintf(version, size, "%s", best);
}

static char *program_of(const struct root *root, const char *pyenv_root,
			const char *word, size_t len, const char *name)
{
	char version[NAME_MAX + 1], *path;
	struct stat st;

	if (asprintf(&path, "%s/versions", pyenv_root) < 0)
		return NULL;
	snprintf(version, sizeof(version), "%.*s", (int)len, word);
	complete(root, path, version, sizeof(version));
	free(path);
	if (asprintf(&path, "%s/versions/%s/bin/%s", pyenv_root, version,
		     name) < 0)
		return NULL;
	if (!root_stat(root, path, &st) && S_ISREG(st.st_mode))
		return path;
	free(path);
	return NULL;
}

char *pyenv_program(const struct root *root, const char *path,
		    const char *text, bool *system)
{
	static const char between[] = ": \t\r\n";
	const char *name = strrchr(path, '/'), *word;
	char *pyenv_root, *list, *found = NULL;

	*system = false;
	if (!name || !strstr(text, "pyenv\" exec \"$program\""))
		return NULL;
	pyenv_root = quoted_after(text, "PYENV_ROOT=\"");
	list = pyenv_root ? versions(root, pyenv_root) : NULL;
	for (word = list; word && !found && !*system;) {
		size_t len;

		word += strspn(word, between);
		len = strcspn(word, between);
		if (!len)
			break;
		if (!strncmp(word, "system", len) && len == 6)
			*system = true;
		else
			found = program_of(root, pyenv_root, word, len,
					   name + 1);
		word += len;
	}
	free(list);
	free(pyenv_root);
	return found;
}
