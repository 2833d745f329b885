/* SPDX-License-Identifier: MIT */
/* settle: the maps of a live process, and what its hostile names really are. */
#include "target/maps.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "target/mapped.h"
#include "target/mounts.h"
#include "target/proc.h"
#include "target/root.h"
#include "target/through.h"

#define MAX_MAPS	(64U << 20)	/* 65530 mappings at 1 KiB */

static const char *own_path(struct map *m, char *path)
{
	free(m->own);
	m->own = path;
	m->path = path;
	return path;
}

/* The link says the name as it is, but for the suffix. */
static void read_link(struct map *m, const struct proc *p)
{
	char name[64];
	char *link;

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, m->start,
		 m->end);
	link = proc_link(p, name);
	if (!link || *link != '/') {
		free(link);
		return;
	}
	own_path(m, link);
	m->deleted = maps_cut_suffix(link);
	m->doubtful = m->deleted;
}

/* "/tmp/a (deleted)": is there a file of that name, and is it this one? */
static void settle_suffix(struct map *m, const struct proc *p,
			  const struct root *root)
{
	struct stat st;
	char *whole;

	if (asprintf(&whole, "%s (deleted)", m->path) < 0)
		return;
	if (!root_stat_told(root, whole, &st) && mapped_is(m, p, &st)) {
		own_path(m, whole);
		m->deleted = false;
	} else {
		free(whole);
	}
	m->doubtful = false;
}

void maps_settle(struct maps *maps, const struct proc *p)
{
	struct root root = ROOT_NONE;
	struct map *m;

	for (m = maps->v; m < maps->v + maps->nr; m++) {
		if (!m->doubtful)
			continue;
		read_link(m, p);
		if (!m->deleted || m->may_hang)
			continue;
		if (root.fd == -1 && root_open(&root, p, NULL) < 0)
			break;
		settle_suffix(m, p, &root);
	}
	root_close(&root);
}

int maps_read(struct maps *out, const struct proc *p, struct err *err)
{
	struct proc_text t;
	int rc;

	rc = proc_read(p, "maps", MAX_MAPS, &t, err);
	if (through_helps(rc) && !through_maps(p, &t))
		rc = 0;
	if (rc < 0)
		return rc;
	rc = maps_parse(out, t.s, t.len, err);
	free(t.s);
	if (rc < 0)
		return err_wrap(err, rc, "process %d", p->pid);
	mounts_mark(out, p);
	maps_settle(out, p);
	return 0;
}
