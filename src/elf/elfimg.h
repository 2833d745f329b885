/* SPDX-License-Identifier: MIT */
/*
 * elfimg: one ELF file, as bytes that nobody vouches for.
 *
 * Opened once, it answers where things are: which file offset a virtual address
 * has, what the file holds there, where a symbol lies, what the dynamic loader
 * will write.  All classes and byte orders can be opened; what is read through
 * elfimg_read() is in the file's own byte order.
 *
 * Addresses here are those of the file ("vaddr", before the loader adds its
 * bias); elfimg_bias() gives the bias of a mapping.  An image never runs code,
 * never writes, and a file that shrinks under it gives errors, not a signal:
 * it is read, not mapped.
 *
 * Not for two threads at once.  Strings and structs handed out as pointers
 * belong to the image and live until elfimg_close().
 *
 *	file offset = p_offset + (vaddr - p_vaddr)	of the containing LOAD
 */
#ifndef PT_ELFIMG_H
#define PT_ELFIMG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

struct elfimg;

/*
 * Open the file at `path`.  0 and an image, or one of these, with a sentence:
 *	-ENOENT		there is no such file		ERR_NO_TARGET
 *	-EACCES, -EPERM	it may not be read		ERR_NOT_PERMITTED
 *	-EISDIR		a directory			ERR_NOT_PYTHON
 *	-EINVAL		a device, pipe or socket	ERR_NOT_PYTHON
 *	-ENOEXEC	not ELF; the sentence says what	ERR_NOT_PYTHON
 *	-EBADMSG	ELF, but cut short or damaged	ERR_INPUT
 *	-EFBIG		larger than we are willing to look at
 * or another -errno of the system.
 */
int elfimg_open(struct elfimg **out, const char *path, struct err *err)
	PT_MUST_CHECK;
/* The same for an open file; `fd` stays yours, `name` is for messages. */
int elfimg_open_fd(struct elfimg **out, int fd, const char *name,
		   struct err *err) PT_MUST_CHECK;
/* The same over `len` bytes in memory, which must outlive the image. */
int elfimg_open_bytes(struct elfimg **out, const void *bytes, size_t len,
		      const char *name, struct err *err) PT_MUST_CHECK;
void elfimg_close(struct elfimg *img);	/* NULL is fine */

/* What it is. */
const char *elfimg_name(const struct elfimg *img);
unsigned int elfimg_machine(const struct elfimg *img);	/* EM_X86_64, ... */
unsigned int elfimg_type(const struct elfimg *img);	/* ET_EXEC, ... */
uint64_t elfimg_entry(const struct elfimg *img);	/* vaddr of the start; 0 */
bool elfimg_is_64(const struct elfimg *img);
bool elfimg_is_msb(const struct elfimg *img);		/* big-endian */
bool elfimg_is_swapped(const struct elfimg *img);	/* not our byte order */
/* "x86-64", "aarch64", ...; "machine 999" for what has no name here. */
const char *elfimg_machine_name(const struct elfimg *img);
/* Code made for the machine that pytrace itself was built for? */
bool elfimg_is_native(const struct elfimg *img);
/* Only debug information (objcopy --only-keep-debug): no code to probe. */
bool elfimg_is_debug_only(const struct elfimg *img);
/* Lower-case hex of NT_GNU_BUILD_ID, or NULL when it has none. */
const char *elfimg_build_id(const struct elfimg *img);

/* Program headers of every type, in file order. */
struct elfseg {
	uint32_t type;		/* PT_LOAD, PT_TLS, ... */
	uint32_t flags;		/* PF_R | PF_W | PF_X */
	uint64_t vaddr;
	uint64_t offset;
	uint64_t filesz;
	uint64_t memsz;
	uint64_t align;
};

size_t elfimg_nr_segs(const struct elfimg *img);
const struct elfseg *elfimg_seg(const struct elfimg *img, size_t i);
/* The first of `type`, or NULL. */
const struct elfseg *elfimg_seg_of_type(const struct elfimg *img,
					uint32_t type);

/* Section headers, where the file has them. */
struct elfsec {
	const char *name;	/* "" when its name is not readable */
	uint32_t type;		/* SHT_NOTE, ... */
	uint32_t link;
	uint64_t flags;		/* SHF_ALLOC, ... */
	uint64_t addr;
	uint64_t offset;
	uint64_t size;
	uint64_t align;
};

size_t elfimg_nr_secs(const struct elfimg *img);	/* 0: none, as sstrip */
/* 0, or -ENOENT. */
int elfimg_sec(const struct elfimg *img, size_t i, struct elfsec *out);
int elfimg_sec_named(const struct elfimg *img, const char *name,
		     struct elfsec *out);

/*
 * `len` bytes of the file at `offset`, all or nothing: 0, -EFAULT when they are
 * not all there, or another -errno.
 */
