/* SPDX-License-Identifier: MIT */
/*
 * elfsym: symbols by name, with and without section headers.
 *
 * The loader needs no count of the dynamic symbols, so no DT_ entry has it.
 * DT_HASH tells (nchain); DT_GNU_HASH ends the chain of its last bucket with an
 * odd hash; without either the table ends where the next one begins.
 */
#include <errno.h>

#include "base/rd.h"
#include "elf/elfimg.h"
#include "elf/elfimg_priv.h"

static int read_words(const struct elfimg *img, uint64_t vaddr, uint32_t *w,
		      size_t nr)
{
	int rc = elfimg_read(img, vaddr, w, nr * sizeof(*w));
	size_t i;

	if (rc < 0)
		return rc;
	for (i = 0; i < nr && elfimg_is_swapped(img); i++)
		w[i] = __builtin_bswap32(w[i]);
	return 0;
}

/* nchain of DT_HASH; its entries have 8 bytes on s390x and alpha. */
static uint64_t count_by_hash(const struct elfimg *img, uint64_t hash)
{
	unsigned int m = elfimg_machine(img);
	uint32_t w[4];

	if (elfimg_is_64(img) && (m == EM_S390 || m == EM_ALPHA)) {
		if (read_words(img, hash, w, 4) < 0)
			return 0;
		return elfimg_is_msb(img) ? w[3] : w[2];
	}
	return read_words(img, hash, w, 2) < 0 ? 0 : w[1];
}

/* The largest of `nr` words at `vaddr`; 0 when they are not all there. */
static uint32_t largest(const struct elfimg *img, uint64_t vaddr, uint32_t nr)
{
	Elf_Data *d = elfimg_chunk_at(img, vaddr, 4 * (uint64_t)nr, ELF_T_WORD);
	const uint32_t *w = d ? d->d_buf : NULL;
	uint32_t i, last = 0;

	for (i = 0; w && i < nr; i++)
		if (w[i] > last)
			last = w[i];
	return last;
}

/* The word that ends a chain is odd; chains are short, hostile ones not. */
static uint64_t count_by_gnu_hash(const struct elfimg *img, uint64_t hash)
{
	uint32_t head[4], last, w, i;	/* buckets, first, bloom, shift */
	uint64_t buckets, chain;

	if (read_words(img, hash, head, 4) < 0)
		return 0;
	buckets = hash + 16 + (uint64_t)head[2] * (elfimg_is_64(img) ? 8 : 4);
	last = largest(img, buckets, head[0]);
	if (last < head[1])	/* nothing is exported: says nothing */
		return 0;
	chain = buckets + 4 * ((uint64_t)head[0] + last - head[1]);
	for (i = 0; i < 1 << 20; i++) {
		if (read_words(img, chain + 4 * (uint64_t)i, &w, 1) < 0)
			return 0;
		if (w & 1)
			return (uint64_t)last + i + 1;
	}
	return 0;
}

/* Where the table that follows `vaddr` begins, among those of PT_DYNAMIC. */
static uint64_t next_table(const struct elfimg *img, uint64_t vaddr)
{
	static const int64_t tags[] = {
		DT_STRTAB, DT_HASH, DT_GNU_HASH, DT_VERSYM, DT_VERNEED,
		DT_VERDEF, DT_RELA, DT_REL, DT_RELR, DT_JMPREL, DT_INIT_ARRAY,
	};
	uint64_t next = 0, v;
	size_t i;

	for (i = 0; i < ARRAY_LEN(tags); i++)
		if (!elfimg_dyn(img, tags[i], &v) && v > vaddr &&
		    (!next || v < next))
			next = v;
	return next;
}

static uint64_t count_dynsyms(const struct elfimg *img, uint64_t symtab,
			      uint64_t each)
{
	uint64_t v, nr = 0, next;

	if (!elfimg_dyn(img, DT_HASH, &v))
		nr = count_by_hash(img, v);
	if (!nr && !elfimg_dyn(img, DT_GNU_HASH, &v))
		nr = count_by_gnu_hash(img, v);
	next = next_table(img, symtab);
	if (!nr && next)
		nr = (next - symtab) / each;
	return nr;
}

