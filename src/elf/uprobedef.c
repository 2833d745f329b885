/* SPDX-License-Identifier: MIT */
/* uprobedef: USDT notes as the lines that register them in uprobe_events. */
#include "elf/uprobedef.h"

#include <errno.h>
#include <inttypes.h>

#include "elf/sdtfetch.h"
#include "elf/stapsdt.h"

/* kernel/trace/trace.h: MAX_EVENT_NAME_LEN, with its NUL. */
#define MAX_NAME	64
/* kernel/trace/trace.c: WRITE_BUFSIZE, less newline and NUL. */
#define MAX_LINE	4094
/* More sets of fields of one probe than any compiler has made. */
#define MAX_SETS	8
#define MAX_FIELDS	1024

struct def {
	const struct uprobedef_file *file;
	const struct stapsdt_note *note;
	char event[2 * MAX_NAME];	/* "sdt_python/gc__done" */
	char args[MAX_FIELDS];		/* " collected=%r12:s64" */
	char set[MAX_FIELDS];		/* " collected:s64" */
};

/* The sets of fields that this probe has had so far. */
struct sets {
	char *v[MAX_SETS];
	size_t nr;
};

/* isspace() of the kernel, lib/ctype.c: Latin-1's hard space is one. */
static bool is_blank(unsigned char c)
{
	return (c >= 9 && c <= 13) || c == ' ' || c == 0xa0;
}

static bool is_taken(unsigned char c)
{
	return c > ' ' && c != 127 && c != '#' && c != '\\' && !is_blank(c);
}

bool uprobedef_takes(const char *path)
{
	for (; *path; path++)
		if (!is_taken((unsigned char)*path))
			return false;
	return true;
}

void uprobedef_put_path(FILE *out, const char *path)
{
	bool as_it_is = uprobedef_takes(path);

	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (as_it_is || (is_taken(c) && c < 128))
			fputc(c, out);
		else
			fprintf(out, "\\%03o", c);
	}
}

/* Names of events are those of C there: is_good_system_name(). */
static void put_name(char *out, size_t size, const char *name)
{
	size_t len = 0;

	for (; *name && len + 1 < size; name++) {
		unsigned char c = (unsigned char)*name;
		bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			  c == '_' || (len && c >= '0' && c <= '9');

		out[len] = *name;
		if (!ok)
			out[len] = '_';
		len++;
	}
	out[len] = '\0';
}

/* "sdt_python/gc__done", as perf calls them; a number from the second on. */
static void set_event(struct def *d, size_t number)
{
	char group[MAX_NAME - 4], event[MAX_NAME - 4], suffix[24] = "";

	put_name(group, sizeof(group), d->note->provider);
	put_name(event, sizeof(event), d->note->name);
	if (number)
		snprintf(suffix, sizeof(suffix), "_%zu", number + 1);
	snprintf(d->event, sizeof(d->event), "sdt_%s/%s%s", group, event,
		 suffix);
}

static bool append(char *buf, size_t size, const char *name, const char *mid,
		   const char *type)
{
	size_t len = strlen(buf);
	int n = snprintf(buf + len, size - len, " %s%s:%s", name, mid, type);

	return n > 0 && (size_t)n < size - len;
}

/* A field for this argument; NULL, or why there is none. */
static const char *add_arg(struct def *d, const struct sdtarg *arg,
			   const struct uprobedef_arg *what)
{
	struct sdtfetch fetch;
	const char *why;
	char from[sizeof(fetch.from) + 2];

	why = sdtfetch_of(d->file->machine, arg, what->is_text, &fetch);
	if (why)
		return why;
	snprintf(from, sizeof(from), "=%s", fetch.from);
	if (!append(d->args, sizeof(d->args), what->name, from, fetch.type) ||
	    !append(d->set, sizeof(d->set), what->name, "", fetch.type))
		return "too many fields";
	return NULL;
}

static void put_without(FILE *out, const struct def *d, const char *field,
			const char *why)
{
	fprintf(out, "#without\t%s\t%s\t%s\n", d->event, field, why);
}

