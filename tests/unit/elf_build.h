/* SPDX-License-Identifier: MIT */
/*
 * elf_build: ELF files that a test makes for itself, with the compiler at hand.
 *
 * They lie in a folder of the test's own, which goes when the test ends.
 */
#ifndef PT_TEST_ELF_BUILD_H
#define PT_TEST_ELF_BUILD_H

#include <dirent.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"

static char elf_dir[64];

static inline void elf_dir_remove(void)
{
	struct dirent *e;
	DIR *d;

	if (chdir(elf_dir) < 0 || !(d = opendir(".")))
		return;
	while ((e = readdir(d)))
		unlink(e->d_name);
	closedir(d);
	(void)!chdir("/");
	rmdir(elf_dir);
}

/* The test works in there from now on. */
static inline int elf_dir_enter(void)
{
	snprintf(elf_dir, sizeof(elf_dir), "/tmp/pytrace-elf.XXXXXX");
	if (!mkdtemp(elf_dir) || chdir(elf_dir) < 0)
		return -1;
	atexit(elf_dir_remove);
	return 0;
}

/* Run a command of the shell; true if it went well. */
PT_PRINTF(1, 2)
static inline bool sh(const char *fmt, ...)
{
	char cmd[4096];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(cmd, sizeof(cmd) - 16, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(cmd) - 16)
		return false;
	snprintf(cmd + n, 16, " >log 2>&1");
	return system(cmd) == 0;
}

static inline bool write_file(const char *name, const void *bytes, size_t len)
{
	FILE *f = fopen(name, "wbe");
	bool ok = f && fwrite(bytes, 1, len, f) == len;

	return f && fclose(f) == 0 && ok;
}

/* Make `name` from C or assembler (`ext`) with the flags given. */
static inline bool elf_cc(const char *name, const char *ext, const char *source,
			  const char *flags)
{
	char file[128];

	snprintf(file, sizeof(file), "%s.%s", name, ext);
	return write_file(file, source, strlen(source)) &&
	       sh("cc -o %s %s %s", name, file, flags);
}

/* The whole file, to be freed; the test ends here if it cannot be read. */
static inline uint8_t *slurp(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rbe");
	uint8_t *bytes = NULL;
	struct stat st;

	if (f && !fstat(fileno(f), &st) && st.st_size > 0)
		bytes = malloc((size_t)st.st_size);
	if (!bytes) {
		perror(path);
		exit(99);
	}
	*len = fread(bytes, 1, (size_t)st.st_size, f);
	fclose(f);
	return bytes;
}

#endif /* PT_TEST_ELF_BUILD_H */
