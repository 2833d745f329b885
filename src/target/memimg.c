/* SPDX-License-Identifier: MIT */
/* memimg: an ELF file put together again from the memory of a process. */
#include "target/memimg.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/elfimg.h"

#define MAX_PHDRS	64
#define MAX_FILE	(128U << 20)
#define MAX_STRINGS	(4U << 20)
#define MAX_DYN		4096
#define PIECE		(256U << 10)

struct job {
	const struct mem *mem;
	uint64_t base;			/* where its first byte is mapped */
	uint64_t bias;
	Elf64_Ehdr eh;
	Elf64_Phdr ph[MAX_PHDRS];
	Elf64_Dyn dyn[MAX_DYN];
	size_t nr_dyn;
	const Elf64_Phdr *dynamic;
	int fd;
};

/* The mapping of the file's beginning that is nearest below `m`. */
static const struct map *first_of(const struct maps *maps,
				  const struct map *of)
{
	for (const struct map *m = of; m >= maps->v; m--)
		if (map_same_file(m, of) && !m->offset && m->read)
			return m;
	return NULL;
}

static int read_headers(struct job *j)
{
	unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ?
		ELFDATA2LSB : ELFDATA2MSB;
	int rc = mem_read(j->mem, j->base, &j->eh, sizeof(j->eh));

	if (rc)
		return rc;
	if (memcmp(j->eh.e_ident, ELFMAG, SELFMAG) ||
	    j->eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    j->eh.e_ident[EI_DATA] != order ||
	    j->eh.e_phentsize != sizeof(*j->ph) || !j->eh.e_phnum ||
	    j->eh.e_phnum > MAX_PHDRS || j->eh.e_phoff > MAX_FILE)
		return -ENOEXEC;
	return mem_read(j->mem, j->base + j->eh.e_phoff, j->ph,
			j->eh.e_phnum * sizeof(*j->ph));
}

/* The bias, and the dynamic segment; sizes are checked here. */
static int look_at_segments(struct job *j)
{
	bool found = false;

	for (size_t i = 0; i < j->eh.e_phnum; i++) {
		const Elf64_Phdr *ph = &j->ph[i];

		if (ph->p_type == PT_DYNAMIC)
			j->dynamic = ph;
		if (ph->p_type != PT_LOAD)
			continue;
		if (ph->p_offset > MAX_FILE || ph->p_filesz > MAX_FILE)
			return -EFBIG;
		if (!found && !ph->p_offset)
			j->bias = j->base - ph->p_vaddr;
		found |= !ph->p_offset;
	}
	return found && j->dynamic ? 0 : -ENOEXEC;
}

/* Of the tags that the loader turns into addresses in place (glibc does). */
static bool is_address(int64_t tag)
{
	static const int64_t tags[] = {
		DT_PLTGOT, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_REL,
		DT_JMPREL, DT_VERSYM, DT_VERNEED, DT_VERDEF, DT_GNU_HASH,
		DT_INIT, DT_FINI, DT_INIT_ARRAY, DT_FINI_ARRAY, DT_RELR,
	};

	for (size_t i = 0; i < ARRAY_LEN(tags); i++)
		if (tags[i] == tag)
			return true;
	return false;
}

/* Does `addr` lie in what was loaded? */
static bool is_loaded(const struct job *j, uint64_t addr)
{
	for (size_t i = 0; i < j->eh.e_phnum; i++) {
		const Elf64_Phdr *ph = &j->ph[i];

		if (ph->p_type == PT_LOAD &&
		    addr - j->bias - ph->p_vaddr < ph->p_memsz)
			return true;
	}
	return false;
}

static int read_dynamic(struct job *j)
{
	size_t n = j->dynamic->p_filesz / sizeof(*j->dyn);
	int rc;

	if (n > MAX_DYN)
		return -EFBIG;
	rc = mem_read(j->mem, j->bias + j->dynamic->p_vaddr, j->dyn,
		      n * sizeof(*j->dyn));
	if (rc)
		return rc;
	for (j->nr_dyn = 0; j->nr_dyn < n; j->nr_dyn++) {
		Elf64_Dyn *d = &j->dyn[j->nr_dyn];

		if (is_address(d->d_tag) && j->bias &&
		    is_loaded(j, d->d_un.d_ptr))
			d->d_un.d_ptr -= j->bias;
	}
	return 0;
}

