/* SPDX-License-Identifier: MIT */
/* inbuf: bytes of a descriptor, looked at before they are taken. */
#include "event/inbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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
		n = read(in->fd, in->buf + in->end, in->cap - in->end);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_kind(err, ERR_INPUT, -errno,
					"cannot read '%s': %s", in->name,
					strerror(errno));
		in->eof = n == 0;
		in->end += (size_t)n;
	}
	return (ssize_t)(in->end - in->start);
}
