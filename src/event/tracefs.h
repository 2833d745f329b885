/* SPDX-License-Identifier: MIT */
/*
 * tracefs: what the kernel says of its tracepoints, /sys/kernel/tracing.
 *
 * It is for root alone where nobody has changed that: then -EACCES, and a
 * tracepoint has a name and arguments, but no fields.
 */
#ifndef PT_TRACEFS_H
#define PT_TRACEFS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define TRACEFS_FIELDS 64
#define TRACEFS_FIELD_LEN 192

struct tracefs_event {
	uint64_t id;		/* for perf_event_open() */
	size_t nr;
	char field[TRACEFS_FIELDS][TRACEFS_FIELD_LEN];	/* see evfield.h */
};

/* Where it is mounted; NULL: nowhere that is usual. */
const char *tracefs_path(void);

/*
 * The tracepoint "category:name" of the tracefs at `path`.
 *	-EINVAL		ERR_USAGE: not such a name
 *	-ENOENT		ERR_USAGE: the kernel has none of this name
 *	-EACCES, -EPERM	it may not be read: whether there is one is not known
 */
int tracefs_event(const char *path, const char *name, struct tracefs_event *out,
		  struct err *err) PT_MUST_CHECK;

#endif /* PT_TRACEFS_H */
