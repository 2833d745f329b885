/* SPDX-License-Identifier: MIT */
/* fields: the fields of an event that was asked for by name, in words. */
#include "report/fields.h"

#include <inttypes.h>
#include <string.h>

#include "base/printable.h"
#include "event/record.h"

#define TEXT_LEN 200		/* shown, unless -s says otherwise */
#define BYTES_LEN 16

static bool value_of(const struct moment *m, const struct evfield *f,
		     struct evvalue *v)
{
	const struct pt_tracepoint *tp = (const void *)m->rec;

	/* the generation is what the begin said: it was not seen */
	if (m->named->kind == PT_NAMED_GC && !tp->dur && !f->offset)
		return false;
	if (f->offset / 8 < 8 && tp->unread >> f->offset / 8 & 1)
		return false;
	return evfield_value(f, record_data(tp), tp->nr, v);
}

/* Names of modules and of audit events are none, and code always has its file. */
static bool may_be_path(const struct moment *m)
{
	return m->named->kind != PT_NAMED_IMPORT &&
	       m->named->kind != PT_NAMED_AUDIT &&
	       m->named->kind != PT_NAMED_LINE;
}

/* ---- text ----------------------------------------------------------------- */

static void put_number(FILE *out, const struct evfield *f, uint64_t v)
{
	if (f->kind == EVFIELD_POINTER)
		fprintf(out, "0x%" PRIx64, v);
	else if (f->is_signed)
		fprintf(out, "%" PRId64, (int64_t)v);
	else
		fprintf(out, "%" PRIu64, v);
}

static void put_text(FILE *out, const struct evvalue *v,
		     const struct sysargs_opts *opts)
{
	size_t max = opts->path_len ? opts->path_len : TEXT_LEN;

	putc('"', out);
	printable_put(out, (const char *)v->bytes, v->len < max ? v->len : max);
	fputs(v->len > max ? "\"..." : "\"", out);
}

static void put_numbers(FILE *out, const struct evfield *f,
			const struct evvalue *v)
{
	size_t nr = v->len / f->unit;

	putc('[', out);
	for (size_t i = 0; i < nr && i < BYTES_LEN; i++) {
		fputs(i ? "," : "", out);
		put_number(out, f, evfield_number(f, v, i));
	}
	fputs(nr > BYTES_LEN ? ",...]" : "]", out);
}

static void put_bytes(FILE *out, const struct evvalue *v)
{
	for (size_t i = 0; i < v->len && i < BYTES_LEN; i++)
		fprintf(out, "%02x", v->bytes[i]);
	fputs(v->len > BYTES_LEN ? "..." : "", out);
}

static void put_value(FILE *out, const struct evfield *f,
		      const struct evvalue *v, const struct sysargs_opts *opts,
		      bool hide)
{
	switch ((enum evfield_kind)f->kind) {
	case EVFIELD_NUMBER:
	case EVFIELD_POINTER:
		put_number(out, f, v->number);
		break;
	case EVFIELD_TEXT:
		if (hide) {
			fputs("...", out);
			break;
		}
		put_text(out, v, opts);
		break;
	case EVFIELD_CHARS:
		put_text(out, v, opts);
		break;
	case EVFIELD_NUMBERS:
		put_numbers(out, f, v);
		break;
	case EVFIELD_BYTES:
		put_bytes(out, v);
		break;
	}
}

void fields_put(FILE *out, const struct moment *m,
		const struct sysargs_opts *opts)
{
	struct evvalue v;

	for (size_t i = 0; m->named && i < m->named->nr; i++) {
		const struct evfield *f = &m->named->field[i];

		fprintf(out, "%s%.*s=", i ? " " : "  ", (int)f->name_len,
			f->name);
		if (value_of(m, f, &v))
			put_value(out, f, &v, opts,
				  opts->no_paths && may_be_path(m));
		else
			putc('?', out);
	}
}

/* ---- JSON ----------------------------------------------------------------- */

static void json_number(struct jsonw *w, const struct evfield *f, uint64_t v)
{
	if (f->is_signed)
		jsonw_int(w, (int64_t)v);
	else
		jsonw_uint(w, v);
}

static void json_bytes(struct jsonw *w, const struct evvalue *v)
{
	jsonw_open_list(w);
	for (size_t i = 0; i < v->len; i++)
		jsonw_uint(w, v->bytes[i]);
	jsonw_close_list(w);
}

static void json_value(struct jsonw *w, const struct evfield *f,
		       const struct evvalue *v, bool hide)
{
	switch ((enum evfield_kind)f->kind) {
	case EVFIELD_NUMBER:
	case EVFIELD_POINTER:
		json_number(w, f, v->number);
		break;
	case EVFIELD_TEXT:
		if (hide) {
			jsonw_null(w);
			break;
		}
		jsonw_bytes(w, (const char *)v->bytes, v->len);
		break;
	case EVFIELD_CHARS:
		jsonw_bytes(w, (const char *)v->bytes, v->len);
		break;
	case EVFIELD_NUMBERS:
		jsonw_open_list(w);
		for (size_t i = 0; i < v->len / f->unit; i++)
			json_number(w, f, evfield_number(f, v, i));
		jsonw_close_list(w);
		break;
	case EVFIELD_BYTES:
		json_bytes(w, v);
		break;
	}
}

void fields_json(struct jsonw *w, const struct moment *m, bool no_paths)
{
	struct evvalue v;

	for (size_t i = 0; m->named && i < m->named->nr; i++) {
		const struct evfield *f = &m->named->field[i];
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)f->name_len, f->name);
		jsonw_key(w, name);
		if (value_of(m, f, &v))
			json_value(w, f, &v, no_paths && may_be_path(m));
		else
			jsonw_null(w);
	}
}
