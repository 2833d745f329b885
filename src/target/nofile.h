/* SPDX-License-Identifier: MIT */
/*
 * nofile: as many open files as we may have, and for a command that we start as
 * many as it would have had.
 *
 * Each probe and each process that is looked into takes descriptors; the usual
 * soft limit is 1024 (getrlimit(2), RLIMIT_NOFILE).
 */
#ifndef PT_NOFILE_H
#define PT_NOFILE_H

/* Raise the soft limit to the hard one; nothing fails for it. */
void nofile_raise(void);
/* As it was before.  Safe between fork() and exec. */
void nofile_restore(void);

#endif /* PT_NOFILE_H */
