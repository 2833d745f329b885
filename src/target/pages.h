/* SPDX-License-Identifier: MIT */
/*
 * pages: the memory of a process, each of whose pages is read once.
 *
 * A read of a live process takes some 15 us whatever its size, and what is looked
 * for lies close together.  For things that stand still while they are looked
 * at: what was read is not asked for again.
 *
 * Who has many such things to look at does so in rounds: with `later` set, a
 * read of a page that is not here yet fails at once, and pages_fetch() gets all
 * of those together, at the price of one read.
 */
#ifndef PT_PAGES_H
#define PT_PAGES_H

#include <stdbool.h>

#include "base/mem.h"
#include "target/remote.h"

struct page;

struct pages {
	struct mem mem;		/* first: hand out &pages.mem */
	struct remote *of;
	struct page *page;	/* by address */
	size_t nr;
	bool later;
	uint64_t wanted[READER_PAGES];	/* pages to be fetched */
	size_t nr_wanted;
	bool full;		/* more than these are */
};

#define PAGES_MAX 16384		/* then they are read anew */

/* The remote must outlive it.  Reads: as of that; -EAGAIN: later; -ENOMEM. */
void pages_init(struct pages *p, struct remote *of);
void pages_fini(struct pages *p);

/* 1: something was fetched; 0: nothing is wanted; or the error of a read. */
int pages_fetch(struct pages *p) PT_MUST_CHECK;

#endif /* PT_PAGES_H */
