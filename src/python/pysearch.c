/* SPDX-License-Identifier: MIT */
/* pysearch: find parts of an interpreter by what they look like. */
#include "python/pysearch.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "elf/elfimg.h"
#include "python/layout.h"

enum {
	CHUNK = 1 << 16,
	OVERLAP = 128,		/* longest thing looked for, and then some */
	TP_NAME = 24,		/* of a type object; its sizes follow */
};

/*
 * Look at `len` bytes that lie at `vaddr`; things found must begin before
 * `len` - OVERLAP or will be seen again.
 */
typedef int look_fn(const uint8_t *bytes, size_t len, uint64_t vaddr,
		    void *ctx);

static int scan_segment(struct elfimg *img, const struct elfseg *seg,
			uint8_t *buf, look_fn *look, void *ctx)
{
	uint64_t at = 0;
	size_t len;
	int rc;

	while (at < seg->filesz) {
		len = seg->filesz - at < CHUNK ? (size_t)(seg->filesz - at) :
						 CHUNK;
		if (elfimg_read(img, seg->vaddr + at, buf, len) < 0)
			return 0;
		rc = look(buf, len, seg->vaddr + at, ctx);
		if (rc)
			return rc;
		if (len < CHUNK)
			break;
		at += CHUNK - OVERLAP;
	}
	return 0;
}

/* Each segment in memory that has the flags `want` and none of `not`. */
static int scan(struct elfimg *img, uint32_t want, uint32_t not, look_fn *look,
		void *ctx)
{
	uint8_t *buf = malloc(CHUNK);
	int rc = 0;

	if (!buf)
		return -ENOMEM;
	for (size_t i = 0; i < elfimg_nr_segs(img) && !rc; i++) {
		const struct elfseg *seg = elfimg_seg(img, i);

		if (seg->type == PT_LOAD && (seg->flags & want) == want &&
		    !(seg->flags & not))
			rc = scan_segment(img, seg, buf, look, ctx);
	}
	free(buf);
	return rc;
}

/* Bytes to the first aligned word. */
static size_t aligned(uint64_t vaddr)
{
	return (size_t)(-vaddr & 7);
}

static int look_for_cookie(const uint8_t *bytes, size_t len, uint64_t vaddr,
			   void *ctx)
{
	for (size_t i = aligned(vaddr); i + 8 <= len; i += 8)
		if (!memcmp(bytes + i, "xdebugpy", 8)) {
			*(uint64_t *)ctx = vaddr + i;
			return 1;
		}
	return 0;
}

int pysearch_runtime(struct elfimg *img, uint64_t *vaddr)
{
	int rc = scan(img, PF_W, 0, look_for_cookie, vaddr);

	return rc > 0 ? 0 : rc < 0 ? rc : -ENOENT;
}

struct type_search {
	struct elfimg *img;
	uint64_t basic, item;
	uint64_t vaddr;		/* of the type */
};

static int look_for_type(const uint8_t *bytes, size_t len, uint64_t vaddr,
			 void *ctx)
{
	struct type_search *s = ctx;
	uint64_t sizes[2], name;
	char text[6];

	/* tp_name, tp_basicsize, tp_itemsize */
	for (size_t i = aligned(vaddr); i + 24 <= len; i += 8) {
		memcpy(sizes, bytes + i + 8, sizeof(sizes));
		if (sizes[0] != s->basic || sizes[1] != s->item ||
		    vaddr + i < TP_NAME ||
		    elfimg_pointer(s->img, vaddr + i, &name) < 0 ||
		    elfimg_read_str(s->img, name, text, sizeof(text)) != 4 ||
		    memcmp(text, "code", 4))
			continue;
		s->vaddr = vaddr + i - TP_NAME;
		return 1;
	}
	return 0;
}

