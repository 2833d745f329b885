/* SPDX-License-Identifier: MIT */
/* elfnote: walk the notes of sections and of segments. */
#include "elf/elfnote.h"

#include <errno.h>

#include "base/rd.h"
#include "elf/elfimg.h"
#include "elf/elfimg_priv.h"

/* A file has a handful; libjvm's thousands of probes take 100 KiB. */
#define MAX_AREAS 256
#define MAX_BYTES ((uint64_t)16 << 20)

struct area {
	uint64_t offset, size;
	uint32_t align;
};

struct walk {
	const struct elfimg *img;
	int (*each)(const struct elfnote *note, void *ctx);
	void *ctx;
	struct area areas[MAX_AREAS];
	size_t nr;
	uint64_t bytes;
	bool bad;
};

/* GNU properties are aligned to 8 in 64-bit files, all the others to 4. */
static void add_area(struct walk *w, uint64_t offset, uint64_t size,
		     uint64_t align)
{
	if (!size)
		return;
	if (w->nr == MAX_AREAS || size > MAX_BYTES - w->bytes) {
		w->bad = true;
		return;
	}
	w->bytes += size;
	w->areas[w->nr++] = (struct area){ offset, size, align == 8 ? 8 : 4 };
}

static void find_areas(struct walk *w)
{
	const struct elfseg *seg;
	struct elfsec sec;
	size_t i;

	for (i = 1; i < elfimg_nr_secs(w->img); i++)
		if (!elfimg_sec(w->img, i, &sec) && sec.type == SHT_NOTE)
			add_area(w, sec.offset, sec.size, sec.align);
	for (i = 0; (seg = elfimg_seg(w->img, i)); i++)
		if (seg->type == PT_NOTE)
			add_area(w, seg->offset, seg->filesz, seg->align);
}

/* Does `offset` lie in an area before number `i`? */
static bool seen(const struct walk *w, size_t i, uint64_t offset)
{
	while (i--)
		if (offset >= w->areas[i].offset &&
		    offset - w->areas[i].offset < w->areas[i].size)
			return true;
	return false;
}

static void skip_pad(struct rd *r, const uint8_t *start, uint32_t align)
{
	size_t pad = -(size_t)(r->p - start) & (align - 1);

	/* The last one need not be padded. */
	rd_take(r, pad < rd_left(r) ? pad : rd_left(r));
}

/* One note from `r`; false when it does not fit. */
static bool take_note(struct rd *r, const uint8_t *start, uint32_t align,
		      struct elfnote *n)
{
	uint32_t namesz = rd_u32(r), descsz = rd_u32(r);

	n->type = rd_u32(r);
	n->owner = rd_take(r, namesz);
	n->owner_len = namesz;
	skip_pad(r, start, align);
	n->desc = rd_take(r, descsz);
	n->desc_len = descsz;
	skip_pad(r, start, align);
	if (r->bad)
		return false;
	if (namesz && n->owner[namesz - 1] == '\0')
		n->owner_len--;
	return true;
}

static int walk_area(struct walk *w, size_t i, const uint8_t *bytes)
{
	const struct area *a = &w->areas[i];
	struct rd r = rd_over(bytes, (size_t)a->size);
	struct elfnote note;
	uint64_t at;
	int rc;

	r.swap = elfimg_is_swapped(w->img);
	while (rd_left(&r)) {
		at = a->offset + (uint64_t)(r.p - bytes);
		if (!take_note(&r, bytes, a->align, &note)) {
			w->bad = true;
			return 0;
		}
		if (seen(w, i, at))
			continue;
		rc = w->each(&note, w->ctx);
		if (rc)
			return rc;
	}
	return 0;
}

static int read_area(struct walk *w, size_t i)
{
	size_t size = (size_t)w->areas[i].size;
	uint8_t *bytes;
	int rc;

	/* Before an allocation of what a header claims. */
	if (w->areas[i].offset > w->img->size ||
	    size > w->img->size - w->areas[i].offset) {
		w->bad = true;
		return 0;
	}
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	rc = elfimg_bytes(w->img, w->areas[i].offset, bytes, size);
	if (rc < 0)
		w->bad = true;
	rc = rc < 0 ? 0 : walk_area(w, i, bytes);
	free(bytes);
	return rc;
}

int elfnote_each(const struct elfimg *img,
		 int (*each)(const struct elfnote *note, void *ctx), void *ctx)
{
	struct walk w = { .img = img, .each = each, .ctx = ctx };
	size_t i;
	int rc;

	find_areas(&w);
	for (i = 0; i < w.nr; i++) {
		rc = read_area(&w, i);
		if (rc)
			return rc;
	}
	return w.bad ? -EBADMSG : 0;
}
