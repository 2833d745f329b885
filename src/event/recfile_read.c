/* SPDX-License-Identifier: MIT */
/* recfile_read: a recording as a source, up to wherever it ends. */
#include <errno.h>
#include <inttypes.h>

#include "event/open.h"
#include "event/recfile.h"
#include "event/recfile_head.h"
#include "event/record.h"

#define HEAD_MAX 4096

struct reader {
	struct source source;
	struct inbuf in;
	bool ended;		/* PT_END has been given */
	size_t given;		/* bytes of the record that the caller has */
	bool packed;
	uint64_t last_t;	/* of the record before, if packed */
	int failed;
};

/* The one sentence for all that is wrong behind a good record. */
static int stop(struct reader *r, int rc, const char *what, struct err *err)
{
	r->failed = rc;
	return err_kind(err, ERR_INPUT, rc, "'%s' %s at byte %" PRIu64
			"; what comes before is complete", r->in.name, what,
			r->in.taken);
}

static int at_end(struct reader *r, struct err *err)
{
	if (r->ended)
		return 0;
	return stop(r, -ENODATA, "ends without an end mark (it was cut, or "
		    "the recorder was killed)", err);
}

/* Have the record whole in the buffer: 1, or as next(). */
static int fill(struct reader *r, struct err *err)
{
	struct pt_hdr h;
	ssize_t n;

	n = inbuf_fill(&r->in, sizeof(h), err);
	if (n < 0) {
		r->failed = (int)n;
		return (int)n;
	}
	if (!n)
		return at_end(r, err);
	if ((size_t)n < sizeof(h))
		return stop(r, -ENODATA, "is cut inside a record", err);
	memcpy(&h, inbuf_bytes(&r->in), sizeof(h));
	if (h.size > RECORD_MAX)
		return stop(r, -EBADMSG, "is damaged", err);
	n = inbuf_fill(&r->in, h.size, err);
	if (n < 0) {
		r->failed = (int)n;
		return (int)n;
	}
	if ((size_t)n < h.size)
		return stop(r, -ENODATA, "is cut inside a record", err);
	return 1;
}

static int reader_next(struct source *s, const struct pt_hdr **rec,
		       struct err *err)
{
	struct reader *r = (struct reader *)s;
	struct err why = { 0 };
	int rc;

	if (r->failed)
		return stop(r, r->failed, "cannot be read further", err);
	inbuf_take(&r->in, r->given);
	r->given = 0;
	rc = fill(r, err);
	if (rc <= 0)
		return rc;
	rc = record_check(inbuf_bytes(&r->in), r->in.end - r->in.start, rec,
			  &why);
	if (rc < 0) {
		stop(r, -EBADMSG, "is damaged", err);
		err_hint(err, "%s", why.text);
		return -EBADMSG;
	}
	r->given = (*rec)->size;
	if (r->packed) {
		/* ours to write to: it has been checked, and is in our buffer */
		struct pt_hdr *mine = (void *)(r->in.buf + r->in.start);

		mine->t += r->last_t;
		r->last_t = mine->t;
	}
	r->ended = (*rec)->type == PT_END;
	return 1;
}

static void reader_close(struct source *s)
{
	struct reader *r = (struct reader *)s;

	inbuf_close(&r->in);
	free(r);
}

static int check_head(struct inbuf *in, struct err *err)
{
	struct recfile_head head;
	ssize_t n = inbuf_fill(in, sizeof(head), err);

	if (n < 0)
		return (int)n;
	if ((size_t)n < sizeof(head))
		return err_kind(err, ERR_INPUT, -ENODATA,
				"'%s' is cut inside its header", in->name);
	memcpy(&head, inbuf_bytes(in), sizeof(head));
	if (head.order != RECFILE_ORDER)
		return err_kind(err, ERR_INPUT, -ENOTSUP,
				"'%s' was recorded on a machine of the other "
				"byte order", in->name);
	if (head.version != RECFILE_VERSION && head.version != RECFILE_PACKED)
		return err_kind(err, ERR_INPUT, -ENOTSUP,
				"'%s' has version %u of the format; this "
				"pytrace reads versions %u and %u", in->name,
				head.version, RECFILE_VERSION, RECFILE_PACKED);
	if (head.size < sizeof(head) || head.size % 8 || head.size > HEAD_MAX)
		return err_kind(err, ERR_INPUT, -EBADMSG,
				"'%s' has a damaged header", in->name);
	n = inbuf_fill(in, head.size, err);
	if (n < 0)
		return (int)n;
	if ((size_t)n < head.size)
		return err_kind(err, ERR_INPUT, -ENODATA,
				"'%s' is cut inside its header", in->name);
	inbuf_take(in, head.size);
	return head.version == RECFILE_PACKED ? inbuf_unpack(in, err) : 0;
}

int recfile_source(struct source **out, struct inbuf *in, struct err *err)
{
	struct reader *r;
	int rc = check_head(in, err);

	if (rc < 0)
		return rc;
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	r->source.next = reader_next;
	r->source.close = reader_close;
	r->in = *in;
	r->packed = in->unpack != NULL;
	*in = (struct inbuf){ .fd = -1 };
	*out = &r->source;
	return 0;
}
