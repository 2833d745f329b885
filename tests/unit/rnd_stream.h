/* SPDX-License-Identifier: MIT */
/* rnd_stream: an analysis that is fed lines of text, or a stream of any kind. */
#ifndef PT_RND_STREAM_H
#define PT_RND_STREAM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analysis/analysis.h"
#include "analysis/rows.h"
#include "event/record.h"
#include "event/text.h"

#define S UINT64_C(1000000000)

struct run {
	struct engine *engine;
	struct analysis *a;
	struct recbuf buf;
	uint64_t fed[PT_TYPE_END];
	uint64_t before;	/* events before PT_BEGIN */
	uint64_t timed;		/* calls that returned: they have a duration */
	/* with intervals: after so many records each; what the ended ones had */
	unsigned int cut_every, fed_all, intervals;
	uint64_t thread_ns, counts;
};

/* An interval ends: it closes by itself. */
static inline void cut(struct run *r)
{
	const struct model *m = analysis_model(r->a);
	uint64_t cells = 0;

	assert_int_equal(analysis_cut(r->a, m->end, NULL), 0);
	assert_int_equal(m->account.thread_ns, m->account.idle_ns +
			 m->account.unseen_ns + m->account.busy_ns);
	for (uint32_t i = 1; i <= model_cells(r->a); i++) {
		struct cell c;

		model_cell(r->a, i, &c);
		cells += c.key->kind == CELL_TIME ? c.is.ns : 0;
		r->counts += c.key->kind == CELL_CALLS ||
			     c.key->kind == CELL_FAULTS ? c.is.count : 0;
	}
	assert_int_equal(cells, m->account.thread_ns);
	r->thread_ns += m->account.thread_ns;
	r->intervals++;
	analysis_next(r->a);
}

static inline bool is_event(int type)
{
	return type == PT_SYSCALL || type == PT_FAULT || type == PT_OFFCPU ||
	       type == PT_SAMPLE;
}

static inline void start(struct run *r, const struct analysis_opts *opts)
{
	struct err err = { 0 };

	*r = (struct run){ 0 };
	assert_int_equal(engine_new(&r->engine, NULL, &err), 0);
	assert_int_equal(analysis_new(&r->a, opts, &err), 0);
}

static inline void feed(struct run *r, const struct pt_hdr *rec)
{
	struct err err = { 0 };
	struct moment m;

	assert_int_equal(engine_feed(r->engine, rec, &m, &err), 0);
	if (r->cut_every && !(++r->fed_all % r->cut_every) &&
	    rec->type != PT_BEGIN && analysis_may_cut(r->a))
		cut(r);
	assert_int_equal(analysis_add(r->a, &m, &err), 0);
	r->fed[rec->type]++;
	if (rec->type == PT_SYSCALL)
		r->timed += ((const struct pt_syscall *)(const void *)rec)->
			state == PT_SYS_DONE;
	if (rec->type == PT_BEGIN && !r->before) {
		/* what came before does not count, and is counted apart */
		for (int i = 0; i < PT_TYPE_END; i++) {
			r->before += is_event(i) ? r->fed[i] : 0;
			r->fed[i] = 0;
		}
		r->timed = r->thread_ns = r->counts = 0;
	}
}

static inline void line(struct run *r, const char *text)
{
	const struct pt_hdr *rec = NULL;
	struct err err = { 0 };

	if (text_parse(text, strlen(text), &r->buf, &rec, &err) != 1)
		fail_msg("%s: %s", text, err.text);
	feed(r, rec);
}

static inline void define(struct run *r, unsigned int code, const char *func,
		   const char *file)
{
	char text[400];

	snprintf(text, sizeof(text), "1 part code=%u part=name data=\"%s\"",
		 code, func);
	line(r, text);
	snprintf(text, sizeof(text), "1 part code=%u part=filename data=\"%s\"",
		 code, file);
	line(r, text);
	snprintf(text, sizeof(text), "1 code code=%u version=3.9 firstline=1 "
		 "name=sent,%zu,1,1 filename=sent,%zu,1,1 linetable=sent,0,1",
		 code, strlen(func), strlen(file));
	line(r, text);
}

static inline const struct model *finish(struct run *r)
{
	struct err err = { 0 };

	assert_int_equal(analysis_end(r->a, &err), 0);
	return analysis_model(r->a);
}

static inline void stop(struct run *r)
{
	analysis_free(r->a);
	engine_free(r->engine);
	recbuf_free(&r->buf);
}

/* ---- streams of any kind -------------------------------------------------- */

static uint64_t seed;

