/* SPDX-License-Identifier: MIT */
/* groups: the control groups of the traced processes as PT_CPUSTAT. */
#include "live/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/record.h"

#define TELL_NS UINT64_C(1000000000)

struct group {
	char *path;
	struct pt_hdr of;	/* of the process it was met in */
	struct cgroup_stat told;
};

void groups_fini(struct groups *g)
{
	for (size_t i = 0; i < g->nr; i++)
		free(g->v[i].path);
	free(g->v);
	cgroup_mount_fini(&g->mount);
	*g = (struct groups){ 0 };
}

static bool is_known(const struct groups *g, const char *path)
{
	for (size_t i = 0; i < g->nr; i++)
		if (!strcmp(g->v[i].path, path))
			return true;
	return false;
}

static int tell(const struct group *one, uint64_t t, struct queue *to)
{
	struct recbuf buf = { 0 };
	struct pt_cpustat *r = recbuf_begin(&buf, PT_CPUSTAT);
	const struct pt_hdr *rec;
	int rc = -ENOMEM;

	if (!r)
		return -ENOMEM;
	r->h.t = t;
	r->h.pid = one->of.pid;
	r->h.proc = one->of.proc;
	r->quota_us = one->told.quota_us;
	r->period_us = one->told.period_us;
	r->nr_periods = one->told.nr_periods;
	r->nr_throttled = one->told.nr_throttled;
	r->throttled_us = one->told.throttled_us;
	r->memory_high = one->told.memory_high;
	recbuf_string(&buf, one->path);
	rec = recbuf_end(&buf);
	if (rec)
		rc = queue_put(to, rec);
	recbuf_free(&buf);
	return rc;
}

static int add(struct groups *g, const char *path, const struct pt_hdr *of,
	       const struct cgroup_stat *stat, struct queue *to)
{
	struct group *more = realloc(g->v, (g->nr + 1) * sizeof(*more));
	struct group *one;

	if (!more)
		return -ENOMEM;
	g->v = more;
	one = &g->v[g->nr];
	*one = (struct group){ .path = strdup(path), .of = *of, .told = *stat };
	if (!one->path)
		return -ENOMEM;
	g->nr++;
	return tell(one, of->t, to);
}

/* Does it hold its processes back, or has it? */
static bool has_limit(const struct cgroup_stat *stat)
{
	return stat->quota_us || stat->nr_throttled || stat->memory_high;
}

int groups_meet(struct groups *g, const char *path, const struct pt_hdr *of,
		struct queue *to)
{
	char *at;
	bool own = true;
	int rc = 0;

	if (!g->looked) {
		g->looked = true;
		/* nowhere: then cgroup_read() finds none */
		(void)!cgroup_find_mount(&g->mount);
	}
	if (is_known(g, path))
		return 0;
	at = strdup(path);
	if (!at)
		return -ENOMEM;
	do {
		struct cgroup_stat stat;

		if (g->nr == GROUPS_MAX)
			break;
		if (!is_known(g, at) && !cgroup_read(&g->mount, at, &stat) &&
		    (own || has_limit(&stat)))
			rc = add(g, at, of, &stat, to);
		own = false;
	} while (!rc && cgroup_parent(at));
	free(at);
	return rc;
}

int groups_tell(struct groups *g, uint64_t now, bool last, struct queue *to)
{
	if (!last && now - g->told_ns < TELL_NS)
		return 0;
	g->told_ns = now;
	for (size_t i = 0; i < g->nr; i++) {
		struct group *one = &g->v[i];
		struct cgroup_stat stat;
		int rc;

		if (cgroup_read(&g->mount, one->path, &stat) ||
		    !memcmp(&stat, &one->told, sizeof(stat)))
			continue;	/* gone, or nothing new */
		one->told = stat;
		rc = tell(one, now, to);
		if (rc)
			return rc;
	}
	return 0;
}
