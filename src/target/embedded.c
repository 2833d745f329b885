/* SPDX-License-Identifier: MIT */
/* embedded: is the interpreter a guest in another program? */
#include "target/embedded.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "elf/elfimg.h"
#include "python/machine.h"
#include "target/mapped.h"

struct python_main {
	struct elfimg *img;
	uint64_t start;		/* Py_BytesMain */
};

static int is_main(const struct elfsym *sym, void *ctx)
{
	/* What a launcher calls: 3.8 on, before, and 3.7. */
	static const char *const names[] = {
		"Py_BytesMain", "Py_Main", "_Py_UnixMain",
	};
	size_t i;

	(void)ctx;
	for (i = 0; i < ARRAY_LEN(names); i++)
		if (!sym->defined && !strcmp(sym->name, names[i]))
			return 1;
	return 0;
}

/* ---- an interpreter that is in the program itself ------------------------ */

#define ENDBR64	"\xf3\x0f\x1e\xfa"
#define MAKE_ROOM "\x48\x83\xec\x08"		/* sub $8,%rsp */

/* Where the code at `vaddr` goes at once, by a jump or a call; 0: nowhere. */
static uint64_t goes_to(const struct elfimg *img, uint64_t vaddr)
{
	uint8_t code[13];
	int32_t far;
	size_t at = 0;

	if (elfimg_read(img, vaddr, code, sizeof(code)))
		return 0;
	if (!memcmp(code, ENDBR64, 4))
		at += 4;
	if (!memcmp(code + at, MAKE_ROOM, 4))
		at += 4;
	if (code[at] == 0xeb)		/* jmp rel8 */
		return vaddr + at + 2 + (uint64_t)(int64_t)(int8_t)code[at + 1];
	if (code[at] != 0xe8 && code[at] != 0xe9)
		return 0;
	memcpy(&far, code + at + 1, sizeof(far));
	return vaddr + at + 5 + (uint64_t)(int64_t)far;
}

/* _start gives main to the C library: does that do nothing but this? */
static int is_main_of(const struct machine_event *ev, void *ctx)
{
	const struct python_main *m = ctx;

	return ev->what == MACHINE_ADDRESS &&
	       goes_to(m->img, ev->value) == m->start;
}

/*
 * Programs/python.c has a main that is a call of Py_BytesMain (3.8 on): a program
 * that has an interpreter for a guest does something before.
 */
static bool is_interpreter(struct elfimg *img)
{
	struct python_main m = { .img = img };

	return elfimg_machine(img) == EM_X86_64 && elfimg_entry(img) &&
	       !elfimg_sym(img, "Py_BytesMain", &m.start, NULL) &&
	       machine_follow(img, elfimg_entry(img), is_main_of, &m) == 1;
}

/* Does it hand its whole life over to the library, or to what is in it? */
static bool is_launcher(const struct map *m, const struct proc *p)
{
	struct elfimg *img;
	struct stat st;
	int fd = mapped_open(m, p, &st, NULL);
	bool yes = false;

	if (fd < 0)
		return false;
	if (!elfimg_open_fd(&img, fd, m->path, NULL)) {
		yes = elfimg_each_sym(img, is_main, NULL) == 1 ||
		      is_interpreter(img);
		elfimg_close(img);
	}
	close(fd);
	return yes;
}

/* The link of an unlinked program ends in " (deleted)". */
static bool is_named(const struct map *m, const char *exe)
{
	size_t len = strlen(m->path);

	return m->kind == MAPS_FILE && !strncmp(m->path, exe, len) &&
	       (!exe[len] || !strcmp(exe + len, " (deleted)"));
}

bool embedded_in(const char *exe, const struct maps *maps,
		 const struct proc *p)
{
	const char *slash = exe ? strrchr(exe, '/') : NULL;
	size_t i;

	if (!slash || strstr(slash, "python"))
		return false;
	for (i = 0; i < maps->nr; i++)
		if (is_named(&maps->v[i], exe))
			return !is_launcher(&maps->v[i], p);
	return true;
}
