/* SPDX-License-Identifier: MIT */
/* kallsyms: the kernel's functions, by address. */
#include "target/kallsyms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
	uint64_t addr;
	size_t name;		/* in names */
};

struct kallsyms {
	struct symbol *v;
	size_t nr, room;
	char *names;
	size_t used, size;
};

void kallsyms_free(struct kallsyms *k)
{
	if (!k)
		return;
	free(k->v);
	free(k->names);
	free(k);
}

static bool make_room(struct kallsyms *k, size_t len)
{
	size_t room = k->room ? 2 * k->room : 65536;
	size_t size = k->size ? 2 * k->size : 1 << 20;
	struct symbol *v;
	char *names;

	if (k->nr == k->room) {
		v = reallocarray(k->v, room, sizeof(*v));
		if (!v)
			return false;
		k->v = v;
		k->room = room;
	}
	if (k->size - k->used > len)
		return true;
	while (size - k->used <= len)
		size *= 2;
	names = realloc(k->names, size);
	if (!names)
		return false;
	k->names = names;
	k->size = size;
	return true;
}

static int add(struct kallsyms *k, uint64_t addr, const char *name)
{
	size_t len = strlen(name);

	if (!make_room(k, len))
		return -ENOMEM;
	k->v[k->nr++] = (struct symbol){ addr, k->used };
	memcpy(k->names + k->used, name, len + 1);
	k->used += len + 1;
	return 0;
}

/* "ffffffff81000000 T _stext", of a module with " [name]" behind it. */
static int add_line(struct kallsyms *k, char *line)
{
	char *end, *name;
	uint64_t addr;

	errno = 0;
	addr = strtoull(line, &end, 16);
	if (errno || end == line || end[0] != ' ' || !end[1] || end[2] != ' ' ||
	    !strchr("tTwW", end[1]))
		return 0;
	name = end + 3;
	name[strcspn(name, "\t\n ")] = '\0';
	return *name ? add(k, addr, name) : 0;
}

/* Of several names for one address the first one stays in front. */
static int by_addr(const void *x, const void *y)
{
	const struct symbol *a = x, *b = y;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static int hidden(struct err *err)
{
	err_kind(err, ERR_NOT_PERMITTED, -EACCES, "-n: the kernel shows no "
		 "addresses of its functions (/proc/kallsyms)");
	err_hint(err, "as root: sysctl kernel.kptr_restrict=1; without "
		 "CAP_SYSLOG it must be 0");
	return -EACCES;
}

int kallsyms_read(struct kallsyms **out, FILE *f, struct err *err)
{
	struct kallsyms *k = calloc(1, sizeof(*k));
	char line[1024];
	int rc = k ? 0 : -ENOMEM;

	while (!rc && fgets(line, sizeof(line), f))
		rc = add_line(k, line);
	if (!rc && ferror(f))
		rc = -EIO;
	if (rc) {
		kallsyms_free(k);
		return err_set(err, rc, "cannot read the kernel's functions: %s",
			       strerror(-rc));
	}
	if (k->nr)
		qsort(k->v, k->nr, sizeof(*k->v), by_addr);
	if (!k->nr || !k->v[k->nr - 1].addr) {
		kallsyms_free(k);
		return hidden(err);
	}
	*out = k;
	return 0;
}

const char *kallsyms_name(const struct kallsyms *k, uint64_t addr)
{
	size_t from = 0, to = k->nr;

	while (to > from) {
		size_t mid = from + (to - from) / 2;

		if (k->v[mid].addr <= addr)
			from = mid + 1;
		else
			to = mid;
	}
	while (from > 1 && k->v[from - 2].addr == k->v[from - 1].addr)
		from--;
	return from ? k->names + k->v[from - 1].name : "";
}
