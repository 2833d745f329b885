/* SPDX-License-Identifier: MIT */
/* session: one live trace from its targets to its last record. */
#include "live/session.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/complete.h"
#include "live/kread.h"
#include "live/session_priv.h"
#include "target/nofile.h"
#include "target/drop.h"

#define LOOK_NS UINT64_C(200000000)	/* losses and deaths: five times a second */
#define TRIAL_NS UINT64_C(100000000)	/* of probes on calls */

static int session_next(struct source *source, const struct pt_hdr **rec,
			struct err *err);

static void not_closed(struct source *source)
{
	(void)source;		/* session_close() does */
}

static int open_command(struct session *s, char *const *command, struct err *err)
{
	int rc = s->dry ? 0 : spawn_hold(&s->spawn, command, err);

	if (s->dry)
		s->spawn.pid = 0;
	return rc ? rc : discover_command(s, command, s->spawn.pid, err);
}

/* What sleeps until the kernel half takes it over is known from then on. */
static int begin(struct session *s, struct err *err)
{
	const struct tracer_sleepers sleepers = asleep_confirm(s);
	int rc = asleep_look(s);

	if (rc)
		return err_kind(err, ERR_KERNEL, rc, "cannot look for threads "
				"that sleep: %s", strerror(-rc));
	return tracer_begin(s->tracer, &sleepers, err);
}

static int open_targets(struct session *s, const struct session_opts *opts,
			struct err *err)
{
	int rc;

	if (s->select) {
		rc = late_open(s, err);
		s->attached_ns = now_ns();
		return rc ? rc : begin(s, err);
	}
	for (size_t i = 0; i < opts->nr_pids; i++) {
		rc = discover_target(s, opts->pids[i], err);
		if (rc)
			return rc;
	}
	rc = tracer_start(s->tracer, err);
	s->attached_ns = now_ns();
	/* from here on no fork goes unseen */
	for (size_t i = 0; !rc && s->follow && i < opts->nr_pids; i++)
		rc = discover_descendants(s, opts->pids[i], err);
	return rc ? rc : begin(s, err);
}

