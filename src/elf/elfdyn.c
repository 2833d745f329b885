/* SPDX-License-Identifier: MIT */
/* elfdyn: the dynamic section, found by PT_DYNAMIC as the loader finds it. */
#include <errno.h>

#include "elf/elfimg.h"
#include "elf/elfimg_priv.h"

void elfdyn_init(struct elfimg *img)
{
	const struct elfseg *seg = elfimg_seg_of_type(img, PT_DYNAMIC);
	size_t each = elfimg_entsize(img, ELF_T_DYN);
	uint64_t bytes;
	GElf_Dyn d;
	int i;

	if (!seg || !each || seg->filesz > 1 << 20)
		return;
	bytes = seg->filesz - seg->filesz % each;
	img->dyn = elfimg_chunk(img, seg->offset, bytes, ELF_T_DYN);
	if (!img->dyn)
		return;
	for (i = 0; gelf_getdyn(img->dyn, i, &d) && d.d_tag != DT_NULL; i++)
		;
	img->nr_dyn = (size_t)i;
}

bool elfimg_is_dynamic(const struct elfimg *img)
{
	return img->dyn != NULL;
}

/* The n-th entry of `tag`. */
static int dyn_nth(const struct elfimg *img, int64_t tag, size_t n,
		   uint64_t *value)
{
	GElf_Dyn d;
	size_t i;

	for (i = 0; i < img->nr_dyn; i++) {
		if (!gelf_getdyn(img->dyn, (int)i, &d))
			break;
		if (d.d_tag != tag || n--)
			continue;
		*value = d.d_un.d_val;
		return 0;
	}
	return -ENOENT;
}

int elfimg_dyn(const struct elfimg *img, int64_t tag, uint64_t *value)
{
	return dyn_nth(img, tag, 0, value);
}

const char *elfimg_dyn_str(struct elfimg *img, int64_t tag, size_t n)
{
	uint64_t off, strs, len;
	Elf_Data *d;

	if (dyn_nth(img, tag, n, &off) < 0 ||
	    elfimg_dyn(img, DT_STRTAB, &strs) < 0 ||
	    elfimg_dyn(img, DT_STRSZ, &len) < 0)
		return NULL;
	d = elfimg_chunk_at(img, strs, len, ELF_T_BYTE);
	return d ? elfimg_str(d->d_buf, d->d_size, off) : NULL;
}
