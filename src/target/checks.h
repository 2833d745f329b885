/* SPDX-License-Identifier: MIT */
/* checks: what was tried, what came of it, and why: the rows of doctor. */
#ifndef PT_CHECKS_H
#define PT_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "target/rights.h"

enum check_state {
	CHECK_OK,
	CHECK_PARTLY,
	CHECK_NOTE,		/* neither good nor bad: worth knowing */
	CHECK_NO,
};

struct check {
	const char *id;		/* for programs: "load", "uprobe-multi" */
	const char *what;	/* for people */
	bool of_target;		/* else of the host */
	bool needed;		/* without it nothing can be traced */
	enum check_state state;
	struct err why;		/* the sentence; with CHECK_NO kind and cure */
};

#define CHECKS_MAX 48

struct checks {
	struct rights rights;
	pid_t pid;		/* of the target; 0: none is named */
	struct check v[CHECKS_MAX];
	size_t nr;
	bool kernel_reads;	/* the kernel half can read others' memory */
};

/* A new row, CHECK_OK with an empty sentence: fill in the rest. */
struct check *checks_add(struct checks *c, const char *id, const char *what);
/* The row of that id, or NULL. */
const struct check *checks_find(const struct checks *c, const char *id);
/* Set the state and the sentence. */
void check_say(struct check *row, enum check_state state, const char *fmt, ...)
	PT_PRINTF(3, 4);
/*
 * `need` was refused with `rc`: the state (CHECK_NO, or CHECK_PARTLY where
 * there is another way), and what rights_explain() says of it.
 */
void check_refused(struct check *row, enum check_state state,
		   const struct rights *r, enum rights_need need, int rc);

/* What this process may do, and on what machine. */
void checks_rights(struct checks *c);
/*
 * Process `pid`: is it there, may it be looked at, what is in it.  Goes after
 * the rows of the host.
 */
void checks_target(struct checks *c, pid_t pid);

/* The first row that is needed and refused, or NULL: it can be done. */
const struct check *checks_obstacle(const struct checks *c);

#endif /* PT_CHECKS_H */
