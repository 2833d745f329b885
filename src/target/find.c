/* SPDX-License-Identifier: MIT */
/* find: the interpreters in a process. */
#include "target/find.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "elf/elfimg.h"
#include "target/bounded.h"
#include "target/embedded.h"
#include "target/interp.h"
#include "target/mapped.h"
#include "target/maps.h"
#include "target/memimg.h"
#include "target/through.h"
#include "target/whatis.h"

/*
 * Less code than this is no interpreter: 3.6, the smallest, has 1.6 MB.  Saves
 * the opening of most libraries.
 */
#define MIN_CODE	(512U << 10)

struct look {
	struct target *t;
	struct maps maps;
	struct imgcache *cache;
	struct remote memory;		/* opened for files that are refused */
	int refused;			/* the first file that was not to be */
	struct err why;			/* had, and why */
};

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

/* ---- files ------------------------------------------------------------ */

static bool is_code(const struct map *m)
{
	return m->kind == MAPS_FILE && m->exec && m->inode;
}

static bool seen_before(const struct maps *maps, const struct map *m)
{
	const struct map *p;

	for (p = maps->v; p < m; p++)
		if (is_code(p) && map_same_file(p, m))
			return true;
	return false;
}

static uint64_t code_bytes(const struct maps *maps, const struct map *of)
{
	const struct map *m;
	uint64_t sum = 0;

	for (m = of; m < maps->v + maps->nr; m++)
		if (is_code(m) && map_same_file(m, of))
			sum += m->end - m->start;
	return sum;
}

static bool has_bias(const struct target *t, const struct stat *st,
		     uint64_t bias)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		if (t->v[i].st.st_ino == st->st_ino &&
		    t->v[i].st.st_dev == st->st_dev && t->v[i].bias == bias)
			return true;
	return false;
}

static void interp_fini(struct interp *in)
{
	free(in->path);
	if (in->fd >= 0)
		close(in->fd);
}

static int add_interp(struct target *t, const struct map *m,
		      const struct interp *like)
{
	struct interp *more = realloc(t->v, (t->nr + 1) * sizeof(*more));
	struct interp in = *like;

	if (!more)
		return -ENOMEM;
	t->v = more;
	in.path = strdup(m->path);
	in.fd = fcntl(like->fd, F_DUPFD_CLOEXEC, 0);
	in.deleted = m->deleted;
	if (!in.path || in.fd < 0) {
		interp_fini(&in);
		return -ENOMEM;
	}
	t->v[t->nr++] = in;
	return 0;
}

/* One file can be mapped twice (dlmopen): an interpreter for each bias. */
static int add_mappings(struct look *l, const struct map *of,
			const struct elfimg *img, const struct interp *like)
{
	struct interp in = *like;
	const struct map *m;
	int rc = 0;

	for (m = of; m < l->maps.v + l->maps.nr && !rc; m++) {
		if (!is_code(m) || !map_same_file(m, of))
			continue;
		if (elfimg_bias(img, m->start, m->offset, true, &in.bias) < 0)
			continue;
		if (!has_bias(l->t, &in.st, in.bias))
			rc = add_interp(l->t, m, &in);
	}
	return rc;
}

/* By the file alone. */
static void judge(struct interp *in)
{
	const struct pyimage *image = &in->image;
	char name[128];

	in->pt = image->image;
	in->walk = image->walk ? PT_WALK_YES : PT_WALK_NO;
	if (image->walk)
		return;
	err_kind(&in->why, ERR_UNSUPPORTED, -ENOTSUP, "%s: %s",
		 pyimage_describe(image, name, sizeof(name)), image->why);
	if (*image->hint)
		err_hint(&in->why, "%s", image->hint);
}

/* A file that is damaged or of another format is no interpreter. */
static int look_into(struct look *l, const struct map *m, int fd,
		     const struct stat *st, bool from_memory)
{
	struct interp in = { .fd = fd, .st = *st, .from_memory = from_memory };
	struct elfimg *img;
	int rc;

	if (imgcache_knows_not(l->cache, st))
		return 0;
	if (elfimg_open_fd(&img, fd, m->path, NULL) < 0)
		return 0;
	rc = imgcache_find(l->cache, img, st, &in.image);
	if (!rc)
		judge(&in);
	if (!rc)
		rc = add_mappings(l, m, img, &in);
	else if (rc != -ENOMEM)
		rc = 0;
	elfimg_close(img);
	return rc;
}

