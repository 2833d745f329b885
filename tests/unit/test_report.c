/* SPDX-License-Identifier: MIT */
/* report: filters, deep stacks, streams that refuse; the rest is in golden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "event/record.h"
#include "event/text.h"
#include "report/filter.h"
#include "report/json.h"
#include "report/trace.h"

static struct engine *engine;
static struct recbuf line_buf;

static struct moment feed(const char *line)
{
	const struct pt_hdr *rec = NULL;
	struct err err = { 0 };
	struct moment m;

	if (text_parse(line, strlen(line), &line_buf, &rec, &err) != 1)
		fail_msg("%s: %s", line, err.text);
	assert_int_equal(engine_feed(engine, rec, &m, &err), 0);
	return m;
}

static void define(unsigned int code, const char *func, const char *file)
{
	char line[300];

	snprintf(line, sizeof(line), "1 part code=%u part=name data=\"%s\"",
		 code, func);
	feed(line);
	snprintf(line, sizeof(line), "1 part code=%u part=filename data=\"%s\"",
		 code, file);
	feed(line);
	snprintf(line, sizeof(line), "1 code code=%u version=3.9 firstline=1 "
		 "name=sent,%zu,1,1 filename=sent,%zu,1,1 linetable=sent,0,1",
		 code, strlen(func), strlen(file));
	feed(line);
}

static int setup(void **state)
{
	(void)state;
	if (engine_new(&engine, NULL, NULL) < 0)
		return -1;
	define(1, "fetch", "/srv/shop/rates.py");
	define(2, "Cache.get", "/srv/shop/cache.py");
	define(3, "Cache._load.<locals>.inner", "/srv/shop/cache.py");
	define(4, "<module>", "/srv/main.py");
	feed("1 stack stack=0x20 frame=1@0 frame=2@0 frame=4@0");
	feed("1 stack stack=0x21 frame=3@0 frame=4@0");
	feed("1 thread pid=7 tid=7 comm=\"main\"");
	feed("1 thread pid=7 tid=8 comm=\"pool-0_2\"");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	engine_free(engine);
	recbuf_free(&line_buf);
	return 0;
}

/* Which of the two stacks and the unknown one pass: "ab?" are all. */
static const char *passing(const char *const *patterns, bool innermost)
{
	static const char *const events[] = {
		"2 syscall nr=0 stack=0x20", "2 syscall nr=0 stack=0x21",
		"2 syscall nr=0 stack=0x99",
	};
	static char text[8];
	struct filter *f = NULL;
	struct err err = { 0 };
	size_t n = 0;

	assert_int_equal(filter_new(&f, &err), 0);
	for (; *patterns; patterns++)
		assert_int_equal(filter_add_func(f, *patterns, &err), 0);
	if (innermost)
		filter_innermost(f);
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		struct moment m = feed(events[i]);

		if (filter_passes(f, &m))
			text[n++] = "ab?"[i];
	}
	text[n] = '\0';
	assert_int_equal(filter_seen(f), 3);
	assert_int_equal(filter_left_out(f, FILTER_FUNC), 3 - n);
	filter_free(f);
	return text;
}

