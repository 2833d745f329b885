/* SPDX-License-Identifier: MIT */
/* stack: from lines of text to moments; whatever the stream, never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "event/record.h"
#include "event/text.h"
#include "event/text_fields.h"
#include "stack/cause.h"
#include "stack/engine.h"
#include "stack/verify.h"

static struct engine *engine;
static struct recbuf line_buf;

static int setup(void **state)
{
	(void)state;
	return engine_new(&engine, NULL, NULL);
}

static int teardown(void **state)
{
	(void)state;
	engine_free(engine);
	recbuf_free(&line_buf);
	return 0;
}

/* Feed one line; the moment it gives. */
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

/*
 * Code 0x10: Spam.run in /app/a.py, a 3.11 table: line 10 for the first three
 * units, 12 for the next two, none for one more.
 */
static void define_code(void)
{
	feed("1 part proc=1 code=0x10 part=name data=\"run\"");
	feed("1 part proc=1 code=0x10 part=qualname data=\"Spam.run\"");
	feed("1 part proc=1 code=0x10 part=filename data=\"/app/a.py\"");
	feed("1 part proc=1 code=0x10 part=linetable "
	     "data=\"\\xea\\x00\\xe9\\x04\\xf8\"");
	feed("1 code proc=1 code=0x10 firstline=10 version=3.11 "
	     "name=sent,3,1,1 qualname=sent,8,1,1 filename=sent,9,1,1 "
	     "linetable=sent,5,1");
}

static void frames_get_names_and_lines(void **state)
{
	struct moment m;

	(void)state;
	define_code();
	feed("2 stack proc=1 stack=0x20 frame=0x10@8 frame=0x10@0 "
	     "frame=0x10@10");
	m = feed("3 syscall pid=7 tid=7 proc=1 nr=39 stack=0x20 ret=7");
	assert_true(m.stack.known);
	assert_null(m.stack.why);
	assert_int_equal(m.stack.nr, 3);
	assert_string_equal(m.stack.frames[0].func, "Spam.run");
	assert_string_equal(m.stack.frames[0].file, "/app/a.py");
	assert_int_equal(m.stack.frames[0].line, 12);
	assert_int_equal(m.stack.frames[0].lasti, 8);
	assert_int_equal(m.stack.frames[0].def, 10);
	assert_null(m.stack.frames[0].why);
	assert_int_equal(m.stack.frames[1].line, 10);
	assert_int_equal(m.stack.frames[2].line, -1);
	assert_null(m.stack.frames[2].why);
	assert_int_equal(engine_totals(engine)->with_stack, 1);
}

static void expect_frame(const char *func, int line)
{
	struct moment m = feed("9 offcpu pid=7 tid=7 proc=1 stack=0x20 "
			       "waker=task waker_stack=0x20");
	const struct pystack *const both[] = { &m.stack, &m.waker };

	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		assert_int_equal(both[i]->nr, 1);
		assert_int_equal(both[i]->frames[0].line, line);
		if (func)
			assert_string_equal(both[i]->frames[0].func, func);
		else
			assert_string_equal(both[i]->frames[0].why,
					    "its definition was lost");
	}
}

/* What was looked up once is looked up anew when it may have changed. */
static void later_definitions_count(void **state)
{
	(void)state;
	feed("1 stack proc=1 stack=0x20 frame=0x10@8");
	for (int i = 0; i < 2; i++)
		expect_frame(NULL, -1);
	define_code();
	for (int i = 0; i < 2; i++)
		expect_frame("Spam.run", 12);
	feed("2 part proc=1 code=0x10 part=linetable data=\"\xea\x02\"");
	feed("2 part proc=1 code=0x10 part=qualname data=\"Eggs.run\"");
	expect_frame("Eggs.run", -1);
	define_code();
	expect_frame("Spam.run", 12);
	feed("3 stack proc=1 stack=0x20 frame=0x10@0");
	expect_frame("Spam.run", 10);
	feed("3 stack proc=1 stack=0x20 frame=0x11@0");
	expect_frame(NULL, -1);
}

/*
 * Ids 1 and 2 are of one object, which got another when something else died; 3
 * is of what lies there now.
 */
