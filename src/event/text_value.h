/* SPDX-License-Identifier: MIT */
/* text_value: numbers of 1, 2, 4 or 8 bytes wherever they lie. */
#ifndef PT_TEXT_VALUE_H
#define PT_TEXT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t value_get(const void *at, size_t size);
int64_t value_signed(const void *at, size_t size);

/* False, and nothing done, if the value needs more bytes. */
bool value_put(void *at, size_t size, uint64_t v);
bool value_put_signed(void *at, size_t size, int64_t v);

#endif /* PT_TEXT_VALUE_H */
