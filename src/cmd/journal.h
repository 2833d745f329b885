/* SPDX-License-Identifier: MIT */
/*
 * journal: who traced what, from when to when, in the system's log.
 *
 * As root only: somebody will ask who traced the payment service at 14:02.
 */
#ifndef PT_JOURNAL_H
#define PT_JOURNAL_H

#include <stdint.h>

#include "cmd/opts.h"

/* "start: pytrace trace -p 811 (gunicorn), by alice"; `exe` may be NULL. */
void journal_start(const struct opts *o, const char *exe);
/* The same with how long it took, what came of it and the exit status. */
void journal_end(const struct opts *o, const char *exe, uint64_t took_ns,
		 uint64_t events, int code);

#endif /* PT_JOURNAL_H */