static void ids_of_one_object_are_one(void **state)
{
	struct moment m;

	(void)state;
	feed("1 code proc=1 code=1 addr=0x100 firstline=5 version=3.9");
	feed("1 code proc=1 code=2 addr=0x100 firstline=5 version=3.9");
	feed("2 call pid=7 tid=7 proc=1 frame=0x10 code=1");
	m = feed("3 return pid=7 tid=7 proc=1 frame=0x10 code=2");
	assert_int_equal(m.nr_steps, 1);
	assert_int_equal(m.steps[0].step->code, 1);
	assert_int_equal(m.steps[0].step->end, END_RETURN);
	feed("4 code proc=1 code=3 addr=0x100 firstline=6 version=3.9");
	feed("5 call pid=7 tid=7 proc=1 frame=0x10 code=1");
	m = feed("6 return pid=7 tid=7 proc=1 frame=0x10 code=3");
	assert_int_equal(m.nr_steps, 1);
	assert_int_equal(m.steps[0].step->end, END_UNFINISHED);
	/* the same bytes in another process are another object */
	feed("7 code proc=2 code=4 addr=0x100 firstline=6 version=3.9");
	m = feed("8 call pid=8 tid=8 proc=2 frame=0x10 code=4");
	assert_int_equal(m.steps[0].step->code, 4);
}

/* Frames: a walk says 1 < 2, calls say 1 < 2, then 1 < 3. */
static void stacks_are_compared(void **state)
{
	const struct engine_opts opts = { .verify = true };
	const struct verified *v;

	(void)state;
	engine_free(engine);
	assert_int_equal(engine_new(&engine, &opts, NULL), 0);
	v = engine_verified(engine);
	feed("1 stack proc=1 stack=0x20 frame=1@0 frame=2@0");
	feed("2 syscall pid=7 tid=7 proc=1 nr=0 stack=0x20");
	assert_int_equal(v->unknown, 1);
	feed("3 seed pid=7 tid=7 proc=1 at=0x20:1@0 at=0x10:2@0");
	feed("4 syscall pid=7 tid=7 proc=1 nr=0 stack=0x20");
	assert_int_equal(v->compared, 1);
	assert_int_equal(v->differed, 0);
	feed("5 seed pid=7 tid=7 proc=1 at=0x20:1@0 at=0x18:3@0");
	feed("4 fault pid=7 tid=7 proc=1 stack=0x20");	/* told late */
	assert_int_equal(v->compared, 1);
	feed("6 syscall pid=7 tid=7 proc=1 nr=0 stack=0x20");
	feed("7 syscall pid=7 tid=7 proc=1 nr=0 stack=1");
	assert_int_equal(v->compared, 3);
	assert_int_equal(v->differed, 2);
	assert_string_equal(v->walked, "? < ?");
	assert_int_equal(v->t, 6);
	/* between the frame and its probe: the next record decides */
	feed("8 stack proc=1 stack=0x21 frame=4@0 frame=3@0 frame=2@0");
	feed("9 seed pid=7 tid=7 proc=1 at=0x18:3@0 at=0x10:2@0");
	feed("10 syscall pid=7 tid=7 proc=1 nr=0 stack=0x21");
	feed("11 call pid=7 tid=7 proc=1 frame=0x20 caller=0x18 code=4");
	feed("12 return pid=7 tid=7 proc=1 frame=0x20");
	feed("13 syscall pid=7 tid=7 proc=1 nr=0 stack=0x21");	/* left */
	assert_int_equal(v->compared, 5);
	assert_int_equal(v->differed, 2);
	feed("14 call pid=7 tid=7 proc=1 frame=0x20 caller=0x18 code=5");
	feed("15 return pid=7 tid=7 proc=1 frame=0x20");
	feed("16 syscall pid=7 tid=7 proc=1 nr=0 stack=0x21");
	feed("17 call pid=7 tid=7 proc=1 frame=0x20 caller=0x18 code=5");
	assert_int_equal(v->differed, 3);
	/* a generator was thrown into, and has not called yet */
	feed("18 return pid=7 tid=7 proc=1 frame=0x20");
	feed("19 call pid=7 tid=7 proc=1 frame=0x90 caller=0x18 code=4 flags=4");
	feed("20 return pid=7 tid=7 proc=1 frame=0x90 flags=5");
	feed("21 stack proc=1 stack=0x22 frame=4@0 frame=4@0 frame=3@0 frame=2@0");
	feed("22 syscall pid=7 tid=7 proc=1 nr=0 stack=0x22");
	assert_int_equal(v->untold, 1);
	assert_int_equal(v->differed, 3);
}

