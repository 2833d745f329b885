/* SPDX-License-Identifier: MIT */
/*
 * synth_fde: the range of a function by the unwind tables, which a program
 * keeps when it is stripped: .eh_frame_hdr, found by its program header, is a
 * sorted table of (function, FDE).  LSB Core 10.6; encodings as compilers for
 * x86-64 make them, others are not found.
 */
#include "python/synth_code.h"

#include <elf.h>
#include <errno.h>

#include "base/rd.h"
#include "elf/elfimg.h"

/* DW_EH_PE_*: of the pointer to .eh_frame, the count, the table, an FDE. */
enum { PCREL_SDATA4 = 0x1b, UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b };

enum { HDR_HEAD = 12, HDR_ROW = 8, MAX_ENTRY = 256, MAX_ROWS = 1 << 20 };

struct hdr {
	struct elfimg *img;
	uint64_t at;		/* vaddr of .eh_frame_hdr */
	uint32_t nr;
};

static int hdr_open(struct hdr *h, struct elfimg *img)
{
	const struct elfseg *seg = elfimg_seg_of_type(img, PT_GNU_EH_FRAME);
	uint8_t head[HDR_HEAD];

	if (!seg || seg->filesz < HDR_HEAD ||
	    elfimg_read(img, seg->vaddr, head, sizeof(head)) < 0)
		return -ENOENT;
	if (head[0] != 1 || head[1] != PCREL_SDATA4 || head[2] != UDATA4 ||
	    head[3] != DATAREL_SDATA4)
		return -ENOENT;
	h->img = img;
	h->at = seg->vaddr;
	memcpy(&h->nr, head + 8, sizeof(h->nr));
	return h->nr && h->nr <= MAX_ROWS ? 0 : -ENOENT;
}

static int hdr_row(const struct hdr *h, uint32_t i, uint64_t *lo, uint64_t *fde)
{
	int32_t row[2];
	int rc;

	rc = elfimg_read(h->img, h->at + HDR_HEAD + (uint64_t)i * HDR_ROW, row,
			 sizeof(row));
	if (rc < 0)
		return rc;
	*lo = h->at + (uint64_t)(int64_t)row[0];
	*fde = h->at + (uint64_t)(int64_t)row[1];
	return 0;
}

/* The last row that begins at or before `vaddr`. */
static int hdr_search(const struct hdr *h, uint64_t vaddr, uint64_t *fde)
{
	uint32_t a = 0, b = h->nr;
	uint64_t lo, at;

	while (a < b) {
		uint32_t mid = a + (b - a) / 2;

		if (hdr_row(h, mid, &lo, &at) < 0)
			return -ENOENT;
		if (lo <= vaddr)
			a = mid + 1;
		else
			b = mid;
	}
	return a && !hdr_row(h, a - 1, &lo, fde) ? 0 : -ENOENT;
}

static uint64_t uleb(struct rd *r)
{
	uint64_t v = 0;
	uint8_t byte;

	for (unsigned int shift = 0; shift < 63; shift += 7) {
		byte = rd_u8(r);
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	r->bad = true;
	return 0;
}

/* As much of the entry at `vaddr` as there is, without its length word. */
static int entry_read(struct elfimg *img, uint64_t vaddr, uint8_t *buf,
		      struct rd *r)
{
	uint32_t len;

	if (elfimg_read(img, vaddr, &len, sizeof(len)) < 0 || !len ||
	    len >= 0xfffffff0u)
		return -ENOENT;
	if (len > MAX_ENTRY)
		len = MAX_ENTRY;
	if (elfimg_read(img, vaddr + 4, buf, len) < 0)
		return -ENOENT;
	*r = rd_over(buf, len);
	return 0;
}

/* Are addresses in the FDEs of this CIE 4 bytes, relative to themselves? */
static bool cie_is_known(struct elfimg *img, uint64_t vaddr)
{
	uint8_t buf[MAX_ENTRY];
	struct rd r;
	const char *aug;

	if (entry_read(img, vaddr, buf, &r) < 0 || rd_u32(&r) != 0 ||
	    rd_u8(&r) != 1)
		return false;
	aug = (const char *)r.p;
	if (!memchr(aug, '\0', rd_left(&r)) || aug[0] != 'z' || aug[1] != 'R')
		return false;
	rd_take(&r, strlen(aug) + 1);
	uleb(&r);		/* code alignment */
	uleb(&r);		/* data alignment */
	uleb(&r);		/* the return address's register */
	uleb(&r);		/* length of what follows */
	return rd_u8(&r) == PCREL_SDATA4 && !r.bad;
}

/*
 * A part of a function that was moved away begins amid its frame: the
 * canonical frame address is defined before the first instruction.
 */
static bool begins_amid(struct rd *r)
{
	enum { NOP = 0, OFFSET = 2, DEF_CFA = 0x0c, DEF_CFA_OFFSET = 0x0e };
	uint8_t op = rd_u8(r);

	if (r->bad)
		return false;
	return op >> 6 == OFFSET || (op >= DEF_CFA && op <= DEF_CFA_OFFSET) ||
	       op == 0x0f || op == 0x0a;
}

int synth_fde(struct elfimg *img, uint64_t vaddr, struct synth_range *out,
	      bool *split)
{
	uint8_t buf[MAX_ENTRY];
	uint64_t fde, cie;
	struct hdr h;
	struct rd r;

	if (hdr_open(&h, img) < 0 || hdr_search(&h, vaddr, &fde) < 0 ||
	    entry_read(img, fde, buf, &r) < 0)
		return -ENOENT;
	cie = fde + 4 - rd_u32(&r);
	if (!cie_is_known(img, cie))
		return -ENOENT;
	out->lo = fde + 8 + (uint64_t)(int64_t)(int32_t)rd_u32(&r);
	out->hi = out->lo + rd_u32(&r);
	rd_take(&r, uleb(&r));
	*split = begins_amid(&r);
	return vaddr >= out->lo && vaddr < out->hi ? 0 : -ENOENT;
}
