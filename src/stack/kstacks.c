/* SPDX-License-Identifier: MIT */
/* kstacks: stacks of the kernel, by their numbers. */
#include "stack/kstacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/record.h"
#include "stack/table.h"

struct entry {
	uint32_t number;
	struct kstack is;
	struct pt_hdr *copy;		/* of the record: names point into it */
	UT_hash_handle hh;
};

struct kstacks {
	struct entry *by_number;
};

struct kstacks *kstacks_new(void)
{
	return calloc(1, sizeof(struct kstacks));
}

static void entry_free(struct entry *e)
{
	free(e->copy);
	free(e);
}

static void forget(struct kstacks *k, struct entry *e)
{
	HASH_DEL(k->by_number, e);	/* NOLINT: it is in the table */
	entry_free(e);
}

void kstacks_free(struct kstacks *k)
{
	if (!k)
		return;
	while (k->by_number)
		forget(k, k->by_number);
	free(k);
}

static struct entry *find(const struct kstacks *k, uint32_t number)
{
	struct entry *e;

	HASH_FIND(hh, k->by_number, &number, sizeof(number), e);
	return e;
}

static struct entry *entry_new(const struct pt_kstack *rec)
{
	struct entry *e = calloc(1, sizeof(*e));
	const char *func;

	if (!e)
		return NULL;
	e->copy = malloc(rec->h.size);
	if (!e->copy) {
		free(e);
		return NULL;
	}
	memcpy(e->copy, rec, rec->h.size);
	e->number = rec->kstack;
	while (e->is.nr < KSTACK_FRAMES &&
	       (func = record_string(e->copy, e->is.nr)))
		e->is.func[e->is.nr++] = func;
	return e;
}

int kstacks_define(struct kstacks *k, const struct pt_kstack *rec)
{
	struct entry *old = find(k, rec->kstack), *e;

	if (!rec->kstack || (!old && HASH_COUNT(k->by_number) == KSTACKS_MAX))
		return 0;
	e = entry_new(rec);
	if (!e)
		return -ENOMEM;
	if (old)
		forget(k, old);
	HASH_ADD(hh, k->by_number, number, sizeof(e->number), e);
	if (!e->hh.tbl) {
		entry_free(e);
		return -ENOMEM;
	}
	return 0;
}

const struct kstack *kstacks_find(const struct kstacks *k, uint32_t number)
{
	const struct entry *e = number ? find(k, number) : NULL;

	return e ? &e->is : NULL;
}
