/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * walk: from the current thread to its Python stack.
 *
 * Only `current` is ever walked: it is stopped in the kernel, so that its
 * frames cannot move under the reader.  Nothing here faults a page in; what is
 * not resident is a reason, not an answer.
 *
 *	fs_base ─► thread state ─► frame ─► frame ─► ... ─► NULL
 *
 * From 3.11 the frames of a thread lie one after the other, so one read of
 * what lies below the newest serves most of a stack.
 *
 * A walk counts and hashes frames, no more.  Few of the stacks that it meets
 * are new; only those are walked once more, to keep their frames.
 */
#ifndef PT_WALK_BPF_H
#define PT_WALK_BPF_H

#include "proc.bpf.h"

#define PAGE		4096
#define CHUNK		16384	/* of a data stack: the first, and the least */
#define MAX_FRAME	256	/* bytes of a frame that are read */
#define MAX_TSTATE	512	/* bytes of a thread state that are read */

/* Looking for a thread state among those of all interpreters. */
struct search {
	u64 interp, tstate;	/* the next ones */
	u64 first;		/* the thread state of the slot */
	u64 fs;
	u64 found;		/* another one of this thread, with a frame */
	u64 nr;			/* of such */
};

/*
 * What changes from step to step is kept here and not on the stack of the
 * program, where the verifier would follow each value that it can take.
 */
struct walk {
	u32 busy;
	u32 why;
	u32 nr;			/* frames met */
	u32 kept;		/* those that are, or were, in frames[] */
	u64 seed;		/* of the hash */
	u64 hash;
	u64 newest;
	u64 interp;		/* of the thread state; 0: none was found */
	u64 frame;		/* the next one */
	u64 base;		/* address of the bytes in the page */
	u64 limit;		/* a frame further on from there is not in it */
	u64 last;		/* the frame before the next one; 0: none */
	u64 first;		/* of the run of frames that last is in */
	u64 longest;		/* bytes of the longest run so far */
	u64 lowest;		/* where that one ended */
	u64 low;		/* and where it did in the walk before */
	u64 end;		/* the frame below the outermost; 0: none known */
	u8 alone[2 * MAX_FRAME + 8];
	u8 page[2 * PAGE + MAX_FRAME + 8];
	struct search search;
	struct pt_stack stack;	/* the record, with its frames behind it */
	struct pt_frame frames[PT_MAX_FRAMES];
	struct pt_frame turned[PT_OUTER];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct walk);
} walks SEC(".maps");

static __always_inline int user_u64(u64 addr, u64 *v)
{
	return bpf_probe_read_user(v, sizeof(*v), (void *)addr);
}

static __always_inline u64 page_u64(const struct walk *w, u32 off)
{
	return *(const u64 *)(w->page + (off & (2 * PAGE - 1)));
}

/*
 * The slot of a pthread key, as glibc lays out struct pthread: 32 keys in the
 * descriptor itself, the others in blocks of 32 behind pointers.  Each slot is
 * {sequence number, data}.  (glibc nptl/descr.h; the offset has been the same
 * from 2.4 on.)
 */
#define PTHREAD_FIRST_BLOCK	0x310
#define PTHREAD_BLOCKS		0x510

static __always_inline int pthread_slot(u64 fs, u32 key, u64 *data)
{
	u64 block = fs + PTHREAD_FIRST_BLOCK;

	if (key >= 32) {
		if (user_u64(fs + PTHREAD_BLOCKS + 8 * (u64)(key >> 5), &block))
			return -1;
		if (!block) {
			*data = 0;
			return 0;
		}
	}
	return user_u64(block + 16 * (u64)(key & 31) + 8, data);
}

