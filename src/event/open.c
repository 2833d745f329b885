/* SPDX-License-Identifier: MIT */
/* open: is it a recording or the text of one? */
#include "event/open.h"

#include <errno.h>

#include "event/recfile.h"

#define MAGIC_LEN (sizeof(RECFILE_MAGIC) - 1)

/* Text has no control bytes but newlines, returns and tabs. */
static bool looks_like_text(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i] < ' ' && bytes[i] != '\n' && bytes[i] != '\t' &&
		    bytes[i] != '\r')
			return false;
	return true;
}

static bool begins_with(const struct inbuf *in, const char *magic)
{
	size_t len = strlen(magic);

	return in->end - in->start >= len &&
	       !memcmp(inbuf_bytes(in), magic, len);
}

static int choose(struct source **out, struct inbuf *in, struct err *err)
{
	ssize_t n = inbuf_fill(in, MAGIC_LEN, err);

	if (n < 0)
		return (int)n;
	if (!n)
		return err_kind(err, ERR_INPUT, -ENODATA, "'%s' is empty",
				in->name);
	if (begins_with(in, RECFILE_MAGIC))
		return recfile_source(out, in, err);
	if (begins_with(in, "PERFILE2") ||
	    !looks_like_text(inbuf_bytes(in),
			     (size_t)n < MAGIC_LEN ? (size_t)n : MAGIC_LEN))
		return err_kind(err, ERR_INPUT, -EBADMSG,
				"'%s' is neither a recording of pytrace nor "
				"the text of one", in->name);
	return text_source(out, in, err);
}

int source_open(struct source **out, const char *path, struct err *err)
{
	struct inbuf in;
	int rc = inbuf_open(&in, path, err);

	if (!rc)
		rc = choose(out, &in, err);
	inbuf_close(&in);
	return rc;
}
