/* SPDX-License-Identifier: MIT */
/*
 * late: processes by what they are, those that begin to be so later included.
 *
 * The kernel half asks about each program that is executed (PT_MAPPED with
 * `candidate`), and counts its calls until the answer.  What changes without an
 * exec, a title, a control group, an interpreter that is loaded late, is looked
 * for now and then: soon after a process is first seen, and ever more rarely.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/session_priv.h"
#include "target/guess.h"

#define SCAN_NS	 UINT64_C(1000000000)	/* from one look at all to the next */
#define REST_MAX UINT64_C(32000000000)	/* longest that one is left in peace */

/* Looked at, and not taken: when to look again. */
struct seen {
	uint32_t pid;
	uint64_t start_ticks;	/* pids are reused */
	uint64_t rest_ns, next_ns;
	UT_hash_handle hh;
};

/* A program without an interpreter: most of what a busy host executes. */
struct dull {
	struct dull_key {
		uint64_t dev, ino;
		int64_t s, ns;		/* of its last change */
	} key;
	UT_hash_handle hh;
};

#define DULL_MAX 4096		/* then they are learned anew */

struct late {
	struct dull *dull;
	struct pt_mapped *asked;	/* to be answered */
	size_t nr_asked, room;
	struct seen *seen;
	uint64_t scanned_ns;
};

int late_new(struct session *s)
{
	s->late = calloc(1, sizeof(*s->late));
	return s->late ? 0 : -ENOMEM;
}

static void forget_dull(struct late *l)
{
	struct dull *d, *next;

	HASH_ITER(hh, l->dull, d, next) {
		HASH_DEL(l->dull, d);
		free(d);
	}
}

void late_free(struct late *l)
{
	struct seen *p, *next;

	if (!l)
		return;
	forget_dull(l);
	HASH_ITER(hh, l->seen, p, next) {
		HASH_DEL(l->seen, p);
		free(p);
	}
	free(l->asked);
	free(l);
}

/* ---- one process ---------------------------------------------------------- */

static bool is_traced(const struct session *s, pid_t pid)
{
	const uint32_t key = (uint32_t)pid;
	const struct known_pid *t;

	HASH_FIND(hh, s->known.pids, &key, sizeof(key), t);
	return t && t->alive;
}

static bool exe_key(const struct proc *p, struct dull_key *key)
{
	struct stat st;

	if (fstatat(p->dir, "exe", &st, 0))
		return false;
	memset(key, 0, sizeof(*key));
	key->dev = st.st_dev;
	key->ino = st.st_ino;
	key->s = st.st_ctim.tv_sec;
	key->ns = st.st_ctim.tv_nsec;
	return true;
}

static bool is_dull(const struct late *l, const struct dull_key *key)
{
	struct dull *d;

	HASH_FIND(hh, l->dull, key, sizeof(*key), d);
	return d;
}

static void note_dull(struct late *l, const struct dull_key *key)
{
	struct dull *d;

	if (HASH_COUNT(l->dull) >= DULL_MAX)
		forget_dull(l);
	d = calloc(1, sizeof(*d));
	if (!d)
		return;
	d->key = *key;
	HASH_ADD(hh, l->dull, key, sizeof(d->key), d);
}

/*
 * It has just executed something.  If its program is no Python by its file,
 * which of the next processes is known at once, it may still load one later.
 */
static int take_new(struct session *s, const struct proc *p, uint32_t exec_id)
{
	struct dull_key key, after;
	bool known = exe_key(p, &key);
	int rc;

	if (known && is_dull(s->late, &key))
		return -ENOEXEC;
	if (select_process(s->select, p) != 1)
		return -ENOEXEC;
	rc = discover_late(s, p, exec_id);
	/* what has ended, or executed another one, meanwhile says nothing */
	if (rc == -ENOEXEC && known && proc_is_alive(p) && exe_key(p, &after) &&
	    !memcmp(&key, &after, sizeof(key)))
		note_dull(s->late, &key);
	return rc;
}

/*
 * -ENOEXEC: it does not match, or is no Python that can be walked.  `matches`:
 * that it does is known.
 */
static int take(struct session *s, pid_t pid, uint32_t exec_id, bool matches)
{
	struct proc p;
	int rc = proc_open(&p, pid, NULL);

	if (rc)
		return rc;
	if (exec_id != PT_ANY_EXEC)
		rc = take_new(s, &p, exec_id);
	else if (!matches && select_process(s->select, &p) != 1)
		rc = -ENOEXEC;
	else
		rc = discover_late(s, &p, exec_id);
	proc_close(&p);
	return rc;
}

static void answer(struct session *s, const struct pt_mapped *m)
{
	if (take(s, (pid_t)m->h.pid, m->exec_id, false))
		tracer_drop_candidate(s->tracer, (pid_t)m->h.pid, m->exec_id);
}

int late_ask(struct session *s, const struct pt_mapped *m)
{
	struct late *l = s->late;

	if (!l)
		return 0;
	if (l->nr_asked == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		struct pt_mapped *more = reallocarray(l->asked, room,
						      sizeof(*more));

		if (!more)
			return -ENOMEM;
		l->asked = more;
		l->room = room;
	}
	l->asked[l->nr_asked++] = *m;
	return 0;
}

/* ---- all of them, now and then -------------------------------------------- */

