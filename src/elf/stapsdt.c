/* SPDX-License-Identifier: MIT */
/* stapsdt: read the USDT notes of a file. */
#include "elf/stapsdt.h"

#include <errno.h>

#include "base/rd.h"
#include "elf/elfimg.h"
#include "elf/elfimg_priv.h"
#include "elf/elfnote.h"

#define NT_STAPSDT 3

/* Strings are collected as offsets: their buffer moves while it grows. */
struct raw {
	struct stapsdt_note note;
	size_t provider, name, args;
};

struct reader {
	const struct elfimg *img;
	struct stapsdt *out;
	struct raw *raw;
	size_t nr, max;
	size_t used, size;	/* of out->strings */
	bool has_base;
	uint64_t base;		/* where .stapsdt.base is now */
};

static int grow(struct reader *r, size_t strings)
{
	void *p;

	if (r->nr == r->max) {
		r->max = r->max ? 2 * r->max : 32;
		p = reallocarray(r->raw, r->max, sizeof(*r->raw));
		if (!p)
			return -ENOMEM;
		r->raw = p;
	}
	if (strings > r->size - r->used) {
		r->size = 2 * r->size + strings;
		p = realloc(r->out->strings, r->size);
		if (!p)
			return -ENOMEM;
		r->out->strings = p;
	}
	return 0;
}

static size_t keep(struct reader *r, const char *s)
{
	size_t len = strlen(s) + 1, at = r->used;

	memcpy(r->out->strings + at, s, len);
	r->used += len;
	return at;
}

/* In a 32-bit file addresses wrap at 32 bits. */
static uint64_t moved(const struct reader *r, uint64_t addr, uint64_t base)
{
	uint64_t to;

	if (!r->has_base || !base || !addr)
		return addr;
	to = addr + (r->base - base);
	return elfimg_is_64(r->img) ? to : (uint32_t)to;
}

/* The file offsets of an object file, or of separate debug information, lie. */
static void place(const struct elfimg *img, struct stapsdt_note *n)
{
	if (elfimg_is_debug_only(img))
		return;
	n->has_offset = !elfimg_offset(img, n->location, PF_X, &n->offset);
	n->has_sem_offset = n->semaphore &&
		!elfimg_offset(img, n->semaphore, PF_W, &n->sem_offset);
}

static int add(const struct elfnote *note, void *ctx)
{
	struct reader *r = ctx;
	struct rd d = rd_over(note->desc, note->desc_len);
	bool is_64 = elfimg_is_64(r->img);
	const char *provider, *name, *args;
	struct raw *raw;
	int rc;

	if (note->type != NT_STAPSDT || note->owner_len != 7 ||
	    memcmp(note->owner, "stapsdt", 7))
		return 0;
	rc = grow(r, note->desc_len);
	if (rc < 0)
		return rc;
	d.swap = elfimg_is_swapped(r->img);
	raw = &r->raw[r->nr];
	*raw = (struct raw){ 0 };
	raw->note.location = is_64 ? rd_u64(&d) : rd_u32(&d);
	raw->note.base = is_64 ? rd_u64(&d) : rd_u32(&d);
	raw->note.semaphore = is_64 ? rd_u64(&d) : rd_u32(&d);
	provider = rd_str(&d);
	name = rd_str(&d);
	args = rd_str(&d);
	if (d.bad) {
		r->out->nr_bad++;
		return 0;
	}
	raw->provider = keep(r, provider);
	raw->name = keep(r, name);
	raw->args = keep(r, args);
	raw->note.location = moved(r, raw->note.location, raw->note.base);
	raw->note.semaphore = moved(r, raw->note.semaphore, raw->note.base);
	place(r->img, &raw->note);
	r->nr++;
	return 0;
}

static int hand_over(struct reader *r)
{
	struct stapsdt *out = r->out;
	size_t i;

	out->notes = calloc(r->nr ? r->nr : 1, sizeof(*out->notes));
	if (!out->notes)
		return -ENOMEM;
	for (i = 0; i < r->nr; i++) {
		out->notes[i] = r->raw[i].note;
		out->notes[i].provider = out->strings + r->raw[i].provider;
		out->notes[i].name = out->strings + r->raw[i].name;
		out->notes[i].args = out->strings + r->raw[i].args;
	}
	out->nr = r->nr;
	return 0;
}

int stapsdt_init(struct stapsdt *out, const struct elfimg *img, struct err *err)
{
	struct reader r = { .img = img, .out = out };
	struct elfsec base;
	int rc;

	*out = (struct stapsdt){ 0 };
	r.has_base = !elfimg_sec_named(img, ".stapsdt.base", &base);
	if (r.has_base)
		r.base = base.addr;
	rc = elfnote_each(img, add, &r);
	out->is_partial = rc == -EBADMSG;
	if (!rc || out->is_partial)
		rc = hand_over(&r);
	free(r.raw);
	if (rc < 0) {
		stapsdt_fini(out);
		return err_set(err, rc, "notes of '%s': %s", elfimg_name(img),
			       strerror(-rc));
	}
	return 0;
}

void stapsdt_fini(struct stapsdt *s)
{
	free(s->notes);
	free(s->strings);
	*s = (struct stapsdt){ 0 };
}