static inline uint64_t any(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* Mostly what could be, now and then what cannot. */
static inline uint64_t any_ns(uint64_t below)
{
	switch (any(40)) {
	case 0:
		return UINT64_MAX - any(3);
	case 1:
		return 0;
	case 2:
		return any(below) * 100;
	default:
		return any(below);
	}
}

static inline struct pt_hdr any_task(uint16_t type, uint32_t size, uint64_t now)
{
	uint32_t tid = 100 + (uint32_t)any(6);

	/* no time is so late that sums of nanoseconds overflow */
	return (struct pt_hdr){
		.size = size, .type = type, .proc = 1 + tid % 2,
		.pid = 7 + tid % 2, .tid = tid,
		.t = any(30) ? now - any(2000) : any(10 * now),
	};
}

static inline uint64_t any_stack(void)
{
	return any(8) ? 16 + any(40) : any(3);
}

static inline uint64_t short_of(uint64_t ns)
{
	return ns < 1000 * S ? ns : 1000 * S;
}

static inline void any_offcpu(struct run *r, uint64_t now)
{
	struct pt_offcpu o = {
		.h = any_task(PT_OFFCPU, sizeof(o), now),
		.blocked = any_ns(5000), .runq = any_ns(200),
		.preempted = any_ns(100), .stack = any_stack(),
		.nr = any(2) ? 202 : (uint32_t)any(400), .abi = (uint8_t)any(4),
		.args = { any(3) },
		.reason = (uint8_t)any(6), .state = (uint8_t)any(20),
		.why = (uint8_t)any(12), .waker = (uint8_t)any(4),
		.waker_tid = 100 + (uint32_t)any(8), .waker_stack = any_stack(),
		.iowait = (uint8_t)any(2),
	};

	o.dur = any(10) ? o.blocked + o.runq + o.preempted : any_ns(6000);
	o.dur = short_of(o.dur);
	feed(r, &o.h);
}

static inline void any_syscall(struct run *r, uint64_t now)
{
	struct pt_syscall s = {
		.h = any_task(PT_SYSCALL, sizeof(s), now),
		.dur = short_of(any_ns(3000)), .stack = any_stack(),
		.nr = (uint32_t)any(400), .state = (uint8_t)any(12),
		.ret = (int64_t)any(8000) - 4000,
	};

	s.state = s.state < 4 ? s.state : 0;
	feed(r, &s.h);
}

static inline void any_other(struct run *r, uint64_t now)
{
	struct pt_fault f = {
		.h = any_task(PT_FAULT, sizeof(f), now),
		.dur = any(300), .stack = any_stack(), .kind = (uint8_t)any(6),
		.kernel = (uint8_t)any(2), .bytes = 4096,
	};
	struct pt_sample s = {
		.h = any_task(PT_SAMPLE, sizeof(s), now),
		.dur = any(3) * 1000, .stack = any_stack(),
		.kernel = (uint8_t)any(2),
	};

	feed(r, any(2) ? &f.h : &s.h);
}

static inline void any_life(struct run *r, uint64_t now)
{
	struct pt_thread t = { .h = any_task(PT_THREAD, sizeof(t), now) };
	struct pt_exit e = { .h = any_task(PT_EXIT, sizeof(e), now) };
	struct pt_fork f = {
		.h = any_task(PT_FORK, sizeof(f), now),
		.child_pid = 7 + (uint32_t)any(2),
		.child_tid = 100 + (uint32_t)any(8),
		.child_proc = (uint32_t)any(4),
	};

	switch (any(4)) {
	case 0:
		feed(r, &t.h);
		break;
	case 1:
		feed(r, &e.h);
		break;
	case 2:
		feed(r, &f.h);
		break;
	default:
		line(r, any(2) ? "5000 exec pid=7 tid=102 proc=3 file=\"x\"" :
		     "5000 process pid=7 tid=102 proc=3 walk=no");
		break;
	}
}

static inline void any_stream(struct run *r, unsigned int records)
{
	uint64_t now = 10000;

	for (unsigned int i = 0; i < 20; i++) {
		char text[100];

		snprintf(text, sizeof(text), "1 stack stack=%u frame=%u@0 "
			 "frame=%u@0", 16 + i, 1 + i % 4, 1 + i / 7);
		line(r, text);
	}
	for (unsigned int i = 0; i < records; i++) {
		now += any(1500);
		if (i == records / 10 && any(5))
			line(r, any(3) ? "10000 begin events=0x38400 sample_hz=49" :
			     "10000 begin events=0x10400");
		switch (any(12)) {
		case 0:
			any_life(r, now);
			break;
		case 1:
		case 2:
			any_other(r, now);
			break;
		case 3:
		case 4:
		case 5:
			any_syscall(r, now);
			break;
		default:
			any_offcpu(r, now);
			break;
		}
	}
	if (any(2))
		line(r, "900000 end");
}

#endif /* PT_RND_STREAM_H */
