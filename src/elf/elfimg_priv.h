/* SPDX-License-Identifier: MIT */
/* elfimg_priv: what the files of elfimg share among themselves. */
#ifndef PT_ELFIMG_PRIV_H
#define PT_ELFIMG_PRIV_H

#include <gelf.h>

#include "elf/elfimg.h"

/*
 * No file and no table larger than this is looked at.  The largest binaries in
 * use have a few GiB of debug sections, which are never read here, and symbol
 * tables of tens of MiB.
 */
#define ELFIMG_MAX_FILE ((uint64_t)16 << 30)
#define ELFIMG_MAX_TABLE ((uint64_t)256 << 20)

/* A symbol table and its strings, as libelf translated them. */
struct symtab {
	Elf_Data *syms;
	const char *strs;
	size_t strs_len;
	size_t nr;
};

struct elfimg {
	Elf *elf;
	int fd;			/* -1: the bytes are in memory */
	const uint8_t *bytes;
	uint64_t size;
	char *name;
	GElf_Ehdr ehdr;
	struct elfseg *segs;
	size_t nr_segs;
	size_t nr_secs;
	size_t shstrndx;
	Elf_Data *dyn;		/* entries of PT_DYNAMIC, or NULL */
	size_t nr_dyn;
	struct symtab dynsym;
	struct symtab symtab;
	bool has_symtabs;	/* the two above were looked for */
	bool is_debug_only;
	char *interp;
	char build_id[2 * 64 + 1];
};

/*
 * `size` bytes of the file at `offset` as entries of `type`, translated to our
 * byte order, or NULL when they are not all there.  libelf keeps and frees it.
 */
Elf_Data *elfimg_chunk(const struct elfimg *img, uint64_t offset, uint64_t size,
		       Elf_Type type);
/* The same at a virtual address that a LOAD has in the file. */
Elf_Data *elfimg_chunk_at(const struct elfimg *img, uint64_t vaddr,
			  uint64_t size, Elf_Type type);
/* Bytes of one entry of `type` in this file. */
size_t elfimg_entsize(const struct elfimg *img, Elf_Type type);
/* The closed string at `off` in `len` bytes of strings, or NULL. */
const char *elfimg_str(const char *strs, size_t len, uint64_t off);

/*
 * Before libelf sees the file: is it ELF, and do both header tables lie in it?
 * 0, or a sentence and the -errno of elfimg_open().
 */
int elfehdr_check(const struct elfimg *img, struct err *err);
/* Look at PT_DYNAMIC; a file without one is fine. */
void elfdyn_init(struct elfimg *img);
/* Load both symbol tables; what is not there stays empty. */
void elfsym_load(struct elfimg *img);
/* Symbol `i` of a table; false when there is none. */
bool elfsym_get(const struct symtab *tab, size_t i, GElf_Sym *sym);

#endif /* PT_ELFIMG_PRIV_H */
