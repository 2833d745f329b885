/* SPDX-License-Identifier: MIT */
/* elfimg: open an ELF file, and say what it is. */
#include "elf/elfimg.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elfimg_priv.h"
#include "elf/elfnote.h"

/* libelf refused it, although the headers had looked well. */
static int damaged(const struct elfimg *img, struct err *err)
{
	return err_kind(err, ERR_INPUT, -EBADMSG, "'%s' is damaged: %s",
			img->name, elf_errmsg(-1));
}

static int load_segs(struct elfimg *img, struct err *err)
{
	size_t i, nr;
	GElf_Phdr ph;

	if (elf_getphdrnum(img->elf, &nr) < 0)
		return damaged(img, err);
	img->segs = calloc(nr ? nr : 1, sizeof(*img->segs));
	if (!img->segs)
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < nr && i <= INT32_MAX; i++) {
		if (!gelf_getphdr(img->elf, (int)i, &ph))
			return damaged(img, err);
		img->segs[img->nr_segs++] = (struct elfseg){
			.type = ph.p_type, .flags = ph.p_flags,
			.vaddr = ph.p_vaddr, .offset = ph.p_offset,
			.filesz = ph.p_filesz, .memsz = ph.p_memsz,
			.align = ph.p_align,
		};
		/* The kernel refuses to load such a file (binfmt_elf.c). */
		if (ph.p_type == PT_LOAD && ph.p_filesz > ph.p_memsz)
			img->segs[i].filesz = ph.p_memsz;
	}
	return 0;
}

static void load_secs(struct elfimg *img)
{
	struct elfsec sec;
	size_t i;

	if (elf_getshdrnum(img->elf, &img->nr_secs) < 0)
		img->nr_secs = 0;
	if (elf_getshdrstrndx(img->elf, &img->shstrndx) < 0)
		img->shstrndx = 0;
	for (i = 0; i < img->nr_secs && !img->is_debug_only; i++)
		img->is_debug_only = !elfimg_sec(img, i, &sec) &&
			sec.type == SHT_NOBITS && sec.size &&
			sec.flags & SHF_EXECINSTR;
}

static void load_interp(struct elfimg *img)
{
	const struct elfseg *seg = elfimg_seg_of_type(img, PT_INTERP);
	char path[4096];

	if (!seg || !seg->filesz || seg->filesz > sizeof(path))
		return;
	if (elfimg_bytes(img, seg->offset, path, (size_t)seg->filesz) < 0)
		return;
	if (memchr(path, '\0', (size_t)seg->filesz))
		img->interp = strdup(path);
}

static int find_build_id(const struct elfnote *n, void *ctx)
{
	static const char hex[] = "0123456789abcdef";
	char *out = ctx;
	size_t i;

	if (n->type != NT_GNU_BUILD_ID || n->owner_len != 3 ||
	    memcmp(n->owner, "GNU", 3) || !n->desc_len || n->desc_len > 64)
		return 0;
	for (i = 0; i < n->desc_len; i++) {
		out[2 * i] = hex[n->desc[i] >> 4];
		out[2 * i + 1] = hex[n->desc[i] & 15];
	}
	out[2 * i] = '\0';
	return 1;
}

/* `img` has its bytes and name; find out the rest. */
static int load(struct elfimg *img, struct err *err)
{
	int rc;

	if (img->size > ELFIMG_MAX_FILE)
		return err_set(err, -EFBIG, "'%s' is refused: %" PRIu64
			       " bytes long", img->name, img->size);
	rc = elfehdr_check(img, err);
	if (rc < 0)
		return rc;
	elf_version(EV_CURRENT);
	/* ELF_C_READ does not write through the pointer. */
	img->elf = img->fd >= 0 ? elf_begin(img->fd, ELF_C_READ, NULL) :
		elf_memory((char *)(uintptr_t)img->bytes, (size_t)img->size);
	if (!img->elf || elf_kind(img->elf) != ELF_K_ELF ||
	    !gelf_getehdr(img->elf, &img->ehdr))
		return damaged(img, err);
	rc = load_segs(img, err);
	if (rc < 0)
		return rc;
	load_secs(img);
	load_interp(img);
	elfdyn_init(img);
	elfnote_each(img, find_build_id, img->build_id);
	return 0;
}

/* Takes over `img`, loaded or freed. */
static int finish(struct elfimg *img, const char *name, struct elfimg **out,
		  struct err *err)
{
	int rc;

	img->name = strdup(name);
	rc = img->name ? load(img, err) :
		err_set(err, -ENOMEM, "out of memory");
	if (rc < 0) {
		elfimg_close(img);
		return rc;
	}
	*out = img;
	return 0;
}

