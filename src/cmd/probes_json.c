/* SPDX-License-Identifier: MIT */
/* probes_json: the notes of one file as JSON, one object a line. */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <yajl/yajl_gen.h>

#include "base/printable.h"
#include "cmd/probes.h"
#include "elf/sdtarg.h"

/* `bad` stays set: asked once, when the line is written. */
struct json {
	yajl_gen gen;
	bool bad;
};

static void put_text(struct json *j, const char *s, size_t len)
{
	char *clean = utf8_clean(s, len, &len);

	if (!clean || yajl_gen_string(j->gen, (const unsigned char *)clean,
				      len) != yajl_gen_status_ok)
		j->bad = true;
	free(clean);
}

static void key(struct json *j, const char *name)
{
	put_text(j, name, strlen(name));
}

static void put_null(struct json *j, const char *name)
{
	key(j, name);
	yajl_gen_null(j->gen);
}

/* NULL is unknown. */
static void put_str(struct json *j, const char *name, const char *s)
{
	if (!s) {
		put_null(j, name);
		return;
	}
	key(j, name);
	put_text(j, s, strlen(s));
}

static void put_bool(struct json *j, const char *name, bool v)
{
	key(j, name);
	yajl_gen_bool(j->gen, v);
}

/* yajl's integers are signed. */
static void put_u64(struct json *j, const char *name, uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v);

	key(j, name);
	yajl_gen_number(j->gen, digits, (size_t)n);
}

static void put_maybe(struct json *j, const char *name, bool known, uint64_t v)
{
	if (known)
		put_u64(j, name, v);
	else
		put_null(j, name);
}

static void put_value(struct json *j, const struct sdtarg *a)
{
	if (a->is_signed) {
		key(j, "value");
		yajl_gen_integer(j->gen, a->value);
	} else {
		put_u64(j, "value", (uint64_t)a->value);
	}
}

static int begin(struct json *j, const char *type)
{
	j->bad = false;
	j->gen = yajl_gen_alloc(NULL);
	if (!j->gen)
		return -ENOMEM;
	yajl_gen_map_open(j->gen);
	put_str(j, "type", type);
	return 0;
}

/* Close the object and write it as a line. */
static int end(struct json *j, FILE *out, struct err *err)
{
	const unsigned char *buf;
	size_t len;
	int rc = 0;

	yajl_gen_map_close(j->gen);
	if (j->bad || yajl_gen_get_buf(j->gen, &buf, &len) !=
	    yajl_gen_status_ok) {
		rc = err_set(err, -ENOMEM, "out of memory");
	} else {
		fwrite(buf, 1, len, out);
		fputc('\n', out);
	}
	yajl_gen_free(j->gen);
	return rc;
}

static const char *place_name(enum sdtarg_place place)
{
	switch (place) {
	case SDTARG_UNKNOWN:
		return "unknown";
	case SDTARG_CONST:
		return "constant";
	case SDTARG_REG:
		return "register";
	case SDTARG_MEM:
		return "memory";
	}
	return "unknown";
}

static void put_arg(struct json *j, const struct sdtarg *a)
{
	yajl_gen_map_open(j->gen);
	key(j, "text");
	put_text(j, a->text, a->len);
	put_u64(j, "size", a->size);
	put_bool(j, "signed", a->is_signed);
	put_bool(j, "float", a->is_float);
	put_str(j, "place", place_name(a->place));
	if (a->place == SDTARG_CONST && !a->sym)
		put_value(j, a);
	if (a->sym) {
		key(j, "symbol");
		put_text(j, a->sym, a->sym_len);
	}
	if (a->why)
		put_str(j, "why", a->why);
	yajl_gen_map_close(j->gen);
}

static void put_args(struct json *j, const struct probes_file *f,
		     const struct stapsdt_note *n)
{
	struct sdtarg args[SDTARG_MAX];
	size_t i, nr;

	nr = sdtarg_parse(elfimg_machine(f->img), elfimg_is_64(f->img), n->args,
			  args, ARRAY_LEN(args));
	key(j, "args");
	yajl_gen_array_open(j->gen);
	for (i = 0; i < nr && i < ARRAY_LEN(args); i++)
		put_arg(j, &args[i]);
	yajl_gen_array_close(j->gen);
	put_str(j, "args_text", n->args);
}

static int print_file(FILE *out, const struct probes_file *f,
		      const struct probes_view *view, struct err *err)
{
	struct json j;
	const char *lib;

	if (begin(&j, "file") < 0)
		return err_set(err, -ENOMEM, "out of memory");
	put_str(&j, "path", elfimg_name(f->img));
	put_str(&j, "subject", view->subject);
	put_str(&j, "machine", elfimg_machine_name(f->img));
	put_u64(&j, "bits", elfimg_is_64(f->img) ? 64 : 32);
	put_str(&j, "order", elfimg_is_msb(f->img) ? "big" : "little");
	put_str(&j, "build_id", elfimg_build_id(f->img));
	put_bool(&j, "foreign", probes_is_foreign(f));
	put_bool(&j, "debug_only", elfimg_is_debug_only(f->img));
	put_bool(&j, "fixed_address", elfimg_type(f->img) == ET_EXEC);
	put_bool(&j, "sections", elfimg_nr_secs(f->img) > 0);
	put_bool(&j, "cpython", probes_is_cpython(f, &lib));
	put_str(&j, "libpython", lib);
	put_u64(&j, "probes", f->sdt.nr);
	put_u64(&j, "damaged", f->sdt.nr_bad);
	put_bool(&j, "partial", f->sdt.is_partial);
	return end(&j, out, err);
}

static int print_probe(FILE *out, const struct probes_file *f,
		       const struct stapsdt_note *n,
		       const struct probes_view *view, struct err *err)
{
	struct json j;

	if (begin(&j, "probe") < 0)
		return err_set(err, -ENOMEM, "out of memory");
	put_str(&j, "path", elfimg_name(f->img));
	put_str(&j, "provider", n->provider);
	put_str(&j, "name", n->name);
	put_u64(&j, "location", n->location);
	put_maybe(&j, "offset", n->has_offset, n->offset);
	put_maybe(&j, "semaphore", n->semaphore, n->semaphore);
	put_maybe(&j, "semaphore_offset", n->has_sem_offset, n->sem_offset);
	put_u64(&j, "base", n->base);
	put_args(&j, f, n);
	put_str(&j, "verdict", view->verdict ? view->verdict(n, view->ctx) :
		NULL);
	return end(&j, out, err);
}

int probes_print_json(FILE *out, const struct probes_file *f,
		      const struct probes_view *view, struct err *err)
{
	int rc = print_file(out, f, view, err);
	size_t i;

	for (i = 0; i < f->sdt.nr && !rc; i++)
		rc = print_probe(out, f, f->sorted[i], view, err);
	return rc;
}

int probes_error_json(FILE *out, const char *path, const struct err *why,
		      struct err *err)
{
	struct json j;

	if (begin(&j, "error") < 0)
		return err_set(err, -ENOMEM, "out of memory");
	put_str(&j, "kind", err_kind_name(why->kind));
	put_str(&j, "path", path);
	put_str(&j, "text", why->text);
	return end(&j, out, err);
}

int probes_end_json(FILE *out, int code, struct err *err)
{
	struct json j;

	if (begin(&j, "end") < 0)
		return err_set(err, -ENOMEM, "out of memory");
	put_u64(&j, "exit", (uint64_t)code);
	return end(&j, out, err);
}
