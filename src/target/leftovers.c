/* SPDX-License-Identifier: MIT */
/* leftovers: uprobe events of tracefs that outlive whoever made them. */
#include "target/leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elfimg.h"
#include "python/pyimage.h"
#include "target/rights.h"

int leftovers_open(int flags)
{
	static const char *const paths[] = {
		"/sys/kernel/tracing/uprobe_events",
		"/sys/kernel/debug/tracing/uprobe_events",
	};
	int rc = -ENOENT;

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		int fd = open(paths[i], flags | O_CLOEXEC);

		if (fd >= 0)
			return fd;
		if (errno != ENOENT)
			rc = -errno;
	}
	return rc;
}

static void fini_one(struct leftover *l)
{
	free(l->group);
	free(l->event);
	free(l->file);
	*l = (struct leftover){ 0 };
}

/* kernel/trace/trace_uprobe.c: trace_uprobe_show() */
bool leftovers_parse(const char *line, struct leftover *out)
{
	const char *slash, *blank, *colon, *end;

	*out = (struct leftover){ 0 };
	if ((*line != 'p' && *line != 'r') || line[1] != ':')
		return false;
	out->is_return = *line == 'r';
	line += 2;
	slash = strchr(line, '/');
	blank = strchr(line, ' ');
	if (!slash || !blank || slash > blank)
		return false;
	end = blank + 1 + strcspn(blank + 1, " ");
	colon = memrchr(blank, ':', (size_t)(end - blank));
	if (!colon)
		return false;
	out->group = strndup(line, (size_t)(slash - line));
	out->event = strndup(slash + 1, (size_t)(blank - slash - 1));
	out->file = strndup(blank + 1, (size_t)(colon - blank - 1));
	out->offset = strtoull(colon + 1, NULL, 0);
	if (!out->group || !out->event || !out->file) {
		fini_one(out);
		return false;
	}
	out->own = !strcmp(out->group, LEFTOVERS_GROUP);
	return true;
}

static bool is_interpreter(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct pyimage image;
	struct elfimg *img;
	struct stat st;
	bool yes = false;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    !elfimg_open_fd(&img, fd, path, NULL)) {
		yes = !pyimage_find(img, &image, NULL);
		elfimg_close(img);
	}
	close(fd);
	return yes;
}

static int add(struct leftovers *out, const struct leftover *one)
{
	struct leftover *more;

	more = realloc(out->v, (out->nr + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	out->v = more;
	out->v[out->nr++] = *one;
	return 0;
}

static int read_lines(struct leftovers *out, FILE *f)
{
	char *line = NULL;
	size_t room = 0;
	int rc = 0;

	while (!rc && getline(&line, &room, f) > 0) {
		struct leftover one;

		line[strcspn(line, "\n")] = '\0';
		if (!leftovers_parse(line, &one))
			continue;
		if (one.own || is_interpreter(one.file))
			rc = add(out, &one);
		else
			fini_one(&one);
		if (rc)
			fini_one(&one);
	}
	free(line);
	return rc;
}

static int cannot_read(int rc, struct err *err)
{
	struct rights rights;

	if (rc == -EACCES || rc == -EPERM) {
		rights_read(&rights);
		return rights_explain(&rights, RIGHTS_TO_NAME, rc, err);
	}
	err_kind(err, ERR_KERNEL, rc, "cannot read uprobe_events of tracefs: %s",
		 strerror(-rc));
	err_hint(err, "mount -t tracefs tracefs /sys/kernel/tracing");
	return rc;
}

int leftovers_find(struct leftovers *out, struct err *err)
{
	int fd = leftovers_open(O_RDONLY), rc;
	FILE *f;

	*out = (struct leftovers){ 0 };
	if (fd < 0)
		return cannot_read(fd, err);
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return err_set(err, -ENOMEM, "out of memory");
	}
	rc = read_lines(out, f);
	fclose(f);
	if (!rc)
		return 0;
	leftovers_fini(out);
	return err_set(err, rc, "out of memory");
}

/* Never with O_TRUNC: that would remove everybody's. */
static int remove_one(const struct leftover *l)
{
	int fd = leftovers_open(O_WRONLY | O_APPEND), n, rc = 0;
	char line[512];

	if (fd < 0)
		return fd;
	n = snprintf(line, sizeof(line), "-:%s/%s\n", l->group, l->event);
	if (n < 0 || (size_t)n >= sizeof(line))
		rc = -ENAMETOOLONG;
	else if (write(fd, line, (size_t)n) != n)
		rc = -errno;
	close(fd);
	return rc;
}

void leftovers_remove(struct leftovers *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct leftover *one = &l->v[i];
		int rc = one->own ? remove_one(one) : 0;

		one->removed = one->own && !rc;
		if (rc == -EBUSY)
			err_kind(&one->why, ERR_CONFLICT, rc, "in use");
		else if (rc)
			err_set(&one->why, rc, "%s", strerror(-rc));
	}
}

void leftovers_fini(struct leftovers *l)
{
	for (size_t i = 0; i < l->nr; i++)
		fini_one(&l->v[i]);
	free(l->v);
	*l = (struct leftovers){ 0 };
}
