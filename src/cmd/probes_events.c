/* SPDX-License-Identifier: MIT */
/* probes_events: probes as lines for uprobe_events. */
#include "cmd/probes_events.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/printable.h"
#include "cmd/probes_python.h"
#include "elf/uprobedef.h"
#include "target/find.h"
#include "target/route.h"
#include "target/which.h"

static void put_header(FILE *out, const struct probes_file *f, const char *path,
		       const struct stat *st, const struct probes_view *view)
{
	const char *id = elfimg_build_id(f->img);

	fputs("#file\t", out);
	uprobedef_put_path(out, path);
	fprintf(out, "\t%ju:%ju\t%s\t", (uintmax_t)st->st_dev,
		(uintmax_t)st->st_ino, id ? id : "-");
	if (view->subject)
		printable_put(out, view->subject, strlen(view->subject));
	else
		fputc('-', out);
	fputc('\n', out);
}

static void put_verdicts(FILE *out, const struct probes_file *f,
			 const struct probes_view *view)
{
	const char *last = "";

	for (size_t i = 0; i < f->sdt.nr && view->verdict; i++) {
		const struct stapsdt_note *n = f->sorted[i];
		const char *words = view->verdict(n, view->ctx);

		if (words && strcmp(n->name, last))
			fprintf(out, "#verdict\tsdt_python/%s\t%s\n", n->name,
				words);
		last = n->name;
	}
}

static const char *unfit(const struct probes_file *f)
{
	if (probes_is_foreign(f))
		return "it is of another architecture";
	if (elfimg_is_debug_only(f->img))
		return "it has debug information only, the code is in another "
		       "file";
	if (elfimg_type(f->img) == ET_REL)
		return "it is an object file, which is not linked yet";
	return NULL;
}

static int put_file(FILE *out, const struct probes_file *f, const char *path,
		    const struct probes_view *view, struct err *err)
{
	struct uprobedef_file file = {
		.path = path, .machine = elfimg_machine(f->img),
		.is_64 = elfimg_is_64(f->img), .arg = pyimage_probe_arg,
	};
	const char *why = unfit(f);
	struct stat st;

	if (why)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP, "no probe can be "
				"put into '%s': %s", path, why);
	if (stat(path, &st) < 0)
		return err_set(err, -errno, "cannot stat '%s': %s", path,
			       strerror(errno));
	put_header(out, f, path, &st, view);
	put_verdicts(out, f, view);
	return uprobedef_put(out, &file, f->sorted, f->sdt.nr, err);
}

/* An interpreter: `fd` is open, `path` leads there. */
static int put_python(FILE *out, int fd, const char *path,
		      const struct pyimage *image, struct err *err)
{
	struct probes_view view = { .offsets = false };
	struct probes_python py;
	struct probes_file f;
	int rc;

	probes_python_set(image, &py, &view);
	rc = probes_open_fd(&f, fd, path, err);
	if (rc < 0)
		return rc;
	rc = put_file(out, &f, path, &view, err);
	probes_close(&f);
	return rc;
}

static int put_all(FILE *out, const struct target *t, struct err *err)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct interp *in = &t->v[i];
		char *path = route_to_interp(in, &t->proc, err);
		int rc = path ? put_python(out, in->fd, path, &in->image, err) :
			 -EACCES;

		free(path);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int probes_events_pid(FILE *out, pid_t pid, struct err *err)
{
	struct target t;
	int rc;

	rc = target_find_all(pid, &t, err);
	if (rc < 0)
		return rc;
	/* without one `err` has the sentence */
	rc = t.nr ? put_all(out, &t, err) : -ENOEXEC;
	target_fini(&t);
	return rc;
}

static int put_which(FILE *out, const char *asked, struct err *err)
{
	struct which w;
	char *path;
	int rc;

	rc = which_file(asked, &w, err);
	if (rc < 0)
		return rc;
	path = route_to_which(&w, asked, err);
	rc = path ? put_python(out, w.fd, path, &w.image, err) : -EACCES;
	free(path);
	which_fini(&w);
	return rc;
}

/* What is no interpreter, and runs none, may have probes all the same. */
static int put_other(FILE *out, const char *asked, struct err *err)
{
	const struct probes_view view = { .offsets = false };
	char path[PATH_MAX];
	struct probes_file f;
	int rc;

	if (!realpath(asked, path))
		return err_kind(err, ERR_NO_TARGET, -errno,
				"cannot open '%s': %s", asked, strerror(errno));
	rc = probes_open(&f, path, err);
	if (rc < 0)
		return rc;
	rc = put_file(out, &f, path, &view, err);
	probes_close(&f);
	return rc;
}

int probes_events_file(FILE *out, const char *path, struct err *err)
{
	struct err why = { 0 };

	if (!put_which(out, path, &why))
		return 0;
	if (why.kind == ERR_NOT_PYTHON)
		return put_other(out, path, err);
	if (err)
		*err = why;
	return -ENOEXEC;
}
