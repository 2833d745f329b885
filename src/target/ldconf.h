/* SPDX-License-Identifier: MIT */
/* ldconf: the folders that /etc/ld.so.conf and what it includes name. */
#ifndef PT_LDCONF_H
#define PT_LDCONF_H

#include "target/root.h"

/* With ':' between; "" if there are none; allocated.  NULL: out of memory. */
char *ldconf_read(const struct root *root);

#endif /* PT_LDCONF_H */