int elfimg_bytes(const struct elfimg *img, uint64_t offset, void *buf,
		 size_t len);
/*
 * `len` bytes as they will lie at `vaddr` before relocation: of the file, and
 * zeroes where a LOAD is longer in memory than in the file.  0 or -EFAULT.
 */
int elfimg_read(const struct elfimg *img, uint64_t vaddr, void *buf,
		size_t len);
/* The string at `vaddr`, cut at size-1 and closed: its length, or -EFAULT. */
int elfimg_read_str(const struct elfimg *img, uint64_t vaddr, char *buf,
		    size_t size);

/*
 * File offset of a virtual address, from a LOAD that has all of `flags` (PF_X
 * for code, PF_W for semaphores, 0 for any) and holds the byte in the file.
 * 0 or -ENOENT.
 */
int elfimg_offset(const struct elfimg *img, uint64_t vaddr, uint32_t flags,
		  uint64_t *offset);
/*
 * What the loader added: from a line of /proc/PID/maps that maps this file at
 * `start` from `offset` on.  Linkers let LOADs share a page of the file, which
 * is then mapped twice: `exec` must say whether this mapping is executable.
 * For ET_EXEC the answer is 0.  0 or -ENOENT.
 */
int elfimg_bias(const struct elfimg *img, uint64_t start, uint64_t offset,
		bool exec, uint64_t *bias);

/* The file seen as a target's memory, at `bias`. */
struct elfmem {
	struct mem mem;
	const struct elfimg *img;
	uint64_t bias;
};

void elfmem_init(struct elfmem *m, const struct elfimg *img, uint64_t bias);

/*
 * Symbols, of .symtab where there is one and of the dynamic table, which is
 * found by PT_DYNAMIC where section headers are gone.
 */
struct elfsym {
	const char *name;
	uint64_t value;		/* a vaddr; STT_TLS: offset in the TLS block */
	uint64_t size;
	uint8_t type;		/* STT_FUNC, STT_OBJECT, STT_TLS, ... */
	uint8_t bind;		/* STB_GLOBAL, ... */
	bool defined;
	bool dynamic;		/* from the dynamic table */
};

/* Where the defined, not thread-local symbol is.  0 or -ENOENT. */
int elfimg_sym(struct elfimg *img, const char *name, uint64_t *vaddr,
	       uint64_t *size) PT_MUST_CHECK;
/* The same with all that is known, thread-local ones included. */
int elfimg_symbol(struct elfimg *img, const char *name, struct elfsym *out)
	PT_MUST_CHECK;
/*
 * Each symbol of both tables, undefined ones too, until `each` returns other
 * than 0, which is then the result.
 */
int elfimg_each_sym(struct elfimg *img,
		    int (*each)(const struct elfsym *sym, void *ctx),
		    void *ctx);

/* The dynamic section. */
bool elfimg_is_dynamic(const struct elfimg *img);	/* it has one */
/* The n-th string of DT_NEEDED, DT_SONAME, DT_RPATH or DT_RUNPATH; or NULL. */
const char *elfimg_dyn_str(struct elfimg *img, int64_t tag, size_t n);
/* The number or address of the first entry of `tag`.  0 or -ENOENT. */
int elfimg_dyn(const struct elfimg *img, int64_t tag, uint64_t *value);
/* PT_INTERP, or NULL. */
const char *elfimg_interp(const struct elfimg *img);

/* A dynamic relocation: what the loader will write at `vaddr`. */
struct elfreloc {
	uint64_t vaddr;
	uint32_t type;		/* R_X86_64_GLOB_DAT, ...; of the machine */
	bool is_relative;	/* base + addend */
	bool in_place;		/* the addend lies at vaddr (REL, RELR) */
	int64_t addend;
	uint32_t sym;		/* index in the dynamic table, 0: none */
	const char *sym_name;	/* NULL: none, or not readable */
};

/*
 * Each of RELA, REL, JMPREL and RELR, until `each` returns other than 0, which
 * is then the result.  -EBADMSG when a table does not lie in the file.
 */
int elfimg_each_reloc(struct elfimg *img,
		      int (*each)(const struct elfreloc *rel, void *ctx),
		      void *ctx);
/* The one that applies at `vaddr`.  0, -ENOENT or -EBADMSG. */
int elfimg_reloc_at(struct elfimg *img, uint64_t vaddr, struct elfreloc *out)
	PT_MUST_CHECK;
/*
 * The pointer that a program would find at `vaddr`, as a vaddr of this file:
 * what the relocation there makes of it, or what lies there if there is none.
 * 0; -ENXIO if it points into another file; -EFAULT, -EBADMSG, -ENOTSUP.
 */
int elfimg_pointer(struct elfimg *img, uint64_t vaddr, uint64_t *value)
	PT_MUST_CHECK;

#endif /* PT_ELFIMG_H */