int elfimg_open_bytes(struct elfimg **out, const void *bytes, size_t len,
		      const char *name, struct err *err)
{
	struct elfimg *img = calloc(1, sizeof(*img));

	if (!img)
		return err_set(err, -ENOMEM, "out of memory");
	img->fd = -1;
	img->bytes = bytes;
	img->size = len;
	return finish(img, name, out, err);
}

static const char *sort_of_inode(mode_t mode)
{
	if (S_ISDIR(mode))
		return "a directory";
	if (S_ISFIFO(mode))
		return "a pipe";
	if (S_ISSOCK(mode))
		return "a socket";
	return "a device";
}

/* Takes over `fd`. */
static int open_own_fd(struct elfimg **out, int fd, const char *name,
		       struct err *err)
{
	struct elfimg *img;
	struct stat st;
	int rc;

	if (fstat(fd, &st) < 0) {
		rc = -errno;
		close(fd);
		return err_set(err, rc, "cannot look at '%s': %s", name,
			       strerror(-rc));
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return err_kind(err, ERR_NOT_PYTHON,
				S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL,
				"'%s' is %s, not a file", name,
				sort_of_inode(st.st_mode));
	}
	img = calloc(1, sizeof(*img));
	if (!img) {
		close(fd);
		return err_set(err, -ENOMEM, "out of memory");
	}
	img->fd = fd;
	img->size = (uint64_t)st.st_size;
	return finish(img, name, out, err);
}

int elfimg_open_fd(struct elfimg **out, int fd, const char *name,
		   struct err *err)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (own < 0)
		return err_set(err, -errno, "cannot keep '%s' open: %s", name,
			       strerror(errno));
	return open_own_fd(out, own, name, err);
}

int elfimg_open(struct elfimg **out, const char *path, struct err *err)
{
	/* A pipe or device in its place must not make us wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int rc = -errno;

	if (fd >= 0)
		return open_own_fd(out, fd, path, err);
	switch (rc) {
	case -ENOENT:
	case -ENOTDIR:
		return err_kind(err, ERR_NO_TARGET, rc, "cannot open '%s': %s",
				path, strerror(-rc));
	case -EACCES:
	case -EPERM:
		return err_kind(err, ERR_NOT_PERMITTED, rc,
				"cannot open '%s': %s", path, strerror(-rc));
	case -ENXIO:	/* a socket, or a device without a driver */
		return err_kind(err, ERR_NOT_PYTHON, -EINVAL,
				"'%s' is a socket or device, not a file", path);
	default:
		return err_set(err, rc, "cannot open '%s': %s", path,
			       strerror(-rc));
	}
}

void elfimg_close(struct elfimg *img)
{
	if (!img)
		return;
	elf_end(img->elf);
	if (img->fd >= 0)
		close(img->fd);
	free(img->interp);
	free(img->segs);
	free(img->name);
	free(img);
}

const char *elfimg_name(const struct elfimg *img)
{
	return img->name;
}

unsigned int elfimg_machine(const struct elfimg *img)
{
	return img->ehdr.e_machine;
}

uint64_t elfimg_entry(const struct elfimg *img)
{
	return img->ehdr.e_entry;
}

unsigned int elfimg_type(const struct elfimg *img)
{
	return img->ehdr.e_type;
}

bool elfimg_is_64(const struct elfimg *img)
{
	return img->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}

bool elfimg_is_msb(const struct elfimg *img)
{
	return img->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
}

bool elfimg_is_swapped(const struct elfimg *img)
{
	return elfimg_is_msb(img) !=
	       (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

bool elfimg_is_debug_only(const struct elfimg *img)
{
	return img->is_debug_only;
}

const char *elfimg_build_id(const struct elfimg *img)
{
	return img->build_id[0] ? img->build_id : NULL;
}

const char *elfimg_interp(const struct elfimg *img)
{
	return img->interp;
}

size_t elfimg_nr_secs(const struct elfimg *img)
{
	return img->nr_secs;
}

int elfimg_sec(const struct elfimg *img, size_t i, struct elfsec *out)
{
	Elf_Scn *scn = i < img->nr_secs ? elf_getscn(img->elf, i) : NULL;
	const char *name;
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh))
		return -ENOENT;
	name = elf_strptr(img->elf, img->shstrndx, sh.sh_name);
	*out = (struct elfsec){
		.name = name ? name : "",
		.type = sh.sh_type, .link = sh.sh_link, .flags = sh.sh_flags,
		.addr = sh.sh_addr, .offset = sh.sh_offset,
		.size = sh.sh_size, .align = sh.sh_addralign,
	};
	return 0;
}

int elfimg_sec_named(const struct elfimg *img, const char *name,
		     struct elfsec *out)
{
	struct elfsec sec;
	size_t i;

	for (i = 1; i < img->nr_secs; i++) {
		if (elfimg_sec(img, i, &sec) < 0 || strcmp(sec.name, name))
			continue;
		*out = sec;
		return 0;
	}
	return -ENOENT;
}