int pysearch_code_type(struct elfimg *img, uint64_t basic, uint64_t item,
		       uint64_t *vaddr)
{
	struct type_search s = { img, basic, item, 0 };
	int rc = scan(img, PF_W, 0, look_for_type, &s);

	if (rc > 0)
		*vaddr = s.vaddr;
	return rc > 0 ? 0 : rc < 0 ? rc : -ENOENT;
}

struct version_search {
	char text[8][16];	/* what looks like 3.N.M */
	unsigned int minor[8];
	size_t nr;
};

/* Length of "3.N.M", with "rc1" or "+" perhaps, up to its NUL; 0: it is not. */
static size_t version_form(const uint8_t *p, size_t len, unsigned int *minor)
{
	size_t i = 2, digits;

	if (len < 6 || p[0] != '3' || p[1] != '.')
		return 0;
	*minor = 0;
	for (digits = 0; i < len && isdigit(p[i]); digits++)
		*minor = *minor * 10 + (p[i++] - '0');
	if (!digits || digits > 2 || i >= len || p[i++] != '.')
		return 0;
	for (digits = 0; i < len && isdigit(p[i]); digits++)
		i++;
	if (!digits || digits > 2)
		return 0;
	while (i < len && i < 15 && (isdigit(p[i]) || strchr("abrc+", p[i])) &&
	       p[i])
		i++;
	return i < len && !p[i] ? i : 0;
}

static void add_version(struct version_search *s, const uint8_t *p, size_t len,
			unsigned int minor)
{
	for (size_t i = 0; i < s->nr; i++)
		if (!memcmp(s->text[i], p, len + 1))
			return;
	if (s->nr == ARRAY_LEN(s->text))
		return;
	memcpy(s->text[s->nr], p, len + 1);
	s->minor[s->nr++] = minor;
}

static int look_for_version(const uint8_t *bytes, size_t len, uint64_t vaddr,
			    void *ctx)
{
	struct version_search *s = ctx;
	unsigned int minor;
	size_t n;

	(void)vaddr;
	for (size_t i = 1; i + 2 < len; i++) {
		if (bytes[i - 1] || bytes[i] != '3' || bytes[i + 1] != '.')
			continue;
		n = version_form(bytes + i, len - i, &minor);
		if (n)
			add_version(s, bytes + i, n, minor);
	}
	return 0;
}

/* Other things have versions of this form: sqlite's is 3.40.1. */
static bool has_code_of(struct elfimg *img, unsigned int minor)
{
	uint64_t basic, item, vaddr;

	return !layout_code_sizes((uint16_t)(0x0300 + minor), &basic, &item) &&
	       !pysearch_code_type(img, basic, item, &vaddr);
}

int pysearch_version(struct elfimg *img, char *text, size_t size)
{
	struct version_search s = { 0 };
	size_t found = 0, nr = 0;
	int rc = scan(img, PF_R, PF_W | PF_X, look_for_version, &s);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < s.nr; i++)
		if (has_code_of(img, s.minor[i])) {
			found = i;
			nr++;
		}
	if (nr != 1)
		return -ENOENT;
	snprintf(text, size, "%s", s.text[found]);
	return 0;
}

struct word_search {
	const char *prefix;
	char *word;
	size_t size;
};

static int look_for_word(const uint8_t *bytes, size_t len, uint64_t vaddr,
			 void *ctx)
{
	struct word_search *s = ctx;
	size_t n = strlen(s->prefix), at = 0;
	const uint8_t *p = memmem(bytes, len, s->prefix, n);

	(void)vaddr;
	if (!p)
		return 0;
	for (p += n; p < bytes + len && at + 1 < s->size; p++) {
		if (!isgraph(*p) || *p == ',' || *p == ']')
			break;
		s->word[at++] = (char)*p;
	}
	s->word[at] = '\0';
	return at > 0;
}

int pysearch_word(struct elfimg *img, const char *prefix, char *word,
		  size_t size)
{
	struct word_search s = { prefix, word, size };
	int rc = scan(img, PF_R, PF_X, look_for_word, &s);

	return rc > 0 ? 0 : rc < 0 ? rc : -ENOENT;
}
