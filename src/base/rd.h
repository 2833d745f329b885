/* SPDX-License-Identifier: MIT */
/*
 * rd: a reader over bytes that we did not write.
 *
 * It cannot run past its end: a read that does not fit gives 0 (or NULL), sets
 * `bad` and leaves the reader at its end, so that a group of reads is checked
 * once.  Numbers are read in the host's byte order unless `swap` is set.
 *
 *	struct rd r = rd_over(note, len);
 *	uint32_t namesz = rd_u32(&r);
 *	const char *name = rd_take(&r, namesz);
 *
 *	if (r.bad)
 *		return err_set(err, -EBADMSG, "note is cut short");
 */
#ifndef PT_RD_H
#define PT_RD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct rd {
	const uint8_t *p;
	const uint8_t *end;
	bool bad;		/* a read went past the end */
	bool swap;		/* the bytes are of the other byte order */
};

static inline struct rd rd_over(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	return (struct rd){ .p = p, .end = p ? p + len : p };
}

static inline size_t rd_left(const struct rd *r)
{
	return (size_t)(r->end - r->p);
}

/* `len` bytes as they lie there, or NULL. */
static inline const void *rd_take(struct rd *r, size_t len)
{
	const uint8_t *p = r->p;

	if (len > rd_left(r)) {
		r->bad = true;
		r->p = r->end;
		return NULL;
	}
	r->p += len;
	return p;
}

static inline uint8_t rd_u8(struct rd *r)
{
	const uint8_t *p = rd_take(r, 1);

	return p ? *p : 0;
}

static inline uint16_t rd_u16(struct rd *r)
{
	const void *p = rd_take(r, 2);
	uint16_t v = 0;

	if (p)
		memcpy(&v, p, 2);
	return r->swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t rd_u32(struct rd *r)
{
	const void *p = rd_take(r, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, 4);
	return r->swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t rd_u64(struct rd *r)
{
	const void *p = rd_take(r, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, 8);
	return r->swap ? __builtin_bswap64(v) : v;
}

/* A string and its NUL; NULL (and bad) when there is no NUL before the end. */
static inline const char *rd_str(struct rd *r)
{
	const void *nul = rd_left(r) ? memchr(r->p, 0, rd_left(r)) : NULL;

	if (!nul) {
		r->bad = true;
		r->p = r->end;
		return NULL;
	}
	return rd_take(r, (size_t)((const uint8_t *)nul - r->p) + 1);
}

#endif /* PT_RD_H */
