/* SPDX-License-Identifier: MIT */
/*
 * eventset: a set of events, as -e names it.
 *
 *	faults,offcpu	kinds of events: syscalls, faults, offcpu, cpu[:HZ], calls
 *	openat,%file	only these system calls: sysset.h
 *	sched:sched_waking	a tracepoint of the kernel: category:name
 *	gc,import,audit,line	what CPython's own USDT probes tell
 *	usdt:libc:setjmp	any USDT probe: usdt:provider:name
 *	cycles:99	a counter of processor or kernel: counters.h
 *	!faults,!close	what there would be otherwise, without these
 */
#ifndef PT_EVENTSET_H
#define PT_EVENTSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/sysset.h"
#include "pytrace_abi.h"

#define EVENTS_OF(type)		(UINT32_C(1) << (type))
#define EVENTS_SYSCALLS		EVENTS_OF(PT_SYSCALL)
/* Samples of counters: the number of a definition stands for them. */
#define EVENTS_COUNTERS		EVENTS_OF(PT_NAMED)
#define EVENTS_ALL		(EVENTS_OF(PT_SYSCALL) | EVENTS_OF(PT_FAULT) | \
				 EVENTS_OF(PT_OFFCPU) | EVENTS_OF(PT_SAMPLE))

#define EVENTSET_NAMED	63	/* words of -e that name one event */

#define SAMPLE_HZ		49	/* not in step with anything */
#define SAMPLE_HZ_MAX		4999

/* An event that has a name of its own. */
struct eventset_named {
	const char *name;	/* the caller's word, without its rate */
	size_t len;
	uint8_t kind;		/* enum pt_named_kind */
	bool out;		/* not this one */
	bool is_period;		/* of a counter, as in PT_NAMED */
	uint64_t rate;
};

struct eventset {
	uint32_t types;		/* EVENTS_OF each */
	uint32_t sample_hz;	/* of the CPU clock */
	struct sysset calls;	/* if there are system calls */
	struct eventset_named named[EVENTSET_NAMED];
	size_t nr_named;
};

void eventset_init(struct eventset *s, uint32_t types);
/*
 * What `words` ask for, where EVENTS `otherwise` is what no words mean.  An
 * unknown name, a rate that is none: ERR_USAGE.  Whether there is a tracepoint
 * of some name only the kernel knows.  `words` are kept.
 */
int eventset_parse(struct eventset *s, const char *const *words, size_t nr,
		   uint32_t otherwise, struct err *err) PT_MUST_CHECK;
/* "faults": the word of -e for an enum pt_type; NULL if it is no event. */
const char *eventset_kind(uint16_t type);
/* No call was left out by its name. */
bool eventset_has_all_calls(const struct eventset *s);
/* ... that has a name: `name` is what the stream says of it; NULL: nothing. */
bool eventset_has_named(const struct eventset *s, const char *name);
/* Always true for a record that is no event. */
bool eventset_has(const struct eventset *s, const struct pt_hdr *rec);

#endif /* PT_EVENTSET_H */
