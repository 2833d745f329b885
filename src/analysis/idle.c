/* SPDX-License-Identifier: MIT */
/* idle: is a thread waiting for work, or for something that it needs? */
#include "analysis/idle.h"

#include <errno.h>

#include "analysis/idle_places.h"
#include "stack/pattern.h"

#define LINKS_MAX 8		/* patterns of a chain */

struct link {
	struct pattern is;
	bool any;		/* "*" */
	bool through;		/* reached by "<<" */
};

struct chain {
	const char *why;
	char *text;		/* owns what the patterns point into */
	struct link link[LINKS_MAX];
	size_t nr;
	bool matched;
};

struct idle {
	struct chain *chain;
	size_t nr, shipped;	/* the first are the shipped ones */
};

static void trim(char **s)
{
	size_t len;

	*s += strspn(*s, " ");
	len = strlen(*s);
	while (len && (*s)[len - 1] == ' ')
		(*s)[--len] = '\0';
}

/* Take the text apart at '<' and "<<"; "<module>" is a name. */
static char *next_arrow(char *s)
{
	for (s = strchr(s, '<'); s; s = strchr(s + 1, '<'))
		if (s[1] == ' ' || (s[1] == '<' && s[2] == ' '))
			return s;
	return NULL;
}

static bool split(struct chain *c)
{
	char *s = c->text;
	bool through = false;

	while (s) {
		struct link *l = &c->link[c->nr];
		char *arrow = next_arrow(s), *next = NULL;
		bool more = arrow && arrow[1] == '<';

		if (arrow) {
			next = arrow + 1 + more;
			*arrow = '\0';
		}
		trim(&s);
		if (!*s || c->nr == LINKS_MAX)
			return false;
		l->any = !strcmp(s, "*");
		l->through = through;
		pattern_split(&l->is, s);
		through = more;
		c->nr++;
		s = next;
	}
	return c->nr > 0;
}

static int add(struct idle *list, const char *why, const char *place,
	       struct err *err)
{
	struct chain c = { .why = why }, *more;

	more = reallocarray(list->chain, list->nr + 1, sizeof(*more));
	if (more)
		list->chain = more;
	c.text = strdup(place);
	if (!more || !c.text) {
		free(c.text);
		return err_set(err, -ENOMEM, "out of memory");
	}
	if (!split(&c)) {
		free(c.text);
		return err_kind(err, ERR_USAGE, -EINVAL, "--idle-at takes a "
				"place such as 'app/worker.py:wait', or a chain "
				"'queue.py:get < worker.py:run', not '%s'",
				place);
	}
	list->chain[list->nr++] = c;
	return 0;
}

int idle_add(struct idle *list, const char *place, struct err *err)
{
	return add(list, "--idle-at", place, err);
}

int idle_new(struct idle **out, struct err *err)
{
	static const struct {
		const char *why, *place;
	} places[] = {
#define X(why, place) { why, place },
		IDLE_PLACES(X)
#undef X
	};
	struct idle *list = calloc(1, sizeof(*list));
	int rc = 0;

	if (!list)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; !rc && i < ARRAY_LEN(places); i++)
		rc = add(list, places[i].why, places[i].place, err);
	list->shipped = list->nr;
	if (rc)
		idle_free(list);
	else
		*out = list;
	return rc;
}

void idle_free(struct idle *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->nr; i++)
		free(list->chain[i].text);
	free(list->chain);
	free(list);
}

/* ---- matching ------------------------------------------------------------- */

static bool link_matches(const struct link *l, const struct frame *frame)
{
	return l->any || pattern_matches(&l->is, frame);
}

/*
 * Frames that were left out of a deep stack are behind nr_inner: a chain does
 * not reach over them.
 */
static bool chain_matches(const struct chain *c, const struct pystack *st)
{
	uint32_t end = st->omitted ? st->nr_inner : st->nr, at = 0;

	for (size_t i = 0; i < c->nr; i++, at++) {
		const struct link *l = &c->link[i];

		while (at < end && l->through &&
		       !link_matches(l, &st->frames[at])) {
			if (st->frames[at].origin == ORIGIN_APP)
				return false;
			at++;
		}
		if (at >= end || !link_matches(l, &st->frames[at]))
			return false;
	}
	return true;
}

/* Those of the user first: whether they match anything is worth knowing. */
const char *idle_why(struct idle *list, const struct pystack *stack)
{
	if (!stack->known)
		return NULL;
	if (!stack->nr)
		return stack->why ? NULL : "native thread";
	for (size_t i = 0; i < list->nr; i++) {
		struct chain *c = &list->chain[(i + list->shipped) % list->nr];

		if (!chain_matches(c, stack))
			continue;
		c->matched = true;
		return c->why;
	}
	return NULL;
}

bool idle_added_matched(const struct idle *list, size_t nr)
{
	return nr + list->shipped < list->nr &&
	       list->chain[nr + list->shipped].matched;
}

bool idle_matches(struct idle *list, const struct pystack *stack)
{
	return idle_why(list, stack) != NULL;
}
