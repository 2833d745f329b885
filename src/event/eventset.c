/* SPDX-License-Identifier: MIT */
/* eventset: a set of events, as -e names it. */
#include "event/eventset.h"

#include <errno.h>

#include "base/num.h"
#include "event/counters.h"
#include "event/record.h"

void eventset_init(struct eventset *s, uint32_t types)
{
	s->types = types;
	s->sample_hz = SAMPLE_HZ;
	s->nr_named = 0;
	sysset_all(&s->calls);
}

static const char *const kinds[] = {
	[PT_SYSCALL] = "syscalls",
	[PT_FAULT] = "faults",
	[PT_OFFCPU] = "offcpu",
	[PT_SAMPLE] = "cpu",
	[PT_CALL] = "calls",
};

const char *eventset_kind(uint16_t type)
{
	return type < ARRAY_LEN(kinds) ? kinds[type] : NULL;
}

/* The kind of events that a word names, 0: none.  "cpu:99" is "cpu". */
static uint32_t kind_named(const char *word)
{
	size_t len = strcspn(word, ":");

	for (uint16_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i] && len == strlen(kinds[i]) &&
		    !strncmp(word, kinds[i], len) &&
		    (!word[len] || i == PT_SAMPLE))
			return EVENTS_OF(i);
	return 0;
}

/* Probes of CPython itself that have a short name. */
static const struct {
	const char *name;
	int kind;
} of_python[] = {
	{ "gc", PT_NAMED_GC },
	{ "import", PT_NAMED_IMPORT },
	{ "audit", PT_NAMED_AUDIT },
	{ "line", PT_NAMED_LINE },
};

/* The kind of an event that has a name of its own; -1: it is none. */
static int named_kind(const char *word)
{
	size_t len = strcspn(word, ":");

	if (counter_named(word))
		return PT_NAMED_COUNTER;
	if (!strncmp(word, "usdt:", 5))
		return PT_NAMED_USDT;
	for (size_t i = 0; i < ARRAY_LEN(of_python); i++)
		if (!strcmp(of_python[i].name, word))
			return of_python[i].kind;
	if (!word[len])
		return -1;
	/* "syscalls" is a category of tracepoints, too: syscalls:sys_enter_read */
	for (uint16_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (kinds[i] && i != PT_SYSCALL && len == strlen(kinds[i]) &&
		    !strncmp(word, kinds[i], len))
			return -1;
	return PT_NAMED_TRACEPOINT;
}

static int add_named(struct eventset *s, const char *word, struct err *err)
{
	bool out = word[0] == '!';
	const struct counter *c = counter_named(word + out);
	struct eventset_named n = {
		.name = c ? c->name : word + out,
		.len = strlen(c ? c->name : word + out),
		.kind = (uint8_t)named_kind(word + out),
		.out = out,
	};
	int rc;

	if (s->nr_named == ARRAY_LEN(s->named))
		return err_kind(err, ERR_USAGE, -E2BIG,
				"-e names more than %zu events",
				ARRAY_LEN(s->named));
	rc = c ? counter_rate(c, word + out, &n.rate, &n.is_period, err) : 0;
	if (rc)
		return rc;
	s->named[s->nr_named++] = n;
	if (!out)
		s->types |= c ? EVENTS_COUNTERS : EVENTS_OF(PT_TRACEPOINT);
	return 0;
}

/* Is it a word of neither a kind of events nor of a single one? */
static bool is_call(const char *word)
{
	word += word[0] == '!';
	return !kind_named(word) && named_kind(word) < 0;
}

static int set_rate(struct eventset *s, const char *word, struct err *err)
{
	const char *rate = strchr(word, ':');
	int64_t hz;

	if (!rate)
		return 0;
	if (!num_parse(rate + 1, 1, SAMPLE_HZ_MAX, &hz)) {
		err_kind(err, ERR_USAGE, -EINVAL,
			 "cpu:HZ takes 1 to %d samples a second, not '%s'",
			 SAMPLE_HZ_MAX, rate + 1);
		err_hint(err, "-e cpu is -e cpu:%d", SAMPLE_HZ);
		return -EINVAL;
	}
	s->sample_hz = (uint32_t)hz;
	return 0;
}

/* The words that name no kind name calls. */
static int parse_calls(struct eventset *s, const char *const *words, size_t nr,
		       struct err *err)
{
	const char **calls = calloc(nr + 1, sizeof(*calls));
	size_t n = 0;
	int rc;

	if (!calls)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < nr; i++)
		if (is_call(words[i]))
			calls[n++] = words[i];
	rc = sysset_parse(&s->calls, calls, n, err);
	for (size_t i = 0; i < n; i++)
		if (calls[i][0] != '!')
			s->types |= EVENTS_SYSCALLS;
	free(calls);
	return rc;
}

int eventset_parse(struct eventset *s, const char *const *words, size_t nr,
		   uint32_t otherwise, struct err *err)
{
	int rc = 0;

	eventset_init(s, !nr || words[0][0] == '!' ? otherwise : 0);
	for (size_t i = 0; !rc && i < nr; i++) {
		bool out = words[i][0] == '!';
		uint32_t kind = kind_named(words[i] + out);

		s->types = out ? s->types & ~kind : s->types | kind;
		if (kind == EVENTS_OF(PT_SAMPLE))
			rc = set_rate(s, words[i], err);
		else if (!kind && named_kind(words[i] + out) >= 0)
			rc = add_named(s, words[i], err);
	}
	return rc ? rc : parse_calls(s, words, nr, err);
}

bool eventset_has_all_calls(const struct eventset *s)
{
	if (!(s->types & EVENTS_SYSCALLS))
		return true;
	return !memchr(s->calls.has, 0, sizeof(s->calls.has));
}

/* A sample of a counter is not one of the clock. */
static uint32_t type_of(const struct pt_hdr *rec)
{
	const struct pt_sample *sample = (const void *)rec;

	if (rec->type == PT_SAMPLE && sample->event)
		return EVENTS_COUNTERS;
	return EVENTS_OF(rec->type);
}

bool eventset_has(const struct eventset *s, const struct pt_hdr *rec)
{
	const struct pt_syscall *sys = (const void *)rec;

	if (!record_event(rec))
		return true;
	if (!(s->types & type_of(rec)))
		return false;
	return rec->type != PT_SYSCALL || sysset_has(&s->calls, sys->abi, sys->nr);
}

/* What is left out is; else all, or those that were asked for. */
bool eventset_has_named(const struct eventset *s, const char *name)
{
	bool all = true, wanted = false;
	size_t len = name ? strlen(name) : 0;

	for (size_t i = 0; i < s->nr_named; i++) {
		bool same = name && s->named[i].len == len &&
			    !memcmp(s->named[i].name, name, len);

		if (same && s->named[i].out)
			return false;
		all &= s->named[i].out;
		wanted |= same;
	}
	return all || wanted;
}
