/* SPDX-License-Identifier: MIT */
/* zpack: the records of a recording as one zstd stream. */
#include "event/zpack.h"

#include <errno.h>
#include <stdlib.h>

#include <zstd.h>

/* Records of calls come by the million: rather quick than small. */
#define LEVEL		1
#define WINDOW_LOG_MAX	23	/* 8 MiB: what a reader may be made to hold */

struct zpack {
	ZSTD_CStream *stream;
	uint8_t *buf;
	size_t cap;
};

struct zunpack {
	ZSTD_DStream *stream;
};

int zpack_new(struct zpack **out, struct err *err)
{
	struct zpack *z = calloc(1, sizeof(*z));

	if (!z)
		return err_set(err, -ENOMEM, "out of memory");
	z->stream = ZSTD_createCStream();
	if (!z->stream || ZSTD_isError(ZSTD_CCtx_setParameter(
				  z->stream, ZSTD_c_compressionLevel, LEVEL))) {
		zpack_free(z);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*out = z;
	return 0;
}

void zpack_free(struct zpack *z)
{
	if (!z)
		return;
	ZSTD_freeCStream(z->stream);
	free(z->buf);
	free(z);
}

static int make_room(struct zpack *z, size_t cap)
{
	uint8_t *buf;

	if (cap <= z->cap)
		return 0;
	buf = realloc(z->buf, cap);
	if (!buf)
		return -ENOMEM;
	z->buf = buf;
	z->cap = cap;
	return 0;
}

int zpack_put(struct zpack *z, const void *bytes, size_t len,
	      const uint8_t **out, size_t *nr, struct err *err)
{
	ZSTD_inBuffer in = { bytes, len, 0 };
	ZSTD_outBuffer to = { NULL, 0, 0 };
	size_t left = 1;

	while (left) {
		if (make_room(z, to.pos + ZSTD_compressBound(len) + 64))
			return err_set(err, -ENOMEM, "out of memory");
		to.dst = z->buf;
		to.size = z->cap;
		left = ZSTD_compressStream2(z->stream, &to, &in, ZSTD_e_flush);
		if (ZSTD_isError(left))
			return err_set(err, -ENOMEM, "cannot compress: %s",
				       ZSTD_getErrorName(left));
	}
	*out = z->buf;
	*nr = to.pos;
	return 0;
}

int zunpack_new(struct zunpack **out, struct err *err)
{
	struct zunpack *z = calloc(1, sizeof(*z));

	if (!z)
		return err_set(err, -ENOMEM, "out of memory");
	z->stream = ZSTD_createDStream();
	if (!z->stream || ZSTD_isError(ZSTD_DCtx_setParameter(
				  z->stream, ZSTD_d_windowLogMax,
				  WINDOW_LOG_MAX))) {
		zunpack_free(z);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*out = z;
	return 0;
}

void zunpack_free(struct zunpack *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

int zunpack_get(struct zunpack *z, const void *packed, size_t len,
		size_t *used, void *to, size_t room, size_t *nr,
		struct err *err)
{
	ZSTD_inBuffer in = { packed, len, 0 };
	ZSTD_outBuffer out = { to, room, 0 };
	size_t rc = ZSTD_decompressStream(z->stream, &out, &in);

	*used = in.pos;
	*nr = out.pos;
	if (ZSTD_isError(rc))
		return err_kind(err, ERR_INPUT, -EBADMSG, "its packed records "
				"are damaged: %s", ZSTD_getErrorName(rc));
	return 0;
}
