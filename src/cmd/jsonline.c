/* SPDX-License-Identifier: MIT */
/* jsonline: one JSON object a line, written member by member. */
#include "cmd/jsonline.h"

#include <errno.h>
#include <inttypes.h>

#include "base/printable.h"

static void text(struct jsonline *j, const char *s, size_t len)
{
	char *clean = j->gen ? utf8_clean(s, len, &len) : NULL;

	if (!clean || yajl_gen_string(j->gen, (const unsigned char *)clean,
				      len) != yajl_gen_status_ok)
		j->bad = true;
	free(clean);
}

static bool key(struct jsonline *j, const char *name)
{
	text(j, name, strlen(name));
	return !j->bad;
}

void jsonline_begin(struct jsonline *j, const char *type)
{
	*j = (struct jsonline){ .gen = yajl_gen_alloc(NULL) };
	if (j->gen)
		yajl_gen_map_open(j->gen);
	jsonline_str(j, "type", type);
}

int jsonline_end(struct jsonline *j, FILE *out, struct err *err)
{
	const unsigned char *buf;
	size_t len;

	if (!j->gen)
		return err_set(err, -ENOMEM, "out of memory");
	yajl_gen_map_close(j->gen);
	if (yajl_gen_get_buf(j->gen, &buf, &len) != yajl_gen_status_ok)
		j->bad = true;
	if (!j->bad) {
		fwrite(buf, 1, len, out);
		fputc('\n', out);
	}
	yajl_gen_free(j->gen);
	return j->bad ? err_set(err, -ENOMEM, "out of memory") : 0;
}

void jsonline_null(struct jsonline *j, const char *name)
{
	if (key(j, name))
		yajl_gen_null(j->gen);
}

void jsonline_str(struct jsonline *j, const char *name, const char *s)
{
	if (!s || !*s)
		jsonline_null(j, name);
	else if (key(j, name))
		text(j, s, strlen(s));
}

void jsonline_int(struct jsonline *j, const char *name, int64_t v)
{
	if (key(j, name))
		yajl_gen_integer(j->gen, v);
}

/* yajl's integers are signed. */
void jsonline_u64(struct jsonline *j, const char *name, uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v);

	if (key(j, name))
		yajl_gen_number(j->gen, digits, (size_t)n);
}

void jsonline_bool(struct jsonline *j, const char *name, bool v)
{
	if (key(j, name))
		yajl_gen_bool(j->gen, v);
}

void jsonline_strs(struct jsonline *j, const char *name, const char *s,
		   size_t len)
{
	size_t n;

	if (!key(j, name))
		return;
	yajl_gen_array_open(j->gen);
	for (; len; s += n, len -= n) {
		n = strnlen(s, len);
		text(j, s, n);
		n += n < len;		/* its NUL; the last may lack it */
	}
	yajl_gen_array_close(j->gen);
}