/*
 * A file that cannot be had, as the kernel half reads it from memory.  CPython
 * in a program of any name has dynamic symbols that begin so.
 */
static int copy_from_memory(struct look *l, const struct map *m, struct stat *st)
{
	int fd;

	if (l->memory.fd < 0 && remote_open(&l->memory, &l->t->proc, NULL) < 0)
		return -EACCES;
	fd = memimg_make(&l->maps, m, &l->memory.mem, "Py_");
	if (fd < 0)
		return fd;
	if (fstat(fd, st) < 0) {
		close(fd);
		return -EIO;
	}
	st->st_dev = m->dev;
	st->st_ino = m->inode;
	return fd;
}

static int look_at_file(struct look *l, const struct map *m)
{
	struct err err = { 0 };
	bool from_memory = false;
	struct stat st;
	int fd, rc;

	fd = mapped_open(m, &l->t->proc, &st, &err);
	if (fd == -EINVAL)
		return 0;		/* a device holds no interpreter */
	if (through_helps(fd) || fd == -ENOENT) {
		int copy = copy_from_memory(l, m, &st);

		if (copy == -ENOENT)
			return 0;	/* another library */
		if (copy >= 0)
			fd = copy;
		from_memory = copy >= 0;
	}
	if (fd < 0) {
		if (!l->refused)
			l->why = err;
		if (!l->refused)
			l->refused = fd == -ENOENT ? -EACCES : fd;
		return fd == -ENOMEM ? fd : 0;
	}
	rc = look_into(l, m, fd, &st, from_memory);
	close(fd);
	return rc;
}

static int look_at_files(struct look *l)
{
	const struct map *m;
	int rc = 0;

	for (m = l->maps.v; m < l->maps.v + l->maps.nr && !rc; m++)
		if (is_code(m) && !seen_before(&l->maps, m) &&
		    code_bytes(&l->maps, m) >= MIN_CODE)
			rc = look_at_file(l, m);
	return rc;
}

/* ---- the whole -------------------------------------------------------- */

/* Those that run before those that start before those we cannot walk. */
static int rank(const struct interp *in)
{
	switch (in->walk) {
	case PT_WALK_YES:
		return 0;
	case PT_WALK_STARTING:
		return 1;
	case PT_WALK_NO:
		break;
	}
	return 2;
}

/* By insertion: there are one or two. */
static void sort_interps(struct target *t)
{
	size_t i, j;

	for (i = 1; i < t->nr; i++) {
		struct interp in = t->v[i];

		for (j = i; j && rank(&t->v[j - 1]) > rank(&in); j--)
			t->v[j] = t->v[j - 1];
		t->v[j] = in;
	}
	if (t->nr && t->v[0].walk != PT_WALK_NO)
		t->main = &t->v[0];
}

/* The sentence for a target without an interpreter to walk. */
static int explain(const struct look *l, struct err *err)
{
	const struct target *t = l->t;

	if (t->nr) {
		if (err)
			*err = t->v[0].why;
		return err_wrap(err, -ENOTSUP, "process %d", t->proc.pid);
	}
	if (l->refused) {
		if (err)
			*err = l->why;
		return l->refused;
	}
	return whatis_process(&t->proc, &l->maps, err);
}

/* The link is refused: the kernel half knows which of the mappings it is. */
static char *exe_through(const struct look *l)
{
	struct through_id id;
	int fd = through_open(&l->t->proc, &id);

	if (fd < 0)
		return NULL;
	close(fd);
	for (size_t i = 0; id.exe_ino && i < l->maps.nr; i++) {
		const struct map *m = &l->maps.v[i];

		if (m->kind == MAPS_FILE && m->inode == id.exe_ino &&
		    m->dev == id.exe_dev)
			return strdup(m->path);
	}
	return NULL;
}

