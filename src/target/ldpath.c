/* SPDX-License-Identifier: MIT */
/* ldpath: where the dynamic loader would find a library. */
#include "target/ldpath.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "target/ldconf.h"

/*
 * Debian's and Fedora's, and musl's (/lib:/usr/local/lib:/usr/lib).  Those that
 * are not of this system hold nothing.
 */
#define BUILT_IN \
	"/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:" \
	"/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:" \
	"/lib64:/usr/lib64:/lib:/usr/lib"
#define BUILT_IN_MUSL	"/lib:/usr/local/lib:/usr/lib"

int ldpath_init(struct ldpath *ld, const struct root *root,
		const char *library_path)
{
	*ld = (struct ldpath){ .root = root, .library_path = library_path };
	ld->conf = ldconf_read(root);
	return ld->conf ? 0 : -ENOMEM;
}

void ldpath_fini(struct ldpath *ld)
{
	free(ld->conf);
	ld->conf = NULL;
}

/* $ORIGIN and ${ORIGIN} at `p`: how many bytes that is; 0: no. */
static size_t is_token(const char *p, const char *token)
{
	size_t len = strlen(token);

	if (p[1] == '{' && !strncmp(p + 2, token, len) && p[len + 2] == '}')
		return len + 3;
	return strncmp(p + 1, token, len) ? 0 : len + 1;
}

struct text {
	char s[PATH_MAX];
	size_t len;
	bool cut;
};

static void add(struct text *t, const char *s, size_t len)
{
	if (len >= sizeof(t->s) - t->len) {
		t->cut = true;
		return;
	}
	memcpy(t->s + t->len, s, len);
	t->len += len;
	t->s[t->len] = '\0';
}

/* A folder as the object writes it, with `lib` for $LIB. */
static void expand(struct text *out, const char *dir, size_t len,
		   const char *origin, const char *lib)
{
	const char *end = dir + len;

	while (dir < end) {
		size_t token = *dir == '$' ? is_token(dir, "ORIGIN") : 0;

		if (token) {
			add(out, origin, strlen(origin));
		} else {
			token = *dir == '$' ? is_token(dir, "LIB") : 0;
			if (token)
				add(out, lib, strlen(lib));
			else
				add(out, dir, token = 1);
		}
		dir += token;
	}
}

/* The file, if it is a library for the program's machine. */
static int open_library(const struct ldpath *ld, const struct elfimg *program,
			const char *path)
{
	struct elfimg *img;
	int fd = root_open_file(ld->root, path);
	bool fits;

	if (fd < 0)
		return fd;
	if (elfimg_open_fd(&img, fd, path, NULL) < 0) {
		close(fd);
		return -ENOENT;
	}
	fits = elfimg_machine(img) == elfimg_machine(program) &&
	       elfimg_is_64(img) == elfimg_is_64(program);
	elfimg_close(img);
	if (fits)
		return fd;
	close(fd);
	return -ENOENT;
}

static int try_folder(const struct ldpath *ld, const struct elfimg *program,
		      const struct text *dir, const char *name, char **path)
{
	struct text t = *dir;
	int fd;

	if (!t.len)
		add(&t, ".", 1);
	add(&t, "/", 1);
	add(&t, name, strlen(name));
	if (t.cut)
		return -ENOENT;
	fd = open_library(ld, program, t.s);
	if (fd < 0)
		return fd;
	*path = strdup(t.s);
	if (*path)
		return fd;
	close(fd);
	return -ENOMEM;
}

/* "a:b;c" in order; the first that has it. */
static int try_folders(const struct ldpath *ld, const struct elfimg *program,
		       const char *dirs, const char *origin, const char *name,
		       char **path)
{
	static const char *const libs[] = { "lib/x86_64-linux-gnu", "lib64",
					    "lib" };
	size_t len, i;
	int fd;

	for (; dirs; dirs = dirs[len] ? dirs + len + 1 : NULL) {
		len = strcspn(dirs, ":;");
		for (i = 0; i < ARRAY_LEN(libs); i++) {
			struct text t = { .s = "" };

			expand(&t, dirs, len, origin, libs[i]);
			fd = try_folder(ld, program, &t, name, path);
			if (fd >= 0)
				return fd;
			if (!memchr(dirs, '$', len))
				break;
		}
	}
	return -ENOENT;
}

/* A name with a slash is no name to search for. */
static int open_as_named(const struct ldpath *ld, const struct ldobj *program,
			 const struct ldobj *by, const char *name, char **path)
{
	struct text t = { .s = "" };
	int fd;

	expand(&t, name, strlen(name), by->origin, "lib");
	if (t.cut)
		return -ENOENT;
	fd = open_library(ld, program->img, t.s);
	if (fd >= 0)
		*path = strdup(t.s);
	return fd;
}

static int try_rpath(const struct ldpath *ld, const struct ldobj *program,
		     const struct ldobj *of, const char *name, char **path)
{
	if (elfimg_dyn_str(of->img, DT_RUNPATH, 0))
		return -ENOENT;
	return try_folders(ld, program->img,
			   elfimg_dyn_str(of->img, DT_RPATH, 0), of->origin,
			   name, path);
}

int ldpath_open(const struct ldpath *ld, const struct ldobj *program,
		const struct ldobj *by, const char *name, char **path)
{
	const char *interp = elfimg_interp(program->img);
	bool musl = interp && strstr(interp, "ld-musl");
	int fd;

	*path = NULL;
	if (strchr(name, '/'))
		return open_as_named(ld, program, by, name, path);
	fd = try_rpath(ld, program, by, name, path);
	if (fd < 0 && by->img != program->img)
		fd = try_rpath(ld, program, program, name, path);
	if (fd < 0 && ld->library_path && *ld->library_path)
		fd = try_folders(ld, program->img, ld->library_path, "", name,
				 path);
	if (fd < 0)
		fd = try_folders(ld, program->img,
				 elfimg_dyn_str(by->img, DT_RUNPATH, 0),
				 by->origin, name, path);
	if (fd < 0 && *ld->conf && !musl)
		fd = try_folders(ld, program->img, ld->conf, "", name, path);
	if (fd < 0)
		fd = try_folders(ld, program->img,
				 musl ? BUILT_IN_MUSL : BUILT_IN, "", name,
				 path);
	return fd;
}
