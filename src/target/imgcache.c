/* SPDX-License-Identifier: MIT */
/* imgcache: what files were found to be, so that each is looked into once. */
#include "target/imgcache.h"

#include <errno.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct key {
	uint64_t dev, ino, size, sec, nsec;
};

struct entry {
	struct key key;
	int rc;
	struct pyimage image;		/* if rc is 0 */
	UT_hash_handle hh;
};

struct imgcache {
	struct entry *by_key;
};

static struct key key_of(const struct stat *st)
{
	return (struct key){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = (uint64_t)st->st_size,
		.sec = (uint64_t)st->st_ctim.tv_sec,
		.nsec = (uint64_t)st->st_ctim.tv_nsec,
	};
}

static struct entry *look_up(const struct imgcache *c, const struct stat *st)
{
	struct key key = key_of(st);
	struct entry *e = NULL;

	if (c)
		HASH_FIND(hh, c->by_key, &key, sizeof(key), e);
	return e;
}

bool imgcache_knows_not(const struct imgcache *c, const struct stat *st)
{
	const struct entry *e = look_up(c, st);

	return e && e->rc < 0;
}

int imgcache_find(struct imgcache *c, struct elfimg *img, const struct stat *st,
		  struct pyimage *out)
{
	struct entry *e = look_up(c, st);
	int rc;

	if (e) {
		*out = e->image;
		return e->rc;
	}
	rc = pyimage_find(img, out, NULL);
	e = c && rc != -ENOMEM ? calloc(1, sizeof(*e)) : NULL;
	if (!e)
		return rc;
	e->key = key_of(st);
	e->rc = rc;
	e->image = *out;
	HASH_ADD(hh, c->by_key, key, sizeof(e->key), e);
	if (!e->hh.tbl)
		free(e);		/* no memory: not remembered */
	return rc;
}

struct imgcache *imgcache_new(void)
{
	return calloc(1, sizeof(struct imgcache));
}

void imgcache_free(struct imgcache *c)
{
	struct entry *e = c ? c->by_key : NULL, *next;

	if (!c)
		return;
	HASH_CLEAR(hh, c->by_key);
	for (; e; e = next) {
		next = e->hh.next;
		free(e);
	}
	free(c);
}
