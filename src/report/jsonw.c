/* SPDX-License-Identifier: MIT */
/* jsonw: yajl with our rules. */
#include "report/jsonw.h"

#include <errno.h>
#include <inttypes.h>

#include "base/printable.h"

int jsonw_init(struct jsonw *w, struct err *err)
{
	*w = (struct jsonw){ .gen = yajl_gen_alloc(NULL) };
	return w->gen ? 0 : err_set(err, -ENOMEM, "out of memory");
}

void jsonw_fini(struct jsonw *w)
{
	if (w->gen)
		yajl_gen_free(w->gen);
	*w = (struct jsonw){ 0 };
}

static void note(struct jsonw *w, yajl_gen_status status)
{
	w->failed |= status != yajl_gen_status_ok &&
		     status != yajl_gen_generation_complete;
}

void jsonw_open(struct jsonw *w)
{
	note(w, yajl_gen_map_open(w->gen));
}

void jsonw_close(struct jsonw *w)
{
	note(w, yajl_gen_map_close(w->gen));
}

void jsonw_open_list(struct jsonw *w)
{
	note(w, yajl_gen_array_open(w->gen));
}

void jsonw_close_list(struct jsonw *w)
{
	note(w, yajl_gen_array_close(w->gen));
}

void jsonw_null(struct jsonw *w)
{
	note(w, yajl_gen_null(w->gen));
}

void jsonw_bool(struct jsonw *w, bool v)
{
	note(w, yajl_gen_bool(w->gen, v));
}

void jsonw_int(struct jsonw *w, int64_t v)
{
	note(w, yajl_gen_integer(w->gen, v));
}

void jsonw_uint(struct jsonw *w, uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v);

	note(w, yajl_gen_number(w->gen, digits, (size_t)n));
}

static bool is_utf8(const char *s, size_t len)
{
	size_t n;

	for (size_t i = 0; i < len; i += n) {
		n = utf8_char(s + i, len - i, NULL);
		if (!n)
			return false;
	}
	return true;
}

void jsonw_bytes(struct jsonw *w, const char *s, size_t len)
{
	char *clean = NULL;

	if (!is_utf8(s, len)) {
		s = clean = utf8_clean(s, len, &len);
		if (!clean) {
			w->failed = true;
			return;
		}
	}
	note(w, yajl_gen_string(w->gen, (const unsigned char *)s, len));
	free(clean);
}

void jsonw_string(struct jsonw *w, const char *s)
{
	if (s)
		jsonw_bytes(w, s, strlen(s));
	else
		jsonw_null(w);
}

void jsonw_key(struct jsonw *w, const char *key)
{
	note(w, yajl_gen_string(w->gen, (const unsigned char *)key,
				strlen(key)));
}

void jsonw_key_int(struct jsonw *w, const char *key, int64_t v)
{
	jsonw_key(w, key);
	jsonw_int(w, v);
}

void jsonw_key_uint(struct jsonw *w, const char *key, uint64_t v)
{
	jsonw_key(w, key);
	jsonw_uint(w, v);
}

void jsonw_key_string(struct jsonw *w, const char *key, const char *s)
{
	jsonw_key(w, key);
	jsonw_string(w, s);
}

void jsonw_key_known(struct jsonw *w, const char *key, uint64_t v)
{
	jsonw_key(w, key);
	if (v)
		jsonw_uint(w, v);
	else
		jsonw_null(w);
}

void jsonw_key_name(struct jsonw *w, const char *key, const char *s)
{
	jsonw_key_string(w, key, s && *s ? s : NULL);
}

int jsonw_line(struct jsonw *w, FILE *out, struct err *err)
{
	const unsigned char *buf = NULL;
	bool failed = w->failed;
	size_t len = 0;
	int rc;

	if (yajl_gen_get_buf(w->gen, &buf, &len) != yajl_gen_status_ok)
		failed = true;
	errno = 0;
	if (!failed) {
		fwrite(buf, 1, len, out);
		putc('\n', out);
	}
	yajl_gen_clear(w->gen);
	yajl_gen_reset(w->gen, NULL);
	w->failed = false;
	if (failed)
		return err_set(err, -ENOMEM, "out of memory");
	if (!ferror(out))
		return 0;
	rc = errno ? -errno : -EIO;
	return err_kind(err, ERR_OUTPUT, rc, "cannot write JSON: %s",
			strerror(-rc));
}
