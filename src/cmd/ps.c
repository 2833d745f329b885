/* SPDX-License-Identifier: MIT */
/* ps: look into every process of the host, and keep the Python ones. */
#include "cmd/ps.h"

#include <errno.h>

#include "elf/stapsdt.h"
#include "target/bounded.h"

#define LOOK_MS	2000		/* a process that takes longer is left out */

/* One look: owns what it touches, so that it can be left behind. */
struct job {
	pid_t pid;
	struct imgcache *cache;		/* given up with a job that hangs */
	int rc;
	struct ps_row row;		/* if rc is 1 */
};

static void row_fini(struct ps_row *row)
{
	free(row->cmdline.s);
	free(row->exe);
	free(row->library);
}

static void job_free(void *arg)
{
	struct job *job = arg;

	row_fini(&job->row);
	free(job);
}

/* ---- one process ------------------------------------------------------ */

/*
 * What the notes promise and the version keeps: facts of CPython's releases,
 * measured (docs/METHODS.md).  3.12 to 3.14 have no such notes.
 */
static enum ps_calls calls_of(const struct interp *in)
{
	struct stapsdt sdt;
	struct elfimg *img;
	enum ps_calls calls = PS_CALLS_NONE;
	size_t i;

	if (elfimg_open_fd(&img, in->fd, in->path, NULL) < 0)
		return PS_CALLS_NONE;
	if (!stapsdt_init(&sdt, img, NULL)) {
		for (i = 0; i < sdt.nr; i++)
			if (!strcmp(sdt.notes[i].provider, "python") &&
			    !strcmp(sdt.notes[i].name, "function__return"))
				calls = in->image.version == 0x030b ?
					PS_CALLS_RETURNS : PS_CALLS_USDT;
		stapsdt_fini(&sdt);
	}
	elfimg_close(img);
	return calls;
}

/* "3.11.2", "3.14.0t", "3.10.5 (Cinder)", "pypy 7.3". */
static void name_python(struct ps_row *row, const struct pyimage *image)
{
	const char *text = *image->text ? image->text : "?";

	snprintf(row->python, sizeof(row->python), "%s%s%s",
		 image->kind == PYIMAGE_PYPY ? "pypy " : "", text,
		 image->kind == PYIMAGE_FREE_THREADED ? "t" :
		 image->kind == PYIMAGE_DEBUG ? "d" :
		 image->kind == PYIMAGE_FORK ? " (fork)" : "");
}

static void take_interp(struct ps_row *row, const struct target *t,
			const struct interp *in)
{
	row->walk = in->walk;
	row->why = in->why;
	row->embedded = t->embedded;
	row->calls = calls_of(in);
	if (t->exe && strcmp(t->exe, in->path))
		row->library = strdup(in->path);
	name_python(row, &in->image);
}

/* Unknown if its memory may not be read, or does not answer. */
static void read_cmdline(struct ps_row *row, const struct proc *p)
{
	struct remote r;

	if (remote_open(&r, p, NULL) < 0)
		return;
	if (remote_cmdline(&r, &row->info, &row->cmdline) < 0)
		row->cmdline = (struct proc_text){ 0 };
	remote_close(&r);
}

/* 1: a row, 0: not Python, or an error. */
static int look(struct job *job)
{
	struct ps_row *row = &job->row;
	struct proc p = PROC_NONE;
	struct target t;
	int rc;

	rc = proc_open(&p, job->pid, NULL);
	if (rc < 0)
		return rc;
	rc = target_look(&p, job->cache, &t, &row->why);
	if (rc < 0) {
		proc_close(&p);
		return rc;
	}
	if (t.nr)
		take_interp(row, &t, t.main ? t.main : &t.v[0]);
	else if (row->why.kind == ERR_UNSUPPORTED)
		snprintf(row->python, sizeof(row->python), "pypy");
	rc = *row->python ? 1 : 0;
	if (rc && proc_info(&t.proc, &row->info, NULL) < 0)
		rc = 0;			/* it has just ended */
	if (rc) {
		read_cmdline(row, &t.proc);
		where_of(&t.proc, &row->where);
		row->pid = t.proc.pid;
		row->ppid = row->info.ppid;
		row->exe = t.exe;
		t.exe = NULL;
	}
	target_fini(&t);
	return rc;
}

static void job_run(void *arg)
{
	struct job *job = arg;

	job->rc = look(job);
}

/* ---- all of them ------------------------------------------------------ */

static int add_row(struct ps *ps, struct ps_row *row)
{
	struct ps_row *more = realloc(ps->rows, (ps->nr + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	ps->rows = more;
	ps->rows[ps->nr++] = *row;
	memset(row, 0, sizeof(*row));
	return 0;
}

static int look_bounded(struct ps *ps, struct bounded *b,
			struct imgcache **cache, pid_t pid)
{
	struct job *job = calloc(1, sizeof(*job));
	int rc;

	if (!job)
		return -ENOMEM;
	job->pid = pid;
	job->cache = *cache;
	rc = bounded_run(b, job_run, job_free, job, LOOK_MS);
	if (rc == -ETIMEDOUT) {
		/* Its thread may come back to the cache: leave it that one. */
		*cache = imgcache_new();
		ps->hung++;
		return 0;
	}
	if (!rc && job->rc == 1)
		rc = add_row(ps, &job->row);
	else if (!rc && job->rc == -ETIMEDOUT)
		ps->hung++;
	else if (!rc && (job->rc == -EACCES || job->rc == -EPERM))
		ps->refused++;
	job_free(job);
	return rc;
}

static void count_workers(struct ps *ps)
{
	size_t i, j;

	for (i = 0; i < ps->nr; i++)
		for (j = 0; j < ps->nr; j++)
			if (ps->rows[j].ppid == ps->rows[i].pid)
				ps->rows[i].workers++;
}

int ps_gather(struct ps *ps, struct err *err)
{
	struct imgcache *cache = imgcache_new();
	struct bounded *b = bounded_new();
	struct pids pids;
	size_t i;
	int rc;

	*ps = (struct ps){ 0 };
	rc = proc_list(&pids, err);
	for (i = 0; !rc && i < pids.nr; i++) {
		rc = b ? look_bounded(ps, b, &cache, pids.v[i]) : -ENOMEM;
		if (rc < 0)
			err_set(err, rc, "cannot look at processes: %s",
				strerror(-rc));
	}
	pids_fini(&pids);
	bounded_free(b);
	imgcache_free(cache);
	count_workers(ps);
	if (rc < 0)
		ps_fini(ps);
	return rc;
}

void ps_fini(struct ps *ps)
{
	size_t i;

	for (i = 0; i < ps->nr; i++)
		row_fini(&ps->rows[i]);
	free(ps->rows);
	*ps = (struct ps){ 0 };
}