/*
 * A synthetic probe tells of an end when the frame is unlinked: of the one that
 * ends next, exactly, and of no other.
 */
static void ends_are_told_later(void **state)
{
	const struct engine_opts opts = { .verify = true };
	const struct verified *v;

	(void)state;
	engine_free(engine);
	assert_int_equal(engine_new(&engine, &opts, NULL), 0);
	v = engine_verified(engine);
	feed("1 seed pid=7 tid=7 proc=1 at=0x18:3@0 at=0x10:2@0");
	feed("2 stack proc=1 stack=0x20 frame=2@0");
	feed("3 syscall pid=7 tid=7 proc=1 nr=0 stack=0x20");
	feed("4 return pid=7 tid=7 proc=1 frame=0x18 flags=8");
	assert_int_equal(v->compared, 1);
	assert_int_equal(v->differed, 0);
	feed("5 call pid=7 tid=7 proc=1 frame=0x18 caller=0x10 code=3 flags=32");
	feed("6 syscall pid=7 tid=7 proc=1 nr=0 stack=0x20");
	feed("7 call pid=7 tid=7 proc=1 frame=0x28 caller=0x18 code=4 flags=32");
	assert_int_equal(v->differed, 1);	/* it went on */
	feed("8 return pid=7 tid=7 proc=1 frame=0x28 flags=8");
	feed("9 syscall pid=7 tid=7 proc=1 nr=0 stack=0x20");
	feed("10 return pid=7 tid=7 proc=1 frame=0x18");
	assert_int_equal(v->differed, 2);	/* the interpreter's own probe */
	assert_int_equal(v->compared, 3);
}

/*
 * What a throw makes is told apart from stacks that are wrong: each is planted
 * here.  Function 2 calls 3; 4 and 5 are generators, 4 awaits 5.
 */
