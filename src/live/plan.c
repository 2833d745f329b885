/* SPDX-License-Identifier: MIT */
/* plan: what a trace would attach, written down instead of attached. */
#include "live/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_uprobe(const struct plan_row *r)
{
	return r->offset != 0;
}

static bool alike(const struct plan_row *a, const struct plan_row *b)
{
	return a->program == b->program && a->way == b->way &&
	       a->offset == b->offset && a->pid == b->pid &&
	       !strcmp(a->what, b->what);
}

static struct plan_row *find(struct plan *p, const struct plan_row *row)
{
	for (size_t i = 0; i < p->nr; i++)
		if (alike(&p->v[i], row))
			return &p->v[i];
	return NULL;
}

int plan_add(struct plan *p, const struct plan_row *row, struct err *err)
{
	struct plan_row *same = find(p, row);

	if (same) {
		same->nr++;
		return 0;
	}
	if (p->nr == p->room) {
		size_t room = p->room ? 2 * p->room : 32;
		struct plan_row *more = reallocarray(p->v, room, sizeof(*more));

		if (!more)
			return err_set(err, -ENOMEM, "out of memory");
		p->v = more;
		p->room = room;
	}
	p->v[p->nr] = *row;
	p->v[p->nr].nr = 1;
	p->v[p->nr].what = strdup(row->what);
	if (!p->v[p->nr].what)
		return err_set(err, -ENOMEM, "out of memory");
	p->nr++;
	return 0;
}

size_t plan_count(const struct plan *p, bool uprobes)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr; i++)
		nr += is_uprobe(&p->v[i]) == uprobes;
	return nr;
}

static bool is_first_of_file(const struct plan *p, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (is_uprobe(&p->v[i]) && !strcmp(p->v[i].what, p->v[at].what))
			return false;
	return true;
}

size_t plan_files(const struct plan *p)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr; i++)
		nr += is_uprobe(&p->v[i]) && is_first_of_file(p, i);
	return nr;
}

void plan_fini(struct plan *p)
{
	for (size_t i = 0; i < p->nr; i++)
		free(p->v[i].what);
	free(p->v);
	*p = (struct plan){ 0 };
}
