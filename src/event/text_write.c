/* SPDX-License-Identifier: MIT */
/* text_write: a record as a line. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

#include "event/text.h"
#include "event/text_fields.h"
#include "event/text_value.h"

/* All bytes but printable ASCII are escaped: lines may go to a terminal. */
static void put_quoted(FILE *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	putc('"', out);
	for (size_t i = 0; i < len; i++) {
		if (p[i] == '"' || p[i] == '\\')
			fprintf(out, "\\%c", p[i]);
		else if (p[i] == '\n')
			fputs("\\n", out);
		else if (p[i] < ' ' || p[i] > '~')
			fprintf(out, "\\x%02x", p[i]);
		else
			putc(p[i], out);
	}
	putc('"', out);
}

static void put_word(FILE *out, uint64_t v, const struct field_words *words)
{
	if (v >= words->nr || !words->name[v]) {
		fprintf(out, "%" PRIu64, v);
		return;
	}
	for (const char *s = words->name[v]; *s; s++)
		putc(*s == '_' ? '-' : tolower((unsigned char)*s), out);
}

/* Numbers with commas between them; zeros at the end are left out. */
static void put_list(FILE *out, const uint64_t *v, size_t nr)
{
	while (nr > 1 && !v[nr - 1])
		nr--;
	for (size_t i = 0; i < nr; i++)
		fprintf(out, v[i] < 10 ? "%s%" PRIu64 : "%s0x%" PRIx64,
			i ? "," : "", v[i]);
}

static void put_ref(FILE *out, const struct pt_part_ref *ref)
{
	static const char *const states[] = {
		[PT_PART_ABSENT] = "absent", [PT_PART_SENT] = "sent",
		[PT_PART_LONG] = "long", [PT_PART_UNREAD] = "unread",
		[PT_PART_BAD] = "bad",
	};
	static const struct field_words words = { states, ARRAY_LEN(states) };

	put_word(out, ref->state, &words);
	fprintf(out, ",%" PRIu32 ",%u,%u", ref->len, ref->kind, ref->ascii);
	if (ref->addr)
		fprintf(out, ",0x%" PRIx64, (uint64_t)ref->addr);
}

static size_t chars_len(const char *chars, size_t size)
{
	while (size && !chars[size - 1])
		size--;
	return size;
}

static void put_value(FILE *out, const struct field *f, const void *at)
{
	uint64_t v = f->size <= 8 ? value_get(at, f->size) : 0;

	switch ((enum field_style)f->style) {
	case STYLE_DEC:
		fprintf(out, "%" PRIu64, v);
		break;
	case STYLE_SIGNED:
		fprintf(out, "%" PRId64, value_signed(at, f->size));
		break;
	case STYLE_HEX:
		fprintf(out, "0x%" PRIx64, v);
		break;
	case STYLE_VERSION:
		fprintf(out, "%" PRIu64 ".%" PRIu64, v >> 8, v & 0xff);
		break;
	case STYLE_WORD:
		put_word(out, v, f->words);
		break;
	case STYLE_CHARS:
		put_quoted(out, at, chars_len(at, f->size));
		break;
	case STYLE_WORDS6:
		put_list(out, at, 6);
		break;
	case STYLE_REF:
		put_ref(out, at);
		break;
	}
}

static bool all_zero(const uint8_t *p, size_t size)
{
	while (size && !p[size - 1])
		size--;
	return !size;
}

static void put_fields(FILE *out, const struct field *f, const void *rec)
{
	for (; f->name; f++) {
		const uint8_t *at = (const uint8_t *)rec + f->offset;

		if (all_zero(at, f->size))
			continue;
		fprintf(out, " %s=", f->name);
		put_value(out, f, at);
	}
}

static void put_strings(FILE *out, const struct pt_hdr *rec)
{
	const char *const *name = fields_strings(rec->type, rec->flags);
	const char *s;

	for (size_t i = 0; (s = record_string(rec, i)); i++) {
		fprintf(out, " %s=", *name);
		put_quoted(out, s, strlen(s));
		if (name[1])
			name++;
	}
}

static void put_frames(FILE *out, const struct pt_stack *st)
{
	const struct pt_frame *frame = record_frames(st);

	for (uint32_t i = 0; i < st->nr; i++, frame++) {
		fprintf(out, " frame=0x%" PRIx64 "@%" PRId32,
			(uint64_t)frame->code, frame->lasti);
		if (frame->flags)
			fprintf(out, "/0x%" PRIx32, frame->flags);
	}
}

static void put_seed(FILE *out, const struct pt_seed *seed)
{
	const struct pt_seed_frame *frame = record_seed_frames(seed);

	for (uint32_t i = 0; i < seed->nr; i++, frame++) {
		fprintf(out, " at=0x%" PRIx64 ":0x%" PRIx64 "@%" PRId32,
			(uint64_t)frame->frame, (uint64_t)frame->code,
			frame->lasti);
		if (frame->flags)
			fprintf(out, "/0x%" PRIx32, frame->flags);
	}
}

static void put_args(FILE *out, const struct pt_syscall *sys)
{
	const struct pt_arg *arg = NULL;

	while ((arg = record_next_arg(sys, arg))) {
		fprintf(out, " arg=%u:", arg->index);
		put_word(out, arg->kind, &words_arg_kind);
		if (arg->total)
			fprintf(out, "/%" PRIu32, arg->total);
		putc(':', out);
		put_quoted(out, record_arg_bytes(arg), arg->len);
	}
}

static void put_tail(FILE *out, const struct pt_hdr *rec)
{
	const struct pt_tracepoint *tp = (const void *)rec;
	const struct pt_part *part = (const void *)rec;

	switch ((enum record_tail)record_type(rec->type)->tail) {
	case TAIL_NONE:
		break;
	case TAIL_STRINGS:
		put_strings(out, rec);
		break;
	case TAIL_FRAMES:
		put_frames(out, (const void *)rec);
		break;
	case TAIL_BYTES:
		fputs(" data=", out);
		put_quoted(out, record_part_bytes(part), part->nr);
		break;
	case TAIL_SEED:
		put_seed(out, (const void *)rec);
		break;
	case TAIL_ARGS:
		put_args(out, (const void *)rec);
		break;
	case TAIL_DATA:
		fputs(" data=", out);
		put_quoted(out, record_data(tp), tp->nr);
		break;
	}
}

int text_write(FILE *out, const struct pt_hdr *rec)
{
	fprintf(out, "%" PRIu64 " %s", (uint64_t)rec->t,
		record_type(rec->type)->name);
	put_fields(out, fields_of_header, rec);
	put_fields(out, fields_of(rec->type), rec);
	put_tail(out, rec);
	putc('\n', out);
	return ferror(out) ? -EIO : 0;
}
