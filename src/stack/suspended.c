/* SPDX-License-Identifier: MIT */
/* suspended: generators between a yield and the next time they run. */
#include "stack/suspended.h"

#include <errno.h>
#include <stdlib.h>

#include "stack/table.h"

struct item {
	struct suspended what;
	UT_hash_handle hh;
	struct item *prev, *next;
};

struct suspended_table {
	struct item *by_key;
	struct item *oldest;
	uint32_t max;
};

struct suspended_table *suspended_new(uint32_t max)
{
	struct suspended_table *t = calloc(1, sizeof(*t));

	if (t)
		t->max = max;
	return t;
}

static void forget(struct suspended_table *t, struct item *it)
{
	HASH_DEL(t->by_key, it);	/* NOLINT: it is in the table */
	DL_DELETE(t->oldest, it);
	free(it);
}

void suspended_free(struct suspended_table *t)
{
	if (!t)
		return;
	while (t->by_key)
		forget(t, t->by_key);
	free(t);
}

static struct item *find(const struct suspended_table *t, uint32_t proc,
			 uint64_t frame)
{
	const struct suspended_key key = { .frame = frame, .proc = proc };
	struct item *it;

	HASH_FIND(hh, t->by_key, &key, sizeof(key), it);
	return it;
}

int suspended_put(struct suspended_table *t, const struct suspended *what)
{
	struct item *it = find(t, what->key.proc, what->key.frame);

	if (it) {
		it->what = *what;
		DL_DELETE(t->oldest, it);
		DL_APPEND(t->oldest, it);
		return 0;
	}
	if (HASH_COUNT(t->by_key) >= t->max)
		forget(t, t->oldest);
	it = calloc(1, sizeof(*it));
	if (!it)
		return -ENOMEM;
	it->what = *what;
	HASH_ADD(hh, t->by_key, what.key, sizeof(it->what.key), it);
	if (!it->hh.tbl) {
		free(it);
		return -ENOMEM;
	}
	DL_APPEND(t->oldest, it);
	return 0;
}

const struct suspended *suspended_find(const struct suspended_table *t,
				       uint32_t proc, uint64_t frame)
{
	const struct item *it = find(t, proc, frame);

	return it ? &it->what : NULL;
}

void suspended_drop(struct suspended_table *t, uint32_t proc, uint64_t frame)
{
	struct item *it = find(t, proc, frame);

	if (it)
		forget(t, it);
}
