/* SPDX-License-Identifier: MIT */
/*
 * fuzz_stapsdt: a whole ELF file of any bytes, asked all that one can ask.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elfimg.h"
#include "elf/sdtarg.h"
#include "elf/stapsdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static int each_sym(const struct elfsym *sym, void *ctx)
{
	*(size_t *)ctx += strlen(sym->name);
	return 0;
}

/* No more than some: the tables of 63 relocations a word are long. */
static int each_reloc(const struct elfreloc *rel, void *ctx)
{
	if (rel->sym_name)
		*(size_t *)ctx += strlen(rel->sym_name);
	return ++*(size_t *)ctx > 100000;
}

static void ask_names(struct elfimg *img)
{
	static const int64_t tags[] = {
		DT_NEEDED, DT_SONAME, DT_RPATH, DT_RUNPATH,
	};
	struct elfsym sym;
	uint64_t vaddr, size;
	size_t i, n = 0;

	elfimg_each_sym(img, each_sym, &n);
	elfimg_each_reloc(img, each_reloc, &n);
	(void)!elfimg_sym(img, "_PyRuntime", &vaddr, &size);
	(void)!elfimg_symbol(img, "x", &sym);
	for (i = 0; i < 8; i++)
		if (elfimg_dyn_str(img, tags[i % 4], i / 4))
			n += strlen(elfimg_dyn_str(img, tags[i % 4], i / 4));
	if (elfimg_interp(img))
		n += strlen(elfimg_interp(img));
	if (elfimg_build_id(img))
		must(strlen(elfimg_build_id(img)) <= 128);
	must(*elfimg_machine_name(img) && *elfimg_name(img));
}

static void ask_places(struct elfimg *img)
{
	const struct elfseg *seg;
	struct elfsec sec;
	uint64_t v, buf[4];
	char str[16];
	struct elfmem m;
	size_t i;

	elfmem_init(&m, img, 0x10000);
	for (i = 0; i < 32 && (seg = elfimg_seg(img, i)); i++) {
		/* What can be read in one piece can be read up to its end. */
		if (!elfimg_read(img, seg->vaddr, buf, sizeof(buf)))
			must(!elfimg_read(img, seg->vaddr, buf, 8));
		mem_u64(&m.mem, seg->vaddr + seg->memsz, &v);
		if (elfimg_read_str(img, seg->vaddr, str, sizeof(str)) >= 0)
			must(memchr(str, '\0', sizeof(str)) != NULL);
		if (!elfimg_offset(img, seg->vaddr, seg->flags, &v))
			elfimg_bytes(img, v, buf, 1);
		(void)!elfimg_pointer(img, seg->vaddr, &v);
		elfimg_bias(img, 0x7f0000000000, seg->offset, i & 1, &v);
	}
	for (i = 0; i < 64; i++)
		if (!elfimg_sec(img, i, &sec))
			must(strlen(sec.name) < SIZE_MAX);
	elfimg_sec_named(img, ".text", &sec);
}

static void ask_notes(struct elfimg *img)
{
	struct sdtarg args[SDTARG_MAX];
	struct stapsdt sdt;
	size_t i;

	if (stapsdt_init(&sdt, img, NULL) < 0)
		return;
	for (i = 0; i < sdt.nr; i++) {
		const struct stapsdt_note *n = &sdt.notes[i];

		must(strlen(n->provider) + strlen(n->name) < SIZE_MAX);
		sdtarg_parse(elfimg_machine(img), elfimg_is_64(img), n->args,
			     args, SDTARG_MAX);
		must(n->semaphore || !n->has_sem_offset);
	}
	stapsdt_fini(&sdt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elfimg *img;
	struct err err = { 0 };

	if (elfimg_open_bytes(&img, data, size, "input", &err) < 0) {
		must(err.kind != ERR_NONE && err.text[0]);
		return 0;
	}
	ask_names(img);
	ask_places(img);
	ask_notes(img);
	elfimg_close(img);
	return 0;
}
