/* SPDX-License-Identifier: MIT */
/*
 * discover: which interpreter is in a process, told to the kernel half.
 *
 * Three ways lead here: a process that is there already, a command whose files
 * tell what it will run, and a process that mapped code while it was traced.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "live/session_priv.h"
#include "target/guess.h"
#include "target/root.h"
#include "target/which.h"

/* What is to be known of an interpreter's file, wherever it was found. */
struct file {
	const struct pyimage *image;
	const struct pt_image *pt;
	const char *path;
	int fd;
	const char *why;	/* not walked because; NULL: it is */
	const struct stat *copy_of;	/* fd is a copy of this; NULL: is it */
};

void discover_probes(struct session *s, const struct known_image *img)
{
	if (!s->no_usdt.kind)
		s->no_usdt = img->no_usdt;
}

/* What tells of calls, or why nothing does (of what lacks, calls come first). */
static void note_calls(const struct session *s, const struct file *f,
		       struct known_image *k)
{
	if (!(s->events_asked & 1u << PT_CALL))
		return;
	if (!f->copy_of)
		k->calls = tracer_calls_by(s->tracer, f->fd);
	if (k->calls == PT_CALLS_NONE)
		k->no_calls = f->copy_of ? "the interpreter's file is out of "
					   "reach" : k->no_usdt.text;
}

static int remember(struct session *s, const struct file *f, uint32_t nr)
{
	struct known_image *k = &s->known.images[nr];

	if (k->path)
		return 0;
	k->pt = *f->pt;
	k->path = strdup(f->path ? f->path : "");
	k->python = strdup(f->image->text);
	k->why = f->why ? strdup(f->why) : NULL;
	if (!f->copy_of)
		(void)!tracer_check_usdt(s->tracer, f->fd, k->python ?
					 k->python : "", &k->no_usdt);
	note_calls(s, f, k);
	if (elfimg_open_fd(&k->elf, f->fd, k->path, NULL))
		k->elf = NULL;
	return k->path && k->python ? 0 : -ENOMEM;
}

/* File offsets of the probes; 0 where there is nothing to be probed. */
static int probe_offsets(const struct file *f, struct tracer_image *out,
			 struct err *err)
{
	struct elfimg *elf;
	int rc = elfimg_open_fd(&elf, f->fd, f->path ? f->path : "", err);

	if (rc)
		return rc;
	if (!f->pt->init ||
	    elfimg_offset(elf, f->pt->init, PF_X, &out->init_offset))
		out->init_offset = 0;
	if (!f->pt->dealloc ||
	    elfimg_offset(elf, f->pt->dealloc, PF_X, &out->dealloc_offset))
		out->dealloc_offset = 0;
	elfimg_close(elf);
	return 0;
}

static int add_image(struct session *s, const struct file *f, pid_t pid,
		     uint32_t *nr, struct err *err)
{
	struct tracer_image image = {
		.image = *f->pt,
		.fd = f->fd,
		.pid = s->follow || s->select ? -1 : pid,
	};
	int rc = 0;

	if (f->copy_of) {	/* nothing can be probed in a copy */
		image.dev = f->copy_of->st_dev;
		image.ino = f->copy_of->st_ino;
	} else {
		rc = probe_offsets(f, &image, err);
	}
	if (!rc)
		rc = tracer_add_image(s->tracer, &image, nr, err);
	if (!rc && !f->copy_of)
		rc = usdt_add(s, f->fd, f->path, image.pid,
			      f->pt->layout.version, err);
	if (rc)
		return rc;
	rc = remember(s, f, *nr);
	return rc ? err_set(err, rc, "out of memory") : 0;
}

static int set_target(struct session *s, pid_t pid, const struct pt_target *t,
		      struct err *err)
{
	struct known_pid *k = known_pid(&s->known, (uint32_t)pid);

	if (!k)
		return err_set(err, -ENOMEM, "out of memory");
	k->alive = true;
	if (!s->first_pid)
		s->first_pid = (uint32_t)pid;
	return tracer_set_target(s->tracer, pid, t, err);
}

