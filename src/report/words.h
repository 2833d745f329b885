/* SPDX-License-Identifier: MIT */
/* words: places, threads, waits and numbers of a model, as people read them. */
#ifndef PT_WORDS_H
#define PT_WORDS_H

#include <stdbool.h>

#include "analysis/rows.h"
#include "report/columns.h"

/* What is common to all that is shown. */
struct words {
	const struct analysis *a;
	bool no_paths;
	char prefix[256];	/* cut off files of the application; "" or ends
				 * with '/' */
	const char *common;	/* until words_prefix_end() */
	size_t common_len;
};

/*
 * The folder that the files of these places have in common: begin with a zeroed
 * prefix, add each place that is shown, end.
 */
void words_prefix_add(struct words *w, uint32_t place);
void words_prefix_end(struct words *w);

/* "shop/cache.py:88"; of a library from its package on; "?" unknown. */
void words_line(struct text *t, const struct words *w, uint32_t place);
void words_func(struct text *t, const struct words *w, uint32_t place);

/* Where the part of a library's file begins that says which: "json/decoder.py". */
const char *words_library_part(const char *file);

/* "pool-0_2"; its id if it has no name of its own. */
void words_thread(struct text *t, const struct words *w, uint32_t thread);

/* "10.0.3.7:443", "/srv/x", "fd 3", "ENOENT". */
void words_object(struct text *t, const struct words *w, uint32_t object);

/*
 * What the row's threads waited for: "recvfrom  tcp 10.0.3.7:443", and if that
 * leaves room in `columns` the library's line beneath that of the application.
 */
void words_waits_for(struct text *t, const struct words *w,
		     const struct rows *rows, const struct row *row,
		     size_t columns);

/* "in recvfrom  tcp 10.0.3.7:443  shop/rates.py:31 fetch". */
void words_doing(struct text *t, const struct words *w, uint32_t doing);

/* 1,234,567 */
void words_count(struct text *t, uint64_t n);
/* The same, short: "412", "41,230", "4.12 M", "1.30 G". */
void words_amount(struct text *t, uint64_t n);

/* Seconds, or milliseconds when all is short; two decimals. */
struct unit {
	const char *name;
	uint64_t ns;
};

struct unit words_unit(uint64_t largest_ns);
void words_time(struct text *t, struct unit unit, uint64_t ns);
/* One time, three digits: "999ns", "1.20ms", "31.4s". */
void words_duration(struct text *t, uint64_t ns);
/* Bytes: "4,096", "97.6K", "1.2G". */
void words_size(struct text *t, uint64_t bytes);
/* enum age: "0-1 s". */
const char *words_age(uint32_t age);
/* Tenths of a percent, rounded down so that no sum is over 100. */
void words_share(struct text *t, uint64_t part, uint64_t whole);

#endif /* PT_WORDS_H */