/* The key itself, from Py_tss_t {int initialised, key}; 0 if there is none. */
static __always_inline int learn_key(struct proc *p, const struct pt_image *img)
{
	u32 tss[2];

	if (img->tls_kind == PT_TLS_KEY_SYMBOL) {
		/* 3.6: a plain int, -1 until it is made */
		if (bpf_probe_read_user(tss, 4, (void *)(img->runtime + p->bias)))
			return PT_WHY_PAGE;
		if (tss[0] == (u32)-1)
			return PT_WHY_NONE;
		p->key = tss[0] + 1;
		return PT_WHY_NONE;
	}
	if (bpf_probe_read_user(tss, 8, (void *)(img->runtime + p->bias +
						 img->layout.rt_key - 4)))
		return PT_WHY_PAGE;
	if (tss[0])
		p->key = tss[1] + 1;
	return PT_WHY_NONE;
}

static __always_inline int tls_variable(u64 fs, const struct proc *p,
					const struct pt_image *img, u64 *tstate)
{
	u64 index[2], dtv, block;

	if (img->tls_kind == PT_TLS_STATIC)
		return user_u64(fs + img->tls, tstate) ? PT_WHY_PAGE : 0;
	/* tls_index {module, offset}; dtv[module] is {pointer, to free} */
	if (bpf_probe_read_user(index, 16, (void *)(p->bias + img->tls)) ||
	    user_u64(fs + 8, &dtv) ||
	    user_u64(dtv + 16 * (index[0] & 0xffff), &block))
		return PT_WHY_PAGE;
	*tstate = 0;
	if (block == (u64)-1 || !block)
		return 0;	/* this thread never touched the library */
	block += index[1] + img->tls_add;
	return user_u64(block, tstate) ? PT_WHY_PAGE : 0;
}

/*
 * The thread state that the gilstate API keeps for this thread.  It is there
 * when the thread waits without the GIL, too.
 */
static __always_inline int gilstate_slot(u64 fs, struct proc *p,
					 const struct pt_image *img, u64 *tstate)
{
	int why;

	if (img->tls_kind == PT_TLS_STATIC || img->tls_kind == PT_TLS_DTV)
		return tls_variable(fs, p, img, tstate);
	if (!p->key) {
		why = learn_key(p, img);
		if (why || !p->key)
			return why;
	}
	return pthread_slot(fs, p->key - 1, tstate) ? PT_WHY_PAGE : 0;
}

/*
 * Up to 3.11 the slot holds the first thread state of a thread and not the
 * one of the sub-interpreter it may be in.  The running one is a variable of
 * the runtime, but not while the thread has given up the GIL: then its thread
 * states in all interpreters are looked at.  One that has a frame was entered
 * from the first; if there are several, nothing tells which is the innermost.
 */
#define MAX_SEARCH	4096	/* thread states */

struct search_context {
	struct search *s;
	const struct pt_layout *l;
};

static __always_inline u64 user_word(u64 addr)
{
	u64 v = 0;

	user_u64(addr, &v);
	return v;
}

static __always_inline u64 frame_of(const struct pt_layout *l, u64 tstate)
{
	u64 frame = user_word(tstate + l->ts_frame);

	if (frame && l->frames == PT_FRAMES_CFRAME)
		frame = user_word(frame + l->cf_current);
	return frame;
}

static long search_step(u32 i, struct search_context *c)
{
	const struct pt_layout *l = c->l;
	struct search *s = c->s;

	if (!s->tstate) {
		if (!s->interp)
			return 1;
		s->tstate = user_word(s->interp + l->is_threads);
		s->interp = user_word(s->interp + l->is_next);
		return 0;
	}
	if (s->tstate != s->first &&
	    user_word(s->tstate + l->ts_thread_id) == s->fs &&
	    frame_of(l, s->tstate)) {
		s->found = s->tstate;
		s->nr++;
	}
	s->tstate = user_word(s->tstate + l->ts_next);
	return 0;
}

