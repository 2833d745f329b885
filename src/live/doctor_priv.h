/* SPDX-License-Identifier: MIT */
/* doctor_priv: one program, one place, one hit: what the tries share. */
#ifndef PT_DOCTOR_PRIV_H
#define PT_DOCTOR_PRIV_H

#include <stdint.h>

struct btf;

/* What makes the thing happen that is to be seen. */
typedef void (*try_act)(void);

struct tries {
	const struct btf *btf;		/* the kernel's; NULL: it has none */
	int map;			/* one number: what programs add to */
	volatile uint64_t *hits;
};

/* The map, or what the kernel said. */
int tries_open(struct tries *t, const struct btf *btf);
void tries_close(struct tries *t);

/*
 * Each loads a program that counts, attaches it, makes it happen and looks
 * whether the program ran.  0; -ENODATA: attached, and it never ran; -ESRCH:
 * this kernel has no such thing; else what the kernel said.
 */
int try_tracepoint(struct tries *t, const char *name, try_act act);
int try_event(struct tries *t, uint32_t type, uint64_t config, try_act act);
int try_uprobe_perf(struct tries *t);
int try_uprobe_multi(struct tries *t);
int try_iterator(struct tries *t);

/* Make it happen: a system call, a sleep, a fault, ticks, a process. */
void act_call(void);
void act_sleep(void);
void act_fault(void);
void act_spin(void);
void act_fork(void);

#endif /* PT_DOCTOR_PRIV_H */
