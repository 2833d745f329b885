/* SPDX-License-Identifier: MIT */
/* num: numbers, durations and sizes as people type them. */
#ifndef PT_NUM_H
#define PT_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/* A whole decimal number that is all of `s`, from min to max. */
bool num_parse(const char *s, int64_t min, int64_t max, int64_t *out)
	PT_MUST_CHECK;
/* "500us", "20ms", "2s", "5m", "1h"; a bare number is seconds.  In ns. */
bool num_duration(const char *s, uint64_t *ns) PT_MUST_CHECK;
/* "65536", "64K", "8M", "1G".  In bytes. */
bool num_size(const char *s, uint64_t *bytes) PT_MUST_CHECK;
/* "1,234,567".  Returns `buf`: 27 bytes are enough for any. */
const char *num_grouped_text(uint64_t v, char *buf, size_t len);
/* How a duration was understood: "1.5 s", "200 us".  Returns `buf`. */
const char *num_duration_text(uint64_t ns, char *buf, size_t len);

#endif /* PT_NUM_H */
