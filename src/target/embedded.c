/* SPDX-License-Identifier: MIT */
/* embedded: is the interpreter a guest in another program? */
#include "target/embedded.h"

#include <unistd.h>

#include "elf/elfimg.h"
#include "target/mapped.h"

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

/* Does it hand its whole life over to the library? */
static bool is_launcher(const struct map *m, const struct proc *p)
{
	struct elfimg *img;
	struct stat st;
	int fd = mapped_open(m, p, &st, NULL);
	bool yes = false;

	if (fd < 0)
		return false;
	if (!elfimg_open_fd(&img, fd, m->path, NULL)) {
		yes = elfimg_each_sym(img, is_main, NULL) == 1;
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
