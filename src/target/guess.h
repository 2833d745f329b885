/* SPDX-License-Identifier: MIT */
/*
 * guess: the interpreters that a command may come to run.
 *
 *	sh -c 'cd /srv; exec /opt/app/bin/python3 -m app'
 *	nice timeout 60 python3.13 x.py
 *	./start.sh			"exec python3 ...": on PATH
 *
 * which.h says what argv[0] runs.  What that will exec in its turn nobody can
 * say, but the files it could mean are few: each word of the command, and each
 * path in a script that it names, that is a program, and the Pythons on PATH.
 * Who knows those beforehand sees their first system call.
 */
#ifndef PT_GUESS_H
#define PT_GUESS_H

#include <stdbool.h>

#include "target/which.h"

struct guesses {
	struct which *v;	/* that can be walked; those named come first */
	size_t nr;
};

/*
 * Never an error: what cannot be read, in a few seconds at the most, is not
 * guessed.  `argv` (ends with NULL) is not kept.
 */
void guess_command(char *const argv[], struct guesses *out);
void guesses_fini(struct guesses *g);

/*
 * The next word of shell text at *at, without quotes around it, into `word`:
 * false at the end.  What is longer than `size` is passed over.
 */
bool guess_next_word(const char **at, char *word, size_t size);
/* "python", "python3", "python3.13t"; neither "python3-config" nor "pypy". */
bool guess_is_python_name(const char *name);

#endif /* PT_GUESS_H */
