/* SPDX-License-Identifier: MIT */
/* maps: the lines of /proc/PID/maps, parsed. */
#include "target/maps.h"

#include <errno.h>
#include <sys/sysmacros.h>

static const char deleted_suffix[] = " (deleted)";

struct line {
	char *p;
	char *end;
	bool bad;
};

static uint64_t number(struct line *l, unsigned int base)
{
	char *from = l->p;
	uint64_t v = 0;

	for (; l->p < l->end; l->p++) {
		unsigned int digit;
		char c = *l->p;

		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned int)(c - 'a') + 10;
		else
			break;
		if (digit >= base)
			break;
		if (__builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, digit, &v))
			l->bad = true;
	}
	if (l->p == from)
		l->bad = true;
	return v;
}

static void expect(struct line *l, char c)
{
	if (l->p < l->end && *l->p == c)
		l->p++;
	else
		l->bad = true;
}

/* One of the four letters: `yes`, or `no` for its absence. */
static bool letter(struct line *l, char yes, char no)
{
	if (l->p == l->end || (*l->p != yes && *l->p != no)) {
		l->bad = true;
		return false;
	}
	return *l->p++ == yes;
}

/* \012 becomes a newline, in place: the only escape that the kernel writes. */
static bool unescape(char *s)
{
	char *to = s;
	bool found = false;

	while (*s) {
		if (!strncmp(s, "\\012", 4)) {
			*to++ = '\n';
			s += 4;
			found = true;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
	return found;
}

bool maps_cut_suffix(char *s)
{
	size_t len = strlen(s), cut = sizeof(deleted_suffix) - 1;

	if (len <= cut || strcmp(s + len - cut, deleted_suffix))
		return false;
	s[len - cut] = '\0';
	return true;
}

static void parse_path(struct map *m, struct line *l)
{
	while (l->p < l->end && *l->p == ' ')
		l->p++;
	*l->end = '\0';			/* was the newline */
	if (memchr(l->p, '\0', (size_t)(l->end - l->p)))
		l->bad = true;
	m->path = l->p;
	if (!*l->p)
		m->kind = MAPS_ANON;
	else if (*l->p != '/')
		m->kind = MAPS_PSEUDO;
	else
		m->kind = MAPS_FILE;
	if (m->kind != MAPS_FILE)
		return;
	m->doubtful = unescape(l->p);
	m->deleted = maps_cut_suffix(l->p);
	m->doubtful |= m->deleted;
}

static int parse_line(struct map *m, char *text, char *newline)
{
	struct line l = { .p = text, .end = newline };
	uint64_t major, minor;

	m->start = number(&l, 16);
	expect(&l, '-');
	m->end = number(&l, 16);
	expect(&l, ' ');
	m->read = letter(&l, 'r', '-');
	m->write = letter(&l, 'w', '-');
	m->exec = letter(&l, 'x', '-');
	m->shared = letter(&l, 's', 'p');
	expect(&l, ' ');
	m->offset = number(&l, 16);
	expect(&l, ' ');
	major = number(&l, 16);
	expect(&l, ':');
	minor = number(&l, 16);
	expect(&l, ' ');
	m->inode = number(&l, 10);
	if (l.p < l.end)
		expect(&l, ' ');
	if (l.bad || m->start >= m->end || major > UINT32_MAX ||
	    minor > UINT32_MAX)
		return -EBADMSG;
	m->dev = makedev((unsigned int)major, (unsigned int)minor);
	parse_path(m, &l);
	return l.bad ? -EBADMSG : 0;
}

static size_t count_lines(const char *text, size_t len)
{
	const char *end = text + len;
	size_t nr = 0;

	while (text < end && (text = memchr(text, '\n', (size_t)(end - text)))) {
		nr++;
		text++;
	}
	return nr;
}

static int parse_all(struct maps *m, size_t len)
{
	char *p = m->text, *end = m->text + len, *newline;
	int rc;

	for (; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end - p));
		if (!newline)
			return -EBADMSG;
		rc = parse_line(&m->v[m->nr], p, newline);
		if (rc < 0)
			return rc;
		m->nr++;
	}
	return 0;
}

int maps_parse(struct maps *out, const char *text, size_t len, struct err *err)
{
	struct maps m = { 0 };
	int rc;

	m.v = calloc(count_lines(text, len) + 1, sizeof(*m.v));
	m.text = malloc(len + 1);
	if (!m.v || !m.text) {
		maps_fini(&m);
		return err_set(err, -ENOMEM, "out of memory");
	}
	if (len)
		memcpy(m.text, text, len);
	m.text[len] = '\0';
	rc = parse_all(&m, len);
	if (rc < 0) {
		err_kind(err, ERR_INPUT, rc, "line %zu of maps is damaged",
			 m.nr + 1);
		maps_fini(&m);
		return rc;
	}
	*out = m;
	return 0;
}

void maps_fini(struct maps *m)
{
	size_t i;

	for (i = 0; m->v && i < m->nr; i++)
		free(m->v[i].own);
	free(m->v);
	free(m->text);
	*m = (struct maps){ 0 };
}

const struct map *maps_at(const struct maps *m, uint64_t addr)
{
	size_t i;

	for (i = 0; i < m->nr; i++)
		if (addr >= m->v[i].start && addr < m->v[i].end)
			return &m->v[i];
	return NULL;
}

bool map_same_file(const struct map *a, const struct map *b)
{
	return a->kind == MAPS_FILE && b->kind == MAPS_FILE &&
	       a->dev == b->dev && a->inode == b->inode;
}
