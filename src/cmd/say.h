/* SPDX-License-Identifier: MIT */
/* say: what is said on stderr before a live trace, and how it ended. */
#ifndef PT_SAY_H
#define PT_SAY_H

#include "cmd/opts.h"
#include "event/eventset.h"
#include "live/session.h"
#include "stack/shadow.h"

/*
 * Before the first event: what is attached, until when, at what price, of which
 * `limit` percent are the most (0: no limit); then who is traced, and how.
 */
void say_attached(const struct opts *o, const struct eventset *events,
		  uint32_t limit, const struct session *s);

/* Probes that were asked for and are not there, and what there is instead. */
void say_missing(const struct opts *o, const struct session_view *v);

/* "without samples; ": what could not be had, each with a semicolon. */
void say_fallbacks(const struct session_view *v);

/* The trace does with less from here on. */
void say_shed(const struct pt_shed *shed);

/* What it ended with; each returns the code to exit with. */
int say_over_budget(const struct session_view *v, uint32_t percent);
int say_drift(const struct shadow_drift *d);
int say_nothing_came(const struct opts *o, const struct eventset *events,
		     uint64_t took_ns);

#endif /* PT_SAY_H */