static void wrong_stacks_differ(void **state)
{
	const struct engine_opts opts = { .verify = true };
	const struct verified *v;
	struct moment m;

	(void)state;
	engine_free(engine);
	assert_int_equal(engine_new(&engine, &opts, NULL), 0);
	v = engine_verified(engine);
	define_code();
	feed("1 stack proc=1 stack=0x20 frame=2@0");
	feed("1 stack proc=1 stack=0x21 frame=3@0 frame=6@0 frame=2@0");
	feed("1 stack proc=1 stack=0x22 frame=4@0 frame=2@0");
	feed("1 stack proc=1 stack=0x23 frame=5@0 frame=4@0");
	feed("1 stack proc=1 stack=0x24 frame=6@0 frame=2@0");
	feed("2 seed pid=7 tid=7 proc=1 at=0x10:2@0");
	/* it returned; another was called: the first is there no more */
	feed("3 call pid=7 tid=7 proc=1 frame=0x20 caller=0x10 code=3");
	feed("4 return pid=7 tid=7 proc=1 frame=0x20");
	feed("5 call pid=7 tid=7 proc=1 frame=0x20 caller=0x10 code=6");
	feed("6 syscall pid=7 tid=7 proc=1 nr=0 stack=0x21");
	/* two that are just being called: one of them is not */
	feed("7 return pid=7 tid=7 proc=1 frame=0x20");
	assert_int_equal(v->differed, 1);
	feed("8 call pid=7 tid=7 proc=1 frame=0x20 caller=0x10 code=3");
	feed("9 return pid=7 tid=7 proc=1 frame=0x20");
	feed("10 syscall pid=7 tid=7 proc=1 nr=0 stack=0x24");
	feed("10 syscall pid=7 tid=7 proc=1 nr=0 stack=0x24");
	feed("11 syscall pid=7 tid=7 proc=1 nr=0 stack=0x22");
	assert_int_equal(v->differed, 3);
	feed("12 call pid=7 tid=7 proc=1 frame=0x30 caller=0x10 code=4 flags=4");
	assert_int_equal(v->differed, 3);
	/* 5 is awaited; both are suspended, and 5 runs again: nothing tells so */
	feed("13 call pid=7 tid=7 proc=1 frame=0x40 caller=0x30 code=5 flags=4");
	feed("14 return pid=7 tid=7 proc=1 frame=0x40 flags=5");
	feed("15 return pid=7 tid=7 proc=1 frame=0x30 flags=5");
	feed("16 call pid=7 tid=7 proc=1 frame=0x20 caller=0x10 code=3");
	feed("17 return pid=7 tid=7 proc=1 frame=0x20");
	assert_int_equal(v->untold, 0);
	feed("18 syscall pid=7 tid=7 proc=1 nr=0 stack=0x22");
	feed("19 return pid=7 tid=7 proc=1 frame=0x30 code=4 flags=4");
	assert_int_equal(v->untold, 1);
	assert_int_equal(v->differed, 3);
	/* 4 is no generator any more that could be thrown into */
	feed("20 call pid=7 tid=7 proc=1 frame=0x20 caller=0x10 code=3");
	feed("21 return pid=7 tid=7 proc=1 frame=0x20");
	feed("22 syscall pid=7 tid=7 proc=1 nr=0 stack=0x22");
	feed("23 return pid=7 tid=7 proc=1 frame=0x10 code=2");
	assert_int_equal(v->untold, 1);
	assert_int_equal(v->differed, 4);
	/* to 3.10: 5 has just returned, and 4 was only linked */
	feed("24 seed pid=7 tid=7 proc=1 at=0x10:2@0");
	feed("25 call pid=7 tid=7 proc=1 frame=0x30 caller=0x10 code=4 flags=4");
	feed("26 return pid=7 tid=7 proc=1 frame=0x30 flags=5");
	feed("27 call pid=7 tid=7 proc=1 frame=0x40 caller=0x30 code=5 flags=6");
	feed("28 return pid=7 tid=7 proc=1 frame=0x40 flags=4");
	feed("29 syscall pid=7 tid=7 proc=1 nr=0 stack=0x23");
	assert_int_equal(v->untold, 2);
	assert_int_equal(v->differed, 4);
	/* no record comes: nobody knows */
	feed("30 call pid=7 tid=7 proc=1 frame=0x20 caller=0x10 code=3");
	feed("31 return pid=7 tid=7 proc=1 frame=0x20");
	feed("32 syscall pid=7 tid=7 proc=1 nr=0 stack=0x24");
	assert_int_equal(v->compared, 8);
	assert_int_equal(v->unknown, 0);
	assert_int_equal(engine_finish(engine, 40, &m, NULL), 0);
	assert_int_equal(v->compared, 7);
	assert_int_equal(v->unknown, 1);
	assert_int_equal(v->differed, 4);
}

