/* SPDX-License-Identifier: MIT */
/*
 * tasks: processes by the number of their address space, threads by id,
 * through fork, exec and exit.
 *
 * What has exited stays for a while: its last events may still be on the way.
 */
#ifndef PT_TASKS_H
#define PT_TASKS_H

#include <stdint.h>

#include <pytrace_abi.h>

#include "base/compiler.h"
#include "stack/engine.h"

/* At most as many are known; beyond, the oldest are forgotten. */
#define TASKS_MAX_THREADS	(UINT32_C(1) << 17)
#define TASKS_MAX_PROCESSES	(UINT32_C(1) << 16)
#define TASKS_MAX_DEAD		1024	/* of each */

struct tasks;

struct tasks *tasks_new(void);
void tasks_free(struct tasks *t);	/* NULL is fine */

/* What a record says of tasks; others are ignored.  0 or -ENOMEM. */
int tasks_feed(struct tasks *t, const struct pt_hdr *rec) PT_MUST_CHECK;

/* NULL if nothing is known; good until the next feed. */
const struct process *tasks_process(const struct tasks *t, uint32_t proc);
const struct thread *tasks_thread(const struct tasks *t, uint32_t tid);

#endif /* PT_TASKS_H */
