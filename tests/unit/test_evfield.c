/* SPDX-License-Identifier: MIT */
/* evfield, tracefs: fields of tracepoints, and bytes that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/counters.h"
#include "event/eventset.h"
#include "event/evfield.h"
#include "event/tracefs.h"

static struct evfield parsed(const char *text)
{
	struct evfield f;

	assert_true(evfield_parse(text, &f));
	return f;
}

static void is_named(const struct evfield *f, const char *name)
{
	assert_int_equal(f->name_len, strlen(name));
	assert_memory_equal(f->name, name, f->name_len);
}

static void lines_of_format(void **state)
{
	char out[200];

	(void)state;
	assert_true(evfield_from_format("\tfield:char rwbs[10];\toffset:34;"
					"\tsize:10;\tsigned:0;\n", out,
					sizeof(out)));
	assert_string_equal(out, "char rwbs[10] 34 10 u");
	assert_true(evfield_from_format("\tfield:__data_loc char[] cmd;\t"
					"offset:60;\tsize:4;\tsigned:1;\n", out,
					sizeof(out)));
	assert_string_equal(out, "__data_loc char[] cmd 60 4 s");
	/* all events have these, and these are none */
	assert_false(evfield_from_format("\tfield:int common_pid;\toffset:4;"
					 "\tsize:4;\tsigned:1;\n", out,
					 sizeof(out)));
	assert_false(evfield_from_format("print fmt: \"%d\", REC->x\n", out,
					 sizeof(out)));
	assert_false(evfield_from_format("field:int x", out, sizeof(out)));
	assert_false(evfield_from_format("field:int a_long_name;\toffset:8;"
					 "\tsize:4;\tsigned:1;", out, 12));
}

static void kinds(void **state)
{
	struct evfield f = parsed("pid_t prev_pid 24 4 s");

	(void)state;
	is_named(&f, "prev_pid");
	assert_int_equal(f.kind, EVFIELD_NUMBER);
	assert_true(f.is_signed && f.offset == 24 && f.size == 4);
	f = parsed("const char * filename 24 8 u");
	is_named(&f, "filename");
	assert_int_equal(f.kind, EVFIELD_POINTER);
	f = parsed("char rwbs[10] 34 10 u");
	is_named(&f, "rwbs");
	assert_int_equal(f.kind, EVFIELD_CHARS);
	f = parsed("__data_loc char[] cmd 60 4 s");
	is_named(&f, "cmd");
	assert_int_equal(f.kind, EVFIELD_TEXT);
	f = parsed("__rel_loc u8[] buf 8 4 u");
	assert_true(f.kind == EVFIELD_BYTES && f.is_behind && f.is_relative);
	f = parsed("unsigned long args[6] 16 48 u");
	is_named(&f, "args");
	assert_true(f.kind == EVFIELD_NUMBERS && f.unit == 8);
	f = parsed("unsigned char mac[6] 16 6 u");
	assert_true(f.kind == EVFIELD_NUMBERS && f.unit == 1);
	f = parsed("char state 16 1 s");
	assert_int_equal(f.kind, EVFIELD_NUMBER);
	f = parsed("struct timespec64 at 16 16 u");
	assert_int_equal(f.kind, EVFIELD_BYTES);
}

static void no_descriptions(void **state)
{
	static const char *const bad[] = {
		"", " ", "x", "int x", "int x 8", "int x 8 4", "int x 8 4 x",
		"int x -8 4 s", "int x 8 65536 s", "x 8 4 s", "int [4] 8 4 s",
		"int x 8  s", "int x 8 4 s ", " 8 4 s", "int  8 4 s", "[] 8 4 s",
		"__data_loc char[] x 8 8 s", "int x 99999999999999999999 4 s",
	};
	struct evfield f;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (evfield_parse(bad[i], &f))
			fail_msg("'%s' was taken", bad[i]);
}

static void values(void **state)
{
	uint8_t data[32] = { 0 };
	struct evfield f = parsed("int x 8 4 s");
	struct evvalue v;
	int32_t x = -3;

	(void)state;
	memcpy(data + 8, &x, 4);
	assert_true(evfield_value(&f, data, 12, &v));
	assert_int_equal((int64_t)v.number, -3);
	assert_false(evfield_value(&f, data, 11, &v));	/* cut */
	f = parsed("unsigned int x 8 4 u");
	assert_true(evfield_value(&f, data, 32, &v));
	assert_int_equal(v.number, 0xfffffffd);
	memcpy(data + 12, "abc\0def", 7);
	f = parsed("char s[7] 12 7 u");
	assert_true(evfield_value(&f, data, 32, &v));
	assert_int_equal(v.len, 3);
	f = parsed("short s[2] 8 4 s");
	assert_true(evfield_value(&f, data, 32, &v));
	assert_int_equal((int64_t)evfield_number(&f, &v, 0), -3);
	assert_int_equal((int64_t)evfield_number(&f, &v, 1), -1);
	assert_int_equal(evfield_number(&f, &v, 2), 0);
	assert_int_equal(evfield_number(&f, &v, SIZE_MAX), 0);
}