/* The thread state that is meant, given that of the slot. */
static __always_inline int among_interpreters(struct walk *w, const struct proc *p,
					      const struct pt_image *img, u64 fs,
					      u64 *tstate)
{
	const struct pt_layout *l = &img->layout;
	struct search_context c = { &w->search, l };
	struct search *s = &w->search;

	if (l->rt_interpreters == PT_NONE)
		return PT_WHY_NONE;
	s->interp = user_word(img->runtime + p->bias + l->rt_interpreters);
	if (!s->interp || !user_word(s->interp + l->is_next))
		return PT_WHY_NONE;	/* the usual case: there is but one */
	s->tstate = 0;
	s->first = *tstate;
	s->fs = fs;
	s->nr = 0;
	bpf_loop(MAX_SEARCH, search_step, &c, 0);
	if (s->nr > 1)
		return PT_WHY_SUBINTERPRETER;
	if (s->nr)
		*tstate = s->found;
	return PT_WHY_NONE;
}

/*
 * _status of a thread state, from 3.12 on: bound_gilstate is set in the one
 * that is in the slot, and in no other of its thread (bind_gilstate_tstate(),
 * unbind_gilstate_tstate() in CPython's Python/pystate.c).
 */
#define BOUND_GILSTATE	8

/*
 * A thread state's frame, if it is the one of this thread, and its interpreter,
 * which in all versions comes first.
 */
static __always_inline int read_tstate(struct walk *w, const struct pt_layout *l,
				       u64 tstate, u64 fs, bool bound,
				       u64 *frame)
{
	u32 frame_at = l->ts_frame, id_at = l->ts_thread_id;
	u32 from = l->ts_interp, status_at = l->ts_status;
	u32 len = (frame_at > id_at ? frame_at : id_at) - from + 8;

	if (len > MAX_TSTATE)
		return PT_WHY_UNSUPPORTED;
	if (bpf_probe_read_user(w->page, len, (void *)(tstate + from)))
		return PT_WHY_PAGE;
	if (page_u64(w, id_at - from) != fs)
		return PT_WHY_CHAIN;
	if (bound && (status_at - from > len - 8 ||
		      !(page_u64(w, status_at - from) & BOUND_GILSTATE)))
		return PT_WHY_CHAIN;
	*frame = page_u64(w, frame_at - from);
	/*
	 * base_frame follows current_frame in PyThreadState (CPython 3.15,
	 * Include/cpython/pystate.h): a sentinel, nothing comes after it.
	 */
	w->end = 0;
	if (l->version == 0x030f && id_at > frame_at + 8)
		w->end = page_u64(w, frame_at - from + 8);
	w->interp = page_u64(w, 0);
	return PT_WHY_NONE;
}

/* The newest frame of the current thread; 0 if it runs no Python. */
static __always_inline int newest_frame(struct walk *w, struct proc *p,
					const struct pt_image *img,
					struct thread *t, u64 fs, u64 *frame)
{
	const struct pt_layout *l = &img->layout;
	u64 tstate = t->tstate;
	int why;

	*frame = 0;
	if (l->ts_status != PT_NONE && tstate &&
	    !read_tstate(w, l, tstate, fs, true, frame))
		goto found;
	tstate = 0;
	if (l->rt_current != PT_NONE) {
		if (user_u64(img->runtime + p->bias + l->rt_current, &tstate))
			return PT_WHY_PAGE;
		if (tstate && !read_tstate(w, l, tstate, fs, false, frame))
			goto found;
		tstate = 0;
	}
	why = gilstate_slot(fs, p, img, &tstate);
	if (why || !tstate)
		return why;
	if (l->rt_current != PT_NONE) {
		why = among_interpreters(w, p, img, fs, &tstate);
		if (why)
			return why;
	}
	why = read_tstate(w, l, tstate, fs, false, frame);
	if (why)
		return why;
	t->tstate = tstate;
found:
	if (l->frames == PT_FRAMES_CFRAME && *frame &&
	    user_u64(*frame + l->cf_current, frame))
		return PT_WHY_PAGE;
	return PT_WHY_NONE;
}

