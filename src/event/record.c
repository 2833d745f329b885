/* SPDX-License-Identifier: MIT */
/* record: bytes from outside become records here, or do not. */
#include "event/record.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>

#include "base/rd.h"

#define WORD 8

static const struct record_type types[] = {
	[PT_META] = { "meta", sizeof(struct pt_meta), TAIL_STRINGS, 3, true },
	[PT_PROCESS] = { "process", sizeof(struct pt_process), TAIL_STRINGS, 4,
			 true },
	[PT_THREAD] = { .name = "thread", .size = sizeof(struct pt_thread) },
	[PT_FORK] = { .name = "fork", .size = sizeof(struct pt_fork) },
	[PT_EXEC] = { "exec", sizeof(struct pt_exec), TAIL_STRINGS, 1, false },
	[PT_EXIT] = { .name = "exit", .size = sizeof(struct pt_exit) },
	[PT_CODE] = { .name = "code", .size = sizeof(struct pt_code) },
	[PT_PART] = { "part", sizeof(struct pt_part), TAIL_BYTES, 0, false },
	[PT_STACK] = { "stack", sizeof(struct pt_stack), TAIL_FRAMES, 0,
		       false },
	[PT_SYSCALL] = { "syscall", sizeof(struct pt_syscall), TAIL_ARGS, 0,
			 false },
	[PT_MAPPED] = { .name = "mapped", .size = sizeof(struct pt_mapped) },
	[PT_LOST] = { .name = "lost", .size = sizeof(struct pt_lost) },
	[PT_END] = { .name = "end", .size = sizeof(struct pt_end) },
	[PT_BEGIN] = { .name = "begin", .size = sizeof(struct pt_begin) },
	[PT_FAULT] = { .name = "fault", .size = sizeof(struct pt_fault) },
	[PT_OFFCPU] = { .name = "offcpu", .size = sizeof(struct pt_offcpu) },
	[PT_SAMPLE] = { .name = "sample", .size = sizeof(struct pt_sample) },
	[PT_GIL] = { .name = "gil", .size = sizeof(struct pt_gil) },
	[PT_CPUSTAT] = { "cpustat", sizeof(struct pt_cpustat), TAIL_STRINGS, 1,
			 false },
	[PT_NAMED] = { "named", sizeof(struct pt_named), TAIL_STRINGS, 1, true },
	[PT_TRACEPOINT] = { "tracepoint", sizeof(struct pt_tracepoint),
			    TAIL_DATA, 0, false },
	[PT_SHED] = { .name = "shed", .size = sizeof(struct pt_shed) },
	[PT_CALL] = { .name = "call", .size = sizeof(struct pt_call) },
	[PT_RETURN] = { .name = "return", .size = sizeof(struct pt_return) },
	[PT_KSTACK] = { "kstack", sizeof(struct pt_kstack), TAIL_STRINGS, 0,
			true },
	[PT_SEED] = { "seed", sizeof(struct pt_seed), TAIL_SEED, 0, false },
};