static struct evvalue text_at(const char *decl, uint32_t word, bool there)
{
	uint8_t data[24] = "........\0\0\0\0text\0xyz";
	struct evfield f = parsed(decl);
	static uint8_t kept[24];
	struct evvalue v;

	memcpy(data + 8, &word, 4);
	memcpy(kept, data, sizeof(kept));
	assert_int_equal(evfield_value(&f, kept, sizeof(kept), &v), there);
	return v;
}

static void fields_behind(void **state)
{
	const char *at = "__data_loc char[] s 8 4 u";
	const char *rel = "__rel_loc char[] s 8 4 u";
	struct evvalue v = text_at(at, 5 << 16 | 12, true);

	(void)state;
	assert_int_equal(v.len, 4);
	assert_memory_equal(v.bytes, "text", 4);
	v = text_at(rel, 5 << 16 | 0, true);
	assert_memory_equal(v.bytes, "text", 4);
	v = text_at(rel, 3 << 16 | 5, true);
	assert_int_equal(v.len, 3);
	text_at(at, 0, true);
	text_at(at, 24, true);
	text_at(at, 1 << 16 | 24, false);
	text_at(at, 12 << 16 | 13, false);
	text_at(at, UINT32_MAX, false);
	text_at(rel, 1 << 16 | 0xffff, false);
}

/* Whatever stands there, nothing is read behind the end: for ASan. */
static void any_bytes(void **state)
{
	uint64_t seed = 88172645463325252;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[64];
		struct evfield f;
		struct evvalue v;
		size_t nr = (seed >> 8) % 40;
		uint8_t *data = malloc(nr ? nr : 1);

		seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
		snprintf(text, sizeof(text), "%s x%s %u %u %c",
			 seed & 1 ? "__data_loc char[]" : "short",
			 seed & 2 ? "[2]" : "", (unsigned int)(seed >> 20) % 44,
			 seed & 4 ? 4 : (unsigned int)(seed >> 32) % 44,
			 seed & 8 ? 's' : 'u');
		for (size_t i = 0; i < nr; i++)
			data[i] = (uint8_t)(seed >> (i % 8 * 8)) & 31;
		if (evfield_parse(text, &f) && evfield_value(&f, data, nr, &v)) {
			assert_true(v.bytes >= data);
			assert_true(v.bytes + v.len <= data + nr);
		}
		free(data);
	}
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void tracepoints_of_a_kernel(void **state)
{
	char top[] = "/tmp/pytrace-unit-XXXXXX", path[128];
	struct tracefs_event e;
	struct err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(top));
	for (const char *sub = "events\0events/sched\0events/sched/sched_waking\0";
	     *sub; sub += strlen(sub) + 1) {
		snprintf(path, sizeof(path), "%s/%s", top, sub);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	snprintf(path, sizeof(path), "%s/events/sched/sched_waking/id", top);
	write_file(path, "371\n");
	snprintf(path, sizeof(path), "%s/events/sched/sched_waking/format", top);
	write_file(path, "name: sched_waking\nID: 371\nformat:\n"
		   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		   "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		   "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n\n"
		   "print fmt: \"x\"\n");
	assert_int_equal(tracefs_event(top, "sched:sched_waking", &e, &err), 0);
	assert_int_equal(e.id, 371);
	assert_int_equal(e.nr, 2);
	assert_string_equal(e.field[1], "pid_t pid 24 4 s");
	assert_int_equal(tracefs_event(top, "sched:sched_walk", &e, &err), -ENOENT);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.hint, "sched_waking"));
	memset(&err, 0, sizeof(err));
	assert_int_equal(tracefs_event(top, "ched:x", &e, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "no category 'ched'"));
	assert_int_equal(tracefs_event(top, "../x:y", &e, &err), -EINVAL);
	assert_int_equal(tracefs_event(top, "sched:", &e, &err), -EINVAL);
	assert_int_equal(tracefs_event(top, "a:b:c", &e, &err), -EINVAL);
	snprintf(path, sizeof(path), "rm -r %s", top);
	assert_int_equal(system(path), 0);
}

