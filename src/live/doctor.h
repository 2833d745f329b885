/* SPDX-License-Identifier: MIT */
/*
 * doctor: what works on this host, each tried and not guessed from versions.
 *
 * A row for each thing that pytrace uses: BPF programs, tracepoints, perf
 * events, uprobes (of a function of our own), iterators, tracefs.  Where it is
 * refused the row has the cause and the cure.  All that was attached is gone
 * when this returns.
 */
#ifndef PT_DOCTOR_H
#define PT_DOCTOR_H

#include "target/checks.h"

void doctor_host(struct checks *c);

#endif /* PT_DOCTOR_H */
