/* SPDX-License-Identifier: MIT */
/*
 * probes: the USDT notes of one file, ordered and printed.
 *
 * What a note promises and what it does are two things (CPython 3.11 has a note
 * for function__entry that never fires on a call); who knows better says so by
 * a verdict, which is printed with the probe.
 */
#ifndef PT_PROBES_H
#define PT_PROBES_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "elf/elfimg.h"
#include "elf/stapsdt.h"

struct probes_file {
	struct elfimg *img;
	struct stapsdt sdt;
	/* sdt.nr notes by provider, name, location */
	const struct stapsdt_note **sorted;
};

/*
 * Open what is at `path` and read its notes; to be given to probes_close().
 * 0, or the -errno and sentence of elfimg_open().
 */
int probes_open(struct probes_file *f, const char *path, struct err *err)
	PT_MUST_CHECK;
/* The same of an open file, called `name` in what is printed. */
int probes_open_fd(struct probes_file *f, int fd, const char *name,
		   struct err *err) PT_MUST_CHECK;
void probes_close(struct probes_file *f);

/* What the caller knows beyond the file; all may be NULL. */
struct probes_view {
	bool offsets;		/* text: file offsets as well */
	const char *subject;	/* "CPython 3.11.2", "in docker 4f1c9a" */
	/* A phrase on what this probe really does, or NULL. */
	const char *(*verdict)(const struct stapsdt_note *note, void *ctx);
	void *ctx;
};

/*
 * Does the file hold a CPython, by the functions that it defines?  `lib` is the
 * library that holds it instead ("libpython3.13.so.1.0"), or NULL.
 */
bool probes_is_cpython(const struct probes_file *f, const char **lib);

/* Is it of a machine whose code cannot be traced here? */
bool probes_is_foreign(const struct probes_file *f);

void probes_print(FILE *out, const struct probes_file *f,
		  const struct probes_view *view);
/* JSON: one "file" object, then one "probe" object for each note. */
int probes_print_json(FILE *out, const struct probes_file *f,
		      const struct probes_view *view, struct err *err);
/* One "error" object, and one "end" object with the exit code. */
int probes_error_json(FILE *out, const char *path, const struct err *why,
		      struct err *err);
int probes_end_json(FILE *out, int code, struct err *err);

#endif /* PT_PROBES_H */