/*
 * Where the death of code objects is not seen (on_dealloc could not be put in
 * place), what lies at the address now is compared: its first line, its names
 * and its table, by place and by content: in a loop of exec() the next one has
 * its parts at the very places of the last.  Not proof, but two that agree in
 * all of it look alike.
 */
#define PRINT_BYTES 32

/*
 * What a str or bytes object holds: its length and both ends of its data, as
 * far as they lie within it.  (A str that is not ASCII has its data elsewhere,
 * and is told apart by what lies here.)
 */
static __noinline u64 text_print(u64 object, s32 length_at, s32 data_at)
{
	u64 part[PRINT_BYTES / 8] = { 0 }, len = 0, print;
	u32 n;

	if (user_u64(object + length_at, &len))
		return mix(object, 0);
	print = mix(object, len);
	n = len < PRINT_BYTES ? (u32)len : PRINT_BYTES;
	asm volatile ("" : "+r"(n));	/* or the check goes with the proof */
	if (n > PRINT_BYTES)
		return print;
	bpf_probe_read_user(part, n, (void *)(object + data_at));
	for (u32 i = 0; i < PRINT_BYTES / 8; i++)
		print = mix(print, part[i]);
	if (len <= PRINT_BYTES)
		return print;
	bpf_probe_read_user(part, sizeof(part),
			    (void *)(object + data_at + len - PRINT_BYTES));
	for (u32 i = 0; i < PRINT_BYTES / 8; i++)
		print = mix(print, part[i]);
	return print;
}

static __noinline u64 fingerprint(u64 code, const struct pt_layout *l)
{
	s32 at[] = { l->co_name, l->co_filename, l->co_qualname };
	u64 object = 0, print;
	u32 line = 0;

	bpf_probe_read_user(&line, sizeof(line),
			    (void *)(code + l->co_firstlineno));
	print = mix(line, 0);
	for (u32 i = 0; i < 3; i++) {
		if (at[i] == PT_NONE)
			continue;
		user_u64(code + at[i], &object);
		print = mix(print, text_print(object, l->str_length,
					      l->str_ascii));
	}
	user_u64(code + l->co_linetable, &object);
	return mix(print, text_print(object, l->ob_size, l->bytes_data));
}

static __always_inline u64 code_print(u64 code, const struct pt_layout *l)
{
	if (!sw.fingerprint)
		return 0;
	return fingerprint(code, l);
}

/*
 * What ids of this process begin with.  The numbers go through mix() each on
 * its own: added or xor-ed, a small one would cancel low bits of an address,
 * and two objects have one id (it happened).
 */
static __always_inline u64 generation(const struct proc *p)
{
	return mix(mix(0x9e3779b97f4a7c15ULL, p->proc), p->gen);
}

/*
 * Frames are walked some at a time: the verifier looks at one helping and not
 * at each frame of the deepest stack.  Within a helping all that changes is in
 * registers.
 */
#define HELPING		24	/* most stacks are done with one */
#define KEPT_HELPING	4	/* where there is no hurry */
#define HELPINGS	4096
#define MOST_FRAMES	4096	/* then it is PT_WHY_TOO_DEEP */

/* What a frame tells, and where in it. */
struct fields {
	u64 to_code;		/* from a code object to its first instruction */
	u64 tags;		/* bits of a code pointer that are none of it */
	u64 shim;		/* no function's code object: see find_shim() */
	u32 code, back, lasti, owner;
	u32 owner_c;
	s32 scale;
};

/* The next frame, and the hash and the number of those before it. */
struct cursor {
	u64 frame;
	u64 hash;
	u32 nr;
};

struct steps {
	struct walk *w;
	struct fields at;
	u32 size;		/* bytes of a frame that are read */
};

/*
 * Where the fields are in the versions there are.  The walk of these has them
 * as constants, which saves a third of its instructions.
 */
