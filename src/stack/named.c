/* SPDX-License-Identifier: MIT */
/* named: events that were asked for by name, by their numbers. */
#include "stack/named.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/record.h"
#include "stack/table.h"

struct entry {
	struct named named;
	struct evfield field[NAMED_FIELDS_MAX];
	struct pt_hdr *copy;		/* of the record: names point into it */
	UT_hash_handle hh;
};

struct named_table {
	struct entry *by_event;
};

struct named_table *named_new(void)
{
	return calloc(1, sizeof(struct named_table));
}

static void entry_free(struct entry *e)
{
	free(e->copy);
	free(e);
}

static void forget(struct named_table *t, struct entry *e)
{
	HASH_DEL(t->by_event, e);	/* NOLINT: it is in the table */
	entry_free(e);
}

void named_free(struct named_table *t)
{
	if (!t)
		return;
	while (t->by_event)
		forget(t, t->by_event);
	free(t);
}

static struct entry *find(const struct named_table *t, uint32_t event)
{
	struct entry *e;

	HASH_FIND(hh, t->by_event, &event, sizeof(event), e);
	return e;
}

/* All that the record says, in a copy of it. */
static struct entry *entry_new(const struct pt_named *rec)
{
	struct entry *e = calloc(1, sizeof(*e));
	const char *text;

	if (!e)
		return NULL;
	e->copy = malloc(rec->h.size);
	if (!e->copy) {
		free(e);
		return NULL;
	}
	memcpy(e->copy, rec, rec->h.size);
	e->named = (struct named){
		.event = rec->event,
		.kind = rec->kind,
		.name = record_string(e->copy, 0),
		.rate = rec->rate,
		.field = e->field,
	};
	for (size_t i = 1; (text = record_string(e->copy, i)); i++)
		if (e->named.nr < NAMED_FIELDS_MAX &&
		    evfield_parse(text, &e->field[e->named.nr]))
			e->named.nr++;
	return e;
}

int named_define(struct named_table *t, const struct pt_named *rec)
{
	struct entry *old = find(t, rec->event), *e;

	if (!old && HASH_COUNT(t->by_event) == NAMED_MAX)
		return 0;
	e = entry_new(rec);
	if (!e)
		return -ENOMEM;
	if (old)
		forget(t, old);
	HASH_ADD(hh, t->by_event, named.event, sizeof(e->named.event), e);
	if (!e->hh.tbl) {
		entry_free(e);
		return -ENOMEM;
	}
	return 0;
}

const struct named *named_find(const struct named_table *t, uint32_t event)
{
	const struct entry *e = find(t, event);

	return e ? &e->named : NULL;
}

bool named_value(const struct named *n, const struct pt_tracepoint *tp,
		 const char *field, struct evvalue *out)
{
	for (size_t i = 0; i < n->nr; i++) {
		const struct evfield *f = &n->field[i];

		if (f->name_len != strlen(field) ||
		    memcmp(f->name, field, f->name_len))
			continue;
		if ((n->kind == PT_NAMED_GC && !tp->dur && !f->offset) ||
		    (f->offset / 8 < 8 && tp->unread >> f->offset / 8 & 1))
			return false;
		return evfield_value(f, record_data(tp), tp->nr, out);
	}
	return false;
}