/* The program itself, when executed again, will run the same interpreter. */
static void note_exe(struct session *s, const struct target *t, uint32_t nr)
{
	int fd = proc_open_file(&t->proc, "exe", NULL);

	/* the interpreter's own file may be it, and that is open */
	if (fd < 0 && t->exe && !strcmp(t->exe, t->main->path) &&
	    !t->main->from_memory)
		fd = fcntl(t->main->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* if that fails, it will be found by its mapping */
	(void)!tracer_add_exe(s->tracer, fd, nr, !t->embedded &&
				late_takes_file(s, t->exe), NULL);
	close(fd);
}

static enum pt_proc_state state_of(enum pt_walk walk)
{
	return walk == PT_WALK_YES ? PT_PROC_RUNNING :
	       walk == PT_WALK_STARTING ? PT_PROC_STARTING : PT_PROC_REFUSED;
}

/*
 * Of several interpreters in a process the one that is initialised first is
 * the one to walk: the others' probes must be in place as well.
 */
static int add_others(struct session *s, const struct target *t, struct err *err)
{
	uint32_t nr;
	int rc = 0;

	for (size_t i = 0; !rc && i < t->nr; i++) {
		const struct interp *in = &t->v[i];
		struct file f = {
			.image = &in->image, .pt = &in->pt, .path = in->path,
			.fd = in->fd,
			.copy_of = in->from_memory ? &in->st : NULL,
		};

		if (in != t->main && in->walk == PT_WALK_STARTING)
			rc = add_image(s, &f, t->proc.pid, &nr, err);
	}
	return rc;
}

static bool runs_by_now(const struct target *t)
{
	struct remote remote;
	bool runs;

	if (remote_open(&remote, &t->proc, NULL))
		return false;
	runs = interp_walk_now(t->main, &remote) == PT_WALK_YES;
	remote_close(&remote);
	return runs;
}

/*
 * Tell the kernel half what is in this process.  One that is starting may have
 * come up before the probe on its initialisation was in place, or before it was
 * a target: look again, once it is.
 */
static int tell(struct session *s, const struct target *t, uint32_t exec_id,
		struct err *err)
{
	const struct interp *in = t->main;
	struct pt_target target = { .exec_id = exec_id };
	struct file f = {
		.image = &in->image, .pt = &in->pt, .path = in->path,
		.fd = in->fd,
		.why = in->walk == PT_WALK_NO ? in->why.text : NULL,
		.copy_of = in->from_memory ? &in->st : NULL,
	};
	struct known_pid *k;
	int rc = add_image(s, &f, t->proc.pid, &target.image, err);

	if (!rc)
		rc = add_others(s, t, err);
	if (rc)
		return rc;
	target.bias = in->bias;
	target.state = state_of(in->walk);
	note_exe(s, t, target.image);
	rc = set_target(s, t->proc.pid, &target, err);
	if (!rc && in->walk == PT_WALK_STARTING && runs_by_now(t)) {
		target.state = PT_PROC_RUNNING;
		rc = set_target(s, t->proc.pid, &target, err);
	}
	if (rc)
		return rc;
	if (in->walk != PT_WALK_NO)
		s->nr_walked++;
	usdt_add_libraries(s, &t->proc);
	discover_probes(s, &s->known.images[target.image]);
	k = known_pid(&s->known, (uint32_t)t->proc.pid);
	k->image = target.image;
	k->bias = target.bias;
	k->running = target.state == PT_PROC_RUNNING;
	free(k->exe);
	k->exe = t->exe ? strdup(t->exe) : NULL;
	return 0;
}

int discover_target(struct session *s, pid_t pid, struct err *err)
{
	struct target t;
	int rc = target_find_again(pid, &s->cache, &t, err);

	if (rc)
		return rc;
	rc = tell(s, &t, PT_ANY_EXEC, err);
	if (!rc && !t.main->from_memory)
		rc = tracer_check_usdt(s->tracer, t.main->fd,
				       t.main->image.text, err);
	else if (!rc && tracer_wants_usdt(s->tracer))
		rc = err_kind(err, ERR_NOT_PERMITTED, -EACCES, "cannot put USDT "
			      "probes into process %d: the file of its "
			      "interpreter is out of reach", (int)pid);
	target_fini(&t);
	return rc;
}

int discover_descendants(struct session *s, pid_t pid, struct err *err)
{
	const struct pt_target unknown = { .exec_id = PT_ANY_EXEC };
	struct pids pids = { 0 };
	int rc = proc_descendants(pid, &pids, err);

	for (size_t i = 0; !rc && i < pids.nr; i++) {
		struct target t;

		if (pids.v[i] == getpid())
			continue;	/* started by what it traces */
		if (target_find_again(pids.v[i], &s->cache, &t, NULL)) {
			/* no interpreter: it may exec one later */
			rc = set_target(s, pids.v[i], &unknown, err);
			continue;
		}
		rc = tell(s, &t, PT_ANY_EXEC, err);
		target_fini(&t);
	}
	pids_fini(&pids);
	return rc;
}

static int add_which(struct session *s, const struct which *w, pid_t pid,
		     struct err *err)
{
	struct file f = {
		.image = &w->image, .pt = &w->image.image, .path = w->file,
		.fd = w->fd,
	};
	uint32_t nr;
	int exe, rc;

	if (!w->image.walk) {
		char name[80];

		err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
			 "cannot trace '%s': %s: %s", w->exe,
			 pyimage_describe(&w->image, name, sizeof(name)),
			 w->image.why);
		err_hint(err, "%s", w->image.hint);
		return -ENOTSUP;
	}
	rc = add_image(s, &f, pid, &nr, err);
	exe = open(w->exe, O_RDONLY | O_CLOEXEC);
	if (!rc && exe >= 0)
		rc = tracer_add_exe(s->tracer, exe, nr, late_takes_file(s, w->exe),
				    err);
	if (exe >= 0)
		close(exe);
	return rc;
}

