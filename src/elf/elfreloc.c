/* SPDX-License-Identifier: MIT */
/* elfreloc: what the dynamic loader will write, and where. */
#include <errno.h>

#include "base/rd.h"
#include "elf/elfimg.h"
#include "elf/elfimg_priv.h"

/* One walk over all tables. */
struct walk {
	struct elfimg *img;
	int (*each)(const struct elfreloc *rel, void *ctx);
	void *ctx;
};

/* Types that pointers are made of, by machine (the psABIs). */
static const struct {
	unsigned int machine;
	uint32_t relative, absolute, glob_dat, jump_slot;
} machines[] = {
	{ EM_X86_64, R_X86_64_RELATIVE, R_X86_64_64, R_X86_64_GLOB_DAT,
	  R_X86_64_JUMP_SLOT },
	{ EM_AARCH64, R_AARCH64_RELATIVE, R_AARCH64_ABS64, R_AARCH64_GLOB_DAT,
	  R_AARCH64_JUMP_SLOT },
	{ EM_386, R_386_RELATIVE, R_386_32, R_386_GLOB_DAT, R_386_JMP_SLOT },
};

static bool is_relative(const struct elfimg *img, uint32_t type)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(machines); i++)
		if (machines[i].machine == elfimg_machine(img))
			return type == machines[i].relative;
	return false;
}

/* Does it write a symbol's address (and its addend)? */
static bool is_symbolic(const struct elfimg *img, uint32_t type)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(machines); i++)
		if (machines[i].machine == elfimg_machine(img))
			return type == machines[i].absolute ||
			       type == machines[i].glob_dat ||
			       type == machines[i].jump_slot;
	return false;
}

/* A word of the file's class and byte order at `vaddr`. */
static int read_word(const struct elfimg *img, uint64_t vaddr, uint64_t *v)
{
	size_t len = elfimg_is_64(img) ? 8 : 4;
	uint8_t buf[8];
	struct rd r = rd_over(buf, len);
	int rc = elfimg_read(img, vaddr, buf, len);

	if (rc < 0)
		return rc;
	r.swap = elfimg_is_swapped(img);
	*v = len == 8 ? rd_u64(&r) : rd_u32(&r);
	return 0;
}

static void name_it(const struct elfimg *img, struct elfreloc *rel)
{
	const struct symtab *tab = &img->dynsym;
	GElf_Sym sym;

	if (rel->sym && elfsym_get(tab, rel->sym, &sym))
		rel->sym_name = elfimg_str(tab->strs, tab->strs_len,
					   sym.st_name);
}

static int emit(const struct walk *w, struct elfreloc *rel)
{
	rel->is_relative = is_relative(w->img, rel->type);
	name_it(w->img, rel);
	return w->each(rel, w->ctx);
}

static int each_rela(const struct walk *w, Elf_Data *d)
{
	struct elfreloc rel;
	GElf_Rela r;
	int i, rc;

	for (i = 0; gelf_getrela(d, i, &r); i++) {
		rel = (struct elfreloc){
			.vaddr = r.r_offset,
			.type = (uint32_t)GELF_R_TYPE(r.r_info),
			.sym = (uint32_t)GELF_R_SYM(r.r_info),
			.addend = r.r_addend,
		};
		rc = emit(w, &rel);
		if (rc)
			return rc;
	}
	return 0;
}

static int each_rel(const struct walk *w, Elf_Data *d)
{
	struct elfreloc rel;
	GElf_Rel r;
	int i, rc;

	for (i = 0; gelf_getrel(d, i, &r); i++) {
		rel = (struct elfreloc){
			.vaddr = r.r_offset, .in_place = true,
			.type = (uint32_t)GELF_R_TYPE(r.r_info),
			.sym = (uint32_t)GELF_R_SYM(r.r_info),
		};
		rc = emit(w, &rel);
		if (rc)
			return rc;
	}
	return 0;
}