static struct seen *seen_before(struct late *l, const struct proc *p)
{
	const uint32_t pid = (uint32_t)p->pid;
	struct seen *seen;

	HASH_FIND(hh, l->seen, &pid, sizeof(pid), seen);
	if (!seen) {
		seen = calloc(1, sizeof(*seen));
		if (!seen)
			return NULL;
		seen->pid = pid;
		HASH_ADD(hh, l->seen, pid, sizeof(seen->pid), seen);
	}
	if (seen->start_ticks != p->start_ticks) {
		seen->start_ticks = p->start_ticks;
		seen->rest_ns = SCAN_NS;
		seen->next_ns = 0;
	}
	return seen;
}

/* 1: it is traced now. */
static int look_at(struct session *s, pid_t pid, uint64_t now)
{
	struct seen *seen;
	struct proc p;
	int rc = proc_open(&p, pid, NULL);

	if (rc)
		return 0;
	seen = seen_before(s->late, &p);
	proc_close(&p);
	if (!seen || now < seen->next_ns)
		return 0;
	if (!take(s, pid, PT_ANY_EXEC, false))
		return 1;
	seen->next_ns = now + seen->rest_ns;
	if (seen->rest_ns < REST_MAX)
		seen->rest_ns *= 2;
	return 0;
}

static void forget_dead(struct late *l, const struct pids *all)
{
	struct seen *p, *next;
	size_t i = 0;

	if (HASH_COUNT(l->seen) < 2 * all->nr + 64)
		return;
	HASH_ITER(hh, l->seen, p, next) {
		for (i = 0; i < all->nr && (uint32_t)all->v[i] != p->pid; i++)
			;
		if (i < all->nr)
			continue;
		HASH_DEL(l->seen, p);
		free(p);
	}
}

static int scan(struct session *s, uint64_t now)
{
	struct pids all;
	int found = 0;

	if (proc_list(&all, NULL))
		return 0;
	for (size_t i = 0; i < all.nr; i++)
		if (all.v[i] != getpid() && !is_traced(s, all.v[i]))
			found += look_at(s, all.v[i], now);
	forget_dead(s->late, &all);
	pids_fini(&all);
	return found;
}

void late_look(struct session *s, uint64_t now)
{
	struct tracer_sleepers sleepers;
	struct late *l = s->late;

	if (!l || s->stopped)
		return;
	for (size_t i = 0; i < l->nr_asked; i++)
		answer(s, &l->asked[i]);
	l->nr_asked = 0;
	if (now - l->scanned_ns < SCAN_NS)
		return;
	l->scanned_ns = now;
	/* its threads may sleep: make them known before they wake up */
	if (!scan(s, now))
		return;
	sleepers = asleep_confirm(s);
	(void)!asleep_look(s);
	(void)!tracer_find_threads(s->tracer, &sleepers);
}

/* ---- those that are there at the start ------------------------------------ */

static bool file_decides(const struct session *s)
{
	return s->select && !select_has(s->select, SELECT_NAME) &&
	       !select_has(s->select, SELECT_CGROUP) &&
	       !select_has(s->select, SELECT_UNIT) &&
	       !select_has(s->select, SELECT_CONTAINER);
}

bool late_takes_file(const struct session *s, const char *exe)
{
	return file_decides(s) && exe &&
	       select_matches(s->select, &(struct select_facts){ .exe = exe });
}

/* What a Python started by its usual name will be: known from its first call. */
static void know_beforehand(struct session *s)
{
	char *const none[] = { NULL };
	struct guesses g;

	if (!file_decides(s))
		return;
	guess_command(none, &g);
	for (size_t i = 0; i < g.nr; i++)
		discover_file(s, &g.v[i]);
	guesses_fini(&g);
}

static int take_all(struct session *s, size_t *matched, struct err *err)
{
	struct pids pids;
	int rc = select_list(s->select, &pids, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < pids.nr; i++)
		if (!is_traced(s, pids.v[i]))
			(void)!take(s, pids.v[i], PT_ANY_EXEC, true);
	*matched = pids.nr;
	pids_fini(&pids);
	return 0;
}

static int take_descendants(struct session *s, struct err *err)
{
	struct known_pid *t, *next;
	struct pids roots = { 0 };
	size_t nr = 0;
	int rc = 0;

	roots.v = calloc(HASH_COUNT(s->known.pids) + 1, sizeof(*roots.v));
	if (!roots.v)
		return err_set(err, -ENOMEM, "out of memory");
	HASH_ITER(hh, s->known.pids, t, next)
		roots.v[nr++] = (pid_t)t->pid;
	for (size_t i = 0; !rc && i < nr; i++)
		rc = discover_descendants(s, roots.v[i], err);
	free(roots.v);
	return rc;
}

int late_open(struct session *s, struct err *err)
{
	size_t matched = 0;
	int rc;

	know_beforehand(s);
	rc = take_all(s, &matched, err);
	if (!rc)
		rc = tracer_start(s->tracer, err);
	/* from here on no exec goes unseen; those in between are here */
	if (!rc)
		rc = take_all(s, &matched, err);
	if (!rc && !HASH_COUNT(s->known.pids))
		rc = select_found_none(s->select, matched, err);
	if (!rc && s->follow)
		rc = take_descendants(s, err);
	return rc;
}