static void load_dynsym(struct elfimg *img)
{
	uint64_t symtab, strs, len, nr;
	size_t each = elfimg_entsize(img, ELF_T_SYM);
	Elf_Data *syms, *data;

	if (!each || elfimg_dyn(img, DT_SYMTAB, &symtab) < 0 ||
	    elfimg_dyn(img, DT_STRTAB, &strs) < 0 ||
	    elfimg_dyn(img, DT_STRSZ, &len) < 0)
		return;
	nr = count_dynsyms(img, symtab, each);
	if (!nr || nr > ELFIMG_MAX_TABLE / each)
		return;
	syms = elfimg_chunk_at(img, symtab, nr * each, ELF_T_SYM);
	data = elfimg_chunk_at(img, strs, len, ELF_T_BYTE);
	if (!syms || !data)
		return;
	img->dynsym = (struct symtab){ syms, data->d_buf, data->d_size,
				       (size_t)nr };
}

/* From the section of `type` (SHT_SYMTAB, SHT_DYNSYM) and its strings. */
static void load_section(const struct elfimg *img, uint32_t type,
			 struct symtab *tab)
{
	size_t i, each = elfimg_entsize(img, ELF_T_SYM);
	struct elfsec sec, strs;
	Elf_Data *syms, *data;

	for (i = 1; i < elfimg_nr_secs(img) && each; i++) {
		if (elfimg_sec(img, i, &sec) < 0 || sec.type != type ||
		    elfimg_sec(img, sec.link, &strs) < 0 ||
		    strs.type != SHT_STRTAB)
			continue;
		syms = elfimg_chunk(img, sec.offset, sec.size - sec.size % each,
				    ELF_T_SYM);
		data = elfimg_chunk(img, strs.offset, strs.size, ELF_T_BYTE);
		if (!syms || !data)
			continue;
		*tab = (struct symtab){ syms, data->d_buf, data->d_size,
					(size_t)(sec.size / each) };
		return;
	}
}

void elfsym_load(struct elfimg *img)
{
	if (img->has_symtabs)
		return;
	img->has_symtabs = true;
	load_section(img, SHT_SYMTAB, &img->symtab);
	load_dynsym(img);
	if (!img->dynsym.nr)
		load_section(img, SHT_DYNSYM, &img->dynsym);
}

bool elfsym_get(const struct symtab *tab, size_t i, GElf_Sym *sym)
{
	return i < tab->nr && i <= INT32_MAX &&
	       gelf_getsym(tab->syms, (int)i, sym);
}

static void fill(struct elfsym *out, const GElf_Sym *sym, const char *name,
		 bool dynamic)
{
	*out = (struct elfsym){
		.name = name, .value = sym->st_value, .size = sym->st_size,
		.type = GELF_ST_TYPE(sym->st_info),
		.bind = GELF_ST_BIND(sym->st_info),
		.defined = sym->st_shndx != SHN_UNDEF, .dynamic = dynamic,
	};
}

static int each_of(const struct symtab *tab, bool dynamic,
		   int (*each)(const struct elfsym *sym, void *ctx), void *ctx)
{
	struct elfsym out;
	const char *name;
	GElf_Sym sym;
	size_t i;
	int rc;

	for (i = 1; elfsym_get(tab, i, &sym); i++) {
		name = elfimg_str(tab->strs, tab->strs_len, sym.st_name);
		if (!name || !*name || GELF_ST_TYPE(sym.st_info) == STT_FILE)
			continue;
		fill(&out, &sym, name, dynamic);
		rc = each(&out, ctx);
		if (rc)
			return rc;
	}
	return 0;
}

int elfimg_each_sym(struct elfimg *img,
		    int (*each)(const struct elfsym *sym, void *ctx), void *ctx)
{
	int rc;

	elfsym_load(img);
	rc = each_of(&img->dynsym, true, each, ctx);
	return rc ? rc : each_of(&img->symtab, false, each, ctx);
}

struct search {
	const char *name;
	struct elfsym *out;
	bool found;
};

/* A global ends the search; a local is kept until a global is seen. */
static int match(const struct elfsym *sym, void *ctx)
{
	struct search *s = ctx;

	if (!sym->defined || strcmp(sym->name, s->name))
		return 0;
	if (!s->found || sym->bind != STB_LOCAL)
		*s->out = *sym;
	s->found = true;
	return sym->bind != STB_LOCAL;
}

int elfimg_symbol(struct elfimg *img, const char *name, struct elfsym *out)
{
	struct search s = { .name = name, .out = out };

	elfimg_each_sym(img, match, &s);
	return s.found ? 0 : -ENOENT;
}

int elfimg_sym(struct elfimg *img, const char *name, uint64_t *vaddr,
	       uint64_t *size)
{
	struct elfsym sym;

	if (elfimg_symbol(img, name, &sym) < 0 || sym.type == STT_TLS)
		return -ENOENT;
	*vaddr = sym.value;
	if (size)
		*size = sym.size;
	return 0;
}
