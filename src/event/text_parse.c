/* SPDX-License-Identifier: MIT */
/* text_parse: a line as a record. */
#include <errno.h>
#include <inttypes.h>

#include "event/text.h"
#include "event/text_fields.h"
#include "event/text_value.h"

/* Where we are in the line.  The first thing wrong ends the parse. */
struct cursor {
	const char *p, *end;
};

struct word {
	const char *p;
	size_t len;
};

static int bad(struct err *err, const struct word *w, const char *what)
{
	err_kind(err, ERR_INPUT, -EINVAL, "%s '%.*s'", what,
		 (int)(w->len < 80 ? w->len : 80), w->p);
	return -EINVAL;
}

static bool is(const struct word *w, const char *s)
{
	return strlen(s) == w->len && !memcmp(w->p, s, w->len);
}

static void skip_blanks(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' ||
				 *c->p == '\r'))
		c->p++;
}

/* Up to a byte of `stops` or the end. */
static struct word take_until(struct cursor *c, const char *stops)
{
	struct word w = { c->p, 0 };

	while (c->p < c->end && (!*c->p || !strchr(stops, *c->p)))
		c->p++;
	w.len = (size_t)(c->p - w.p);
	return w;
}

static bool take(struct cursor *c, char what)
{
	if (c->p >= c->end || *c->p != what)
		return false;
	c->p++;
	return true;
}

/* ---- numbers and names -------------------------------------------------- */

/* Decimal, or hexadecimal behind 0x; nothing else around it. */
static bool parse_u64(const struct word *w, uint64_t *v)
{
	char digits[32], *stop;
	bool hex;

	if (!w->len || w->len >= sizeof(digits))
		return false;
	memcpy(digits, w->p, w->len);
	digits[w->len] = '\0';
	if (digits[0] < '0' || digits[0] > '9')
		return false;
	hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	errno = 0;
	*v = strtoull(digits, &stop, hex ? 16 : 10);
	return !errno && !*stop && stop != digits;
}

static bool parse_s64(const struct word *w, int64_t *v)
{
	struct word digits = *w;
	bool minus = w->len && w->p[0] == '-';
	uint64_t u;

	if (minus) {
		digits.p++;
		digits.len--;
	}
	if (!parse_u64(&digits, &u) || u > (uint64_t)INT64_MAX + minus)
		return false;
	*v = minus ? (int64_t)(0 - u) : (int64_t)u;
	return true;
}

static char fold(char c)
{
	if (c == '_')
		return '-';
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c;
}

static bool same_word(const struct word *w, const char *name)
{
	size_t i;

	for (i = 0; i < w->len && name[i]; i++)
		if (fold(w->p[i]) != fold(name[i]))
			return false;
	return i == w->len && !name[i];
}

static bool parse_word(const struct word *w, const struct field_words *words,
		       uint64_t *v)
{
	for (size_t i = 0; i < words->nr; i++) {
		if (words->name[i] && same_word(w, words->name[i])) {
			*v = i;
			return true;
		}
	}
	return parse_u64(w, v);
}

static bool parse_version(const struct word *w, uint64_t *v)
{
	struct cursor c = { w->p, w->p + w->len };
	struct word major = take_until(&c, "."), minor;
	uint64_t a, b;

	if (!take(&c, '.'))
		return false;
	minor = take_until(&c, "");
	if (!parse_u64(&major, &a) || !parse_u64(&minor, &b) || a > 0xff ||
	    b > 0xff)
		return false;
	*v = a << 8 | b;
	return true;
}

/* Up to `nr` numbers with commas between them. */
static bool parse_list(const struct word *w, uint64_t *v, size_t nr)
{
	struct cursor c = { w->p, w->p + w->len };

	for (size_t i = 0; i < nr; i++) {
		struct word item = take_until(&c, ",");

		if (!parse_u64(&item, &v[i]))
			return false;
		if (!take(&c, ','))
			return c.p == c.end;
	}
	return false;
}

