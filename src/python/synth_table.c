/* SPDX-License-Identifier: MIT */
/* synth_table: find the dispatch table of an interpreter. */
#include "python/synth_table.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "elf/elfimg.h"
#include "python/synth_code.h"

enum {
	MAX_POINTERS = 1 << 20,	/* an interpreter has 60,000 */
	MAX_BYTES = 96 << 20,
	MIN_DISTINCT = 100,	/* places that the opcodes of a table go to */
	MAX_LOOKUPS = 1024,
	CHUNK = 1 << 16,
};

/* A pointer to code that lies at `at` when the program runs. */
struct pointer {
	uint64_t at, to;
};

struct scan {
	struct elfimg *img;
	const struct opcodes *ops;
	struct pointer *v;	/* by `at` */
	size_t nr, room;
	uint64_t lo, hi;	/* code is within */
};

static void find_code(struct scan *s)
{
	const struct elfseg *seg;

	s->lo = UINT64_MAX;
	for (size_t i = 0; (seg = elfimg_seg(s->img, i)); i++) {
		if (seg->type != PT_LOAD || !(seg->flags & PF_X))
			continue;
		if (seg->vaddr < s->lo)
			s->lo = seg->vaddr;
		if (seg->vaddr + seg->filesz > s->hi)
			s->hi = seg->vaddr + seg->filesz;
	}
}

static bool is_code(const struct scan *s, uint64_t vaddr)
{
	uint64_t offset;

	return vaddr >= s->lo && vaddr < s->hi &&
	       !elfimg_offset(s->img, vaddr, PF_X, &offset);
}

