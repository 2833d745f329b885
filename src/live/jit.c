/* SPDX-License-Identifier: MIT */
/*
 * jit: does a process run code that its interpreter has compiled?  There the
 * probes of calls are not hit, and nothing in the stream tells so.
 *
 * CPython's JIT asks for memory that it writes, and makes it executable
 * (jit_alloc() and mark_executable() in CPython's Python/jit.c): no file is behind
 * it, which is rare in a process of Python otherwise.
 */
#include "live/session_priv.h"
#include "target/maps.h"

#define JIT_FROM 0x030f		/* the first with both a JIT and probes */

static bool has_own_code(pid_t pid)
{
	struct proc p = PROC_NONE;
	struct maps maps = { 0 };
	bool has = false;

	if (proc_open(&p, pid, NULL))
		return false;
	if (!maps_read(&maps, &p, NULL))
		for (size_t i = 0; i < maps.nr && !has; i++)
			has = maps.v[i].kind == MAPS_ANON && maps.v[i].exec;
	maps_fini(&maps);
	proc_close(&p);
	return has;
}

void jit_look(struct session *s)
{
	struct known_pid *t, *next;

	if (s->jit_pid || s->dry || !(s->events_asked & 1u << PT_CALL))
		return;
	HASH_ITER(hh, s->known.pids, t, next) {
		if (!t->alive || t->image >= PT_MAX_IMAGES ||
		    s->known.images[t->image].pt.layout.version < JIT_FROM ||
		    !has_own_code((pid_t)t->pid))
			continue;
		s->jit_pid = t->pid;
		return;
	}
}
