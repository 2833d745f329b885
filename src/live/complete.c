/* SPDX-License-Identifier: MIT */
/* complete: the parts of code objects that the kernel half could not read. */
#include "live/complete.h"

#include <elf.h>
#include <errno.h>

#include "python/codeobj.h"

#define PIECE_BYTES 32768u	/* of a part in one record */

static bool is_missing(const struct pt_part_ref *ref)
{
	return ref->state == PT_PART_UNREAD || ref->state == PT_PART_LONG;
}

bool complete_is_needed(const struct pt_code *code)
{
	for (size_t i = 0; i < PT_NR_PARTS; i++)
		if (is_missing(&code->part[i]))
			return true;
	return false;
}

/*
 * Is this the object that the kernel half saw?  Its first line and the parts
 * that were read then must be where they were.  Of one whose page was not
 * there nothing was read: then only its place can vouch for it.
 */
static bool is_the_same(const struct pt_code *code, const struct codeobj *now,
			bool for_good)
{
	if (code->firstline < 0)
		return for_good;
	if (code->firstline != now->firstline)
		return false;
	for (size_t i = 0; i < PT_NR_PARTS; i++) {
		const struct pt_part_ref *a = &code->part[i], *b = &now->part[i];

		if (a->kind && (a->addr != b->addr || a->len != b->len ||
				a->kind != b->kind))
			return false;
	}
	return true;
}

/* An object in the interpreter's file (frozen modules) is never freed. */
static bool is_frozen(const struct known_image *img, uint64_t bias, uint64_t addr)
{
	uint64_t vaddr = addr - bias;

	for (size_t i = 0; img->elf && i < elfimg_nr_segs(img->elf); i++) {
		const struct elfseg *seg = elfimg_seg(img->elf, i);

		if (seg->type == PT_LOAD && vaddr >= seg->vaddr &&
		    vaddr - seg->vaddr < seg->memsz)
			return true;
	}
	return false;
}

static int put_part(const struct pt_code *code, uint16_t nr, const uint8_t *bytes,
		    uint32_t total, struct queue *out)
{
	struct {
		struct pt_part rec;
		uint8_t bytes[PIECE_BYTES];
	} r;
	uint32_t at = 0;
	int rc;

	do {
		uint32_t piece = total - at < PIECE_BYTES ? total - at :
							    PIECE_BYTES;

		memset(&r.rec, 0, sizeof(r.rec));
		r.rec.h = code->h;
		r.rec.h.type = PT_PART;
		r.rec.h.size = (uint32_t)(sizeof(r.rec) + ((piece + 7) & ~7u));
		r.rec.code = code->code;
		r.rec.part = nr;
		r.rec.nr = (uint16_t)piece;
		r.rec.offset = at;
		r.rec.total = total;
		memcpy(r.bytes, bytes + at, piece);
		memset(r.bytes + piece, 0, -piece & 7);
		rc = queue_put(out, &r.rec.h);
		if (rc)
			return rc;
		at += piece;
	} while (at < total);
	return 0;
}

/* Read part `nr` at `ref` into *bytes; false: it cannot be had. */
static bool read_part(const struct mem *m, const struct pt_part_ref *ref,
		      uint8_t **bytes)
{
	size_t size = codeobj_part_size(ref);

	*bytes = malloc(size ? size : 1);
	if (!*bytes)
		return false;
	if (!codeobj_read_part(m, ref, *bytes, size, NULL))
		return true;
	free(*bytes);
	*bytes = NULL;
	return false;
}

int complete_from_memory(const struct mem *m, const struct known_image *img,
			 uint64_t bias, struct pt_code *code,
			 struct queue *out)
{
	bool frozen = is_frozen(img, bias, code->addr);
	uint64_t type = img->pt.code_type + bias;
	uint8_t *bytes[PT_NR_PARTS] = { NULL };
	struct codeobj before, after;
	int rc = 0;

	if (codeobj_look(m, &img->pt.layout, code->addr, type, &before, NULL) ||
	    !is_the_same(code, &before, frozen))
		return 0;
	for (size_t i = 0; i < PT_NR_PARTS; i++)
		if (is_missing(&code->part[i]) &&
		    before.part[i].state == PT_PART_LONG)
			read_part(m, &before.part[i], &bytes[i]);
	/* it may have died while it was read */
	if (!codeobj_look(m, &img->pt.layout, code->addr, type, &after, NULL) &&
	    codeobj_same(&before, &after)) {
		code->firstline = before.firstline;
		for (uint16_t i = 0; !rc && i < PT_NR_PARTS; i++) {
			if (!bytes[i])
				continue;
			rc = put_part(code, i, bytes[i],
				      (uint32_t)codeobj_part_size(&before.part[i]),
				      out);
			code->part[i] = before.part[i];
			code->part[i].state = PT_PART_SENT;
		}
	}
	for (size_t i = 0; i < PT_NR_PARTS; i++)
		free(bytes[i]);
	return rc;
}

int complete_code(struct known *k, const struct pt_code *code, struct queue *out)
{
	struct known_proc *p = known_find_proc(k, code->h.proc);
	struct pt_code whole = *code;
	const struct known_image *img;
	const struct mem *m;
	struct elfmem file;
	int rc = 0;

	if (p && p->image < PT_MAX_IMAGES) {
		img = &k->images[p->image];
		m = known_memory(p);
		if (m)
			rc = complete_from_memory(m, img, p->bias, &whole, out);
		if (!rc && complete_is_needed(&whole) && img->elf) {
			elfmem_init(&file, img->elf, p->bias);
			rc = complete_from_memory(&file.mem, img, p->bias,
						  &whole, out);
		}
	}
	return rc ? rc : queue_put(out, &whole.h);
}
