/* SPDX-License-Identifier: MIT */
/*
 * known: the interpreters' files and the processes that were met, as user
 * space knows them: what the kernel half's numbers stand for.
 */
#ifndef PT_KNOWN_H
#define PT_KNOWN_H

#include <uthash.h>

#include "base/err.h"
#include "elf/elfimg.h"
#include "pytrace_abi.h"
#include "pytrace_control.h"
#include "target/remote.h"

/* An interpreter's file. */
struct known_image {
	struct pt_image pt;
	struct elfimg *elf;	/* NULL: cannot be opened any more */
	char *path;		/* as the first process met named it */
	char *python;		/* "3.11.2" */
	char *why;		/* not walked because; NULL: it is */
	struct err no_usdt;	/* a probe that it lacks; no kind: none */
	uint8_t calls;		/* enum pt_calls_by */
	const char *no_calls;	/* asked for, and none, because; NULL: no such */
};

/* Of a process: more interpreters with a GIL of their own are left out. */
#define KNOWN_GILS 8

/* An address space, by the kernel half's serial number. */
struct known_proc {
	uint32_t proc;
	uint32_t pid;
	uint32_t image;		/* of known.images; UINT32_MAX: none */
	uint64_t bias;
	bool running;		/* its interpreter is: bias is its own */
	bool opened;		/* memory was tried */
	uint32_t nr_gil;	/* GILs that were told of */
	uint64_t gil[KNOWN_GILS];
	uint64_t gil_looked_ns;
	struct remote remote;
	UT_hash_handle hh;
};

/* What was found in a process, to be told when the kernel half meets it. */
struct known_pid {
	uint32_t pid;
	uint32_t image;		/* UINT32_MAX: none */
	uint64_t bias;		/* of that image, if it is */
	bool running;
	uint32_t exec_id;	/* of the last look that is due */
	bool alive;
	bool look;		/* it mapped code: look into it again */
	char *exe;		/* NULL: not known */
	/* upkeep.c */
	bool clocked;		/* the next two have been read */
	uint64_t cpu_ns;	/* its CPU time when last looked at */
	uint64_t children;	/* that of its children, in clock ticks */
	uint64_t counted_ns;	/* what of it the budget has counted */
	UT_hash_handle hh;
};

struct known {
	struct known_image images[PT_MAX_IMAGES];
	struct known_proc *procs;
	struct known_pid *pids;
};

void known_fini(struct known *k);

/* The process, made if it is not there; NULL without memory. */
struct known_pid *known_pid(struct known *k, uint32_t pid);
struct known_proc *known_proc(struct known *k, uint32_t proc, uint32_t pid);
struct known_proc *known_find_proc(struct known *k, uint32_t proc);
/* Its address space is gone: let go of its memory. */
void known_forget_proc(struct known *k, uint32_t proc);

/* Its memory, opened when first asked for; NULL: gone, or refused. */
const struct mem *known_memory(struct known_proc *p);

#endif /* PT_KNOWN_H */
