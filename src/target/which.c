/* SPDX-License-Identifier: MIT */
/* which: the interpreter that a command, or a file, will turn out to run. */
#include "target/which.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "target/needed.h"
#include "target/pyenv.h"
#include "target/shebang.h"
#include "target/whatis.h"

#define MAX_SCRIPTS	5	/* one for another: as exec (fs/exec.c) */
#define SCRIPT_BYTES	4096	/* as much of one as is looked at */

struct search {
	const struct root *root;
	bool ours;			/* our environment is the command's */
	bool to_run;			/* it must be executable */
	const char *skip;		/* folder of PATH that is passed over */
	unsigned int scripts;
	struct which *out;
	struct err *err;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void which_fini(struct which *w)
{
	free(w->exe);
	free(w->file);
	if (w->fd >= 0)
		close(w->fd);
	*w = WHICH_NONE;
}

static int no_command(const struct search *s, const char *name, int rc)
{
	return err_kind(s->err, rc == -EISDIR || rc == -EINVAL ?
			ERR_NOT_PYTHON : ERR_NO_TARGET, rc,
			"cannot %s '%s': %s", s->to_run ? "run" : "open", name,
			rc == -EINVAL ? "not a regular file" : strerror(-rc));
}

static bool may_run(const struct search *s, const char *path)
{
	struct stat st;

	return !root_stat(s->root, path, &st) && S_ISREG(st.st_mode) &&
	       (st.st_mode & 0111);
}

/* By PATH; the caller's to free. */
static char *by_path(const struct search *s, const char *name)
{
	const char *dirs = s->ours ? getenv("PATH") : NULL;
	size_t len;
	char *path;

	if (strchr(name, '/'))
		return strdup(name);
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; dirs;
	     dirs = dirs[len] ? dirs + len + 1 : NULL) {
		len = strcspn(dirs, ":");
		if (s->skip && strlen(s->skip) == len &&
		    !strncmp(dirs, s->skip, len))
			continue;
		if (asprintf(&path, "%.*s%s%s", (int)len, dirs,
			     len ? "/" : "./", name) < 0)
			return NULL;
		if (may_run(s, path))
			return path;
		free(path);
	}
	return NULL;
}

static int resolve(struct search *s, const char *path, const char *const *args);

static int resolve_by_path(struct search *s, const char *name,
			   const char *const *args)
{
	char *path = by_path(s, name);
	int rc;

	if (!path)
		return no_command(s, name, -ENOENT);
	rc = resolve(s, path, args);
	free(path);
	return rc;
}

static int resolve_env(struct search *s, const char *const *args)
{
	char buf[SHEBANG_BYTES];
	const char *name = shebang_env_program(args, buf, sizeof(buf));
	static const char *const none[] = { NULL };

	if (!name)
		return err_kind(s->err, ERR_NOT_PYTHON, -ENOEXEC,
				"env runs no program here");
	return resolve_by_path(s, name, none);
}

/* The shim asks for the program of its name that comes after it. */
static int resolve_system(struct search *s, const char *shim)
{
	static const char *const none[] = { NULL };
	const char *name = base_name(shim);
	char dir[PATH_MAX];
	int rc;

	snprintf(dir, sizeof(dir), "%.*s", (int)(name - shim - 1), shim);
	s->skip = dir;
	rc = resolve_by_path(s, name, none);
	s->skip = NULL;
	return rc;
}

static int resolve_script(struct search *s, const char *path,
			  const char *text, const struct shebang *line)
{
	const char *args[] = { *line->arg ? line->arg : NULL, NULL };
	bool system;
	char *program;
	int rc;

	if (++s->scripts > MAX_SCRIPTS)
		return no_command(s, path, -ELOOP);
	program = pyenv_program(s->root, path, text, &system);
	if (system)
		return resolve_system(s, path);
	if (program) {
		rc = resolve(s, program, args);
		free(program);
		return rc;
	}
	if (!strcmp(base_name(line->program), "env"))
		return resolve_env(s, args);
	return resolve(s, line->program, args);
}