static void what_is_missing_has_a_reason(void **state)
{
	struct moment m;

	(void)state;
	/* a part that did not come, one too long, one cut in the middle */
	feed("1 part code=0x10 part=name data=\"f\"");
	feed("1 part code=0x10 part=filename total=8 data=\"/app\"");
	feed("1 code code=0x10 version=3.9 name=sent,1,1,1 "
	     "filename=sent,8,1,1 linetable=long,70000,1");
	feed("1 stack stack=0x20 frame=0x10@8 frame=0x99@0");
	m = feed("2 syscall stack=0x20");
	assert_int_equal(m.stack.nr, 2);
	assert_string_equal(m.stack.frames[0].func, "f");
	assert_null(m.stack.frames[0].file);
	assert_string_equal(m.stack.frames[0].why, "part of its definition was lost");
	assert_int_equal(m.stack.frames[0].line, -1);
	assert_null(m.stack.frames[1].func);
	assert_string_equal(m.stack.frames[1].why, "its definition was lost");
	assert_int_equal(m.stack.frames[1].def, -1);

	/* the rest comes late */
	feed("3 part code=0x10 part=filename total=8 offset=4 data=\"/x.p\"");
	feed("3 part code=0x10 part=linetable total=70000 data=\"\\x08\\x01\"");
	m = feed("4 syscall stack=0x20");
	assert_string_equal(m.stack.frames[0].file, "/app/x.p");
	assert_string_equal(m.stack.frames[0].why, "too long to be read");

	/* no bytes that claim to be many */
	feed("4 part code=0x12 part=name total=0 data=\"\"");
	feed("4 code code=0x12 version=3.9 name=sent,4000000000,0,1 "
	     "filename=sent,4000000000,1,1 linetable=sent,0,1");
	feed("4 stack stack=0x22 frame=0x12@0");
	m = feed("4 syscall stack=0x22");
	assert_null(m.stack.frames[0].func);
	assert_string_equal(m.stack.frames[0].why, "the code object is not plausible");
	assert_null(m.stack.frames[0].file);

	m = feed("5 syscall stack=0x21");
	assert_false(m.stack.known);
	assert_string_equal(m.stack.why, "its definition was lost");
	m = feed("5 syscall stack=0 why=page");
	assert_string_equal(m.stack.why, "a page was not resident");
	m = feed("5 syscall stack=0 why=250");
	assert_string_equal(m.stack.why, "unknown reason");
	m = feed("5 syscall stack=1");
	assert_true(m.stack.known);
	assert_int_equal(m.stack.nr, 0);
	assert_int_equal(engine_totals(engine)->unknown[PT_WHY_PAGE], 1);
	assert_int_equal(engine_totals(engine)->unknown[15], 1);
	assert_int_equal(engine_totals(engine)->no_frames, 1);
}

static void names_of_each_kind(void **state)
{
	struct moment m;

	(void)state;
	feed("1 part code=0x10 part=name data=\"\\xe9\"");
	feed("1 part code=0x10 part=filename data=\"\\xac\\x20\\x0a\\0\"");
	feed("1 code code=0x10 version=3.9 name=sent,1,1 filename=sent,2,2 "
	     "linetable=sent,0,1");
	feed("1 part code=0x11 part=name data=\"\\x0d\\xf4\\x01\\0\"");
	feed("1 part code=0x11 part=filename data=\"\\x80\\xdc\"");
	feed("1 code code=0x11 version=3.9 name=sent,1,4 filename=sent,1,2 "
	     "linetable=sent,0,1");
	feed("1 stack stack=0x20 frame=0x10@0 frame=0x11@0");
	m = feed("2 syscall stack=0x20");
	assert_string_equal(m.stack.frames[0].func, "\xc3\xa9");
	assert_string_equal(m.stack.frames[0].file, "\xe2\x82\xac\n");
	assert_string_equal(m.stack.frames[1].func, "\xf0\x9f\x90\x8d");
	assert_string_equal(m.stack.frames[1].file, "\xef\xbf\xbd");
}

/* A NUL is a character like others; what is made of names is given back. */
static void names_with_nuls(void **state)
{
	struct moment m;
	size_t memory = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		feed("1 part code=0x10 part=name data=\"a\\0bcdef\"");
		feed("1 part code=0x10 part=filename data=\"x\\0.py\"");
		feed("1 code code=0x10 version=3.9 name=sent,7,1 "
		     "filename=sent,5,1 linetable=sent,0,1");
		feed("1 stack stack=0x20 frame=0x10@0");
		m = feed("2 syscall stack=0x20");
		assert_int_equal(m.stack.frames[0].func_len, 7);
		assert_memory_equal(m.stack.frames[0].func, "a\0bcdef", 8);
		assert_int_equal(m.stack.frames[0].file_len, 5);
		feed("3 exit");
		if (i == 1)
			memory = engine_totals(engine)->memory;
	}
	assert_int_equal(engine_totals(engine)->memory, memory);
}

