/* SPDX-License-Identifier: MIT */
/* inbuf: bytes of a descriptor, looked at before they are taken. */
#ifndef PT_INBUF_H
#define PT_INBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/err.h"

struct inbuf {
	int fd;
	bool eof;
	char *name;		/* for sentences */
	uint8_t *buf;		/* what is here starts at an aligned address */
	size_t start, end, cap;
	uint64_t taken;		/* bytes taken since the beginning */
	struct zunpack *unpack;	/* NULL: they are what they are */
	uint8_t *raw;		/* packed ones, at raw_start to raw_end */
	size_t raw_start, raw_end;
	bool raw_eof;
};

/* "-" is standard input.  inbuf_close() also after a failure. */
int inbuf_open(struct inbuf *in, const char *path, struct err *err)
	PT_MUST_CHECK;
void inbuf_close(struct inbuf *in);

/*
 * Have `want` bytes there if the input has them: their number, which is less
 * only at the end, or a negative errno.
 */
ssize_t inbuf_fill(struct inbuf *in, size_t want, struct err *err)
	PT_MUST_CHECK;

/* From here on the bytes are packed (zpack.h): give what is in them. */
int inbuf_unpack(struct inbuf *in, struct err *err) PT_MUST_CHECK;

static inline const void *inbuf_bytes(const struct inbuf *in)
{
	return in->buf + in->start;
}

static inline void inbuf_take(struct inbuf *in, size_t len)
{
	in->start += len;
	in->taken += len;
}

#endif /* PT_INBUF_H */