static int not_python(const struct search *s, const char *path)
{
	const char *other = whatis_other_python(path);
	const char *words = whatis_name(path);

	if (other)
		return err_kind(s->err, ERR_UNSUPPORTED, -ENOTSUP,
				"'%s' is %s: only CPython can be traced", path,
				other);
	return err_kind(s->err, ERR_NOT_PYTHON, -ENOEXEC,
			"'%s' has no Python interpreter in it%s%s%s", path,
			words ? " (" : "", words ? words : "",
			words ? ")" : "");
}

static int resolve_elf(struct search *s, const char *path, int fd)
{
	const char *library_path = s->ours ? getenv("LD_LIBRARY_PATH") : NULL;
	int rc;

	s->out->exe = strdup(path);
	if (!s->out->exe)
		return err_set(s->err, -ENOMEM, "out of memory");
	rc = needed_find(s->root, path, fd, library_path, s->out, s->err);
	return rc == -ENOENT ? not_python(s, path) : rc;
}

/* `args`: what follows the program's name, for env. */
static int resolve(struct search *s, const char *path, const char *const *args)
{
	char text[SCRIPT_BYTES + 1];
	struct shebang line;
	ssize_t n;
	int fd, rc;

	fd = root_open_file(s->root, path);
	if (fd < 0)
		return no_command(s, path, fd);
	if (s->to_run && !may_run(s, path)) {
		close(fd);
		return no_command(s, path, -EACCES);
	}
	n = pread(fd, text, SCRIPT_BYTES, 0);
	text[n > 0 ? n : 0] = '\0';
	if (n > 0 && shebang_parse(text, (size_t)n, &line))
		rc = resolve_script(s, path, text, &line);
	else if (!strcmp(base_name(path), "env") && *args)
		rc = resolve_env(s, args);
	else
		rc = resolve_elf(s, path, fd);
	close(fd);
	return rc;
}

static int run_search(struct search *s, const char *name,
		      const char *const *args)
{
	int rc;

	*s->out = WHICH_NONE;
	rc = s->to_run ? resolve_by_path(s, name, args) :
			 resolve(s, name, args);
	if (rc < 0)
		which_fini(s->out);
	return rc;
}

/* The length of "/proc/812/root" in front of `path`, or 0. */
size_t which_root_len(const char *path)
{
	size_t len = 6, digits;

	if (strncmp(path, "/proc/", len))
		return 0;
	digits = strspn(path + len, "0123456789");
	if (!digits && !strncmp(path + len, "self", 4))
		digits = 4;
	if (!digits || strncmp(path + len + digits, "/root/", 6))
		return 0;
	return len + digits + 5;
}

static int search_ours(const struct search *how, const char *name,
		       const char *const *args)
{
	size_t len = which_root_len(name);
	struct search s = *how;
	char prefix[64];
	struct root root;
	int rc;

	snprintf(prefix, sizeof(prefix), "%.*s", (int)len, name);
	rc = root_open_path(&root, len ? prefix : NULL, s.err);
	if (rc < 0)
		return rc;
	s.root = &root;
	s.ours = !len;
	rc = run_search(&s, name + len, args);
	root_close(&root);
	return rc;
}

int which_command(char *const argv[], struct which *out, struct err *err)
{
	struct search s = { .to_run = true, .out = out, .err = err };

	return search_ours(&s, argv[0], (const char *const *)argv + 1);
}

int which_file(const char *path, struct which *out, struct err *err)
{
	static const char *const none[] = { NULL };
	struct search s = { .out = out, .err = err };

	return search_ours(&s, path, none);
}

int which_in_root(const struct root *root, const char *path, struct which *out,
		  struct err *err)
{
	static const char *const none[] = { NULL };
	struct search s = { .root = root, .out = out, .err = err };

	return run_search(&s, path, none);
}

char *which_path(const char *name)
{
	char none[] = "";
	const struct root ours = { .fd = AT_FDCWD, .prefix = none };
	const struct search s = { .root = &ours, .ours = true };

	return strchr(name, '/') ? NULL : by_path(&s, name);
}