int session_open(struct session **out, const struct session_opts *opts,
		 struct err *err)
{
	struct session *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	s->source.next = session_next;
	s->source.close = not_closed;
	s->spawn = SPAWN_NONE;
	s->cache = imgcache_new();	/* NULL: each file is read each time */
	s->dry = opts->tracer.dry;
	s->follow = opts->tracer.follow;
	s->events_asked = opts->tracer.events ? opts->tracer.events :
						1u << PT_SYSCALL;
	s->tell_gil = opts->tracer.events & 1u << PT_OFFCPU;
	s->argv = opts->argv;
	s->version = opts->version;
	s->select = opts->select;
	s->budget.percent = opts->max_overhead;
	if (s->events_asked & 1u << PT_CALL)
		s->budget.first_ns = TRIAL_NS;
	s->slower_ns = opts->slower_ns;
	pthread_mutex_init(&s->lock, NULL);
	nofile_raise();
	rc = opts->tracer.kernel_stacks ? kernel_new(s, err) : 0;
	if (!rc)
		rc = tracer_open(&s->tracer, &opts->tracer, err);
	if (!rc && s->select && late_new(s))
		rc = err_set(err, -ENOMEM, "out of memory");
	if (!rc && s->tell_gil && !opts->tracer.no_stacks && asleep_new(s))
		rc = err_set(err, -ENOMEM, "out of memory");
	if (!rc)
		kread_offer();
	if (!rc && !opts->tracer.dry)
		rc = ring_open(&s->ring, s->tracer, err);
	if (!rc && opts->command)
		rc = open_command(s, opts->command, err);
	if (!rc)
		rc = open_targets(s, opts, err);
	if (rc) {
		session_close(s);
		return rc;
	}
	s->own_begin_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	*out = s;
	return 0;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	upkeep_stop(s);
	ring_close(s->ring);
	tracer_close(s->tracer);
	spawn_close(&s->spawn);
	late_free(s->late);
	asleep_free(s->asleep);
	kernel_free(s->kernel);
	known_fini(&s->known);
	groups_fini(&s->groups);
	imgcache_free(s->cache);
	queue_fini(&s->queue);
	queue_fini(&s->said);
	recbuf_free(&s->buf);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int session_release(struct session *s, int *exit_code, struct err *err)
{
	s->released = true;
	return spawn_release(&s->spawn, exit_code, err);
}

struct source *session_source(struct session *s)
{
	return &s->source;
}

void session_judge(struct session *s, uint64_t code, bool wanted)
{
	/* without it all calls of that function come, and cost what that costs */
	if (s->tracer && tracer_judge(s->tracer, code, wanted))
		return;
}

void session_end(struct session *s)
{
	if (s->stopped)
		return;
	s->stopped_ns = now_ns();
	jit_look(s);
	tracer_stop(s->tracer);
	s->stopped = true;
}

void session_stop(struct session *s)
{
	pthread_mutex_lock(&s->lock);
	session_end(s);
	pthread_mutex_unlock(&s->lock);
}

int session_drop_rights(struct session *s, struct err *err)
{
	int rc;

	if (s->select)
		select_rest(s->select);	/* a thread would keep its own */
	/* their programs have functions: they are not copied (load_copy()) */
	rc = drop_rights(tracer_wants_usdt(s->tracer));
	return rc ? err_set(err, rc, "cannot give up rights: %s",
			    strerror(-rc)) : 0;
}

/* Descriptors of BPF links and of perf events. */
static size_t count_attached(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *e;
	char to[64];
	size_t nr = 0;

	while (dir && (e = readdir(dir))) {
		ssize_t len = readlinkat(dirfd(dir), e->d_name, to,
					 sizeof(to) - 1);

		to[len > 0 ? len : 0] = '\0';
		nr += strstr(to, "bpf_link") || strstr(to, "bpf-link") ||
		      strstr(to, "[perf_event]");
	}
	if (dir)
		closedir(dir);
	return nr;
}

size_t session_detach(struct session *s)
{
	upkeep_stop(s);
	session_end(s);
	ring_close(s->ring);
	tracer_close(s->tracer);
	s->ring = NULL;
	s->tracer = NULL;
	return count_attached();
}

static bool runs(pid_t pid)
{
	struct proc_info info = { 0 };
	struct proc p;
	bool is;

	if (proc_open(&p, pid, NULL))
		return false;
	is = !proc_info(&p, &info, NULL) && info.state != 'Z';
	proc_close(&p);
	return is;
}

size_t session_left_running(struct session *s)
{
	struct known_pid *t, *next;
	size_t nr = 0;

	HASH_ITER(hh, s->known.pids, t, next)
		nr += t->alive && (pid_t)t->pid != s->spawn.pid &&
		      runs((pid_t)t->pid);
	return nr;
}

int session_exit_code(struct session *s, int *exit_code)
{
	int status, rc = spawn_wait(&s->spawn, &status);

	if (!rc)
		*exit_code = spawn_exit_code(status);
	return rc;
}

static int put_loss(const struct pt_hdr *rec, void *arg)
{
	struct session *s = arg;

	s->lost += ((const struct pt_lost *)rec)->count;
	return queue_put(&s->queue, rec);
}

/* Have all of them ended?  One whose exit record was lost has, too. */
static bool all_ended(struct session *s)
{
	struct pollfd p = { .fd = s->spawn.pidfd, .events = POLLIN };
	struct known_pid *t, *next;

	if (s->select)
		return false;
	if (s->released)
		return poll(&p, 1, 0) > 0;
	HASH_ITER(hh, s->known.pids, t, next) {
		if (t->alive && kill((pid_t)t->pid, 0) && errno == ESRCH)
			t->alive = false;
		if (t->alive)
			return false;
	}
	return true;
}

/* What there is to do when the ring is empty.  -EAGAIN: nothing came of it. */
static int idle(struct session *s, struct err *err)
{
	uint64_t now = now_ns();
	bool look = now - s->looked_ns >= LOOK_NS;

	if (look) {
		s->looked_ns = now;
		if (tracer_losses(s->tracer, put_loss, s))
			return err_set(err, -EIO, "reading the losses failed");
		if (groups_tell(&s->groups, now, false, &s->queue))
			return err_set(err, -ENOMEM, "out of memory");
		if (!s->stopped)
			tracer_sample(s->tracer);
		jit_look(s);
	}
	if ((look || s->released) && all_ended(s)) {
		session_end(s);
		return 0;
	}
	return s->queue.at == s->queue.used ? -EAGAIN : 0;
}

static int note_fork(struct session *s, const struct pt_fork *f)
{
	struct known_proc *parent = known_find_proc(&s->known, f->h.proc);
	struct known_proc *child = known_proc(&s->known, f->child_proc,
					      f->child_pid);
	struct known_pid *t = known_pid(&s->known, f->child_pid);

	if (!child || !t)
		return -ENOMEM;
	t->alive = true;
	if (parent && child != parent) {
		child->image = parent->image;
		child->bias = parent->bias;
		child->running = parent->running;
	}
	return 0;
}

/*
 * A program maps a dozen files in a row, and to look into a process takes
 * longer than that: once for all of them, when the ring is empty.
 */
static int note_mapped(struct session *s, const struct pt_mapped *m)
{
	struct known_pid *t = known_pid(&s->known, m->h.pid);

	if (!t)
		return -ENOMEM;
	t->exec_id = m->exec_id;
	t->look = s->look = true;
	return 0;
}

static void look_again(struct session *s)
{
	struct known_pid *t, *next;

	if (!s->look)
		return;
	s->look = false;
	HASH_ITER(hh, s->known.pids, t, next) {
		if (!t->look)
			continue;
		t->look = false;
		discover_again(s, t->pid, t->exec_id);
	}
}

static void note_exit(struct session *s, const struct pt_exit *e)
{
	struct known_pid *t = known_pid(&s->known, e->h.pid);

	if (!e->last || !t)
		return;
	t->alive = false;
	known_forget_proc(&s->known, e->h.proc);
}

/*
 * Behind what is told of the GIL, if it is a wait for one, and the stack, if it
 * has lasted since before the trace.
 */
static int pass_off(struct session *s, const struct pt_offcpu *off)
{
	size_t used = s->queue.used;
	struct pt_offcpu whole = *off;
	uint64_t stack;
	int rc = gil_wait(s, off);

	if (!rc)
		rc = kernel_tell(s, &off->h);
	if (!rc)
		rc = asleep_tell(s, off, &stack);
	if (rc || s->queue.used == used)
		return rc ? rc : 1;
	if (stack != PT_STACK_UNKNOWN) {
		whole.stack = stack;
		whole.why = PT_WHY_NONE;
	}
	return queue_put(&s->queue, &whole.h);
}

static int pass_sample(struct session *s, const struct pt_hdr *rec)
{
	size_t used = s->queue.used;
	int rc = kernel_tell(s, rec);

	if (rc || s->queue.used == used)
		return rc ? rc : 1;
	return queue_put(&s->queue, rec);
}

/*
 * One record of the kernel half: 1 to pass it on as it is, 0 if something
 * better was put in the queue.
 */
static int handle(struct session *s, const struct pt_hdr *rec)
{
	int rc;

	s->events += record_event(rec) != NULL;
	switch (rec->type) {
	case PT_CODE:
		if (!complete_is_needed((const struct pt_code *)rec))
			return 1;
		return complete_code(&s->known, (const struct pt_code *)rec,
				     &s->queue);
	case PT_MAPPED:
		if (((const struct pt_mapped *)rec)->candidate)
			return late_ask(s, (const struct pt_mapped *)rec);
		rc = note_mapped(s, (const struct pt_mapped *)rec);
		return rc ? rc : 1;
	case PT_OFFCPU:
		return pass_off(s, (const struct pt_offcpu *)rec);
	case PT_SAMPLE:
		return pass_sample(s, rec);
	case PT_FORK:
		rc = note_fork(s, (const struct pt_fork *)rec);
		return rc ? rc : 1;
	case PT_EXIT:
		note_exit(s, (const struct pt_exit *)rec);
		return 1;
	case PT_LOST:
		s->lost += ((const struct pt_lost *)rec)->count;
		return 1;
	default:
		return 1;
	}
}

/* 1 and a record, 0 to look at the queue and the phase again, or -errno. */
static int from_ring(struct session *s, const struct pt_hdr **rec, struct err *err)
{
	const struct pt_hdr *raw;
	int rc = ring_next(s->ring, &raw, err);

	if (rc < 0)
		return rc;
	if (!rc) {
		if (!s->stopped) {
			look_again(s);
			late_look(s, now_ns());
			/* of probes that were found */
			if (describe_named(s))
				return err_set(err, -ENOMEM, "out of memory");
			return idle(s, err);
		}
		s->phase = PHASE_END;
		if (groups_tell(&s->groups, s->stopped_ns, true, &s->queue))
			return err_set(err, -ENOMEM, "out of memory");
		return tracer_losses(s->tracer, put_loss, s) ?
			err_set(err, -EIO, "reading the losses failed") : 0;
	}
	if (raw->type == PT_PROCESS && raw->size == sizeof(struct pt_process)) {
		/* without the strings that make it one for others */
		rc = describe_process(s, (const struct pt_process *)raw);
		return rc ? err_set(err, rc, "out of memory") : 0;
	}
	rc = record_check(raw, raw->size, rec, err);
	if (rc)
		return rc;
	rc = handle(s, *rec);
	return rc < 0 ? err_set(err, rc, "out of memory") : rc;
}

/* What the other thread had to say: it may not touch what is handed out. */
static int take_said(struct session *s)
{
	const struct pt_hdr *rec;
	int rc = 0;

	while (!rc && (rec = queue_take(&s->said)))
		rc = queue_put(&s->queue, rec);
	return rc;
}

static int next(struct session *s, const struct pt_hdr **rec, struct err *err)
{
	int rc = take_said(s);

	if (rc)
		return err_set(err, rc, "out of memory");
	while (!rc) {
		*rec = queue_take(&s->queue);
		if (*rec)
			return 1;
		switch (s->phase) {
		case PHASE_META:
			s->phase = PHASE_RUN;
			rc = describe_meta(s);
			if (!rc)
				rc = describe_named(s);
			break;
		case PHASE_RUN:
			rc = from_ring(s, rec, err);
			break;
		case PHASE_END:
			s->phase = PHASE_DONE;
			rc = describe_end(s);
			break;
		case PHASE_DONE:
			return 0;
		}
	}
	return rc;
}

static int session_next(struct source *source, const struct pt_hdr **rec,
			struct err *err)
{
	struct session *s = (struct session *)source;
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = next(s, rec, err);
	pthread_mutex_unlock(&s->lock);
	return rc;
}
void session_look(const struct session *s, struct session_view *out)
{
	const struct known_pid *t;
	const struct known_image *img = NULL;
	struct pt_cost cost;

	memset(out, 0, sizeof(*out));
	tracer_cost(s->tracer, &cost);
	out->probe_ns = tracer_probe_ns(s->tracer);
	out->probe_hits = cost.probes;
	out->shed = s->shed;
	if (s->shed.step)
		out->probe_span_ns = s->shed.h.t - s->attached_ns;
	out->nr_processes = HASH_COUNT(s->known.pids);
	out->nr_walked = s->nr_walked;
	out->pid = s->first_pid;
	out->fingerprints = tracer_has_fingerprints(s->tracer);
	out->no_samples = tracer_no_samples(s->tracer);
	out->missing = tracer_missing_usdt(s->tracer, out->there,
					   sizeof(out->there));
	out->jit_pid = s->jit_pid;
	out->no_usdt = s->no_usdt.kind ? s->no_usdt.text : NULL;
	out->untimed_cpus = tracer_untimed_cpus(s->tracer);
	HASH_FIND(hh, s->known.pids, &s->first_pid, sizeof(s->first_pid), t);
	if (!t)
		return;
	out->exe = t->exe;
	if (t->image < PT_MAX_IMAGES)
		img = &s->known.images[t->image];
	if (img) {
		out->python = img->python;
		out->why = img->why;
	}
}

const struct plan *session_plan(const struct session *s)
{
	return tracer_plan(s->tracer);
}

bool session_process(const struct session *s, size_t nr,
		     struct session_process *out)
{
	const struct known_pid *t = s->known.pids;

	while (t && nr--)
		t = t->hh.next;
	if (!t)
		return false;
	*out = (struct session_process){ .pid = t->pid, .exe = t->exe };
	if (t->image < PT_MAX_IMAGES) {
		out->python = s->known.images[t->image].python;
		out->why = s->known.images[t->image].why;
	}
	return true;
}

uint64_t session_cost_ns(const struct session *s)
{
	struct pt_cost c;

	tracer_cost(s->tracer, &c);
	return tracer_cost_ns(s->tracer, &c);
}