struct usual {
	u32 code, back, lasti, owner, owner_c;
	u64 tags;		/* to 3.13 they are 0, as a pointer's low bits are */
};

static const struct usual usual_311 = { 32, 48, 56, 69, 0xff, 0 };
static const struct usual usual_312 = { 0, 8, 56, 70, 3, 3 };
static const struct usual usual_314 = { 0, 8, 56, 74, 3, 3 };

static __always_inline bool is_usual(const struct pt_layout *l,
				     const struct usual *u)
{
	return l->fr_code == u->code && l->fr_back == u->back &&
	       l->fr_lasti == u->lasti && l->fr_owner == u->owner &&
	       l->owner_c == u->owner_c && (!l->tagged || u->tags);
}

static __always_inline struct fields fields_of(const struct fields *from,
					       const struct usual *u)
{
	struct fields at = *from;

	if (u) {
		at.code = u->code;
		at.back = u->back;
		at.lasti = u->lasti;
		at.owner = u->owner;
		at.owner_c = u->owner_c;
		at.tags = u->tags;
	}
	return at;
}

static __always_inline bool fields_fit(const struct fields *at)
{
	return at->code <= MAX_FRAME && at->back <= MAX_FRAME &&
	       at->lasti <= MAX_FRAME && at->owner <= MAX_FRAME;
}

/*
 * The frame belongs to the stack.  Of a deep stack the innermost frames stay
 * and the outermost come round.  What was kept is counted in memory so that the
 * verifier does not follow it: it would look at each number of frames.
 */
static __always_inline void push_frame(struct walk *w, struct cursor *c,
				       u64 code, s64 lasti, u64 where, bool keep)
{
	c->hash = mix(c->hash, where);
	c->nr++;
	if (keep) {
		u32 n = w->kept++;
		u32 at = n < PT_INNER ? n :
			 PT_INNER + ((n - PT_INNER) & (PT_OUTER - 1));
		struct pt_frame *to = &w->frames[at];

		to->code = code;
		to->lasti = lasti < 0 ? -1 : (s32)lasti;
		to->flags = 0;
	}
}

/* Up to 3.10: objects of their own, linked by f_back. */
static __always_inline long some_objects(struct steps *s, bool keep)
{
	struct fields at = s->at;
	struct walk *w = s->w;
	struct cursor c = { w->frame, w->hash, w->nr };
	u32 size = s->size;

	if (size > MAX_FRAME || !fields_fit(&at))
		return 1;
	for (u32 i = 0; i < (keep ? KEPT_HELPING : HELPING) && c.frame; i++) {
		u64 code;
		s64 lasti;

		if (bpf_probe_read_user(w->page, size, (void *)c.frame)) {
			w->why = PT_WHY_PAGE;
			break;
		}
		code = *(u64 *)(w->page + at.code);
		lasti = (s64)*(s32 *)(w->page + at.lasti) * at.scale;
		push_frame(w, &c, code, lasti,
			   code ^ ((u64)lasti * 0x9e3779b97f4a7c15ULL), keep);
		c.frame = *(u64 *)(w->page + at.back);
	}
	w->frame = c.frame;
	w->hash = c.hash;
	w->nr = c.nr;
	return w->why || !c.frame || c.nr >= MOST_FRAMES;
}

static long hash_objects(u32 i, struct steps *s)
{
	return some_objects(s, false);
}

static long keep_objects(u32 i, struct steps *s)
{
	return some_objects(s, true);
}

/* Read into the page what lies at these addresses of the target. */
static __always_inline int load_page(struct walk *w, u32 size, u64 from,
				     u64 end)
{
	u64 len = end - from;

	w->base = w->limit = 0;
	if (len > PAGE + MAX_FRAME ||
	    bpf_probe_read_user(w->page, len, (void *)from))
		return -1;
	w->base = from;
	w->limit = len - size;
	return 0;
}

