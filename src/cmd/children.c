/* SPDX-License-Identifier: MIT */
/* children: whoever traces a master alone is told of its workers. */
#include "cmd/children.h"

#include <stdio.h>

#include "base/clock.h"
#include "target/find.h"
#include "target/imgcache.h"

#define LOOK_NS	UINT64_C(1000000000)	/* all together; then it is "at least" */

static bool is_traced(const struct opts *o, pid_t pid)
{
	for (size_t i = 0; i < o->nr_pids; i++)
		if (o->pids[i] == pid)
			return true;
	return false;
}

static bool is_python(pid_t pid, struct imgcache **cache)
{
	struct target t = TARGET_NONE;
	bool is;

	if (target_find_again(pid, cache, &t, NULL))
		return false;
	is = t.main && t.main->walk != PT_WALK_NO;
	target_fini(&t);
	return is;
}

static void note(pid_t of, size_t nr, bool all)
{
	if (!nr)
		return;
	fprintf(stderr, "note: %s%zu Python child%s of %d %s not traced; "
		"add -f\n", all ? "" : "at least ", nr, nr == 1 ? "" : "ren",
		(int)of, nr == 1 ? "is" : "are");
}

void children_note(const struct opts *o)
{
	struct imgcache *cache = imgcache_new();
	uint64_t end = now_ns() + LOOK_NS;

	for (size_t i = 0; i < o->nr_pids && !o->follow; i++) {
		struct pids pids = { 0 };
		size_t nr = 0, at = 0;

		if (proc_descendants(o->pids[i], &pids, NULL))
			continue;
		for (; at < pids.nr && now_ns() < end; at++)
			nr += !is_traced(o, pids.v[at]) &&
			      is_python(pids.v[at], &cache);
		note(o->pids[i], nr, at == pids.nr);
		pids_fini(&pids);
	}
	imgcache_free(cache);
}
