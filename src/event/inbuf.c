/* SPDX-License-Identifier: MIT */
/* inbuf: bytes of a descriptor, looked at before they are taken. */
#include "event/inbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "event/zpack.h"

#define CHUNK ((size_t)128 << 10)

int inbuf_open(struct inbuf *in, const char *path, struct err *err)
{
	bool is_stdin = !strcmp(path, "-");

	*in = (struct inbuf){ .fd = -1 };
	in->name = strdup(is_stdin ? "standard input" : path);
	if (!in->name)
		return err_set(err, -ENOMEM, "out of memory");
	if (is_stdin)
		in->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	else
		in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (in->fd < 0)
		return err_kind(err, ERR_INPUT, -errno, "cannot open '%s': %s",
				in->name, strerror(errno));
	return 0;
}

void inbuf_close(struct inbuf *in)
{
	if (in->fd >= 0)
		close(in->fd);
	free(in->name);
	free(in->buf);
	free(in->raw);
	zunpack_free(in->unpack);
	*in = (struct inbuf){ .fd = -1 };
}

/* Move what is there to the front, and have room for `want` in all. */
static int make_room(struct inbuf *in, size_t want, struct err *err)
{
	size_t have = in->end - in->start;
	size_t cap = in->cap ? in->cap : CHUNK;
	uint8_t *buf;

	if (in->buf && in->start && have)
		memmove(in->buf, in->buf + in->start, have);
	in->start = 0;
	in->end = have;
	while (cap < want + CHUNK / 2)
		cap *= 2;
	if (cap == in->cap)
		return 0;
	buf = realloc(in->buf, cap);
	if (!buf)
		return err_set(err, -ENOMEM, "out of memory");
	in->buf = buf;
	in->cap = cap;
	return 0;
}

static int cannot_read(const struct inbuf *in, int rc, struct err *err)
{
	return err_kind(err, ERR_INPUT, rc, "cannot read '%s': %s", in->name,
			strerror(-rc));
}

static ssize_t read_some(const struct inbuf *in, void *to, size_t room)
{
	ssize_t n;

	do {
		n = read(in->fd, to, room);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* What was read already is packed, too. */
int inbuf_unpack(struct inbuf *in, struct err *err)
{
	size_t have = in->end - in->start;
	int rc = zunpack_new(&in->unpack, err);

	if (rc < 0)
		return rc;
	in->raw = malloc(have > CHUNK ? have : CHUNK);
	if (!in->raw)
		return err_set(err, -ENOMEM, "out of memory");
	if (have)
		memcpy(in->raw, in->buf + in->start, have);
	in->raw_end = have;
	in->start = in->end = 0;
	in->raw_eof = in->eof;
	in->eof = false;
	return 0;
}

/* As read_some(), of what is packed; the end may come inside of it. */
static ssize_t unpack_some(struct inbuf *in, void *to, size_t room,
			   struct err *err)
{
	size_t used, nr;
	ssize_t n;
	int rc;

	for (;;) {
		rc = zunpack_get(in->unpack, in->raw + in->raw_start,
				 in->raw_end - in->raw_start, &used, to, room,
				 &nr, err);
		if (rc < 0)
			return err_wrap(err, rc, "'%s'", in->name);
		in->raw_start += used;
		if (nr || in->raw_eof)
			return (ssize_t)nr;
		if (in->raw_start < in->raw_end)
			continue;
		n = read_some(in, in->raw, CHUNK);
		if (n < 0)
			return cannot_read(in, (int)n, err);
		in->raw_start = 0;
		in->raw_end = (size_t)n;
		in->raw_eof = !n;
	}
}

ssize_t inbuf_fill(struct inbuf *in, size_t want, struct err *err)
{
	ssize_t n;
	int rc;

	while (in->end - in->start < want && !in->eof) {
		if (!in->buf || in->start + want > in->cap ||
		    in->end == in->cap) {
			rc = make_room(in, want, err);
			if (rc < 0)
				return rc;
		}
		if (in->unpack)
			n = unpack_some(in, in->buf + in->end,
					in->cap - in->end, err);
		else
			n = read_some(in, in->buf + in->end,
				      in->cap - in->end);
		if (n < 0)
			return in->unpack ? n : cannot_read(in, (int)n, err);
		in->eof = n == 0;
		in->end += (size_t)n;
	}
	return (ssize_t)(in->end - in->start);
}
