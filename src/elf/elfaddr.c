/* SPDX-License-Identifier: MIT */
/* elfaddr: between addresses and file offsets, and the bytes at both. */
#include <errno.h>
#include <unistd.h>

#include "elf/elfimg.h"
#include "elf/elfimg_priv.h"

size_t elfimg_nr_segs(const struct elfimg *img)
{
	return img->nr_segs;
}

const struct elfseg *elfimg_seg(const struct elfimg *img, size_t i)
{
	return i < img->nr_segs ? &img->segs[i] : NULL;
}

const struct elfseg *elfimg_seg_of_type(const struct elfimg *img,
					uint32_t type)
{
	size_t i;

	for (i = 0; i < img->nr_segs; i++)
		if (img->segs[i].type == type)
			return &img->segs[i];
	return NULL;
}

int elfimg_bytes(const struct elfimg *img, uint64_t offset, void *buf,
		 size_t len)
{
	uint8_t *p = buf;
	ssize_t n;

	if (offset > img->size || len > img->size - offset)
		return -EFAULT;
	if (img->fd < 0) {
		if (len)
			memcpy(buf, img->bytes + offset, len);
		return 0;
	}
	while (len) {
		n = pread(img->fd, p, len, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)	/* 0: the file has shrunk */
			return n < 0 ? -errno : -EFAULT;
		p += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static bool within(uint64_t at, uint64_t start, uint64_t size)
{
	return at >= start && at - start < size;
}

/* The LOAD whose memory holds `vaddr`, or NULL. */
static const struct elfseg *load_of(const struct elfimg *img, uint64_t vaddr)
{
	size_t i;

	for (i = 0; i < img->nr_segs; i++)
		if (img->segs[i].type == PT_LOAD &&
		    within(vaddr, img->segs[i].vaddr, img->segs[i].memsz))
			return &img->segs[i];
	return NULL;
}

/* As much of [vaddr, vaddr + len) as one LOAD gives, at least one byte. */
static int read_piece(const struct elfimg *img, uint64_t vaddr, uint8_t *buf,
		      size_t len, size_t *got)
{
	const struct elfseg *seg = load_of(img, vaddr);
	uint64_t at, left;

	if (!seg)
		return -EFAULT;
	at = vaddr - seg->vaddr;
	left = at < seg->filesz ? seg->filesz - at : seg->memsz - at;
	*got = left < len ? (size_t)left : len;
	if (at < seg->filesz) {
		if (seg->offset > UINT64_MAX - at)
			return -EFAULT;
		return elfimg_bytes(img, seg->offset + at, buf, *got);
	}
	memset(buf, 0, *got);
	return 0;
}

int elfimg_read(const struct elfimg *img, uint64_t vaddr, void *buf, size_t len)
{
	uint8_t *p = buf;
	size_t got;
	int rc;

	if (len > UINT64_MAX - vaddr)
		return -EFAULT;
	while (len) {
		rc = read_piece(img, vaddr, p, len, &got);
		if (rc < 0)
			return rc;
		p += got;
		vaddr += got;
		len -= got;
	}
	return 0;
}

int elfimg_read_str(const struct elfimg *img, uint64_t vaddr, char *buf,
		    size_t size)
{
	size_t len = 0, got;
	char *nul;

	if (!size)
		return -EFAULT;
	while (len < size - 1) {
		if (vaddr > UINT64_MAX - len ||
		    read_piece(img, vaddr + len, (uint8_t *)buf + len,
			       size - 1 - len, &got) < 0)
			return -EFAULT;
		nul = memchr(buf + len, '\0', got);
		if (nul)
			return (int)(nul - buf);
		len += got;
	}
	buf[len] = '\0';
	return (int)len;
}

int elfimg_offset(const struct elfimg *img, uint64_t vaddr, uint32_t flags,
		  uint64_t *offset)
{
	size_t i;

	for (i = 0; i < img->nr_segs; i++) {
		const struct elfseg *seg = &img->segs[i];

		if (seg->type != PT_LOAD || (seg->flags & flags) != flags ||
		    !within(vaddr, seg->vaddr, seg->filesz) ||
		    seg->offset > UINT64_MAX - (vaddr - seg->vaddr))
			continue;
		*offset = seg->offset + (vaddr - seg->vaddr);
		return 0;
	}
	return -ENOENT;
}

/*
 * The kernel maps whole pages: a LOAD from p_offset 0x740 at 0x1740 is a
 * mapping of offset 0 at 0x1000.  With pages larger than 4 KiB the mapping
 * begins lower still; p_offset and p_vaddr agree below p_align.
 */
int elfimg_bias(const struct elfimg *img, uint64_t start, uint64_t offset,
		bool exec, uint64_t *bias)
{
	size_t i;

	if (img->ehdr.e_type == ET_EXEC) {
		*bias = 0;
		return 0;
	}
	for (i = 0; i < img->nr_segs; i++) {
		const struct elfseg *seg = &img->segs[i];
		uint64_t page = (uint64_t)getpagesize();
		uint64_t low = seg->offset & ~(page - 1);

		if (seg->type != PT_LOAD || !(seg->flags & PF_X) == exec ||
		    !seg->filesz || offset < low ||
		    offset - low >= seg->filesz + (seg->offset - low))
			continue;
		*bias = start - (seg->vaddr - seg->offset + offset);
		return 0;
	}
	return -ENOENT;
}

static int elfmem_read(const struct mem *m, uint64_t addr, void *buf,
		       size_t len)
{
	const struct elfmem *em = (const struct elfmem *)(const void *)m;

	if (addr < em->bias)
		return -EFAULT;
	return elfimg_read(em->img, addr - em->bias, buf, len);
}

void elfmem_init(struct elfmem *m, const struct elfimg *img, uint64_t bias)
{
	*m = (struct elfmem){
		.mem = { .read = elfmem_read }, .img = img, .bias = bias,
	};
}

Elf_Data *elfimg_chunk(const struct elfimg *img, uint64_t offset, uint64_t size,
		       Elf_Type type)
{
	if (!size || size > ELFIMG_MAX_TABLE || offset > img->size ||
	    size > img->size - offset)
		return NULL;
	return elf_getdata_rawchunk(img->elf, (int64_t)offset, (size_t)size,
				    type);
}

Elf_Data *elfimg_chunk_at(const struct elfimg *img, uint64_t vaddr,
			  uint64_t size, Elf_Type type)
{
	uint64_t first, last;

	if (!size || size - 1 > UINT64_MAX - vaddr ||
	    elfimg_offset(img, vaddr, 0, &first) < 0 ||
	    elfimg_offset(img, vaddr + size - 1, 0, &last) < 0 ||
	    last - first != size - 1)
		return NULL;
	return elfimg_chunk(img, first, size, type);
}

size_t elfimg_entsize(const struct elfimg *img, Elf_Type type)
{
	return gelf_fsize(img->elf, type, 1, EV_CURRENT);
}

const char *elfimg_str(const char *strs, size_t len, uint64_t off)
{
	if (!strs || off >= len || !memchr(strs + off, '\0', len - (size_t)off))
		return NULL;
	return strs + off;
}