/* From 3.13: the frame that checks what an __init__ returned is left out. */
static void shims_are_no_frames(void **state)
{
	struct moment m;

	(void)state;
	define_code();
	feed("1 part code=0x11 part=qualname data=\"__init__\"");
	feed("1 part code=0x11 part=filename data=\"__init__\"");
	feed("1 code code=0x11 version=3.13 qualname=sent,8,1,1 "
	     "filename=sent,8,1,1 linetable=sent,0,1");
	feed("2 stack stack=0x20 omitted=5 frame=0x11@0 frame=0x10@0 "
	     "frame=0x11@0 frame=0x10@8");
	m = feed("3 syscall stack=0x20");
	assert_int_equal(m.stack.nr, 2);
	assert_int_equal(m.stack.nr_inner, 2);
	assert_int_equal(m.stack.frames[0].line, 10);
	assert_int_equal(m.stack.frames[1].line, 12);
}

static void threads_and_processes(void **state)
{
	struct moment m;

	(void)state;
	feed("1 process proc=1 pid=7 version=3.11 walk=yes exe=\"/bin/py\" "
	     "python=\"3.11.2\"");
	feed("1 thread pid=7 tid=7 proc=1 start_ns=5 comm=\"main\"");
	m = feed("2 syscall pid=7 tid=7 proc=1 stack=1");
	assert_string_equal(m.process->python, "3.11.2");
	assert_string_equal(m.thread->comm, "main");

	feed("3 fork pid=7 tid=7 proc=1 child_pid=9 child_tid=9 child_proc=2");
	m = feed("4 syscall pid=9 tid=9 proc=2 stack=1");
	assert_string_equal(m.process->exe, "/bin/py");
	assert_int_equal(m.process->pid, 9);
	assert_false(m.process->described);
	assert_string_equal(m.thread->comm, "main");

	feed("5 exec pid=9 tid=9 proc=3 old_proc=2 file=\"/bin/ls\"");
	m = feed("6 syscall pid=9 tid=9 proc=3 stack=0 why=unrecognised");
	assert_string_equal(m.process->exe, "/bin/ls");
	assert_string_equal(m.process->python, "");

	/* the last events of a thread may come behind its exit */
	m = feed("7 exit pid=9 tid=9 proc=3 last=1");
	assert_string_equal(m.thread->comm, "main");
	m = feed("6 syscall pid=9 tid=9 proc=3 state=unfinished");
	assert_string_equal(m.thread->comm, "main");
	assert_string_equal(m.process->exe, "/bin/ls");

	feed("8 thread pid=20 tid=9 proc=4 comm=\"another\"");
	m = feed("9 syscall pid=20 tid=9 proc=4");
	assert_int_equal(m.thread->pid, 20);
	assert_null(m.process);
	m = feed("9 syscall pid=20 tid=21 proc=4");
	assert_null(m.thread);
}

static void many_come_and_go(void **state)
{
	char line[100];

	(void)state;
	for (unsigned int i = 1; i < 300000; i++) {
		snprintf(line, sizeof(line), "%u fork pid=7 tid=7 proc=1 "
			 "child_pid=%u child_tid=%u child_proc=%u", i, i + 10,
			 i + 10, i + 1);
		feed(line);
		if (i % 2)
			continue;
		snprintf(line, sizeof(line), "%u exit pid=%u tid=%u proc=%u "
			 "last=1", i, i + 10, i + 10, i + 1);
		feed(line);
	}
}