static int look(struct look *l, struct err *err)
{
	struct target *t = l->t;
	int rc;

	rc = maps_read(&l->maps, &t->proc, err);
	if (rc < 0)
		return rc;
	t->exe = proc_link(&t->proc, "exe");
	if (!t->exe)
		t->exe = exe_through(l);
	rc = look_at_files(l);
	if (rc < 0)
		return no_memory(err);
	if (t->nr)
		t->embedded = embedded_in(t->exe, &l->maps, &t->proc);
	interps_ask_memory(t);
	sort_interps(t);
	return t->main ? 0 : explain(l, err);
}

int target_look(struct proc *proc, struct imgcache *cache, struct target *out,
		struct err *err)
{
	struct target t = TARGET_NONE;
	struct look l = { .t = &t, .cache = cache, .memory = REMOTE_NONE };
	int rc;

	t.proc = *proc;
	rc = look(&l, err);
	remote_close(&l.memory);
	maps_fini(&l.maps);
	if (rc < 0 && rc != -ENOEXEC && rc != -ENOTSUP) {
		t.proc = PROC_NONE;
		target_fini(&t);
		return rc;
	}
	*proc = PROC_NONE;
	*out = t;
	return 0;
}

/* ---- in bounded time -------------------------------------------------- */

#define FIND_MS	5000

struct job {			/* owns what it touches */
	struct proc proc;
	struct imgcache *cache;	/* lent, and given away if it hangs */
	struct target t;
	struct err err;
	int rc;
};

static void job_run(void *arg)
{
	struct job *job = arg;

	job->rc = target_look(&job->proc, job->cache, &job->t, &job->err);
}

static void job_free(void *arg)
{
	struct job *job = arg;

	proc_close(&job->proc);
	target_fini(&job->t);
	free(job);
}

static int run_job(struct job *job, struct imgcache **cache,
		   struct target *out, struct err *err)
{
	struct bounded *b = bounded_new();
	pid_t pid = job->proc.pid;
	int rc;

	rc = b ? bounded_run(b, job_run, job_free, job, FIND_MS) : -ENOMEM;
	bounded_free(b);
	if (rc == -ETIMEDOUT) {
		if (cache)
			*cache = imgcache_new();
		err_set(err, rc, "process %d does not answer: a file or page "
			"that it has mapped cannot be read", pid);
		err_hint(err, "a FUSE or network file system may hang");
		return rc;
	}
	if (!rc) {
		rc = job->rc;
		if (err)
			*err = job->err;
	}
	if (!rc) {
		*out = job->t;
		job->t = TARGET_NONE;
	}
	job_free(job);
	return rc;
}

static int find_all(pid_t pid, struct imgcache **cache, struct target *out,
		    struct err *err)
{
	struct job *job = malloc(sizeof(*job));
	int rc;

	if (!job)
		return no_memory(err);
	*job = (struct job){ .cache = cache ? *cache : NULL, .t = TARGET_NONE };
	rc = proc_open(&job->proc, pid, err);
	if (rc < 0) {
		free(job);
		return rc;
	}
	return run_job(job, cache, out, err);
}

int target_find_all(pid_t pid, struct target *out, struct err *err)
{
	return find_all(pid, NULL, out, err);
}

int target_find_again(pid_t pid, struct imgcache **cache, struct target *out,
		      struct err *err)
{
	struct err why = { 0 };
	int rc = find_all(pid, cache, out, &why);

	if (!rc && !out->main) {
		rc = why.kind == ERR_UNSUPPORTED ? -ENOTSUP : -ENOEXEC;
		target_fini(out);
	}
	if (rc < 0 && err)
		*err = why;
	return rc;
}

int target_find(pid_t pid, struct target *out, struct err *err)
{
	return target_find_again(pid, NULL, out, err);
}

void target_fini(struct target *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++)
		interp_fini(&t->v[i]);
	free(t->v);
	free(t->exe);
	proc_close(&t->proc);
	*t = TARGET_NONE;
}
