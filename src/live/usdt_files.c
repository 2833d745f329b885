/* SPDX-License-Identifier: MIT */
/* usdt_files: the files of a process in which USDT probes may be. */
#include <unistd.h>

#include "live/session_priv.h"
#include "target/mapped.h"
#include "target/maps.h"

int usdt_add(struct session *s, int fd, const char *path, pid_t pid,
	     uint16_t version, struct err *err)
{
	struct tracer_file file = { .fd = fd, .pid = pid, .version = version };
	int rc;

	if (!tracer_wants_usdt(s->tracer))
		return 0;
	rc = elfimg_open_fd(&file.elf, fd, path ? path : "", err);
	if (rc)
		return rc;
	rc = tracer_add_file(s->tracer, &file, err);
	elfimg_close(file.elf);
	return rc;
}

static bool is_first(const struct maps *maps, const struct map *m)
{
	if (m->kind != MAPS_FILE || !m->exec || !m->inode || m->may_hang)
		return false;
	for (const struct map *p = maps->v; p < m; p++)
		if (p->kind == MAPS_FILE && p->exec && map_same_file(p, m))
			return false;
	return true;
}

/* A library that cannot be looked into has none of the probes, as far as we know. */
void usdt_add_libraries(struct session *s, const struct proc *p)
{
	struct maps maps = { 0 };

	if (!tracer_wants_usdt(s->tracer) || maps_read(&maps, p, NULL))
		return;
	for (const struct map *m = maps.v; m < maps.v + maps.nr; m++) {
		struct stat st;
		int fd = is_first(&maps, m) ? mapped_open(m, p, &st, NULL) : -1;

		if (fd < 0)
			continue;
		(void)!usdt_add(s, fd, m->path, s->follow ? -1 : p->pid, 0,
			       NULL);
		close(fd);
	}
	maps_fini(&maps);
}
