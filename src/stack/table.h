/* SPDX-License-Identifier: MIT */
/*
 * table: uthash and utlist, told not to exit without memory: after HASH_ADD an
 * element whose hh.tbl is NULL is not in the table.
 */
#ifndef PT_TABLE_H
#define PT_TABLE_H

#define HASH_NONFATAL_OOM 1
#include <uthash.h>
#include <utlist.h>

#endif /* PT_TABLE_H */