static bool parse_ref(const struct word *w, struct pt_part_ref *ref)
{
	static const char *const states[] = {
		[PT_PART_ABSENT] = "absent", [PT_PART_SENT] = "sent",
		[PT_PART_LONG] = "long", [PT_PART_UNREAD] = "unread",
		[PT_PART_BAD] = "bad",
	};
	static const struct field_words words = { states, ARRAY_LEN(states) };
	struct cursor c = { w->p, w->p + w->len };
	struct word state = take_until(&c, ","), rest;
	uint64_t v, num[4] = { 0 };

	if (!parse_word(&state, &words, &v) ||
	    !value_put(&ref->state, 1, v))
		return false;
	if (take(&c, ',')) {
		rest = take_until(&c, "");
		if (!parse_list(&rest, num, ARRAY_LEN(num)))
			return false;
	}
	ref->addr = num[3];
	return value_put(&ref->len, sizeof(ref->len), num[0]) &&
	       value_put(&ref->kind, 1, num[1]) &&
	       value_put(&ref->ascii, 1, num[2]);
}

/* ---- strings ------------------------------------------------------------ */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = fold(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What follows a backslash: its byte, or -1. */
static int parse_escape(struct cursor *c)
{
	static const char from[] = "nrt0\"\\", to[] = "\n\r\t\0\"\\";
	const char *at;
	int hi, lo;

	if (c->p >= c->end)
		return -1;
	at = strchr(from, *c->p);
	if (at && *c->p) {
		c->p++;
		return (unsigned char)to[at - from];
	}
	if (*c->p != 'x' || c->end - c->p < 3)
		return -1;
	hi = hex_digit(c->p[1]);
	lo = hex_digit(c->p[2]);
	c->p += 3;
	return hi < 0 || lo < 0 ? -1 : hi << 4 | lo;
}

/*
 * A quoted string, appended to `out` without its quotes; its length, or -1.
 * The bytes are those between the quotes, so `out` may overlay nothing.
 */
static long parse_quoted(struct cursor *c, uint8_t *out, size_t room)
{
	size_t len = 0;
	int byte;

	if (!take(c, '"'))
		return -1;
	while (c->p < c->end && *c->p != '"') {
		byte = (unsigned char)*c->p++;
		if (byte == '\\')
			byte = parse_escape(c);
		if (byte < 0 || len == room)
			return -1;
		out[len++] = (uint8_t)byte;
	}
	return take(c, '"') ? (long)len : -1;
}

/* ---- fields ------------------------------------------------------------- */

struct line {
	struct cursor c;
	struct recbuf *b;
	const struct record_type *type;
	uint16_t nr;			/* of the type */
	uint8_t *scratch;		/* as long as the line */
	size_t room;
	size_t strings;			/* given so far */
	bool has_total, has_data;
	struct err *err;
};

static bool set_field(struct line *l, const struct field *f, void *at)
{
	struct word w = { l->c.p, 0 };
	uint64_t v = 0;
	int64_t s = 0;
	long len;

	if (f->style == STYLE_CHARS) {
		len = parse_quoted(&l->c, l->scratch, f->size);
		if (len >= 0)
			memcpy(at, l->scratch, (size_t)len);
		return len >= 0;
	}
	w = take_until(&l->c, " \t\r");
	switch ((enum field_style)f->style) {
	case STYLE_DEC:
	case STYLE_HEX:
		return parse_u64(&w, &v) && value_put(at, f->size, v);
	case STYLE_SIGNED:
		return parse_s64(&w, &s) && value_put_signed(at, f->size, s);
	case STYLE_VERSION:
		return parse_version(&w, &v) && value_put(at, f->size, v);
	case STYLE_WORD:
		return parse_word(&w, f->words, &v) &&
		       value_put(at, f->size, v);
	case STYLE_WORDS6:
		return parse_list(&w, at, 6);
	case STYLE_REF:
		return parse_ref(&w, at);
	case STYLE_CHARS:
		break;
	}
	return false;
}

static const struct field *field_named(const struct field *f,
				       const struct word *name)
{
	for (; f->name; f++)
		if (is(name, f->name))
			return f;
	return NULL;
}

/* ---- what follows the fixed part ---------------------------------------- */

/* Strings come in their order; one that is left out is empty. */
static bool tail_string(struct line *l, const struct word *name)
{
	const struct pt_hdr *rec = (const void *)l->b->bytes;
	const char *const *names = fields_strings(l->nr, rec->flags);
	size_t i = 0, nr = 0;
	long len;

	while (names[nr])
		nr++;
	while (i < nr && !is(name, names[i]))
		i++;
	if (i == nr || (l->strings > i && !(l->type->more && i == nr - 1)))
		return false;
	for (; l->strings < i; l->strings++)
		recbuf_string(l->b, "");
	len = parse_quoted(&l->c, l->scratch, l->room);
	if (len < 0 || memchr(l->scratch, 0, (size_t)len))
		return false;
	recbuf_add(l->b, l->scratch, (size_t)len);
	recbuf_add(l->b, "", 1);
	l->strings++;
	return true;
}

/* CODE@LASTI, and perhaps /FLAGS. */
static bool parse_frame(struct cursor *c, struct pt_frame *frame)
{
	struct word code, lasti, flags = { "0", 1 };
	uint64_t v;
	int64_t s;

	code = take_until(c, "@ \t\r");
	if (!take(c, '@') || !parse_u64(&code, &v))
		return false;
	frame->code = v;
	lasti = take_until(c, "/ \t\r");
	if (take(c, '/'))
		flags = take_until(c, " \t\r");
	return parse_s64(&lasti, &s) &&
	       value_put_signed(&frame->lasti, sizeof(frame->lasti), s) &&
	       parse_u64(&flags, &v) &&
	       value_put(&frame->flags, sizeof(frame->flags), v);
}

static bool tail_frame(struct line *l, const struct word *name)
{
	struct pt_frame frame = { 0 };

	if (!is(name, "frame") || !parse_frame(&l->c, &frame))
		return false;
	recbuf_frame(l->b, &frame);
	return true;
}

/* ADDRESS:CODE@LASTI: `frame` is a field of other records. */
static bool tail_seed(struct line *l, const struct word *name)
{
	struct pt_frame is_at = { 0 };
	struct pt_seed_frame frame = { 0 };
	struct word address;
	uint64_t v;

	if (!is(name, "at"))
		return false;
	address = take_until(&l->c, ": \t\r");
	if (!take(&l->c, ':') || !parse_u64(&address, &v) ||
	    !parse_frame(&l->c, &is_at))
		return false;
	frame.frame = v;
	frame.code = is_at.code;
	frame.lasti = is_at.lasti;
	frame.flags = is_at.flags;
	recbuf_seed_frame(l->b, &frame);
	return true;
}

static bool tail_data(struct line *l, const struct word *name)
{
	long len;

	if (!is(name, "data") || l->has_data)
		return false;
	len = parse_quoted(&l->c, l->scratch, l->room);
	if (len < 0 || len > UINT16_MAX)
		return false;
	l->has_data = true;
	recbuf_add(l->b, l->scratch, (size_t)len);
	if (l->b->failed)
		return true;
	if (l->nr == PT_PART)
		((struct pt_part *)(void *)l->b->bytes)->nr = (pt_u16)len;
	else
		((struct pt_tracepoint *)(void *)l->b->bytes)->nr = (pt_u16)len;
	return true;
}

static bool tail_arg(struct line *l, const struct word *name)
{
	struct pt_arg arg = { 0 };
	struct word index, kind, total;
	uint64_t i, k, n = 0;
	long len;

	if (!is(name, "arg"))
		return false;
	index = take_until(&l->c, ":");
	take(&l->c, ':');
	kind = take_until(&l->c, ":/");
	if (take(&l->c, '/')) {
		total = take_until(&l->c, ":");
		if (!parse_u64(&total, &n))
			return false;
	}
	if (!take(&l->c, ':') || !parse_u64(&index, &i) ||
	    !parse_word(&kind, &words_arg_kind, &k))
		return false;
	len = parse_quoted(&l->c, l->scratch, l->room);
	if (len < 0 || len > UINT16_MAX || !value_put(&arg.index, 1, i) ||
	    !value_put(&arg.kind, 1, k) ||
	    !value_put(&arg.total, sizeof(arg.total), n))
		return false;
	arg.len = (pt_u16)len;
	recbuf_arg(l->b, &arg, l->scratch);
	return true;
}

static bool set_tail(struct line *l, const struct word *name)
{
	switch ((enum record_tail)l->type->tail) {
	case TAIL_NONE:
		return false;
	case TAIL_STRINGS:
		return tail_string(l, name);
	case TAIL_FRAMES:
		return tail_frame(l, name);
	case TAIL_BYTES:
	case TAIL_DATA:
		return tail_data(l, name);
	case TAIL_ARGS:
		return tail_arg(l, name);
	case TAIL_SEED:
		return tail_seed(l, name);
	}
	return false;
}

/* What a line may leave out and a record may not. */
static void complete(struct line *l)
{
	struct pt_part *part;

	for (; l->strings < l->type->strings; l->strings++)
		recbuf_string(l->b, "");
	if (l->nr == PT_PART && !l->has_total && !l->b->failed) {
		part = (void *)l->b->bytes;
		part->total = part->offset + part->nr;
	}
}

/* ---- lines -------------------------------------------------------------- */

static int parse_field(struct line *l)
{
	const struct field *f;
	struct word all = { l->c.p, 0 };
	struct word name = take_until(&l->c, "= \t\r");
	bool ok;

	if (!take(&l->c, '='))
		return bad(l->err, &name, "not a field with a value:");
	f = field_named(fields_of_header, &name);
	if (!f)
		f = field_named(fields_of(l->nr), &name);
	if (l->b->failed)
		return err_set(l->err, -ENOMEM, "record too long");
	if (f) {
		ok = set_field(l, f, l->b->bytes + f->offset);
		l->has_total |= is(&name, "total");
	} else {
		ok = set_tail(l, &name);
	}
	all.len = (size_t)(l->c.p - all.p);
	if (!ok)
		return bad(l->err, &all, "no such field, or a wrong value:");
	if (l->c.p < l->c.end && !strchr(" \t\r", *l->c.p))
		return bad(l->err, &all, "something is stuck to the end of");
	return 0;
}

static int parse_start(struct line *l)
{
	struct word t = take_until(&l->c, " \t\r"), type;
	struct pt_hdr *rec;
	uint64_t when;

	if (!parse_u64(&t, &when))
		return bad(l->err, &t, "not a time in nanoseconds:");
	skip_blanks(&l->c);
	type = take_until(&l->c, " \t\r");
	for (uint16_t nr = 1; nr < PT_TYPE_END && !l->type; nr++) {
		const struct record_type *row = record_type(nr);

		if (row && is(&type, row->name)) {
			l->type = row;
			l->nr = nr;
		}
	}
	if (!l->type)
		return bad(l->err, &type, "no record is called");
	rec = recbuf_begin(l->b, (enum pt_type)l->nr);
	if (!rec)
		return err_set(l->err, -ENOMEM, "out of memory");
	rec->t = when;
	return 0;
}

static int parse_fields(struct line *l, const struct pt_hdr **rec)
{
	int rc = parse_start(l);

	while (!rc) {
		skip_blanks(&l->c);
		if (l->c.p == l->c.end || *l->c.p == '#')
			break;
		rc = parse_field(l);
	}
	if (rc)
		return rc;
	complete(l);
	*rec = recbuf_end(l->b);
	if (!*rec)
		return err_kind(l->err, ERR_INPUT, -EFBIG,
				"the record would be too long");
	rc = record_check(*rec, l->b->len, rec, l->err);
	return rc ? rc : 1;
}

int text_parse(const char *line, size_t len, struct recbuf *b,
	       const struct pt_hdr **rec, struct err *err)
{
	struct line l = {
		.c = { line, line + len },
		.b = b,
		.room = len,
		.err = err,
	};
	int rc;

	skip_blanks(&l.c);
	if (l.c.p == l.c.end || *l.c.p == '#')
		return 0;
	l.scratch = malloc(len + 1);
	if (!l.scratch)
		return err_set(err, -ENOMEM, "out of memory");
	rc = parse_fields(&l, rec);
	free(l.scratch);
	return rc;
}