static uint64_t dynamic(const struct job *j, int64_t tag)
{
	for (size_t i = 0; i < j->nr_dyn && j->dyn[i].d_tag != DT_NULL; i++)
		if (j->dyn[i].d_tag == tag)
			return j->dyn[i].d_un.d_val;
	return 0;
}

static int has_word(const struct job *j, const char *word)
{
	uint64_t at = dynamic(j, DT_STRTAB), len = dynamic(j, DT_STRSZ);
	char *strings;
	int rc;

	if (!at || !len || len > MAX_STRINGS)
		return -ENOENT;
	strings = malloc(len);
	if (!strings)
		return -ENOMEM;
	rc = mem_read(j->mem, j->bias + at, strings, len);
	if (!rc && !memmem(strings, len, word, strlen(word)))
		rc = -ENOENT;
	free(strings);
	return rc;
}

static int put(int fd, const void *bytes, size_t len, uint64_t at)
{
	return pwrite(fd, bytes, len, (off_t)at) == (ssize_t)len ? 0 : -EIO;
}

static int copy_segment(struct job *j, const Elf64_Phdr *ph, void *buf)
{
	uint64_t done = 0;
	int rc = 0;

	while (!rc && done < ph->p_filesz) {
		size_t n = ph->p_filesz - done < PIECE ?
			   (size_t)(ph->p_filesz - done) : PIECE;

		rc = mem_read(j->mem, j->bias + ph->p_vaddr + done, buf, n);
		if (!rc)
			rc = put(j->fd, buf, n, ph->p_offset + done);
		done += n;
	}
	return rc;
}

static int copy_all(struct job *j)
{
	Elf64_Ehdr eh = j->eh;
	void *buf = malloc(PIECE);
	int rc = buf ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < j->eh.e_phnum; i++)
		if (j->ph[i].p_type == PT_LOAD)
			rc = copy_segment(j, &j->ph[i], buf);
	free(buf);
	eh.e_shoff = 0;		/* not loaded */
	eh.e_shnum = eh.e_shstrndx = 0;
	if (!rc)
		rc = put(j->fd, &eh, sizeof(eh), 0);
	if (!rc)
		rc = put(j->fd, j->dyn, j->nr_dyn * sizeof(*j->dyn),
			 j->dynamic->p_offset);
	return rc;
}

/* Addends that lay where the loader has written the sum. */
static int put_back(const struct elfreloc *rel, void *ctx)
{
	struct job *j = ctx;
	uint64_t value, offset = 0;

	if (!rel->in_place || !rel->is_relative)
		return 0;
	if (mem_u64(j->mem, j->bias + rel->vaddr, &value) ||
	    !is_loaded(j, value))
		return 0;
	for (size_t i = 0; i < j->eh.e_phnum; i++) {
		const Elf64_Phdr *ph = &j->ph[i];

		if (ph->p_type == PT_LOAD && rel->vaddr - ph->p_vaddr <
		    ph->p_filesz)
			offset = rel->vaddr - ph->p_vaddr + ph->p_offset;
	}
	value -= j->bias;
	return offset ? put(j->fd, &value, sizeof(value), offset) : 0;
}

static int put_back_all(struct job *j)
{
	struct elfimg *img;
	int rc;

	if (!j->bias || !dynamic(j, DT_RELR))
		return 0;
	rc = elfimg_open_fd(&img, j->fd, "memory", NULL);
	if (rc)
		return rc;
	rc = elfimg_each_reloc(img, put_back, j);
	elfimg_close(img);
	return rc;
}

int memimg_make(const struct maps *maps, const struct map *m,
		const struct mem *mem, const char *word)
{
	const struct map *first = first_of(maps, m);
	struct job *j = calloc(1, sizeof(*j));
	int rc = j ? first ? 0 : -ENOEXEC : -ENOMEM;
	int fd = -1;

	if (!rc) {
		j->mem = mem;
		j->base = first->start;
		rc = read_headers(j);
	}
	if (!rc)
		rc = look_at_segments(j);
	if (!rc)
		rc = read_dynamic(j);
	if (!rc)
		rc = has_word(j, word);
	if (!rc) {
		fd = j->fd = memfd_create("pytrace", MFD_CLOEXEC);
		rc = fd < 0 ? -errno : copy_all(j);
	}
	if (!rc)
		rc = put_back_all(j);
	free(j);
	if (rc && fd >= 0)
		close(fd);
	return rc ? rc : fd;
}
