/* SPDX-License-Identifier: MIT */
/* intern: runs of bytes, each kept once and known by a number from 1. */
#include "analysis/intern.h"

#include "base/compiler.h"
#include "stack/table.h"

struct intern_item {
	UT_hash_handle hh;
	uint32_t nr, len;
	_Alignas(8) unsigned char bytes[];
};

void intern_free(struct intern *t)
{
	HASH_CLEAR(hh, t->table);
	for (uint32_t i = 0; i < t->nr; i++)
		free(t->by_nr[i]);
	free(t->by_nr);
	*t = (struct intern){ 0 };
}

static struct intern_item *find(const struct intern *t, const void *bytes,
				size_t len)
{
	struct intern_item *item;

	HASH_FIND(hh, t->table, bytes, len, item);
	return item;
}

uint32_t intern_find(const struct intern *t, const void *bytes, size_t len)
{
	struct intern_item *item = find(t, bytes, len);

	return item ? item->nr : 0;
}

static bool make_room(struct intern *t)
{
	uint32_t cap = t->cap ? t->cap * 2 : 64;
	struct intern_item **more;

	if (t->nr < t->cap)
		return true;
	if (cap <= t->cap)
		return false;
	more = reallocarray(t->by_nr, cap, sizeof(struct intern_item *));
	if (!more)
		return false;
	t->memory += (cap - t->cap) * sizeof(struct intern_item *);
	t->by_nr = more;
	t->cap = cap;
	return true;
}

uint32_t intern_get(struct intern *t, const void *bytes, size_t len)
{
	struct intern_item *item = find(t, bytes, len);

	if (item)
		return item->nr;
	if (len > UINT32_MAX || !make_room(t))
		return 0;
	item = calloc(1, sizeof(*item) + len + 1);
	if (!item)
		return 0;
	item->len = (uint32_t)len;
	memcpy(item->bytes, bytes, len);
	HASH_ADD_KEYPTR(hh, t->table, item->bytes, len, item);
	if (!item->hh.tbl) {
		free(item);
		return 0;
	}
	t->memory += sizeof(*item) + len + 1 + 2 * sizeof(void *);
	t->by_nr[t->nr] = item;
	item->nr = ++t->nr;
	return item->nr;
}

const void *intern_bytes(const struct intern *t, uint32_t nr, size_t *len)
{
	const struct intern_item *item = t->by_nr[nr - 1];

	if (len)
		*len = item->len;
	return item->bytes;
}
