/* SPDX-License-Identifier: MIT */
/* rnd_records: records of any type whose fields are anything. */
#ifndef PT_RND_RECORDS_H
#define PT_RND_RECORDS_H

#include "event/record.h"
#include "event/text_fields.h"

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t rnd(void)		/* xorshift64 */
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* One of the types that there are: some numbers have none. */
static uint16_t type_of(uint64_t i)
{
	uint16_t type = (uint16_t)(1 + i % (PT_TYPE_END - 1));

	while (!record_type(type))
		type = (uint16_t)(type % (PT_TYPE_END - 1) + 1);
	return type;
}

/* Often 0, often small, sometimes anything. */
static uint64_t rnd_value(void)
{
	uint64_t v = rnd();

	switch (v & 3) {
	case 0:
		return 0;
	case 1:
		return v >> 60;
	default:
		return v >> (v >> 2 & 63);
	}
}

static void rnd_bytes(uint8_t *to, size_t len)
{
	for (size_t i = 0; i < len; i++)
		to[i] = (uint8_t)(rnd() >> 32);
}

/* Every named field anything; reserved ones stay 0. */
static void rnd_fields(uint8_t *rec, const struct field *f)
{
	for (; f->name; f++) {
		uint64_t v = rnd_value();
		struct pt_part_ref ref = {
			.addr = v, .len = (uint32_t)rnd_value(),
			.kind = (uint8_t)rnd(), .ascii = (uint8_t)rnd_value(),
			.state = (uint8_t)rnd_value(),
		};

		if (f->style == STYLE_REF)
			memcpy(rec + f->offset, &ref, sizeof(ref));
		else if (f->size > 8)
			for (size_t i = 0; i < f->size; i++)
				rec[f->offset + i] = (uint8_t)(rnd_value());
		else
			memcpy(rec + f->offset, &v, f->size);
	}
}

static void rnd_string(struct recbuf *b)
{
	char s[40];
	size_t len = rnd() % sizeof(s);

	for (size_t i = 0; i < len; i++)
		s[i] = (char)(1 + rnd() % 255);
	recbuf_add(b, s, len);
	recbuf_add(b, "", 1);
}

static void rnd_tail(struct recbuf *b, uint16_t nr)
{
	const struct record_type *type = record_type(nr);
	uint8_t bytes[300];
	size_t many = rnd() % 6;

	rnd_bytes(bytes, sizeof(bytes));
	switch ((enum record_tail)type->tail) {
	case TAIL_NONE:
		break;
	case TAIL_STRINGS:
		for (size_t i = 0; i < type->strings; i++)
			rnd_string(b);
		for (size_t i = 0; type->more && i < many; i++)
			rnd_string(b);
		break;
	case TAIL_FRAMES:
		for (size_t i = 0; i < many * many; i++) {
			struct pt_frame frame = {
				.code = rnd_value(), .lasti = (int32_t)rnd(),
				.flags = (uint32_t)rnd_value(),
			};

			recbuf_frame(b, &frame);
		}
		break;
	case TAIL_SEED:
		for (size_t i = 0; i < many * many; i++) {
			struct pt_seed_frame frame = {
				.frame = rnd_value(), .code = rnd_value(),
				.lasti = (int32_t)rnd(),
				.flags = (uint32_t)rnd_value(),
			};

			recbuf_seed_frame(b, &frame);
		}
		break;
	case TAIL_BYTES: {
		struct pt_part *part = (void *)b->bytes;

		part->part %= PT_NR_PARTS;
		part->nr = (uint16_t)(rnd() % sizeof(bytes));
		part->offset %= 1000000;
		part->total = part->offset + part->nr + (uint32_t)many;
		recbuf_add(b, bytes, part->nr);
		break;
	}
	case TAIL_DATA: {
		struct pt_tracepoint *tp = (void *)b->bytes;

		tp->nr = (uint16_t)(rnd() % sizeof(bytes));
		recbuf_add(b, bytes, tp->nr);
		break;
	}
	case TAIL_ARGS:
		for (size_t i = 0; i < many; i++) {
			struct pt_arg arg = {
				.index = (uint8_t)(rnd() % 6),
				.kind = (uint8_t)rnd_value(),
				.len = (uint16_t)(rnd() % sizeof(bytes)),
				.total = (uint32_t)rnd_value(),
			};

			recbuf_arg(b, &arg, bytes);
		}
		break;
	}
}

/* One of that type; NULL without memory. */
static const struct pt_hdr *rnd_record(struct recbuf *b, uint16_t type)
{
	struct pt_hdr *h = recbuf_begin(b, (enum pt_type)type);

	assert_non_null(h);
	h->t = rnd_value();
	rnd_fields(b->bytes, fields_of_header);
	rnd_fields(b->bytes, fields_of(type));
	rnd_tail(b, type);
	return recbuf_end(b);
}

#endif /* PT_RND_RECORDS_H */