static int add(struct scan *s, uint64_t at, uint64_t to)
{
	struct pointer *more;

	if (!is_code(s, to))
		return 0;
	if (s->nr == MAX_POINTERS)
		return -E2BIG;
	if (s->nr == s->room) {
		s->room = s->room ? s->room * 2 : 1 << 14;
		more = realloc(s->v, s->room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		s->v = more;
	}
	s->v[s->nr++] = (struct pointer){ at, to };
	return 0;
}

/* A program at a fixed address: its pointers are in the file. */
static int add_words(struct scan *s, const struct elfseg *seg, size_t *left)
{
	uint64_t skip = -seg->vaddr & 7;
	uint64_t words[CHUNK / 8];
	int rc = 0;

	for (uint64_t at = skip; at + 8 <= seg->filesz && !rc;) {
		uint64_t len = seg->filesz - at;

		len = (len < CHUNK ? len : CHUNK) & ~7ull;
		if (len > *left || elfimg_bytes(s->img, seg->offset + at, words,
						len) < 0)
			return -EBADMSG;
		*left -= len;
		for (size_t i = 0; i < len / 8 && !rc; i++)
			rc = add(s, seg->vaddr + at + 8 * i, words[i]);
		at += len;
	}
	return rc;
}

static int collect_words(struct scan *s)
{
	const struct elfseg *seg;
	size_t left = MAX_BYTES;
	int rc = 0;

	for (size_t i = 0; (seg = elfimg_seg(s->img, i)) && !rc; i++)
		if (seg->type == PT_LOAD)
			rc = add_words(s, seg, &left);
	return rc;
}

/* One that can be anywhere: the loader writes them. */
static int add_reloc(const struct elfreloc *rel, void *ctx)
{
	struct scan *s = ctx;
	uint64_t to = (uint64_t)rel->addend;

	if (!rel->is_relative ||
	    (rel->in_place && elfimg_read(s->img, rel->vaddr, &to, 8) < 0))
		return 0;
	return add(s, rel->vaddr, to);
}

static int by_place(const void *pa, const void *pb)
{
	const struct pointer *a = pa, *b = pb;

	return (a->at > b->at) - (a->at < b->at);
}

static int collect(struct scan *s)
{
	int rc;

	find_code(s);
	if (elfimg_type(s->img) == ET_EXEC)
		rc = collect_words(s);
	else
		rc = elfimg_each_reloc(s->img, add_reloc, s);
	if (rc < 0)
		return rc;
	if (s->nr)
		qsort(s->v, s->nr, sizeof(*s->v), by_place);
	return 0;
}

/* Do 256 pointers without a gap begin here? */
static bool is_row(const struct scan *s, size_t i)
{
	return i + OPCODES_NR <= s->nr &&
	       s->v[i + OPCODES_NR - 1].at - s->v[i].at == 8 * (OPCODES_NR - 1);
}

static uint8_t first_unassigned(const struct opcodes *ops)
{
	unsigned int nr = 0;

	while (nr < OPCODES_NR - 1 && !opcodes_is_unassigned(ops, (uint8_t)nr))
		nr++;
	return (uint8_t)nr;
}

/*
 * How many of the row at `v` are other than they have to be, if that is at most
 * `most`; more than that otherwise.
 */
static unsigned int count_wrong(const struct scan *s, const struct pointer *v,
				unsigned int most)
{
	uint8_t first = first_unassigned(s->ops);
	unsigned int wrong = 0;

	/* those that differ most often come first */
	for (unsigned int k = 0; k < OPCODES_NR && wrong <= most; k++) {
		uint8_t nr = (uint8_t)(first + k);

		wrong += (v[nr].to == v[first].to) !=
			 opcodes_is_unassigned(s->ops, nr);
	}
	return wrong;
}

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

/* Do the opcodes go to many places?  `middle` is where the median goes. */
static bool is_diverse(const struct pointer *v, uint64_t *middle)
{
	uint64_t to[OPCODES_NR];
	size_t distinct = 1;

	for (size_t i = 0; i < OPCODES_NR; i++)
		to[i] = v[i].to;
	qsort(to, OPCODES_NR, sizeof(*to), by_value);
	for (size_t i = 1; i < OPCODES_NR; i++)
		distinct += to[i] != to[i - 1];
	*middle = to[OPCODES_NR / 2];
	return distinct >= MIN_DISTINCT;
}

static bool is_same(const struct synth_table *t, const struct pointer *v)
{
	for (size_t i = 0; i < OPCODES_NR; i++)
		if (t->handler[i] != v[i].to)
			return false;
	return true;
}

static int take_exact(const struct scan *s, struct synth_table *out)
{
	bool found = false;
	uint64_t middle;

	for (size_t i = 0; i < s->nr; i++) {
		const struct pointer *v = &s->v[i];

		if (!is_row(s, i) || count_wrong(s, v, 0) ||
		    !is_diverse(v, &middle))
			continue;
		if (found && !is_same(out, v))
			return -EEXIST;
		if (found)
			continue;
		found = true;
		out->vaddr = v->at;
		for (size_t k = 0; k < OPCODES_NR; k++)
			out->handler[k] = v[k].to;
	}
	return found ? 0 : -ENOENT;
}

/* Most of the row: a compiler moves what is rare, and all that are unknown. */
static bool is_inside(const struct pointer *v, const struct synth_range *r)
{
	size_t nr = 0;

	for (size_t i = 0; i < OPCODES_NR; i++)
		nr += v[i].to > r->lo && v[i].to < r->hi;
	return nr >= OPCODES_NR / 2;
}

/* The likest of the rows that lead into the middle of one function. */
static void judge(const struct scan *s, struct synth_table *out)
{
	struct synth_range range = { 0, 0 };
	int lookups = MAX_LOOKUPS;
	unsigned int wrong;
	uint64_t middle;
	bool split;

	out->wrong = OPCODES_NR;
	for (size_t i = 0; i < s->nr; i++) {
		const struct pointer *v = &s->v[i];

		if (!is_row(s, i))
			continue;
		wrong = count_wrong(s, v, out->wrong - 1);
		if (wrong >= out->wrong || !is_diverse(v, &middle))
			continue;
		if (middle < range.lo || middle >= range.hi) {
			if (!lookups--)
				break;
			if (synth_fde(s->img, middle, &range, &split) < 0)
				range = (struct synth_range){ middle,
							      middle + 1 };
		}
		if (is_inside(v, &range))
			out->wrong = wrong;
	}
}

int synth_table_find(struct synth_table *out, struct elfimg *img,
		     const struct opcodes *ops)
{
	struct scan s = { .img = img, .ops = ops };
	int rc;

	*out = (struct synth_table){ .wrong = 0 };
	rc = collect(&s);
	if (!rc)
		rc = take_exact(&s, out);
	if (rc == -ENOENT)
		judge(&s, out);
	free(s.v);
	return rc;
}