/* The run of frames down to w->last is over. */
static __always_inline void end_run(struct walk *w)
{
	u64 run = w->first - w->last;

	if (run > w->longest && run < CHUNK) {
		w->longest = run;
		w->lowest = w->last;
	}
}

/*
 * Have the frame at f in the page, and with it those that are likely to come
 * next.  They lie below it; how far down can be read without touching what is
 * not there, the walk before this one has found out.  If that is not known,
 * down to the page's begin.
 *
 * Positive: this frame is in a generator or on the C stack, where its
 * neighbours are none; the page stays as it is.
 */
static __always_inline int load_frames(struct walk *w, u32 size, u64 f)
{
	u64 end = f + size, from = f & ~(u64)(PAGE - 1);
	bool in_run = w->last - f < PAGE;

	if (!in_run) {
		end_run(w);
		w->first = f;
	}
	if (f - w->low < CHUNK) {
		from = end - w->low > PAGE ? end - PAGE : w->low;
		if (!load_page(w, size, from, end))
			return 0;
		w->low = 0;	/* it is not there any more */
		from = f & ~(u64)(PAGE - 1);
	} else if (w->last && !in_run) {
		return 1;
	}
	return load_page(w, size, from, end);
}

/*
 * A frame in our memory: count it if it is one of Python's, and go on.  The
 * instruction lies in its code object, so that twice the one's address and
 * once the other's are those of no other frame.
 */
static __always_inline void take_frame(struct walk *w, struct cursor *c,
				       const struct fields *at, const u8 *frame,
				       bool keep)
{
	u64 code = *(u64 *)(frame + at->code) & ~at->tags;
	u64 instr = *(u64 *)(frame + at->lasti);

	if (frame[at->owner] < at->owner_c && code != at->shim)
		push_frame(w, c, code, instr - code - at->to_code,
			   2 * code + instr, keep);
	c->frame = *(u64 *)(frame + at->back);
}

/* From 3.11: frames on the thread's data stack, or inside generators. */
static __always_inline long some_frames(struct steps *s, bool keep,
					const struct usual *usual)
{
	struct fields at = fields_of(&s->at, usual);
	struct walk *w = s->w;
	struct cursor c = { w->frame, w->hash, w->nr };
	u64 last = w->last, base, limit;
	int alone;

	if (!c.frame || !fields_fit(&at))
		return 1;
	if (c.frame - w->base > w->limit) {
		alone = load_frames(w, s->size, c.frame);
		if (alone > 0 && s->size <= MAX_FRAME)
			alone = bpf_probe_read_user(w->alone, s->size,
						    (void *)c.frame) ? -1 : 1;
		if (alone < 0) {
			w->why = PT_WHY_PAGE;
			return 1;
		}
		last = c.frame;
		if (alone)
			take_frame(w, &c, &at, w->alone, keep);
	}
	base = w->base;
	limit = w->limit;
	for (u32 i = 0; i < (keep ? KEPT_HELPING : HELPING); i++) {
		u64 off = c.frame - base;

		if (off > limit)
			break;
		last = c.frame;
		take_frame(w, &c, &at, w->page + (off & (2 * PAGE - 1)), keep);
	}
	if (c.frame == w->end)
		c.frame = 0;
	w->last = last;
	w->frame = c.frame;
	w->hash = c.hash;
	w->nr = c.nr;
	return !c.frame || c.nr >= MOST_FRAMES;
}

static long hash_frames(u32 i, struct steps *s)
{
	return some_frames(s, false, NULL);
}

static long hash_frames_311(u32 i, struct steps *s)
{
	return some_frames(s, false, &usual_311);
}

static long hash_frames_312(u32 i, struct steps *s)
{
	return some_frames(s, false, &usual_312);
}

static long hash_frames_314(u32 i, struct steps *s)
{
	return some_frames(s, false, &usual_314);
}

static long keep_frames(u32 i, struct steps *s)
{
	return some_frames(s, true, NULL);
}

