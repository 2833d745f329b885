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

struct by_code {
	uint64_t code;
	uint32_t nr;		/* that are suspended; 0: it stays for the next */
	UT_hash_handle hh;
};

struct suspended_table {
	struct by_code *by_code;
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

static struct by_code *find_code(const struct suspended_table *t,
				 uint64_t code)
{
	struct by_code *c;

	HASH_FIND(hh, t->by_code, &code, sizeof(code), c);
	return c;
}

/* Without memory it is not counted, nor missed later. */
static void count_code(struct suspended_table *t, uint64_t code)
{
	struct by_code *c = find_code(t, code);

	if (!c) {
		c = calloc(1, sizeof(*c));
		if (!c)
			return;
		c->code = code;
		HASH_ADD(hh, t->by_code, code, sizeof(code), c);
		if (!c->hh.tbl) {
			free(c);
			return;
		}
	}
	c->nr++;
}

/* Those of dead code objects are not kept in great numbers. */
#define CODES_KEPT 65536U

static void discount_code(struct suspended_table *t, uint64_t code)
{
	struct by_code *c = find_code(t, code);

	if (!c || !c->nr)
		return;
	if (!--c->nr && HASH_COUNT(t->by_code) > CODES_KEPT) {
		HASH_DEL(t->by_code, c);
		free(c);
	}
}

bool suspended_has_code(const struct suspended_table *t, uint64_t code)
{
	const struct by_code *c = find_code(t, code);

	return c && c->nr;
}

static void forget(struct suspended_table *t, struct item *it)
{
	discount_code(t, it->what.code);
	HASH_DEL(t->by_key, it);	/* NOLINT: it is in the table */
	DL_DELETE(t->oldest, it);
	free(it);
}

void suspended_free(struct suspended_table *t)
{
	struct by_code *c;

	if (!t)
		return;
	while (t->by_key)
		forget(t, t->by_key);
	while ((c = t->by_code)) {
		HASH_DEL(t->by_code, c);
		free(c);
	}
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
		discount_code(t, it->what.code);
		count_code(t, what->code);
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
	count_code(t, what->code);
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
