/* SPDX-License-Identifier: MIT */
/* probes_pid: the USDT notes of the interpreters in a process. */
#include "cmd/probes_pid.h"

#include <errno.h>

#include "base/printable.h"
#include "cmd/jsonline.h"
#include "cmd/probes_python.h"
#include "cmd/probes_synth.h"
#include "cmd/ps.h"
#include "target/find.h"
#include "target/where.h"

struct job {
	FILE *out;
	bool offsets, json;
	const struct target *t;
	struct where where;
};

/* "CPython 3.11.2, deleted, in docker 4f1c9a, embedded in gdb" */
static void put_subject(const struct job *job, const struct interp *in,
			char *buf, size_t size)
{
	const char *slash = job->t->exe ? strrchr(job->t->exe, '/') : NULL;
	char python[128], where[200];

	pyimage_describe(&in->image, python, sizeof(python));
	where_text(&job->where, where, sizeof(where));
	snprintf(buf, size, "%s%s%s%s%s%s%s", python,
		 in->walk == PT_WALK_STARTING ? ", not initialised" : "",
		 in->deleted ? ", its file is deleted" : "",
		 *job->where.runtime ? ", in " : "",
		 *job->where.runtime ? where : "",
		 job->t->embedded ? ", embedded in " : "",
		 job->t->embedded && slash ? slash + 1 : "");
}

static int put_interp(const struct job *job, const struct interp *in,
		      struct err *err)
{
	char python[128];
	struct jsonline j;

	jsonline_begin(&j, "interpreter");
	jsonline_int(&j, "pid", job->t->proc.pid);
	jsonline_str(&j, "exe", job->t->exe);
	jsonline_str(&j, "path", in->path);
	jsonline_str(&j, "python", pyimage_describe(&in->image, python,
						    sizeof(python)));
	jsonline_u64(&j, "bias", in->bias);
	jsonline_u64(&j, "inode", in->st.st_ino);
	jsonline_bool(&j, "deleted", in->deleted);
	jsonline_bool(&j, "main", in == job->t->main);
	jsonline_bool(&j, "embedded", job->t->embedded);
	jsonline_str(&j, "runtime", job->where.runtime);
	jsonline_str(&j, "container", job->where.container);
	ps_put_walk(&j, in->walk, &in->why);
	return jsonline_end(&j, job->out, err);
}

static void print_why(const struct job *job, const struct interp *in)
{
	if (in->walk != PT_WALK_NO)
		return;
	fputs("  its stacks cannot be walked: ", job->out);
	printable_put(job->out, in->why.text, strlen(in->why.text));
	fputc('\n', job->out);
}

static int print_one(const struct job *job, struct interp *in,
		     struct err *err)
{
	struct probes_view view = { .offsets = job->offsets };
	struct probes_python py;
	struct probes_file f;
	int rc;

	probes_python_set(&in->image, &py, &view);
	put_subject(job, in, py.subject, sizeof(py.subject));
	rc = probes_open_fd(&f, in->fd, in->path, err);
	if (rc < 0)
		return rc;
	if (job->json) {
		rc = put_interp(job, in, err);
		if (!rc)
			rc = probes_print_json(job->out, &f, &view, err);
	} else {
		probes_print(job->out, &f, &view);
		print_why(job, in);
	}
	if (!rc)
		rc = probes_synth(job->out, &f, &in->image, job->offsets,
				  job->json, err);
	probes_close(&f);
	return rc;
}

int probes_pid(FILE *out, pid_t pid, bool offsets, bool json, struct err *err)
{
	struct job job = { .out = out, .offsets = offsets, .json = json };
	struct target t;
	size_t i;
	int rc;

	rc = target_find_all(pid, &t, err);
	if (rc < 0)
		return rc;
	job.t = &t;
	where_of(&t.proc, &job.where);
	rc = t.nr ? 0 : -ENOEXEC;	/* `err` has the sentence */
	for (i = 0; i < t.nr && !rc; i++) {
		if (i && !json)
			fputc('\n', out);
		rc = print_one(&job, &t.v[i], err);
	}
	target_fini(&t);
	return rc;
}
