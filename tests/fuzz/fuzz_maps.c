/* SPDX-License-Identifier: MIT */
/* fuzz_maps: lines of /proc/PID/maps, stat, cgroup and first lines of files. */
#include <stdlib.h>
#include <string.h>

#include "target/maps.h"
#include "target/proc.h"
#include "target/shebang.h"
#include "target/where.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* What the header promises of each line, whatever the bytes. */
static void check(const struct maps *m, const struct map *map, size_t size)
{
	bool is_path = map->path[0] == '/';

	must(map->start < map->end);
	must(map->path >= m->text && map->path + strlen(map->path) <=
	     m->text + size);
	must((map->kind == MAPS_FILE) == is_path);
	must((map->kind == MAPS_ANON) == !map->path[0]);
	must(!map->deleted || map->doubtful);
	must(!map->own);
	must(maps_at(m, map->start) != NULL);
}

static void fuzz_maps(const uint8_t *data, size_t size)
{
	struct maps m = { 0 };
	size_t i;

	if (maps_parse(&m, (const char *)data, size, NULL) < 0) {
		must(!m.v && !m.text && !m.nr);
		return;
	}
	for (i = 0; i < m.nr; i++)
		check(&m, &m.v[i], size);
	maps_fini(&m);
}

/* The same bytes for those that take a string. */
static void fuzz_text(const char *text, size_t size)
{
	const char *args[] = { text, text, NULL };
	char buf[SHEBANG_BYTES], words[64];
	struct proc_info info;
	struct shebang line;
	struct where where;
	const char *program;
	uint64_t ticks;

	if (proc_parse_stat(text, strlen(text), &info, &ticks))
		must(strlen(info.comm) < sizeof(info.comm));
	where_parse(text, &where);
	free(where_group(text));
	must(strlen(where_text(&where, words, sizeof(words))) > 0);
	if (shebang_parse(text, size, &line)) {
		must(*line.program != '\0');
		must(strlen(line.program) + strlen(line.arg) < SHEBANG_BYTES);
	}
	program = shebang_env_program(args, buf, sizeof(buf));
	must(!program || program == buf || program == text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	fuzz_maps(data, size);
	fuzz_text(text, size);
	free(text);
	return 0;
}
