/* SPDX-License-Identifier: MIT */
/*
 * opts: the options that views share, parsed once and spelled once.
 *
 * A view says which groups it honours; any other option is an error (exit 2),
 * never ignored.
 */
#ifndef PT_OPTS_H
#define PT_OPTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"
#include "target/select.h"

#define OPTS_MAX 64		/* words of one repeatable option */

enum opts_group {
	OPTS_LIVE = 1 << 0,	/* -p -f -t -d --buffer -- COMMAND ... */
	OPTS_INPUT = 1 << 1,	/* -i */
	OPTS_SELECT = 1 << 2,	/* -e: what the kernel half is asked for */
	OPTS_FILTER = 1 << 5,	/* -F --innermost --errors --slower */
	OPTS_SHOW = 1 << 3,	/* -k -s --lasti --utc --json --app ... */
	OPTS_RECORD = 1 << 4,	/* -o is a recording and must be given */
	OPTS_VIEW = 1 << 6,	/* --json -o --utc --app --idle --width ... */
	OPTS_ROWS = 1 << 7,	/* --by --sort --limit --tree --hist -F --innermost */
	OPTS_ELSEWHERE = 1 << 13,	/* hidden: -F where there is none, to say so */
	OPTS_THREADS = 1 << 8,	/* -t --thread */
	OPTS_CALLS = 1 << 9,	/* -F --by --sort --tree --slower --verify ... */
	OPTS_NATIVE = 1 << 12,	/* -n */
};

/* Those of the default view. */
#define OPTS_SUMMARY (OPTS_LIVE | OPTS_INPUT | OPTS_SELECT | OPTS_VIEW | \
		      OPTS_THREADS)

struct opts_list {
	const char *v[OPTS_MAX];
	size_t nr;
};

enum opts_probes {		/* --probes */
	OPTS_PROBES_AUTO,
	OPTS_PROBES_USDT,
	OPTS_PROBES_SYNTHETIC,
	OPTS_PROBES_NONE,
};

struct opts {
	int groups;		/* OPTS_* of the view */
	/* target */
	pid_t pids[OPTS_MAX];
	size_t nr_pids;
	bool all;		/* -a: all Python processes */
	struct opts_list selected[SELECT_NR];	/* --exe ... --container */
	bool selects;		/* -a, or one of those */
	bool by_tid;		/* -t alone: pids are those threads */
	bool follow;		/* the default with COMMAND */
	bool no_follow;
	char **command;		/* NULL: none */
	const char *input;	/* NULL: live */
	/* when */
	uint64_t duration_ns;	/* 0: until the target ends, or Ctrl-C */
	uint64_t interval_ns;	/* -I; 0: one report, at the end */
	/* what */
	struct opts_list events;	/* -e, split at commas */
	struct opts_list functions;	/* -F */
	struct opts_list threads;	/* --thread */
	pid_t tids[OPTS_MAX];
	size_t nr_tids;
	bool innermost, errors;
	uint64_t slower_ns;
	/* how it looks */
	struct opts_list app, idle_at;
	bool idle;		/* idle time is ranked, too */
	const char *by, *sort;	/* NULL: the view's own */
	unsigned int limit;	/* rows of a table; 0: all */
	unsigned int width;	/* 0: as wide as the terminal */
	bool tree, hist, linear;	/* other shapes than rows */
	bool verify, gc, imports;	/* of calls */
	uint8_t probes;		/* enum opts_probes */
	bool allow_step;
	bool native;		/* kernel frames, too */
	bool stacks, lasti, json, utc, no_paths;
	uint32_t string_len;	/* -s */
	int color;		/* -1 never, 0 auto, 1 always */
	/* out */
	const char *output;
	bool quiet;
	int verbose;
	uint64_t buffer;	/* bytes of the ring; 0: default */
	uint64_t max_size;	/* bytes of a recording; 0: no limit */
	bool strict;
	bool dry_run;
	bool no_journal;
	int max_overhead;	/* percent; -1: the default */
	char storage[4096];	/* what the lists point into */
	size_t storage_used;
};

/* Parse argv of "pytrace VIEW"; --help and errors exit, as cmd_parse(). */
void opts_parse(struct opts *o, int groups, const char *doc, int argc,
		char **argv);

/* What tracing may cost, in percent of the target's CPU time; 0: no limit. */
uint32_t opts_max_overhead(const struct opts *o);

/* The list of options alone, as --help has it. */
void opts_help(FILE *out, int groups);

#endif /* PT_OPTS_H */
