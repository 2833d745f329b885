/* SPDX-License-Identifier: MIT */
/*
 * views: whatever the records, JSON is JSON, an object a line, and text does
 * nothing to a terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <yajl/yajl_parse.h>

#include "base/printable.h"
#include "report/json.h"
#include "report/trace.h"
#include "rnd_records.h"

#define ROUNDS 40000

struct output {
	char *text;
	size_t len;
	FILE *f;
};

static void open_output(struct output *o)
{
	o->f = open_memstream(&o->text, &o->len);
	assert_non_null(o->f);
}

/* What has been written since the last time. */
static const char *written(struct output *o, size_t *len)
{
	fflush(o->f);
	*len = o->len;
	rewind(o->f);
	return o->text;
}

static void close_output(struct output *o)
{
	fclose(o->f);
	free(o->text);
}

/* ---- records that know each other ----------------------------------------- */

static void narrow_event(struct pt_event *ev)
{
	struct pt_offcpu *off = (void *)ev;

	ev->stack = PT_STACK_FIRST - 1 + rnd() % 4;
	if (ev->h.type != PT_OFFCPU)
		return;
	off->waker_stack = PT_STACK_FIRST - 1 + rnd() % 4;
	off->waker_tid %= 4;
	off->waker %= 5;
	off->reason %= 6;
	off->abi %= 4;
	off->nr %= 512;
	off->socket.family %= 16;
}

/* Few ids, so that what is referred to is often there. */
static void narrow(struct pt_hdr *rec)
{
	struct pt_stack *st = (void *)rec;
	struct pt_frame *frames = (void *)(st + 1);

	rec->proc %= 4;
	rec->tid %= 4;
	if (rec->type == PT_CODE)
		((struct pt_code *)(void *)rec)->code %= 4;
	if (rec->type == PT_PART)
		((struct pt_part *)(void *)rec)->code %= 4;
	if (rec->type == PT_STACK) {
		st->stack = PT_STACK_FIRST + rnd() % 3;
		for (uint32_t i = 0; i < st->nr; i++)
			frames[i].code %= 4;
	}
	if (rec->type == PT_SYSCALL) {
		((struct pt_syscall *)(void *)rec)->nr %= 512;
		((struct pt_syscall *)(void *)rec)->abi %= 4;
	}
	if (record_event(rec))
		narrow_event((void *)rec);
}

/* Each type in turn, through `each`. */
static void for_any_records(void (*each)(const struct moment *m,
					 const struct engine_totals *totals,
					 void *arg), void *arg)
{
	struct engine *engine = NULL;
	struct recbuf b = { 0 };

	assert_int_equal(engine_new(&engine, NULL, NULL), 0);
	for (int i = 0; i < ROUNDS; i++) {
		uint16_t type = type_of((uint64_t)i);
		const struct pt_hdr *rec = rnd_record(&b, type);
		struct moment m;

		assert_non_null(rec);
		narrow((void *)b.bytes);
		assert_int_equal(record_check(rec, b.len, &rec, NULL), 0);
		assert_int_equal(engine_feed(engine, rec, &m, NULL), 0);
		each(&m, engine_totals(engine), arg);
	}
	engine_free(engine);
	recbuf_free(&b);
}

/* ---- JSON ----------------------------------------------------------------- */

struct json_check {
	struct output out;
	struct json *json;
	uint32_t objects[PT_TYPE_END];
};

static void check_json(const struct moment *m,
		       const struct engine_totals *totals, void *arg)
{
	yajl_handle parser = yajl_alloc(NULL, NULL, NULL);
	struct json_check *c = arg;
	const char *text;
	size_t len;

	assert_non_null(parser);
	assert_int_equal(json_moment(c->json, m, totals, NULL), 0);
	text = written(&c->out, &len);
	if (len) {
		c->objects[m->rec->type]++;
		assert_ptr_equal(memchr(text, '\n', len), text + len - 1);
		assert_int_equal(yajl_parse(parser,
					    (const unsigned char *)text, len),
				 yajl_status_ok);
		assert_int_equal(yajl_complete_parse(parser), yajl_status_ok);
	}
	yajl_free(parser);
}

static void json_is_json(void **state)
{
	const struct json_opts private = { .no_paths = true,
					   .no_stacks = true };

	(void)state;
	for (int hidden = 0; hidden < 2; hidden++) {
		struct json_check c = { 0 };

		open_output(&c.out);
		assert_int_equal(json_new(&c.json, c.out.f,
					  hidden ? &private : NULL, NULL), 0);
		for_any_records(check_json, &c);
		/* definitions have none, all others have one each */
		for (uint16_t i = 1; i < PT_TYPE_END; i++)
			assert_int_equal(c.objects[i] >= ROUNDS / PT_TYPE_END,
					 record_type(i) && i != PT_CODE && i != PT_PART &&
					 i != PT_STACK && i != PT_MAPPED &&
					 i != PT_KSTACK &&
					 (i < PT_CALL || i > PT_SEED));
		json_free(c.json);
		close_output(&c.out);
	}
}

/* ---- text ----------------------------------------------------------------- */

struct text_check {
	struct output out;
	struct trace *trace;
	uint32_t lines[PT_TYPE_END];
};

/* Well-formed UTF-8 that prints as it is, but for the ends of lines. */
static void check_harmless(const char *text, size_t len)
{
	for (size_t at = 0, n; at < len; at += n) {
		uint32_t c = 0;

		n = utf8_char(text + at, len - at, &c);
		assert_true(n);
		if (c != '\n')
			assert_int_equal(printable_put(NULL, text + at, n), 1);
	}
}

static void check_text(const struct moment *m,
		       const struct engine_totals *totals, void *arg)
{
	struct text_check *c = arg;
	const char *text;
	size_t len;

	(void)totals;
	assert_int_equal(trace_moment(c->trace, m, NULL), 0);
	text = written(&c->out, &len);
	if (!len)
		return;
	c->lines[m->rec->type]++;
	assert_int_equal(text[len - 1], '\n');
	check_harmless(text, len);
}

static void text_is_harmless(void **state)
{
	const struct trace_opts whole = { .whole_stacks = true,
					  .lasti = true };

	(void)state;
	for (int all = 0; all < 2; all++) {
		struct text_check c = { 0 };

		open_output(&c.out);
		assert_int_equal(trace_new(&c.trace, c.out.f,
					   all ? &whole : NULL, NULL), 0);
		for_any_records(check_text, &c);
		assert_true(c.lines[PT_SYSCALL] && c.lines[PT_FAULT] &&
			    c.lines[PT_OFFCPU] && c.lines[PT_SAMPLE]);
		trace_free(c.trace);
		close_output(&c.out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_is_json),
		cmocka_unit_test(text_is_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
