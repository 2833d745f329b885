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
 * From 3.11 the frames of a thread lie one after the other, so one read of the
 * part of the page below the newest serves most of a stack.
 */
#ifndef PT_WALK_BPF_H
#define PT_WALK_BPF_H

#include "proc.bpf.h"

#define PAGE		4096
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

struct walk {
	u64 hash;
	u64 base;		/* of the bytes in `page` */
	u32 have;		/* how many of them are valid */
	u32 nr;			/* frames met */
	u32 why;
	u32 busy;
	struct search search;
	struct pt_stack stack;	/* the record, with its frames behind it */
	struct pt_frame frames[PT_MAX_FRAMES];
	struct pt_frame turned[PT_OUTER];
	u8 page[2 * PAGE + 8];
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

/* Read a thread state into the page; is it the one of this thread? */
static __always_inline int load_tstate(struct walk *w, const struct pt_layout *l,
				       u64 tstate, u64 fs)
{
	u32 frame = l->ts_frame, id = l->ts_thread_id;
	u32 len = (frame > id ? frame : id) + 8;

	if (len > MAX_TSTATE)
		return PT_WHY_UNSUPPORTED;
	if (bpf_probe_read_user(w->page, len, (void *)tstate))
		return PT_WHY_PAGE;
	return page_u64(w, id) == fs ? PT_WHY_NONE : PT_WHY_CHAIN;
}

/* The newest frame of the current thread; 0 if it runs no Python. */
static __always_inline int newest_frame(struct walk *w, struct proc *p,
					const struct pt_image *img, u64 fs,
					u64 *frame)
{
	const struct pt_layout *l = &img->layout;
	u64 tstate = 0;
	int why;

	*frame = 0;
	if (l->rt_current != PT_NONE) {
		if (user_u64(img->runtime + p->bias + l->rt_current, &tstate))
			return PT_WHY_PAGE;
		if (tstate && !load_tstate(w, l, tstate, fs))
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
	why = load_tstate(w, l, tstate, fs);
	if (why)
		return why;
found:
	*frame = page_u64(w, l->ts_frame);
	if (l->frames == PT_FRAMES_CFRAME && *frame &&
	    user_u64(*frame + l->cf_current, frame))
		return PT_WHY_PAGE;
	return PT_WHY_NONE;
}

/*
 * Where the death of code objects is not seen (on_dealloc could not be put in
 * place), what lies at the address now is compared: its name, its table and
 * its first line.  Not proof, but two that agree in all of it look alike.
 */
static __noinline u64 fingerprint(u64 code, s32 name_at, s32 table_at,
				  s32 line_at)
{
	u64 name = 0, table = 0;
	u32 line = 0;

	user_u64(code + name_at, &name);
	user_u64(code + table_at, &table);
	bpf_probe_read_user(&line, sizeof(line), (void *)(code + line_at));
	return mix(mix(name, table), line);
}

static __always_inline u64 code_print(u64 code, const struct pt_layout *l)
{
	if (!sw.fingerprint)
		return 0;
	return fingerprint(code, l->co_name, l->co_linetable,
			   l->co_firstlineno);
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

static __always_inline void push_frame(struct walk *w, const struct pt_layout *l,
				       u64 code, s32 lasti)
{
	u32 n = w->nr++;
	u32 at = n < PT_INNER ? n : PT_INNER + ((n - PT_INNER) & (PT_OUTER - 1));

	w->hash = mix(w->hash, code ^ ((u64)(u32)lasti * 0x9e3779b97f4a7c15ULL));
	if (sw.fingerprint)
		w->hash = mix(w->hash, code_print(code, l));
	if (at < PT_MAX_FRAMES) {
		w->frames[at].code = code;
		w->frames[at].lasti = lasti;
		w->frames[at].flags = 0;
	}
}

/*
 * Frames are walked some at a time: the verifier looks at one helping and not
 * at each frame of the deepest stack.
 */
#define HELPING		16
#define HELPINGS	256

struct steps {
	struct walk *w;
	const struct pt_layout *layout;
	u64 frame;		/* the next one */
	u64 to_code;		/* from a code object to its first instruction */
	u64 tags;		/* bits of a code pointer that are none of it */
	u64 shim;		/* see find_shim() */
	u32 code, back, lasti, owner;	/* offsets in a frame */
	u32 size;		/* bytes of a frame that hold them */
	u32 owner_c;
	s32 scale;
	u32 why;
};

/* Up to 3.10: objects of their own, linked by f_back. */
static long some_objects(u32 nr, struct steps *s)
{
	struct walk *w = s->w;
	u32 size = s->size;
	s32 at;

	if (size > MAX_FRAME)
		return 1;
	for (u32 i = 0; i < HELPING; i++) {
		if (!s->frame)
			return 1;
		if (bpf_probe_read_user(w->page, size, (void *)s->frame)) {
			s->why = PT_WHY_PAGE;
			return 1;
		}
		at = (s32)page_u64(w, s->lasti);
		push_frame(w, s->layout, page_u64(w, s->code),
			   at < 0 ? -1 : at * s->scale);
		s->frame = page_u64(w, s->back);
	}
	return 0;
}

/* Have the frame at f in the page, and what lies below it there. */
static __always_inline int load_frame(struct walk *w, u64 f, u32 size)
{
	u32 len = (f & (PAGE - 1)) + size;

	w->base = f & ~(u64)(PAGE - 1);
	w->have = 0;
	if (len > PAGE + MAX_FRAME)
		return -1;
	if (bpf_probe_read_user(w->page, len, (void *)w->base))
		return -1;
	w->have = len;
	return 0;
}

/* From 3.11: frames on the thread's data stack, or inside generators. */
static long some_frames(u32 nr, struct steps *s)
{
	u32 code_at = s->code, back = s->back, instr = s->lasti;
	u32 owner = s->owner, owner_c = s->owner_c, size = s->size;
	u64 to_code = s->to_code, tags = s->tags, shim = s->shim;
	struct walk *w = s->w;
	u64 f = s->frame;

	for (u32 i = 0; i < HELPING; i++) {
		u64 off = f - w->base, code;
		s64 lasti;
		u32 at;

		if (!f)
			break;
		if (off >= w->have || off + size > w->have) {
			if (load_frame(w, f, size)) {
				s->why = PT_WHY_PAGE;
				break;
			}
			off = f & (PAGE - 1);
		}
		at = (u32)off;
		if ((page_u64(w, at + owner) & 0xff) < owner_c) {
			code = page_u64(w, at + code_at) & ~tags;
			lasti = page_u64(w, at + instr) - code - to_code;
			if (code != shim)
				push_frame(w, s->layout, code,
					   lasti < 0 ? -1 : (s32)lasti);
		}
		f = page_u64(w, at + back);
	}
	s->frame = f;
	return s->why || !f;
}

static __always_inline u32 walk_from(struct walk *w, const struct proc *p,
				     const struct pt_layout *l, u64 frame)
{
	struct steps s = {
		.w = w,
		.layout = l,
		.frame = frame,
		.to_code = (u64)(s64)l->co_code,
		.tags = l->tagged ? 3 : 0,
		.shim = p->shim,
		.code = l->fr_code,
		.back = l->fr_back,
		.lasti = l->fr_lasti,
		.owner = l->fr_owner,
		.size = l->fr_size,
		.owner_c = l->owner_c,
		.scale = l->lasti_scale,
	};

	if (s.size > MAX_FRAME)
		return PT_WHY_UNSUPPORTED;
	w->have = 0;
	w->base = 0;
	if (l->frames == PT_FRAMES_OBJECT)
		bpf_loop(HELPINGS, some_objects, &s, 0);
	else
		bpf_loop(HELPINGS, some_frames, &s, 0);
	return s.why ? s.why : s.frame ? PT_WHY_TOO_DEEP : PT_WHY_NONE;
}

/*
 * Walk the current thread.  Leaves the frames in w with w->nr and w->hash;
 * returns why it is not whole.  The frames are raw: addresses of code.
 */
static __noinline u32 walk_current(struct walk *w, struct proc *p,
				   struct pt_image *img)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 fs = task->thread.fsbase;
	u64 frame = 0;
	u32 why;

	w->nr = 0;
	w->hash = generation(p);
	if (!fs)
		return PT_WHY_NONE;	/* before ld.so has set up the thread */
	why = newest_frame(w, p, img, fs, &frame);
	if (why || !frame)
		return why;
	return walk_from(w, p, &img->layout, frame);
}

#endif /* PT_WALK_BPF_H */
