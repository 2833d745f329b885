/* SPDX-License-Identifier: MIT */
/* pyversion: which Python an interpreter's file is, as it says itself. */
#include "python/pyversion.h"

#include <ctype.h>
#include <strings.h>

#include "elf/elfimg.h"
#include "python/layout.h"
#include "python/machine.h"
#include "python/pysearch.h"

/* Up to three digits; *ok stays only if there is one. */
static uint32_t number(const char **p, bool *ok)
{
	uint32_t n = 0;
	int digits = 0;

	for (; digits < 3 && isdigit((unsigned char)**p); digits++)
		n = n * 10 + (uint32_t)(*(*p)++ - '0');
	*ok = *ok && digits && n < 256;
	return n;
}

static bool skip(const char **p, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*p, word, n))
		return false;
	*p += n;
	return true;
}

uint32_t pyversion_parse(const char *text, const char **rest)
{
	const char *p = text;
	bool ok = true;
	uint32_t hex;

	hex = number(&p, &ok) << 24;
	ok = ok && skip(&p, ".");
	hex |= number(&p, &ok) << 16;
	ok = ok && skip(&p, ".");
	hex |= number(&p, &ok) << 8;
	/* a, b, rc and a number; a release otherwise */
	if (ok && skip(&p, "rc"))
		hex |= 0xc0 | (number(&p, &ok) & 0xf);
	else if (ok && skip(&p, "a"))
		hex |= 0xa0 | (number(&p, &ok) & 0xf);
	else if (ok && skip(&p, "b"))
		hex |= 0xb0 | (number(&p, &ok) & 0xf);
	else
		hex |= 0xf0;
	if (rest)
		*rest = p;
	return ok ? hex : 0;
}

/* Forks that name themselves where CPython names its version or compiler. */
static void look_for_fork(const char *text, struct pyversion *v)
{
	static const char *const forks[] = { "Cinder", "Pyston", "Stackless" };

	for (size_t i = 0; i < ARRAY_LEN(forks); i++)
		if (strcasestr(text, forks[i]))
			snprintf(v->fork, sizeof(v->fork), "%s", forks[i]);
}

struct string_search {
	struct elfimg *img;
	struct pyversion *v;
};

/* Each string that a function refers to: the version's among them. */
static int look_at_string(const struct machine_event *ev, void *ctx)
{
	struct string_search *s = ctx;
	char text[80];
	const char *rest;
	uint32_t hex;

	if (ev->what != MACHINE_ADDRESS ||
	    elfimg_read_str(s->img, ev->value, text, sizeof(text)) <= 0)
		return 0;
	look_for_fork(text, s->v);
	hex = pyversion_parse(text, &rest);
	/* "+" alone is CPython after a release; more is somebody else's */
	if (!hex || s->v->hex || (*rest && *rest != '+' && *rest != ' '))
		return 0;
	if (*rest == '+' && isgraph((unsigned char)rest[1]) && !*s->v->fork)
		snprintf(s->v->fork, sizeof(s->v->fork), "%.*s", 24, rest + 1);
	s->v->hex = hex;
	snprintf(s->v->text, sizeof(s->v->text), "%.*s",
		 (int)strcspn(text, " "), text);
	return 0;
}

static void from_code(struct elfimg *img, const char *function,
		      struct pyversion *v)
{
	struct string_search s = { img, v };
	uint64_t vaddr;

	if (elfimg_sym(img, function, &vaddr, NULL) < 0)
		return;
	if (machine_follow(img, vaddr, look_at_string, &s))
		return;
}

/* const unsigned long Py_Version */
static uint32_t from_symbol(struct elfimg *img)
{
	uint64_t vaddr, hex;

	if (elfimg_sym(img, "Py_Version", &vaddr, NULL) < 0 ||
	    elfimg_read(img, vaddr, &hex, sizeof(hex)) < 0 ||
	    hex > UINT32_MAX)
		return 0;
	return (uint32_t)hex;
}

void pyversion_find(struct elfimg *img, bool search, struct pyversion *out)
{
	uint32_t hex;

	memset(out, 0, sizeof(*out));
	from_code(img, "Py_GetVersion", out);
	from_code(img, "Py_GetCompiler", out);
	from_code(img, "_Py_InitVersion", out);
	hex = from_symbol(img);
	if (hex)
		out->hex = hex;
	if (!out->hex && search &&
	    !pysearch_version(img, out->text, sizeof(out->text)))
		out->hex = pyversion_parse(out->text, NULL);
	if (out->hex && !*out->text)
		layout_version_text(out->hex, out->text, sizeof(out->text));
}
