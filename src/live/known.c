/* SPDX-License-Identifier: MIT */
/* known: what the kernel half's numbers of images and processes stand for. */
#include "live/known.h"

static void proc_free(struct known *k, struct known_proc *p)
{
	HASH_DEL(k->procs, p);
	remote_close(&p->remote);
	free(p);
}

void known_fini(struct known *k)
{
	struct known_proc *p, *next;
	struct known_pid *t, *after;

	HASH_ITER(hh, k->procs, p, next)
		proc_free(k, p);
	HASH_ITER(hh, k->pids, t, after) {
		HASH_DEL(k->pids, t);
		free(t->exe);
		free(t);
	}
	for (size_t i = 0; i < ARRAY_LEN(k->images); i++) {
		elfimg_close(k->images[i].elf);
		free(k->images[i].path);
		free(k->images[i].python);
		free(k->images[i].why);
	}
	*k = (struct known){ 0 };
}

struct known_pid *known_pid(struct known *k, uint32_t pid)
{
	struct known_pid *t;

	HASH_FIND(hh, k->pids, &pid, sizeof(pid), t);
	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->pid = pid;
	t->image = UINT32_MAX;
	t->alive = true;
	HASH_ADD(hh, k->pids, pid, sizeof(t->pid), t);
	return t;
}

struct known_proc *known_find_proc(struct known *k, uint32_t proc)
{
	struct known_proc *p;

	HASH_FIND(hh, k->procs, &proc, sizeof(proc), p);
	return p;
}

struct known_proc *known_proc(struct known *k, uint32_t proc, uint32_t pid)
{
	struct known_proc *p = known_find_proc(k, proc);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->proc = proc;
	p->pid = pid;
	p->image = UINT32_MAX;
	p->remote = REMOTE_NONE;
	HASH_ADD(hh, k->procs, proc, sizeof(p->proc), p);
	return p;
}

void known_forget_proc(struct known *k, uint32_t proc)
{
	struct known_proc *p = known_find_proc(k, proc);

	if (p)
		proc_free(k, p);
}

const struct mem *known_memory(struct known_proc *p)
{
	struct proc target = PROC_NONE;

	if (!p->opened) {
		p->opened = true;
		if (!proc_open(&target, (pid_t)p->pid, NULL)) {
			if (remote_open(&p->remote, &target, NULL))
				p->remote = REMOTE_NONE;
			proc_close(&target);
		}
	}
	return p->remote.fd >= 0 ? &p->remote.mem : NULL;
}
