/* SPDX-License-Identifier: MIT */
/*
 * corpus_main: a fuzz target run without libFuzzer, over its corpus.
 *
 * fuzz_NAME [FILE...]: each file, and each of its beginnings, as a cut input is
 * the commonest damage.  Without arguments: all of tests/fuzz/corpus/NAME.  An
 * input passes when the target returns; sanitizers make it not return.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Inputs longer than this are cut at some places only. */
#define CUTS 512

/* A copy of exactly `size` bytes, so that a read past them is seen. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy) {
		perror("malloc");
		exit(99);
	}
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int run_file(const char *path, int nr)
{
	static uint8_t data[1 << 20];
	FILE *f = fopen(path, "rbe");
	const char *name;
	size_t size, step, len;

	if (!f) {
		perror(path);
		return 1;
	}
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	step = size / CUTS + 1;
	for (len = 0; len < size; len += step)
		run(data, len);
	run(data, size);
	name = strrchr(path, '/');
	printf("ok %d - %s\n", nr, name ? name + 1 : path);
	return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int run_corpus(const char *argv0)
{
	const char *name = strstr(argv0, "fuzz_"), *src = getenv("SRCDIR");
	char dir[2048], path[4096];
	struct dirent **found;
	int i, n, nr = 0, bad = 0;

	if (!name)
		return 99;
	snprintf(dir, sizeof(dir), "%s/tests/fuzz/corpus/%s", src ? src : ".",
		 name + strlen("fuzz_"));
	n = scandir(dir, &found, NULL, by_name);
	if (n < 0) {
		perror(dir);
		return 99;
	}
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, found[i]->d_name);
		if (found[i]->d_name[0] != '.')
			bad |= run_file(path, ++nr);
		free(found[i]);
	}
	free(found);
	printf("1..%d\n", nr);
	return bad || !nr;
}

int main(int argc, char **argv)
{
	int i, bad = 0;

	if (argc < 2)
		return run_corpus(argv[0]);
	for (i = 1; i < argc; i++)
		bad |= run_file(argv[i], i);
	printf("1..%d\n", argc - 1);
	return bad;
}