static void origins(void **state)
{
	static const struct {
		const char *file;
		enum origin origin;
	} rows[] = {
		{ "/srv/shop/views.py", ORIGIN_APP },
		{ "<string>", ORIGIN_APP },
		{ "", ORIGIN_APP },
		{ "<frozen importlib._bootstrap>", ORIGIN_FROZEN },
		{ "/usr/lib/python3.11/socket.py", ORIGIN_STDLIB },
		{ "/opt/py/lib/python3.13t/os.py", ORIGIN_STDLIB },
		{ "/usr/lib64/python3.9/os.py", ORIGIN_STDLIB },
		{ "/usr/lib/python311.zip/os.py", ORIGIN_STDLIB },
		{ "/usr/lib/python3/dist-packages/apt.py", ORIGIN_SITE },
		{ "/v/lib/python3.11/site-packages/x/y.py", ORIGIN_SITE },
		{ "/home/me/python3.11/app.py", ORIGIN_APP },
		{ "/usr/lib/python3.11", ORIGIN_APP },
		{ "/usr/lib/python3rd/x.py", ORIGIN_APP },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(origin_of(rows[i].file), rows[i].origin);
}

/* A quarter of a MiB: old definitions go, those in use stay. */
static void memory_is_bounded(void **state)
{
	const struct engine_opts opts = { .memory = 256 << 10 };
	struct moment m;
	char line[200];

	(void)state;
	engine_free(engine);
	assert_int_equal(engine_new(&engine, &opts, NULL), 0);
	define_code();
	feed("2 stack stack=0x20 frame=0x10@0");
	for (unsigned int i = 0; i < 20000; i++) {
		snprintf(line, sizeof(line), "3 part code=0x%x part=name "
			 "data=\"name_of_%u\"", 1000 + i, i);
		feed(line);
		snprintf(line, sizeof(line), "3 stack stack=0x%x "
			 "frame=0x10@0 frame=0x10@2 frame=0x%x@3", 1000 + i,
			 1000 + i);
		feed(line);
		m = feed("4 syscall stack=0x20");
		assert_string_equal(m.stack.frames[0].func, "Spam.run");
		assert_true(engine_totals(engine)->memory <= opts.memory);
	}
	assert_true(engine_totals(engine)->evicted > 30000);
	m = feed("4 syscall stack=1000");
	assert_string_equal(m.stack.why, "its definition was lost");
}

/* ---- anything ------------------------------------------------------------- */

static uint64_t seed = 1;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void any_field(uint8_t *rec, const struct field *f)
{
	uint64_t v = rnd() % 3 ? rnd() % 20 : rnd();

	if (f->style == STYLE_REF) {
		struct pt_part_ref ref = {
			.len = (uint32_t)(rnd() % 5 ? rnd() % 12 : rnd()),
			.kind = (uint8_t)(rnd() % 8 ? rnd() % 5 : rnd()),
			.state = (uint8_t)(rnd() % 6),
		};

		memcpy(rec + f->offset, &ref, sizeof(ref));
	} else if (f->size <= 8) {
		memcpy(rec + f->offset, &v, f->size);
	}
}

static const struct pt_hdr *any_record(struct recbuf *b)
{
	uint16_t type = (uint16_t)(1 + rnd() % (PT_TYPE_END - 1));
	const struct field *f;
	uint8_t bytes[16];

	while (!record_type(type))	/* some numbers have none */
		type = (uint16_t)(type % (PT_TYPE_END - 1) + 1);
	recbuf_begin(b, (enum pt_type)type);
	for (f = fields_of_header; f->name; f++)
		any_field(b->bytes, f);
	for (f = fields_of(type); f->name; f++)
		any_field(b->bytes, f);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)rnd();
	if (type == PT_PART) {
		struct pt_part *part = (void *)b->bytes;

		part->part %= PT_NR_PARTS;
		part->nr = (uint16_t)(rnd() % sizeof(bytes));
		part->offset %= 8;
		part->total = part->offset + part->nr + (uint32_t)(rnd() % 3);
		recbuf_add(b, bytes, part->nr);
	}
	for (uint64_t i = rnd() % 8; type == PT_STACK && i; i--)
		recbuf_frame(b, &(struct pt_frame){ rnd() % 20, (int)rnd(),
						    0 });
	for (size_t i = 0; i < record_type(type)->strings; i++)
		recbuf_string(b, i % 2 ? "a" : NULL);
	return recbuf_end(b);
}

static void anything_is_borne(void **state)
{
	const struct engine_opts opts = { .memory = 20000 };
	struct recbuf b = { 0 };

	(void)state;
	engine_free(engine);
	assert_int_equal(engine_new(&engine, &opts, NULL), 0);
	for (int i = 0; i < 300000; i++) {
		const struct pt_hdr *rec = any_record(&b);
		struct moment m;

		assert_non_null(rec);
		assert_int_equal(record_check(rec, b.len, &rec, NULL), 0);
		assert_int_equal(engine_feed(engine, rec, &m, NULL), 0);
		assert_true(engine_totals(engine)->memory <= opts.memory);
		for (uint32_t j = 0; j < m.stack.nr; j++)
			assert_true(m.stack.frames[j].func || m.stack.frames[j].why);
	}
	recbuf_free(&b);
}