/*
 * From the newest frame to the outermost: how many there are and their hash,
 * and why not all.  Few stacks are new; only of those the frames are kept, by
 * a walk of its own.
 */
static __always_inline u32 walk_from(struct walk *w, const struct proc *p,
				     const struct pt_layout *l, bool keep)
{
	struct steps s = {
		.w = w,
		.at = {
			.to_code = (u64)(s64)l->co_code,
			.tags = l->tagged ? 3 : 0,
			.shim = p->shim,
			.code = l->fr_code,
			.back = l->fr_back,
			.lasti = l->fr_lasti,
			.owner_c = l->owner_c,
			.scale = l->lasti_scale,
		},
		.size = l->fr_size,
	};

	if (s.size > MAX_FRAME)
		return PT_WHY_UNSUPPORTED;
	w->frame = w->newest != w->end ? w->newest : 0;
	w->hash = w->seed;
	w->nr = w->kept = w->why = 0;
	if (l->frames == PT_FRAMES_OBJECT) {
		bpf_loop(HELPINGS, keep ? keep_objects : hash_objects, &s, 0);
	} else {
		s.at.owner = l->fr_owner;
		w->base = w->limit = w->last = w->first = w->longest = 0;
		if (keep)
			bpf_loop(HELPINGS, keep_frames, &s, 0);
		else if (is_usual(l, &usual_314))
			bpf_loop(HELPINGS, hash_frames_314, &s, 0);
		else if (is_usual(l, &usual_312))
			bpf_loop(HELPINGS, hash_frames_312, &s, 0);
		else if (is_usual(l, &usual_311))
			bpf_loop(HELPINGS, hash_frames_311, &s, 0);
		else
			bpf_loop(HELPINGS, hash_frames, &s, 0);
		end_run(w);
		if (w->longest)
			w->low = w->lowest;
	}
	return w->why ? w->why : w->frame ? PT_WHY_TOO_DEEP : PT_WHY_NONE;
}

/* Where deaths go unseen, what the frames' code looks like counts, too. */
struct prints {
	struct walk *w;
	const struct pt_layout *layout;
};

static long add_print(u32 i, struct prints *p)
{
	struct walk *w = p->w;

	if (i >= PT_MAX_FRAMES)
		return 1;
	w->hash = mix(w->hash, code_print(w->frames[i].code, p->layout));
	return 0;
}

/*
 * The same walk with its frames in w->frames.  This and what is called next are
 * global functions: the verifier looks at them once, and not once more for each
 * call.
 */
__noinline u32 walk_keeping(struct walk *w, struct proc *p,
			    struct pt_image *img)
{
	struct prints prints;
	u32 why;

	if (!w || !p || !img)
		return PT_WHY_UNSUPPORTED;
	prints.w = w;
	prints.layout = &img->layout;
	why = walk_from(w, p, &img->layout, true);
	if (sw.fingerprint)
		bpf_loop(w->nr, add_print, &prints, 0);
	return why;
}

/*
 * Walk the current thread: leaves w->nr and w->hash, and returns why that is
 * not all.  t->low is what one walk of a thread leaves for the next: see
 * load_frames().
 */
__noinline u32 walk_current(struct walk *w, struct proc *p,
			    struct pt_image *img, struct thread *t)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 fs = task->thread.fsbase;
	u32 why;

	if (!w || !p || !img || !t)
		return PT_WHY_UNSUPPORTED;
	w->nr = 0;
	w->interp = 0;
	if (!fs)
		return PT_WHY_NONE;	/* before ld.so has set up the thread */
	why = newest_frame(w, p, img, t, fs, &w->newest);
	t->interp = w->interp;
	if (why || !w->newest)
		return why;
	w->seed = generation(p);
	w->low = t->low;
	if (sw.fingerprint)
		why = walk_keeping(w, p, img);
	else
		why = walk_from(w, p, &img->layout, false);
	t->low = w->low;
	return why;
}

#endif /* PT_WALK_BPF_H */