static void add_args(FILE *out, struct def *d)
{
	struct sdtarg args[SDTARG_MAX];
	size_t nr = sdtarg_parse(d->file->machine, d->file->is_64,
				 d->note->args, args, ARRAY_LEN(args));

	for (size_t i = 0; i < nr && i < ARRAY_LEN(args); i++) {
		struct uprobedef_arg what = { NULL, false };
		const char *why;
		char number[24];

		if (!d->file->arg || !d->file->arg(d->note, i, &what)) {
			snprintf(number, sizeof(number), "arg%zu", i + 1);
			what = (struct uprobedef_arg){ number, false };
		}
		if (!what.name)
			continue;
		why = add_arg(d, &args[i], &what);
		if (why)
			put_without(out, d, what.name, why);
	}
}

/* Which of the probe's sets of fields this is; -ENOSPC, -ENOMEM. */
static int number_of(struct sets *sets, const char *set)
{
	size_t i;

	for (i = 0; i < sets->nr; i++)
		if (!strcmp(sets->v[i], set))
			return (int)i;
	if (i == MAX_SETS)
		return -ENOSPC;
	sets->v[i] = strdup(set);
	if (!sets->v[i])
		return -ENOMEM;
	sets->nr++;
	return (int)i;
}

static void forget(struct sets *sets)
{
	while (sets->nr)
		free(sets->v[--sets->nr]);
}

static void put_skipped(FILE *out, const struct def *d, const char *why)
{
	fprintf(out, "#skipped\t%s\t0x%" PRIx64 "\t%s\n", d->event,
		d->note->location, why);
}

/* Why this location cannot be registered, or NULL. */
static const char *obstacle(const struct stapsdt_note *note)
{
	if (!note->has_offset)
		return "it is nowhere in the code of the file";
	if (note->semaphore && !note->has_sem_offset)
		return "its semaphore is nowhere in the data of the file";
	return NULL;
}

static void put_line(FILE *out, const struct def *d)
{
	const struct stapsdt_note *n = d->note;
	char place[64];
	int len;

	len = snprintf(place, sizeof(place), ":0x%016" PRIx64, n->offset);
	if (n->semaphore)
		snprintf(place + len, sizeof(place) - (size_t)len,
			 "(0x%" PRIx64 ")", n->sem_offset);
	/* one that is not taken as it is will be replaced by a shorter one */
	if (strlen(d->event) + strlen(d->file->path) + strlen(place) +
	    strlen(d->args) + 3 > MAX_LINE) {
		put_skipped(out, d, "the line would be too long");
		return;
	}
	fprintf(out, "p:%s ", d->event);
	uprobedef_put_path(out, d->file->path);
	fprintf(out, "%s%s\n", place, d->args);
}

static int put_note(FILE *out, const struct uprobedef_file *file,
		    const struct stapsdt_note *note, struct sets *sets)
{
	struct def d = { .file = file, .note = note };
	const char *why = obstacle(note);
	int number;

	set_event(&d, 0);
	if (why) {
		put_skipped(out, &d, why);
		return 0;
	}
	add_args(out, &d);
	number = number_of(sets, d.set);
	if (number == -ENOSPC)
		put_skipped(out, &d, "too many sets of fields of one probe");
	if (number < 0)
		return number == -ENOSPC ? 0 : number;
	set_event(&d, (size_t)number);
	put_line(out, &d);
	return 0;
}

static bool same_probe(const struct stapsdt_note *a,
		       const struct stapsdt_note *b)
{
	return !strcmp(a->provider, b->provider) && !strcmp(a->name, b->name);
}

int uprobedef_put(FILE *out, const struct uprobedef_file *file,
		  const struct stapsdt_note *const *notes, size_t nr,
		  struct err *err)
{
	struct sets sets = { .nr = 0 };
	int rc = 0;

	for (size_t i = 0; i < nr && !rc; i++) {
		if (i && !same_probe(notes[i - 1], notes[i]))
			forget(&sets);
		rc = put_note(out, file, notes[i], &sets);
	}
	forget(&sets);
	return rc ? err_set(err, rc, "out of memory") : 0;
}