static enum cause cause_in(const char *line)
{
	struct moment m = feed(line);

	return cause_of(m.process, (const void *)m.rec);
}

static void waits_have_causes(void **state)
{
	static const struct {
		enum cause cause;
		const char *line;
	} rows[] = {
		{ CAUSE_UNKNOWN, "3 offcpu proc=1" },
		{ CAUSE_UNKNOWN, "3 offcpu proc=1 reason=200" },
		{ CAUSE_PREEMPTED, "3 offcpu proc=1 reason=preempted" },
		{ CAUSE_FAULT, "3 offcpu proc=1 reason=fault" },
		{ CAUSE_STOPPED, "3 offcpu proc=1 reason=stopped" },
		{ CAUSE_SYSCALL, "3 offcpu proc=1 reason=syscall nr=45" },
		{ CAUSE_SYSCALL, "3 offcpu proc=1 reason=syscall nr=499" },
		{ CAUSE_SYSCALL, "3 offcpu proc=1 reason=syscall arg0=0x1000" },
		{ CAUSE_FUTEX,
		  "3 offcpu proc=1 reason=syscall nr=202 arg0=0xfff" },
		{ CAUSE_GIL,
		  "3 offcpu proc=1 reason=syscall nr=202 arg0=0x1000" },
		{ CAUSE_GIL,
		  "3 offcpu proc=1 reason=syscall nr=202 arg0=0x107f" },
		{ CAUSE_FUTEX,
		  "3 offcpu proc=1 reason=syscall nr=202 arg0=0x1080" },
		{ CAUSE_GIL, "3 offcpu proc=1 reason=syscall abi=i386 nr=240 "
			     "arg0=0x1000" },
		{ CAUSE_FUTEX, "3 offcpu proc=1 reason=syscall abi=i386 "
			       "nr=240 arg0=0x2000" },
		/* a child has them where its parent has; others do not */
		{ CAUSE_GIL,
		  "3 offcpu proc=2 reason=syscall nr=202 arg0=0x1000" },
		{ CAUSE_FUTEX,
		  "3 offcpu proc=3 reason=syscall nr=202 arg0=0x1000" },
	};

	(void)state;
	feed("1 gil pid=7 proc=1 from=0x1000 to=0x1080");
	feed("1 gil pid=7 proc=1 from=0x3000 to=0x3000");
	feed("1 gil pid=7 proc=1 from=0x4000 to=0x3000");
	feed("1 gil pid=7 from=0 to=0xffffffffffffffff");
	feed("2 fork pid=7 tid=7 proc=1 child_pid=9 child_tid=9 child_proc=2");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(cause_in(rows[i].line), rows[i].cause);
}

/* As many as there may be are kept; one said again is no other. */
static void gils_are_bounded(void **state)
{
	char line[120];
	struct moment m;

	(void)state;
	for (int i = 0; i < 20; i++) {
		snprintf(line, sizeof(line), "1 gil proc=1 from=%d to=%d",
			 i * 16 + 16, i * 16 + 32);
		feed(line);
		m = feed(line);
		assert_int_equal(m.process->nr_gil, i < 8 ? i + 1 : 8);
	}
	assert_true(cause_is_gil(m.process, PT_ABI_X86_64, 202, 20 * 16));
	assert_true(cause_is_gil(m.process, PT_ABI_X86_64, 202, 13 * 16));
	assert_false(cause_is_gil(m.process, PT_ABI_X86_64, 202, 12 * 16));
	assert_false(cause_is_gil(NULL, PT_ABI_X86_64, 202, 20 * 16));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(frames_get_names_and_lines),
		TEST(later_definitions_count),
		TEST(what_is_missing_has_a_reason),
		TEST(ids_of_one_object_are_one),
		TEST(stacks_are_compared),
		TEST(ends_are_told_later),
		TEST(wrong_stacks_differ),
		TEST(names_of_each_kind),
		TEST(names_with_nuls),
		TEST(shims_are_no_frames),
		TEST(threads_and_processes),
		TEST(many_come_and_go),
		TEST(waits_have_causes),
		TEST(gils_are_bounded),
		TEST(origins),
		TEST(memory_is_bounded),
		TEST(anything_is_borne),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
