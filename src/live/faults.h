/* SPDX-License-Identifier: MIT */
/* faults: what page faults need beside their tracepoints. */
#ifndef PT_FAULTS_H
#define PT_FAULTS_H

#include "live/tracer.h"

/* How large the pages are that anonymous memory may get. */
void faults_configure(struct pt_config *cfg);

/*
 * Put the programs in place.  Where the kernel refuses to say when a fault is
 * over, faults are sent all the same, when their thread next enters the kernel,
 * without their durations: t->untimed_cpus.
 */
int faults_attach(struct tracer *t, struct err *err) PT_MUST_CHECK;

#endif /* PT_FAULTS_H */