/* struct pt_event is how each of them begins. */
#define BEGINS_AS_EVENT(type)						\
	_Static_assert(offsetof(struct type, dur) ==			\
		       offsetof(struct pt_event, dur) &&		\
		       offsetof(struct type, stack) ==			\
		       offsetof(struct pt_event, stack) &&		\
		       offsetof(struct type, ip) ==			\
		       offsetof(struct pt_event, ip), "fields of " #type)
BEGINS_AS_EVENT(pt_syscall);
BEGINS_AS_EVENT(pt_fault);
BEGINS_AS_EVENT(pt_offcpu);
BEGINS_AS_EVENT(pt_sample);
BEGINS_AS_EVENT(pt_tracepoint);

_Static_assert(ARRAY_LEN(types) == PT_TYPE_END, "a type without a row");

const struct record_type *record_type(uint16_t type)
{
	if (type >= ARRAY_LEN(types) || !types[type].name)
		return NULL;
	return &types[type];
}

const struct pt_event *record_event(const struct pt_hdr *rec)
{
	switch (rec->type) {
	case PT_SYSCALL:
	case PT_FAULT:
	case PT_OFFCPU:
	case PT_SAMPLE:
	case PT_TRACEPOINT:
		return (const void *)rec;
	default:
		return NULL;
	}
}

uint8_t record_why(const struct pt_hdr *rec)
{
	switch (rec->type) {
	case PT_SYSCALL:
		return ((const struct pt_syscall *)(const void *)rec)->why;
	case PT_FAULT:
		return ((const struct pt_fault *)(const void *)rec)->why;
	case PT_OFFCPU:
		return ((const struct pt_offcpu *)(const void *)rec)->why;
	case PT_SAMPLE:
		return ((const struct pt_sample *)(const void *)rec)->why;
	case PT_TRACEPOINT:
		return ((const struct pt_tracepoint *)(const void *)rec)->why;
	default:
		return PT_WHY_NONE;
	}
}

static size_t to_word(size_t len)
{
	return (len + WORD - 1) & ~(size_t)(WORD - 1);
}

static struct rd tail_of(const struct pt_hdr *rec)
{
	size_t fixed = types[rec->type].size;

	return rd_over((const uint8_t *)rec + fixed, rec->size - fixed);
}

/* Is what is left of a tail nothing but the NULs up to a whole word? */
static bool is_padding(const struct rd *r)
{
	static const uint8_t nuls[WORD];

	return rd_left(r) < WORD && !memcmp(r->p, nuls, rd_left(r));
}

/*
 * String number `i`, or NULL behind the last.  Where any number may follow the
 * first ones, empty strings at the very end cannot be told from padding; they
 * are taken as padding.
 */
static const char *string_at(const struct pt_hdr *rec, size_t i,
			     struct rd *rest)
{
	const struct record_type *type = &types[rec->type];
	struct rd r = tail_of(rec);
	const char *s = NULL;

	for (size_t n = 0; n <= i; n++) {
		if (n >= type->strings && (!type->more || is_padding(&r))) {
			s = NULL;
			break;
		}
		s = rd_str(&r);
		if (!s)
			break;
	}
	*rest = r;
	return s;
}

const char *record_string(const struct pt_hdr *rec, size_t i)
{
	struct rd rest;

	if (types[rec->type].tail != TAIL_STRINGS)
		return NULL;
	return string_at(rec, i, &rest);
}

static bool strings_fit(const struct pt_hdr *rec)
{
	struct rd rest;

	string_at(rec, SIZE_MAX - 1, &rest);
	return !rest.bad && rd_left(&rest) < WORD;
}

static bool frames_fit(const struct pt_hdr *rec)
{
	const struct pt_stack *st = (const void *)rec;

	return st->nr <= PT_MAX_FRAMES &&
	       rec->size == sizeof(*st) + st->nr * sizeof(struct pt_frame);
}

static bool seed_fits(const struct pt_hdr *rec)
{
	const struct pt_seed *seed = (const void *)rec;

	return seed->nr <= PT_MAX_SEED &&
	       rec->size == sizeof(*seed) +
			    seed->nr * sizeof(struct pt_seed_frame);
}

static bool part_fits(const struct pt_hdr *rec)
{
	const struct pt_part *part = (const void *)rec;

	return part->part < PT_NR_PARTS &&
	       (uint64_t)part->offset + part->nr <= part->total &&
	       rec->size == sizeof(*part) + to_word(part->nr);
}

static bool data_fit(const struct pt_hdr *rec)
{
	const struct pt_tracepoint *tp = (const void *)rec;

	return rec->size == sizeof(*tp) + to_word(tp->nr);
}

static bool args_fit(const struct pt_hdr *rec)
{
	const struct pt_syscall *sys = (const void *)rec;
	struct rd r = tail_of(rec);

	for (unsigned int i = 0; i < sys->nr_args && !r.bad; i++) {
		const struct pt_arg *arg = rd_take(&r, sizeof(*arg));

		if (!arg || arg->index >= ARRAY_LEN(sys->args))
			return false;
		rd_take(&r, to_word(arg->len));
	}
	return !r.bad && !rd_left(&r);
}

static bool tail_fits(const struct pt_hdr *rec)
{
	const struct record_type *type = &types[rec->type];

	switch ((enum record_tail)type->tail) {
	case TAIL_NONE:
		return rec->size == type->size;
	case TAIL_STRINGS:
		return strings_fit(rec);
	case TAIL_FRAMES:
		return frames_fit(rec);
	case TAIL_BYTES:
		return part_fits(rec);
	case TAIL_ARGS:
		return args_fit(rec);
	case TAIL_DATA:
		return data_fit(rec);
	case TAIL_SEED:
		return seed_fits(rec);
	}
	return false;
}

int record_check(const void *bytes, size_t len, const struct pt_hdr **out,
		 struct err *err)
{
	const struct pt_hdr *rec = bytes;
	const struct record_type *type;

	assert((uintptr_t)bytes % WORD == 0);
	if (len < sizeof(*rec))
		return err_kind(err, ERR_INPUT, -ENODATA, "record is cut short");
	type = record_type(rec->type);
	if (!type)
		return err_kind(err, ERR_INPUT, -EBADMSG,
				"no record has type %u", rec->type);
	if (rec->size < type->size || rec->size % WORD ||
	    rec->size > RECORD_MAX)
		return err_kind(err, ERR_INPUT, -EBADMSG,
				"a %s record cannot have %" PRIu32 " bytes",
				type->name, rec->size);
	if (rec->size > len)
		return err_kind(err, ERR_INPUT, -ENODATA,
				"a %s record is cut short", type->name);
	if (!tail_fits(rec))
		return err_kind(err, ERR_INPUT, -EBADMSG,
				"what follows in a %s record does not fit it",
				type->name);
	*out = rec;
	return 0;
}

const struct pt_arg *record_next_arg(const struct pt_syscall *sys,
				     const struct pt_arg *arg)
{
	const uint8_t *end = (const uint8_t *)sys + sys->h.size;
	const uint8_t *next;

	if (arg)
		next = record_arg_bytes(arg) + to_word(arg->len);
	else
		next = (const uint8_t *)(sys + 1);
	return next < end ? (const void *)next : NULL;
}

const struct pt_arg *record_arg(const struct pt_syscall *sys, uint8_t index,
				enum pt_arg_kind kind)
{
	const struct pt_arg *arg = NULL;

	while ((arg = record_next_arg(sys, arg)))
		if (arg->index == index && arg->kind == kind)
			return arg;
	return NULL;
}

/* ---- making one ------------------------------------------------------- */

void recbuf_free(struct recbuf *b)
{
	free(b->bytes);
	*b = (struct recbuf){ 0 };
}

/* Room for `len` more bytes, zeroed. */
static void *grow(struct recbuf *b, size_t len)
{
	size_t cap = b->cap ? b->cap : 512;
	uint8_t *bytes = b->bytes;

	if (b->failed || len > RECORD_MAX - b->len) {
		b->failed = true;
		return NULL;
	}
	while (cap < b->len + len)
		cap *= 2;
	if (cap != b->cap)
		bytes = realloc(b->bytes, cap);
	if (!bytes) {
		b->failed = true;
		return NULL;
	}
	b->bytes = bytes;
	b->cap = cap;
	bytes += b->len;
	b->len += len;
	memset(bytes, 0, len);
	return bytes;
}

void *recbuf_begin(struct recbuf *b, enum pt_type type)
{
	struct pt_hdr *rec;

	b->len = 0;
	b->failed = false;
	rec = grow(b, types[type].size);
	if (rec)
		rec->type = (pt_u16)type;
	return rec;
}

void recbuf_add(struct recbuf *b, const void *bytes, size_t len)
{
	void *to = grow(b, len);

	if (to && len)
		memcpy(to, bytes, len);
}

void recbuf_string(struct recbuf *b, const char *s)
{
	if (!s)
		s = "";
	recbuf_add(b, s, strlen(s) + 1);
}

void recbuf_frame(struct recbuf *b, const struct pt_frame *frame)
{
	recbuf_add(b, frame, sizeof(*frame));
	if (!b->failed)
		((struct pt_stack *)(void *)b->bytes)->nr++;
}

void recbuf_seed_frame(struct recbuf *b, const struct pt_seed_frame *frame)
{
	recbuf_add(b, frame, sizeof(*frame));
	if (!b->failed)
		((struct pt_seed *)(void *)b->bytes)->nr++;
}

void recbuf_arg(struct recbuf *b, const struct pt_arg *arg, const void *bytes)
{
	struct pt_syscall *sys;

	recbuf_add(b, arg, sizeof(*arg));
	recbuf_add(b, bytes, arg->len);
	grow(b, to_word(arg->len) - arg->len);
	if (b->failed)
		return;
	sys = (void *)b->bytes;
	if (sys->nr_args == UINT8_MAX)
		b->failed = true;
	else
		sys->nr_args++;
}

const struct pt_hdr *recbuf_end(struct recbuf *b)
{
	struct pt_hdr *rec;

	grow(b, to_word(b->len) - b->len);
	if (b->failed)
		return NULL;
	rec = (void *)b->bytes;
	rec->size = (pt_u32)b->len;
	return rec;
}
