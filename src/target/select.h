/* SPDX-License-Identifier: MIT */
/*
 * select: processes that somebody wants without knowing their numbers.
 *
 *	--exe python3.11	by the program that runs
 *	--name 'gunicorn*'	by the command line
 *	--cgroup /shop.slice	by the control group, or one below it
 *	--unit gunicorn		by the systemd unit
 *	--container 4f1c9a	by the container
 *
 * Of several values of one kind any must match, and each kind that is given.
 * Without any kind each process matches.  Whether one is Python is no matter
 * here (find.h).
 */
#ifndef PT_SELECT_H
#define PT_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "target/proc.h"

enum select_kind {
	SELECT_EXE,
	SELECT_NAME,
	SELECT_CGROUP,
	SELECT_UNIT,
	SELECT_CONTAINER,
	SELECT_NR,
};

struct select;

int select_new(struct select **out, struct err *err) PT_MUST_CHECK;
/* End what it has running (a thread); it begins anew when it is needed. */
void select_rest(struct select *s);
void select_free(struct select *s);	/* NULL is fine */
/*
 * A cgroup is a path as /proc/PID/cgroup has it, or a folder where such are
 * mounted; a name of a container of docker or podman is looked up in their
 * state.  ERR_USAGE for what cannot be; ERR_NO_TARGET for a folder that is none.
 */
int select_add(struct select *s, enum select_kind kind, const char *value,
	       struct err *err) PT_MUST_CHECK;
bool select_has(const struct select *s, enum select_kind kind);

/* What there is to know of a process.  NULL, or no bytes: not known. */
struct select_facts {
	const char *exe;	/* as /proc/PID/exe says */
	const char *comm;
	const char *args;	/* of its command line, a NUL behind each */
	size_t args_len;
	const char *cgroup;	/* the text of /proc/PID/cgroup */
};

bool select_matches(const struct select *s, const struct select_facts *f);

/*
 * Does this one match, as it is now?  1, 0, or -errno when it is gone or may
 * not be looked at.
 */
int select_process(struct select *s, const struct proc *p);

/*
 * The processes that match now, by number; not our own, nor, by name, those
 * that started it.  None is no error
 * here.  ERR_USAGE when a container's id is not only one container's.
 */
int select_list(struct select *s, struct pids *out,
		struct err *err) PT_MUST_CHECK;

/*
 * The error for whoever has found nothing: of `matched` processes that match
 * none is Python.  Returns -ESRCH, with ERR_NO_TARGET.
 */
int select_found_none(const struct select *s, size_t matched, struct err *err);

/* ---- one value against one fact: pure -------------------------------------- */

/* A glob on the path, or without a slash on its last part. */
bool select_exe(const char *glob, const char *exe);
/*
 * A glob on the main thread's name, the whole command line (a blank between its
 * arguments), or one of its words or the last part of that.
 */
bool select_name(const char *glob, const char *comm, const char *args,
		 size_t len);
/*
 * A group or one that it is in.  `controllers` picks the line of a hierarchy of
 * version 1 ("cpu", "name=systemd"), "" that of version 2; NULL: any line.
 */
bool select_cgroup(const char *path, const char *controllers, const char *text);
/* A glob on a unit in the path; without a suffix it is a service. */
bool select_unit(const char *glob, const char *text);
/* The beginning of the id, or the name. */
bool select_container(const char *id, const char *text);

#endif /* PT_SELECT_H */