/* What the command may exec later.  A guess: nothing fails for it. */
static void add_guesses(struct session *s, char *const argv[], pid_t pid)
{
	struct guesses g;

	guess_command(argv, &g);
	for (size_t i = 0; i < g.nr; i++)
		(void)!add_which(s, &g.v[i], pid, NULL);
	guesses_fini(&g);
}

/*
 * What no file tells (a shell script, a program that loads its interpreter
 * later) is found when it is mapped; a Python that cannot be traced is refused
 * before it runs.
 */
int discover_command(struct session *s, char *const argv[], pid_t pid,
		     struct err *err)
{
	const struct pt_target held = { .exec_id = PT_ANY_EXEC, .held = 1 };
	struct which w = WHICH_NONE;
	int rc = which_command(argv, &w, err);

	if (!rc) {
		rc = add_which(s, &w, pid, err);
		if (!rc)
			rc = tracer_check_usdt(s->tracer, w.fd, w.image.text,
					       err);
		which_fini(&w);
	} else if (rc != -ENOTSUP) {
		rc = 0;
	}
	if (rc)
		return rc;
	add_guesses(s, argv, pid);
	return set_target(s, pid, &held, err);
}

void discover_again(struct session *s, uint32_t pid, uint32_t exec_id)
{
	struct target t;

	if (target_find_again((pid_t)pid, &s->cache, &t, NULL))
		return;		/* not yet, or never */
	/* if that fails, its events stay counted as unrecognised */
	(void)!tell(s, &t, exec_id, NULL);
	target_fini(&t);
}

void discover_file(struct session *s, const struct which *w)
{
	(void)!add_which(s, w, -1, NULL);
}

/* Its libpython is not mapped yet, but its file says that it will be. */
static int expect(const struct proc *p, struct which *w)
{
	char *exe = proc_link(p, "exe");
	struct root root;
	int rc = exe ? root_open(&root, p, NULL) : -ENOENT;

	if (!rc) {
		rc = which_in_root(&root, exe, w, NULL);
		root_close(&root);
	}
	free(exe);
	return rc;
}

/* perf and gdb have one, and rarely use it: not before it is initialised. */
static bool is_python_name(const char *exe)
{
	const char *slash = strrchr(exe, '/');

	return strstr(slash ? slash : exe, "python");
}

/* The file of the process itself, which its name may no longer lead to. */
static void expect_again(struct session *s, const struct proc *p,
			 const char *exe, uint32_t nr)
{
	int fd = proc_open_file(p, "exe", NULL);

	if (fd < 0)
		return;
	(void)!tracer_add_exe(s->tracer, fd, nr, late_takes_file(s, exe), NULL);
	close(fd);
}

/*
 * Once the probe on its initialisation is in place it is either seen to be
 * mapped, or will be met when it initialises itself.
 */
static int take_expected(struct session *s, const struct proc *p,
			 const struct which *w, uint32_t exec_id)
{
	struct pt_target target = { .exec_id = exec_id };
	struct file f = {
		.image = &w->image, .pt = &w->image.image, .path = w->file,
		.fd = w->fd,
	};
	struct target t;
	int rc;

	if (!w->image.walk)
		return -ENOEXEC;
	rc = add_image(s, &f, p->pid, &target.image, NULL);
	if (rc)
		return rc;
	if (is_python_name(w->exe)) {
		target.state = PT_PROC_STARTING;
		expect_again(s, p, w->exe, target.image);
	}
	if (target_find_again(p->pid, &s->cache, &t, NULL))
		return set_target(s, p->pid, &target, NULL);
	rc = tell(s, &t, exec_id, NULL);
	target_fini(&t);
	return rc;
}

/* Has it mapped one that it does not use, and did so long ago? */
static bool is_unused(const struct target *t, uint32_t exec_id)
{
	return exec_id == PT_ANY_EXEC && t->embedded &&
	       t->main->walk == PT_WALK_STARTING;
}

int discover_late(struct session *s, const struct proc *p, uint32_t exec_id)
{
	struct which w = WHICH_NONE;
	struct target t;
	int rc = target_find_again(p->pid, &s->cache, &t, NULL);

	if (rc == -ENOEXEC && exec_id != PT_ANY_EXEC && !expect(p, &w)) {
		rc = take_expected(s, p, &w, exec_id);
		which_fini(&w);
		return rc;
	}
	if (rc)
		return rc;
	rc = is_unused(&t, exec_id) ? -ENOEXEC : tell(s, &t, exec_id, NULL);
	target_fini(&t);
	return rc;
}