static void words_of_e(void **state)
{
	const char *words[] = { "sched:sched_waking", "faults", "block:x" };
	const char *without[] = { "!sched:sched_waking" };
	struct err err = { 0 };
	struct eventset s;

	(void)state;
	assert_int_equal(eventset_parse(&s, words, 3, EVENTS_ALL, &err), 0);
	assert_int_equal(s.types, EVENTS_OF(PT_FAULT) | EVENTS_OF(PT_TRACEPOINT));
	assert_int_equal(s.nr_named, 2);
	assert_true(eventset_has_named(&s, "block:x"));
	assert_false(eventset_has_named(&s, "block:y"));
	assert_false(eventset_has_named(&s, NULL));
	assert_int_equal(eventset_parse(&s, without, 1, EVENTS_ALL, &err), 0);
	assert_int_equal(s.types, EVENTS_ALL);
	assert_false(eventset_has_named(&s, "sched:sched_waking"));
	assert_true(eventset_has_named(&s, "block:x"));
	assert_int_equal(eventset_parse(&s, NULL, 0, EVENTS_ALL, &err), 0);
	assert_true(eventset_has_named(&s, NULL));
}

static void probes_by_name(void **state)
{
	const char *words[] = { "gc", "import", "usdt:python:line", "!audit" };
	struct err err = { 0 };
	struct eventset s;

	(void)state;
	assert_int_equal(eventset_parse(&s, words, 4, EVENTS_ALL, &err), 0);
	assert_int_equal(s.types, EVENTS_OF(PT_TRACEPOINT));
	assert_int_equal(s.nr_named, 4);
	assert_int_equal(s.named[0].kind, PT_NAMED_GC);
	assert_int_equal(s.named[1].kind, PT_NAMED_IMPORT);
	assert_int_equal(s.named[2].kind, PT_NAMED_USDT);
	assert_true(eventset_has_named(&s, "usdt:python:line"));
	assert_false(eventset_has_named(&s, "audit"));
	words[0] = "line";
	assert_int_equal(eventset_parse(&s, words, 1, EVENTS_ALL, &err), 0);
	assert_int_equal(s.named[0].kind, PT_NAMED_LINE);
	words[0] = "gc:x";		/* a category that only the kernel knows */
	assert_int_equal(eventset_parse(&s, words, 1, EVENTS_ALL, &err), 0);
	assert_int_equal(s.named[0].kind, PT_NAMED_TRACEPOINT);
}

static void rate_of(const char *word, uint64_t rate, bool is_period)
{
	const struct counter *c = counter_named(word);
	struct err err = { 0 };
	uint64_t got;
	bool period;

	assert_non_null(c);
	assert_int_equal(counter_rate(c, word, &got, &period, &err), 0);
	assert_int_equal(got, rate);
	assert_int_equal(period, is_period);
}

static void counters(void **state)
{
	static const char *const wrong[] = {
		"cycles:", "cycles:0", "cycles/999", "cycles:5000", "cycles/",
		"page-faults/0", "cpu-clock/99999", "cs:x", "cycles:99:1",
		"cycles/1000/1",
	};
	const char *words[] = { "cycles:99", "cs", "block:x", "!page-faults" };
	struct pt_sample sample = { .h.type = PT_SAMPLE };
	struct err err = { 0 };
	struct eventset s;

	(void)state;
	rate_of("cycles", 49, false);
	rate_of("cache-misses/10000", 10000, true);
	rate_of("page-faults", 1, true);
	rate_of("cpu-clock", 49, false);
	rate_of("task-clock/100000", 100000, true);
	rate_of("context-switches:99", 99, false);
	assert_string_equal(counter_named("cs")->name, "context-switches");
	assert_null(counter_named("cycle"));
	assert_null(counter_named("faults"));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_true(eventset_parse(&s, wrong + i, 1, EVENTS_ALL, &err) <
			    0);
		assert_int_equal(err.kind, ERR_USAGE);
	}
	assert_int_equal(eventset_parse(&s, words, 4, EVENTS_ALL, &err), 0);
	assert_int_equal(s.types, EVENTS_COUNTERS | EVENTS_OF(PT_TRACEPOINT));
	assert_false(eventset_has(&s, &sample.h));	/* the clock */
	sample.event = 1;
	assert_true(eventset_has(&s, &sample.h));
	assert_true(eventset_has_named(&s, "cycles"));
	assert_true(eventset_has_named(&s, "context-switches"));
	assert_false(eventset_has_named(&s, "page-faults"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_format),
		cmocka_unit_test(kinds),
		cmocka_unit_test(no_descriptions),
		cmocka_unit_test(values),
		cmocka_unit_test(fields_behind),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(tracepoints_of_a_kernel),
		cmocka_unit_test(words_of_e),
		cmocka_unit_test(probes_by_name),
		cmocka_unit_test(counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
