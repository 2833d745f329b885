/* SPDX-License-Identifier: MIT */
/* needed: the interpreter in a program or in the libraries it is linked with. */
#include "target/needed.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "target/ldpath.h"

#define MAX_OBJECTS	256

struct object {
	struct ldobj ld;
	char *path;
	char *origin;
	int fd;
};

struct walk {
	struct ldpath ld;
	struct object v[MAX_OBJECTS];	/* those before `nr` are open */
	size_t nr;
};

static void object_close(struct object *o)
{
	elfimg_close(o->ld.img);
	free(o->path);
	free(o->origin);
	if (o->fd >= 0)
		close(o->fd);
}

/* The folder of the file without links: what ld.so takes for $ORIGIN. */
static char *folder_of(const struct root *root, int fd)
{
	char *name = root_name(root, fd);
	char *slash = name ? strrchr(name, '/') : NULL;

	if (slash)
		*slash = '\0';
	return name ? name : calloc(1, 1);
}

/* `fd` and `path` are taken, whatever happens. */
static int push(struct walk *w, int fd, char *path, struct err *err)
{
	struct object o = { .path = path, .fd = fd };
	int rc = -ENOMEM;

	o.origin = folder_of(w->ld.root, fd);
	if (path && o.origin)
		rc = elfimg_open_fd(&o.ld.img, fd, path, err);
	if (!rc && w->nr == MAX_OBJECTS)
		rc = err_set(err, -EFBIG, "'%s' needs over %d libraries",
			     w->v[0].path, MAX_OBJECTS);
	if (rc) {
		object_close(&o);
		return rc;
	}
	o.ld.origin = o.origin;
	w->v[w->nr++] = o;
	return 0;
}

static bool is_open(const struct walk *w, int fd)
{
	struct stat a, b;
	size_t i;

	if (fstat(fd, &a) < 0)
		return true;
	for (i = 0; i < w->nr; i++)
		if (!fstat(w->v[i].fd, &b) && a.st_ino == b.st_ino &&
		    a.st_dev == b.st_dev)
			return true;
	return false;
}

/* What is not found will fail to load, or is looked for in another way. */
static int push_needed(struct walk *w, size_t i, struct err *err)
{
	const char *name;
	char *path;
	size_t n;
	int fd, rc;

	for (n = 0; (name = elfimg_dyn_str(w->v[i].ld.img, DT_NEEDED, n)); n++) {
		fd = ldpath_open(&w->ld, &w->v[0].ld, &w->v[i].ld, name, &path);
		if (fd < 0)
			continue;
		if (is_open(w, fd)) {
			free(path);
			close(fd);
			continue;
		}
		rc = push(w, fd, path, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int take(struct object *o, struct which *out)
{
	out->file = o->path;
	out->fd = o->fd;
	o->path = NULL;
	o->fd = -1;
	return fstat(out->fd, &out->st) < 0 ? -errno : 0;
}

static int walk(struct walk *w, struct which *out, struct err *err)
{
	size_t i;
	int rc;

	for (i = 0; i < w->nr; i++) {
		rc = pyimage_find(w->v[i].ld.img, &out->image, NULL);
		if (!rc)
			return take(&w->v[i], out);
		rc = push_needed(w, i, err);
		if (rc < 0)
			return rc;
	}
	return -ENOENT;
}

int needed_find(const struct root *root, const char *exe, int fd,
		const char *library_path, struct which *out, struct err *err)
{
	struct walk *w = calloc(1, sizeof(*w));
	size_t i;
	int rc;

	if (!w || ldpath_init(&w->ld, root, library_path) < 0) {
		free(w);
		return err_set(err, -ENOMEM, "out of memory");
	}
	rc = push(w, fcntl(fd, F_DUPFD_CLOEXEC, 0), strdup(exe), err);
	if (!rc)
		rc = walk(w, out, err);
	for (i = 0; i < w->nr; i++)
		object_close(&w->v[i]);
	ldpath_fini(&w->ld);
	free(w);
	return rc;
}
