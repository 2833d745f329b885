/* SPDX-License-Identifier: MIT */
/* pages: the memory of a process, each of whose pages is read once. */
#include "target/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct page {
	uint64_t addr;
	UT_hash_handle hh;
	bool there;		/* else it cannot be read */
	uint8_t bytes[READER_PAGE];
};

static void forget(struct pages *p)
{
	struct page *page, *next;

	HASH_ITER(hh, p->page, page, next) {
		HASH_DEL(p->page, page);
		free(page);
	}
	p->nr = 0;
}

static struct page *find(const struct pages *p, uint64_t addr)
{
	struct page *page;

	HASH_FIND(hh, p->page, &addr, sizeof(addr), page);
	return page;
}

/* `bytes` NULL: it cannot be read.  Without memory it is not kept. */
static void keep(struct pages *p, uint64_t addr, const unsigned char *bytes)
{
	struct page *page;

	if (p->nr == PAGES_MAX)
		forget(p);
	page = find(p, addr);
	if (page)
		return;
	page = calloc(1, sizeof(*page));
	if (!page)
		return;
	page->addr = addr;
	page->there = bytes;
	if (bytes)
		memcpy(page->bytes, bytes, sizeof(page->bytes));
	HASH_ADD(hh, p->page, addr, sizeof(page->addr), page);
	if (!page->hh.tbl) {
		free(page);
		return;
	}
	p->nr++;
}

static void take(size_t nr, const unsigned char *bytes, void *arg)
{
	struct pages *p = arg;

	keep(p, p->wanted[nr], bytes);
}

int pages_fetch(struct pages *p)
{
	int rc;

	if (!p->nr_wanted)
		return 0;
	rc = remote_pages(p->of, p->wanted, p->nr_wanted, take, p);
	p->nr_wanted = 0;
	p->full = false;
	return rc ? rc : 1;
}

static int want(struct pages *p, uint64_t addr)
{
	for (size_t i = p->nr_wanted; i-- > 0;)
		if (p->wanted[i] == addr)
			return -EAGAIN;
	if (p->nr_wanted == READER_PAGES)
		p->full = true;
	else
		p->wanted[p->nr_wanted++] = addr;
	return -EAGAIN;
}

/* NULL: *rc says why. */
static const struct page *get(struct pages *p, uint64_t addr, int *rc)
{
	struct page *page = find(p, addr);

	if (!page) {
		*rc = want(p, addr);
		if (p->later)
			return NULL;
		*rc = pages_fetch(p);
		page = *rc < 0 ? NULL : find(p, addr);
		if (!page) {
			*rc = *rc < 0 ? *rc : -ENOMEM;
			return NULL;
		}
	}
	*rc = page->there ? 0 : -EFAULT;
	return page->there ? page : NULL;
}

static int pages_read(const struct mem *m, uint64_t addr, void *buf, size_t len)
{
	/* Only what is kept changes, not what is read. */
	struct pages *p = (struct pages *)(uintptr_t)m;
	unsigned char *to = buf;
	int rc = 0;

	/* the upper half is the kernel's */
	if (addr > INT64_MAX || len > INT64_MAX - addr)
		return -EFAULT;
	while (len) {
		uint64_t off = addr % READER_PAGE;
		size_t n = READER_PAGE - off < len ? READER_PAGE - off : len;
		const struct page *page = get(p, addr - off, &rc);

		if (!page)
			return rc;
		memcpy(to, page->bytes + off, n);
		to += n;
		addr += n;
		len -= n;
	}
	return 0;
}

void pages_init(struct pages *p, struct remote *of)
{
	*p = (struct pages){ .mem.read = pages_read, .of = of };
}

void pages_fini(struct pages *p)
{
	forget(p);
}