static int table(const struct walk *w, int64_t tag, int64_t size_tag, bool rela)
{
	Elf_Type type = rela ? ELF_T_RELA : ELF_T_REL;
	size_t each = elfimg_entsize(w->img, type);
	uint64_t at, size;
	Elf_Data *d;

	if (elfimg_dyn(w->img, tag, &at) < 0 ||
	    elfimg_dyn(w->img, size_tag, &size) < 0 || size < each)
		return 0;
	d = elfimg_chunk_at(w->img, at, size - size % each, type);
	if (!d)
		return -EBADMSG;
	return rela ? each_rela(w, d) : each_rel(w, d);
}

static int emit_relr(const struct walk *w, uint64_t vaddr)
{
	struct elfreloc rel = {
		.vaddr = vaddr, .is_relative = true, .in_place = true,
	};

	return w->each(&rel, w->ctx);
}

/*
 * RELR: an even word is an address to relocate; an odd word is a bitmap of the
 * 63 (31) words that follow the last one spoken of (gABI, "SHT_RELR").
 */
static int each_relr(const struct walk *w, Elf_Data *d)
{
	bool is_64 = elfimg_is_64(w->img);
	uint64_t each = is_64 ? 8 : 4, word, bit, next = 0;
	size_t i;
	int rc = 0;

	for (i = 0; i < d->d_size / each && !rc; i++) {
		word = is_64 ? ((const uint64_t *)d->d_buf)[i] :
			((const uint32_t *)d->d_buf)[i];
		if (!(word & 1)) {
			rc = emit_relr(w, word);
			next = word + each;
			continue;
		}
		for (bit = 1; bit < each * 8 && !rc; bit++)
			if (word >> bit & 1)
				rc = emit_relr(w, next + (bit - 1) * each);
		next += (each * 8 - 1) * each;
	}
	return rc;
}

static int relr_table(const struct walk *w)
{
	uint64_t each = elfimg_is_64(w->img) ? 8 : 4, at, size;
	Elf_Data *d;

	if (elfimg_dyn(w->img, DT_RELR, &at) < 0 ||
	    elfimg_dyn(w->img, DT_RELRSZ, &size) < 0 || size < each)
		return 0;
	d = elfimg_chunk_at(w->img, at, size - size % each, ELF_T_ADDR);
	return d ? each_relr(w, d) : -EBADMSG;
}

int elfimg_each_reloc(struct elfimg *img,
		      int (*each)(const struct elfreloc *rel, void *ctx),
		      void *ctx)
{
	struct walk w = { img, each, ctx };
	uint64_t kind;
	int rc;

	elfsym_load(img);
	rc = table(&w, DT_RELA, DT_RELASZ, true);
	if (!rc)
		rc = table(&w, DT_REL, DT_RELSZ, false);
	if (!rc && !elfimg_dyn(img, DT_PLTREL, &kind))
		rc = table(&w, DT_JMPREL, DT_PLTRELSZ, kind == DT_RELA);
	return rc ? rc : relr_table(&w);
}

struct at {
	uint64_t vaddr;
	struct elfreloc *out;
};

static int is_at(const struct elfreloc *rel, void *ctx)
{
	struct at *at = ctx;

	if (rel->vaddr != at->vaddr)
		return 0;
	*at->out = *rel;
	return 1;
}

int elfimg_reloc_at(struct elfimg *img, uint64_t vaddr, struct elfreloc *out)
{
	struct at at = { vaddr, out };
	int rc = elfimg_each_reloc(img, is_at, &at);

	if (rc < 0)
		return rc;
	return rc ? 0 : -ENOENT;
}

int elfimg_pointer(struct elfimg *img, uint64_t vaddr, uint64_t *value)
{
	struct elfreloc rel;
	uint64_t word;
	GElf_Sym sym;
	int rc = read_word(img, vaddr, &word), found;

	if (rc < 0)
		return rc;
	*value = word;
	found = elfimg_reloc_at(img, vaddr, &rel);
	if (found == -ENOENT)
		return 0;
	if (found < 0)
		return found;
	*value = rel.in_place ? word : (uint64_t)rel.addend;
	if (rel.is_relative)
		return 0;
	if (!is_symbolic(img, rel.type))
		return -ENOTSUP;
	if (!elfsym_get(&img->dynsym, rel.sym, &sym))
		return -EBADMSG;
	if (sym.st_shndx == SHN_UNDEF)
		return -ENXIO;
	*value += sym.st_value;
	return 0;
}
