/* SPDX-License-Identifier: MIT */
/* files: which file a descriptor is. */
#include "analysis/files.h"

#include "base/compiler.h"
#include "event/record.h"
#include "event/syscalls.h"
#include "stack/table.h"

#define FILES_MAX 65536

struct fd_key {
	uint32_t pid;
	int32_t fd;
};

struct files_entry {
	struct fd_key key;
	uint64_t since;		/* when its open returned */
	UT_hash_handle hh;
	char path[];
};

static struct files_entry *find(const struct files *f, uint32_t pid, int32_t fd)
{
	const struct fd_key key = { pid, fd };
	struct files_entry *e;

	HASH_FIND(hh, f->table, &key, sizeof(key), e);
	return e;
}

static void drop(struct files *f, struct files_entry *e)
{
	if (!e)
		return;
	HASH_DEL(f->table, e);
	free(e);
}

/*
 * Closed by a call that began at `t`.  While it was on its way another thread
 * may have been given the same number: that one is open.
 */
static void closed(struct files *f, uint32_t pid, int32_t fd, uint64_t t)
{
	struct files_entry *e = find(f, pid, fd);

	if (e && e->since <= t)
		drop(f, e);
}

static void set(struct files *f, uint32_t pid, int32_t fd, uint64_t since,
		const void *path, size_t len)
{
	struct files_entry *e;

	drop(f, find(f, pid, fd));
	if (HASH_COUNT(f->table) >= FILES_MAX)
		drop(f, f->table);
	e = calloc(1, sizeof(*e) + len + 1);
	if (!e)
		return;
	e->key = (struct fd_key){ pid, fd };
	e->since = since;
	memcpy(e->path, path, len);
	HASH_ADD(hh, f->table, key, sizeof(e->key), e);
	if (!e->hh.tbl)
		free(e);
}

void files_forget(struct files *f, uint32_t pid)
{
	struct files_entry *e, *next;

	HASH_ITER(hh, f->table, e, next)
		if (!pid || e->key.pid == pid)
			drop(f, e);
}

void files_free(struct files *f)
{
	files_forget(f, 0);
}

/* The first path among the arguments; NULL: none, or it was cut. */
static const struct pt_arg *path_of(const struct pt_syscall *sys)
{
	const struct pt_arg *arg = NULL;

	while ((arg = record_next_arg(sys, arg)))
		if (arg->kind == PT_ARG_PATH)
			return arg->len && !arg->total ? arg : NULL;
	return NULL;
}

static bool starts(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

void files_call(struct files *f, const struct pt_syscall *sys)
{
	const struct syscall_def *def = syscall_find(sys->abi, sys->nr);
	uint32_t pid = sys->h.pid;
	const struct pt_arg *path;

	if (!def || sys->state != PT_SYS_DONE || sys->ret < 0)
		return;
	if (!strcmp(def->name, "close")) {
		closed(f, pid, (int32_t)sys->args[0], sys->h.t);
	} else if (starts(def->name, "close_range")) {
		files_forget(f, pid);
	} else if (starts(def->name, "open") || !strcmp(def->name, "creat")) {
		path = path_of(sys);
		drop(f, find(f, pid, (int32_t)sys->ret));
		if (path)
			set(f, pid, (int32_t)sys->ret, sys->h.t + sys->dur,
			    record_arg_bytes(path), path->len);
	} else if (starts(def->name, "dup")) {
		drop(f, find(f, pid, (int32_t)sys->ret));
	}
}

const char *files_path(const struct files *f, uint32_t pid, int32_t fd)
{
	struct files_entry *e = find(f, pid, fd);

	return e ? e->path : NULL;
}
