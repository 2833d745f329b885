/* SPDX-License-Identifier: MIT */
/* text_read: lines of text as a source. */
#include <errno.h>

#include "event/open.h"
#include "event/text.h"

/* A record of RECORD_MAX bytes with every byte escaped still fits. */
#define LINE_MAX_BYTES ((size_t)RECORD_MAX * 5)

struct reader {
	struct source source;
	struct inbuf in;
	struct recbuf rec;
	unsigned long line;
	int failed;
};

/* The next line without its newline: 1, 0 at the end, -errno. */
static int next_line(struct reader *r, const char **line, size_t *len,
		     struct err *err)
{
	size_t want = 1;

	for (;;) {
		ssize_t n = inbuf_fill(&r->in, want, err);
		const char *p = inbuf_bytes(&r->in), *nl;
		size_t have = r->in.end - r->in.start;

		if (n < 0)
			return (int)n;
		if (!n)
			return 0;
		nl = memchr(p + want - 1, '\n', have - (want - 1));
		if (nl || (size_t)n < want) {
			*line = p;
			*len = nl ? (size_t)(nl - p) : have;
			inbuf_take(&r->in, *len + (nl != NULL));
			return 1;
		}
		if (have >= LINE_MAX_BYTES)
			return err_kind(err, ERR_INPUT, -EFBIG,
					"no record is as long as this line");
		want = have + 1;
	}
}

static int reader_next(struct source *s, const struct pt_hdr **rec,
		       struct err *err)
{
	struct reader *r = (struct reader *)s;
	const char *line = NULL;
	size_t len = 0;
	int rc;

	if (r->failed)
		return err_kind(err, ERR_INPUT, r->failed,
				"'%s' cannot be read further", r->in.name);
	do {
		rc = next_line(r, &line, &len, err);
		if (!rc)
			return 0;
		r->line++;
		if (rc > 0)
			rc = text_parse(line, len, &r->rec, rec, err);
	} while (!rc);
	if (rc < 0) {
		r->failed = rc;
		return err_wrap(err, rc, "'%s' line %lu", r->in.name, r->line);
	}
	return rc;
}

static void reader_close(struct source *s)
{
	struct reader *r = (struct reader *)s;

	inbuf_close(&r->in);
	recbuf_free(&r->rec);
	free(r);
}

int text_source(struct source **out, struct inbuf *in, struct err *err)
{
	struct reader *r = calloc(1, sizeof(*r));

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	r->source.next = reader_next;
	r->source.close = reader_close;
	r->in = *in;
	*in = (struct inbuf){ .fd = -1 };
	*out = &r->source;
	return 0;
}
