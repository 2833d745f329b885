/* SPDX-License-Identifier: MIT */
/*
 * elfehdr: is this ELF at all, and do its header tables lie in the file?
 *
 * Asked before libelf sees the file, as libelf allocates as many section
 * descriptors as a header claims there are.
 */
#include <errno.h>
#include <inttypes.h>

#include "base/rd.h"
#include "elf/elfimg.h"
#include "elf/elfimg_priv.h"

/* Where the tables are; counts as after "Extended numbering". */
struct tables {
	uint64_t phoff, shoff, phnum, shnum;
	size_t phentsize, shentsize;
	bool is_64, swap;
};

static int damaged(const struct elfimg *img, struct err *err, const char *why)
{
	return err_kind(err, ERR_INPUT, -EBADMSG, "'%s' is damaged: %s",
			img->name, why);
}

static int cut_short(const struct elfimg *img, struct err *err,
		     const char *what)
{
	return err_kind(err, ERR_INPUT, -EBADMSG,
			"'%s' is cut short: %s past its end at %" PRIu64
			" bytes", img->name, what, img->size);
}

/* What a file is that does not begin as ELF does. */
static const char *sort_of_file(const uint8_t *head, size_t len)
{
	size_t i;

	if (!len)
		return "empty";
	if (len >= 2 && !memcmp(head, "#!", 2))
		return "a script, not an ELF file";
	if (len >= 8 && !memcmp(head, "!<arch>\n", 8))
		return "an archive, not an ELF file";
	for (i = 0; i < len; i++)
		if (head[i] < ' ' && !memchr("\t\n\f\r\033", head[i], 5))
			return "not an ELF file";
	return "a text file, not an ELF file";
}

static int check_ident(const struct elfimg *img, struct tables *t,
		       struct err *err)
{
	uint8_t head[512];
	size_t len = img->size < sizeof(head) ? (size_t)img->size :
		sizeof(head);
	int rc = elfimg_bytes(img, 0, head, len);

	if (rc < 0)
		return err_set(err, rc, "cannot read '%s': %s", img->name,
			       strerror(-rc));
	if (len < SELFMAG || memcmp(head, ELFMAG, SELFMAG))
		return err_kind(err, ERR_NOT_PYTHON, -ENOEXEC, "'%s' is %s",
				img->name, sort_of_file(head, len));
	if (len < EI_NIDENT)
		return cut_short(img, err, "its header goes");
	if (head[EI_CLASS] != ELFCLASS64 && head[EI_CLASS] != ELFCLASS32)
		return damaged(img, err, "neither 32-bit nor 64-bit");
	if (head[EI_DATA] != ELFDATA2LSB && head[EI_DATA] != ELFDATA2MSB)
		return damaged(img, err, "of no known byte order");
	t->is_64 = head[EI_CLASS] == ELFCLASS64;
	t->swap = (head[EI_DATA] == ELFDATA2MSB) !=
		  (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return 0;
}

static uint64_t rd_addr(struct rd *r, const struct tables *t)
{
	return t->is_64 ? rd_u64(r) : rd_u32(r);
}

static int read_ehdr(const struct elfimg *img, struct tables *t,
		     struct err *err)
{
	uint8_t buf[sizeof(Elf64_Ehdr)];
	size_t len = t->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	struct rd r = rd_over(buf, len);

	if (elfimg_bytes(img, 0, buf, len) < 0)
		return cut_short(img, err, "its header goes");
	r.swap = t->swap;
	rd_take(&r, EI_NIDENT + 2 + 2 + 4);	/* e_type e_machine e_version */
	rd_addr(&r, t);				/* e_entry */
	t->phoff = rd_addr(&r, t);
	t->shoff = rd_addr(&r, t);
	rd_take(&r, 4 + 2);			/* e_flags e_ehsize */
	t->phentsize = rd_u16(&r);
	t->phnum = rd_u16(&r);
	t->shentsize = rd_u16(&r);
	t->shnum = rd_u16(&r);
	return 0;
}

/*
 * Counts beyond 16 bits stand in sh_size and sh_info of section 0 (gABI,
 * e_shnum and e_phnum).
 */
static int extend(const struct elfimg *img, struct tables *t, struct err *err)
{
	uint8_t buf[sizeof(Elf64_Shdr)];
	size_t len = t->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	struct rd r = rd_over(buf, len);
	uint64_t size;

	if (!t->shoff || (t->shnum && t->phnum != PN_XNUM))
		return 0;
	if (elfimg_bytes(img, t->shoff, buf, len) < 0)
		return cut_short(img, err, "its section headers lie");
	r.swap = t->swap;
	rd_take(&r, 4 + 4);			/* sh_name sh_type */
	rd_addr(&r, t);				/* sh_flags */
	rd_addr(&r, t);				/* sh_addr */
	rd_addr(&r, t);				/* sh_offset */
	size = rd_addr(&r, t);
	rd_u32(&r);				/* sh_link */
	if (!t->shnum)
		t->shnum = size;
	if (t->phnum == PN_XNUM)
		t->phnum = rd_u32(&r);
	return 0;
}

/* Does a table of `nr` entries of `each` bytes lie in the file? */
static bool table_fits(const struct elfimg *img, uint64_t offset, uint64_t nr,
		       uint64_t each)
{
	uint64_t bytes;

	return !__builtin_mul_overflow(nr, each, &bytes) &&
	       offset <= img->size && bytes <= img->size - offset;
}

int elfehdr_check(const struct elfimg *img, struct err *err)
{
	struct tables t = { 0 };
	size_t phsz, shsz;
	int rc;

	rc = check_ident(img, &t, err);
	if (!rc)
		rc = read_ehdr(img, &t, err);
	if (!rc)
		rc = extend(img, &t, err);
	if (rc)
		return rc;
	phsz = t.is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	shsz = t.is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	if (t.phnum && t.phentsize != phsz)
		return damaged(img, err, "program headers of a wrong size");
	if (t.phnum && !table_fits(img, t.phoff, t.phnum, phsz))
		return cut_short(img, err, "its program headers lie");
	if (t.shoff && t.shnum && t.shentsize != shsz)
		return damaged(img, err, "section headers of a wrong size");
	if (t.shoff && !table_fits(img, t.shoff, t.shnum, shsz))
		return cut_short(img, err, "its section headers lie");
	return 0;
}
