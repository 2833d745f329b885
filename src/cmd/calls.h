/* SPDX-License-Identifier: MIT */
/* calls: the two halves of `pytrace calls`: functions; collections and imports. */
#ifndef PT_CMD_CALLS_H
#define PT_CMD_CALLS_H

#include "cmd/opts.h"

/* calls --gc, calls --imports. */
int calls_python_run(const struct opts *o, char **argv);

#endif /* PT_CMD_CALLS_H */
