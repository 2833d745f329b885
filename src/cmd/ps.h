/* SPDX-License-Identifier: MIT */
/* ps: one row for each Python process, gathered and printed. */
#ifndef PT_PS_H
#define PT_PS_H

#include <stdio.h>

#include "base/err.h"
#include "target/find.h"
#include "target/where.h"

enum ps_calls {			/* what function probes tell of calls */
	PS_CALLS_NONE,
	PS_CALLS_RETURNS,	/* 3.11: returns only */
	PS_CALLS_USDT,
};

struct ps_row {
	pid_t pid, ppid;
	struct proc_info info;
	struct where where;
	struct proc_text cmdline;	/* arguments, a NUL after each */
	char *exe;			/* NULL: unknown */
	char *library;			/* that of the interpreter, or NULL: exe */
	char python[64];		/* "3.11.2", "3.14.0t", "pypy 7.3" */
	enum ps_calls calls;
	enum pt_walk walk;
	struct err why;			/* if it cannot be walked */
	bool embedded;
	unsigned int workers;		/* children that are rows, too */
};

struct ps {
	struct ps_row *rows;		/* by pid */
	size_t nr;
	unsigned int refused;		/* we may not look into */
	unsigned int hung;		/* did not answer in time */
};

/* Look into every process of the host.  -ENOMEM, or no /proc. */
int ps_gather(struct ps *ps, struct err *err) PT_MUST_CHECK;
void ps_fini(struct ps *ps);

/* A table, at most `width` columns wide (0: as wide as it gets). */
void ps_print(FILE *out, const struct ps *ps, size_t width);
/* One "python" object for each row.  -ENOMEM. */
int ps_print_json(FILE *out, const struct ps *ps, int code,
		  struct err *err) PT_MUST_CHECK;
struct jsonline;
/* The members "walk" (null: it is starting) and "why". */
void ps_put_walk(struct jsonline *j, enum pt_walk walk, const struct err *why);

#endif /* PT_PS_H */
