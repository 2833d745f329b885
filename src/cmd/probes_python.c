/* SPDX-License-Identifier: MIT */
/* probes_python: what is known of a file's probes because it is a Python. */
#include "cmd/probes_python.h"

#include <errno.h>

#include "base/printable.h"
#include "cmd/jsonline.h"
#include "cmd/probes_synth.h"
#include "target/which.h"

static const char *verdict(const struct stapsdt_note *note, void *ctx)
{
	const struct probes_python *py = ctx;

	return pyimage_probe_verdict(py->image.version, note->provider,
				     note->name);
}

void probes_python_set(const struct pyimage *image, struct probes_python *py,
		       struct probes_view *view)
{
	py->image = *image;
	pyimage_describe(image, py->subject, sizeof(py->subject));
	view->subject = py->subject;
	view->verdict = verdict;
	view->ctx = py;
}

bool probes_python_view(const struct probes_file *f, struct probes_python *py,
			struct probes_view *view)
{
	struct pyimage image;

	if (pyimage_find(f->img, &image, NULL) < 0)
		return false;
	probes_python_set(&image, py, view);
	return true;
}

static int put_which(FILE *out, const char *path, const struct which *w,
		     const char *subject, struct err *err)
{
	struct jsonline j;

	jsonline_begin(&j, "interpreter");
	jsonline_str(&j, "of", path);
	jsonline_str(&j, "exe", w->exe);
	jsonline_str(&j, "path", w->file);
	jsonline_str(&j, "python", subject);
	jsonline_bool(&j, "walk", w->image.walk);
	jsonline_str(&j, "why", w->image.walk ? NULL : w->image.why);
	return jsonline_end(&j, out, err);
}

static int print_which(FILE *out, const char *path, struct which *w,
		       bool offsets, bool json, struct err *err)
{
	struct probes_view view = { .offsets = offsets };
	struct probes_python py;
	struct probes_file f;
	int rc;

	rc = probes_open_fd(&f, w->fd, w->file, err);
	if (rc < 0)
		return rc;
	probes_python_set(&w->image, &py, &view);
	if (json) {
		rc = put_which(out, path, w, py.subject, err);
		if (!rc)
			rc = probes_print_json(out, &f, &view, err);
	} else {
		printable_put(out, path, strlen(path));
		fputs(" runs the interpreter in\n", out);
		probes_print(out, &f, &view);
	}
	if (!rc)
		rc = probes_synth(out, &f, &w->image, offsets, json, err);
	probes_close(&f);
	return rc;
}

int probes_print_interpreter(FILE *out, const char *path, bool offsets,
			     bool json, struct err *err)
{
	struct which w;
	struct stat st;
	int rc;

	rc = which_file(path, &w, err);
	if (rc < 0)
		return rc;
	if (!stat(path, &st) && st.st_dev == w.st.st_dev &&
	    st.st_ino == w.st.st_ino)
		rc = -ENOENT;
	else
		rc = print_which(out, path, &w, offsets, json, err);
	which_fini(&w);
	return rc;
}
