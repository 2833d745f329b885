/* SPDX-License-Identifier: MIT */
/*
 * kread: the iterators by which the kernel half reads processes that /proc will
 * not show us (target/through.h).
 */
#ifndef PT_KREAD_H
#define PT_KREAD_H

#include <sys/types.h>

/*
 * From now on what /proc refuses is asked of the iterators.  They are loaded
 * when they are first needed, and stay until the program ends.
 */
void kread_offer(void);
/* Can it be done?  Loads them: 0, or what the kernel said. */
int kread_try(void);

#endif /* PT_KREAD_H */