static void functions(void **state)
{
	static const struct {
		const char *pass;
		bool innermost;
		const char *pattern[4];
	} rows[] = {
		{ "ab?", false, { NULL } },
		{ "a", false, { "fetch" } },
		{ "a", false, { "Cache.get" } },
		{ "a", false, { "get" } },
		{ "", false, { "Cach" } },
		{ "ab", false, { "Cache.*" } },
		{ "b", false, { "inner" } },
		{ "ab", false, { "<module>" } },
		{ "a", false, { "shop/rates.py" } },
		{ "a", false, { "rates.py:fetch" } },
		{ "", false, { "cache.py:fetch" } },
		{ "ab", false, { "shop/*" } },
		{ "ab", false, { "/srv/shop/*" } },
		{ "", false, { "op/*" } },
		{ "ab", false, { "main.py:" } },
		{ "ab", false, { "fetch", "inner" } },
		{ "b?", false, { "!fetch" } },
		{ "b", false, { "<module>", "!fetch" } },
		{ "b", false, { "!fetch", "<module>" } },
		{ "?", false, { "!shop/*" } },
		{ "a", true, { "fetch" } },
		{ "", true, { "Cache.get" } },
		{ "ab?", true, { "!<module>" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(passing(rows[i].pattern,
					    rows[i].innermost), rows[i].pass);
}

static void no_functions(void **state)
{
	static const char *const rows[] = { "99", "", "!", ":" };
	struct filter *f = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(filter_new(&f, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(filter_add_func(f, rows[i], &err), -EINVAL);
		assert_int_equal(err.kind, ERR_USAGE);
	}
	assert_int_equal(filter_add_func(f, "99", &err), -EINVAL);
	assert_string_equal(err.hint, "a sampling rate is -e cpu:99");
	filter_free(f);
}

static void other_conditions(void **state)
{
	static const char *const read_call[] = { "read" };
	struct filter *f = NULL;
	struct err err = { 0 };
	struct moment m;

	(void)state;
	assert_int_equal(filter_new(&f, &err), 0);
	assert_int_equal(eventset_parse(filter_events(f), read_call, 1, EVENTS_ALL, &err), 0);
	filter_errors(f);
	filter_slower(f, 1000);
	assert_int_equal(filter_add_tid(f, 8, &err), 0);
	assert_int_equal(filter_add_thread(f, "pool-*", &err), 0);
	m = feed("2 syscall pid=7 tid=8 nr=0 ret=-5 dur=1000");
	assert_true(filter_passes(f, &m));
	m = feed("2 syscall pid=7 tid=8 nr=1 ret=-5 dur=1000");
	assert_false(filter_passes(f, &m));
	m = feed("2 syscall pid=7 tid=7 nr=0 ret=-5 dur=1000");
	assert_false(filter_passes(f, &m));
	m = feed("2 syscall pid=7 tid=8 nr=0 ret=5 dur=1000");
	assert_false(filter_passes(f, &m));
	m = feed("2 syscall pid=7 tid=8 nr=0 ret=-5 dur=999");
	assert_false(filter_passes(f, &m));
	feed("2 thread pid=7 tid=8 comm=\"other\"");
	m = feed("2 syscall pid=7 tid=8 nr=0 ret=-5 dur=1000");
	assert_false(filter_passes(f, &m));
	m = feed("2 lost count=1");
	assert_true(filter_passes(f, &m));
	assert_int_equal(filter_seen(f), 6);
	for (unsigned int nr = 0; nr < FILTER_NR; nr++)
		assert_int_equal(filter_left_out(f, (enum filter_nr)nr),
				 nr != FILTER_FUNC);
	assert_string_equal(filter_option(FILTER_SLOWER), "--slower");
	filter_free(f);
}

/* Each condition on each kind of event: the letters of those that pass. */
static const char *kinds_passing(void (*condition)(struct filter *f))
{
	static const struct {
		char letter;
		const char *event;
	} rows[] = {
		{ 's', "2 syscall pid=7 tid=8 nr=0 ret=-5 dur=1000 stack=0x20" },
		{ 'f', "2 fault pid=7 tid=8 dur=1000 stack=0x20" },
		{ 'o', "2 offcpu pid=7 tid=8 dur=1000 stack=0x20" },
		{ 'c', "2 sample pid=7 tid=8 dur=1000 stack=0x20" },
		{ 'S', "2 syscall pid=7 tid=7 nr=0 ret=5 dur=999 stack=0x21" },
		{ 'F', "2 fault pid=7 tid=7 stack=0x21" },
		{ 'O', "2 offcpu pid=7 tid=7 dur=999 stack=0x21" },
		{ 'C', "2 sample pid=7 tid=7 dur=2000 stack=0x21" },
		{ '-', "2 gil proc=1 from=1 to=2" },
	};
	static char text[ARRAY_LEN(rows) + 1];
	struct filter *f = NULL;
	size_t n = 0;

	assert_int_equal(filter_new(&f, NULL), 0);
	condition(f);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct moment m = feed(rows[i].event);

		if (filter_passes(f, &m))
			text[n++] = rows[i].letter;
	}
	text[n] = '\0';
	assert_int_equal(filter_seen(f), ARRAY_LEN(rows) - 1);
	filter_free(f);
	return text;
}

static void nothing(struct filter *f)
{
	(void)f;
}

static void of_a_thread(struct filter *f)
{
	assert_int_equal(filter_add_tid(f, 8, NULL), 0);
}

static void of_a_name(struct filter *f)
{
	assert_int_equal(filter_add_thread(f, "pool-*", NULL), 0);
}

static void slower(struct filter *f)
{
	filter_slower(f, 1000);
}

static void with_fetch(struct filter *f)
{
	assert_int_equal(filter_add_func(f, "fetch", NULL), 0);
}

static void without_fetch(struct filter *f)
{
	assert_int_equal(filter_add_func(f, "!fetch", NULL), 0);
}

static void of_a_kind(struct filter *f)
{
	static const char *const words[] = { "faults", "cpu:99" };

	assert_int_equal(eventset_parse(filter_events(f), words, 2,
					EVENTS_SYSCALLS, NULL), 0);
}

static void conditions_hold_for_all_kinds(void **state)
{
	(void)state;
	assert_string_equal(kinds_passing(nothing), "sfocSFOC-");
	assert_string_equal(kinds_passing(of_a_thread), "sfoc-");
	assert_string_equal(kinds_passing(of_a_name), "sfoc-");
	assert_string_equal(kinds_passing(with_fetch), "sfoc-");
	assert_string_equal(kinds_passing(without_fetch), "SFOC-");
	assert_string_equal(kinds_passing(of_a_kind), "fcFC-");
	/* only a call can fail; a sample takes no time */
	assert_string_equal(kinds_passing(filter_errors), "s-");
	assert_string_equal(kinds_passing(slower), "sfo-");
}

/* ---- deep stacks ---------------------------------------------------------- */

static char *trace_of(const struct moment *m, const struct trace_opts *opts)
{
	struct trace *t = NULL;
	struct err err = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(trace_new(&t, out, opts, &err), 0);
	assert_int_equal(trace_moment(t, m, &err), 0);
	trace_free(t);
	fclose(out);
	return text;
}

static struct moment feed_deep(void)
{
	struct pt_frame frame = { .code = 1 };
	struct recbuf b = { 0 };
	struct pt_stack *st = recbuf_begin(&b, PT_STACK);
	const struct pt_hdr *rec;
	struct moment m;

	st->stack = 0x30;
	st->omitted = 1000;
	for (int i = 0; i < PT_MAX_FRAMES; i++) {
		frame.lasti = i;
		recbuf_frame(&b, &frame);
	}
	rec = recbuf_end(&b);
	assert_int_equal(engine_feed(engine, rec, &m, NULL), 0);
	recbuf_free(&b);
	return feed("2 syscall pid=7 tid=7 nr=39 stack=0x30");
}

static void deep_stack_says_what_is_left_out(void **state)
{
	const struct trace_opts opts = { .whole_stacks = true, .lasti = true };
	struct moment m = feed_deep();
	char *text = trace_of(&m, &opts), *left_out;
	unsigned int lines = 0;

	(void)state;
	for (char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 1 + PT_MAX_FRAMES + 1);
	left_out = strstr(text, "[1000 frames left out]\n");
	assert_non_null(left_out);
	/* the last inner one before it, the first outer one behind it */
	assert_null(strstr(left_out, "rates.py:1+447 fetch\n"));
	assert_non_null(strstr(text, "rates.py:1+447 fetch\n"));
	assert_non_null(strstr(left_out, "rates.py:1+448 fetch\n"));
	free(text);
}

static void short_stack_says_what_is_unknown(void **state)
{
	struct moment m;
	char *text;

	(void)state;
	feed("1 stack stack=0x31 why=chain frame=1@0 frame=2@0");
	m = feed("2 syscall pid=7 tid=7 nr=39 stack=0x31 ret=7");
	text = trace_of(&m, NULL);
	assert_string_equal(text, "0.000000 7 main  getpid() = 7 "
			    "<0.000000 s>\n                 "
			    "/srv/shop/rates.py:1 fetch < Cache.get < ? "
			    "(implausible frame chain)\n");
	free(text);
}

static void refusing_streams(void **state)
{
	struct trace *t = NULL;
	struct json *j = NULL;
	struct err err = { 0 };
	FILE *full = fopen("/dev/full", "we");
	struct moment m = feed("2 syscall pid=7 tid=7 nr=39 stack=0x20");

	(void)state;
	if (!full)
		skip();
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(trace_new(&t, full, NULL, &err), 0);
	assert_int_equal(trace_moment(t, &m, &err), -ENOSPC);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_int_equal(json_new(&j, full, NULL, &err), 0);
	assert_true(json_moment(j, &m, NULL, &err) < 0);
	assert_int_equal(err.kind, ERR_OUTPUT);
	json_free(j);
	trace_free(t);
	fclose(full);
}

static void errors_as_objects(void **state)
{
	struct json *j = NULL;
	struct err what = { 0 }, err = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	assert_int_equal(json_new(&j, out, NULL, &err), 0);
	err_kind(&what, ERR_NOT_PERMITTED, -1, "no '%s'", "\xff");
	assert_int_equal(json_error(j, &what, &err), 0);
	err_hint(&what, "be root");
	assert_int_equal(json_error(j, &what, &err), 0);
	json_free(j);
	fclose(out);
	assert_string_equal(text,
		"{\"type\":\"error\",\"kind\":\"not-permitted\","
		"\"text\":\"no '\xef\xbf\xbd'\"}\n"
		"{\"type\":\"error\",\"kind\":\"not-permitted\","
		"\"text\":\"no '\xef\xbf\xbd'\",\"hint\":\"be root\"}\n");
	free(text);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(functions),
		TEST(no_functions),
		TEST(other_conditions),
		TEST(conditions_hold_for_all_kinds),
		TEST(deep_stack_says_what_is_left_out),
		TEST(short_stack_says_what_is_unknown),
		TEST(refusing_streams),
		TEST(errors_as_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
