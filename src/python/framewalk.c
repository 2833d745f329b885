/* SPDX-License-Identifier: MIT */
/* framewalk: the Python stack of a thread that does not run, from outside. */
#include "python/framewalk.h"

#include <stdbool.h>
#include <string.h>

#define MOST_FRAMES	4096	/* then it is PT_WHY_TOO_DEEP */
#define MAX_FRAME	256	/* bytes of a frame that are read */

struct walk {
	const struct mem *m;
	const struct pt_image *img;
	const struct pt_layout *l;
	uint64_t bias, fs;
	uint64_t end;		/* the frame below the outermost; 0: none */
};

/* ---- the thread state ----------------------------------------------------- */

/* The key itself, plus 1; 0 if it is not made yet. */
static enum pt_why find_key(const struct walk *w, uint32_t *key)
{
	uint64_t at = w->img->runtime + w->bias;
	uint32_t made;

	*key = 0;
	if (w->img->tls_kind == PT_TLS_KEY_SYMBOL) {
		if (mem_u32(w->m, at, &made))
			return PT_WHY_PAGE;
		*key = made + 1;	/* -1: not made */
		return PT_WHY_NONE;
	}
	/* Py_tss_t {int initialised, key} */
	at += (uint64_t)w->l->rt_key;
	if (mem_u32(w->m, at - 4, &made) || mem_u32(w->m, at, key))
		return PT_WHY_PAGE;
	*key = made ? *key + 1 : 0;
	return PT_WHY_NONE;
}

/*
 * The slot of a pthread key: 32 keys in glibc's struct pthread itself, the
 * others in blocks of 32 behind pointers; each slot is {sequence number, data}
 * (nptl/descr.h).
 */
#define FIRST_BLOCK	0x310
#define BLOCKS		0x510
#define KEYS_MAX	1024

static enum pt_why pthread_slot(const struct walk *w, uint32_t key, uint64_t *data)
{
	uint64_t block = w->fs + FIRST_BLOCK;

	*data = 0;
	if (key >= KEYS_MAX)
		return PT_WHY_CHAIN;
	if (key >= 32 && mem_u64(w->m, w->fs + BLOCKS + 8 * (key >> 5), &block))
		return PT_WHY_PAGE;
	if (!block)
		return PT_WHY_NONE;
	return mem_u64(w->m, block + 16 * (key & 31) + 8, data) ? PT_WHY_PAGE :
								   PT_WHY_NONE;
}

static enum pt_why tls_variable(const struct walk *w, uint64_t *data)
{
	uint64_t at = w->fs + (uint64_t)w->img->tls, module, offset, dtv, block;

	*data = 0;
	if (w->img->tls_kind == PT_TLS_STATIC)
		return mem_u64(w->m, at, data) ? PT_WHY_PAGE : PT_WHY_NONE;
	/* tls_index {module, offset}; dtv[module] is {pointer, to free} */
	at = w->bias + (uint64_t)w->img->tls;
	if (mem_u64(w->m, at, &module) || mem_u64(w->m, at + 8, &offset) ||
	    mem_u64(w->m, w->fs + 8, &dtv) ||
	    mem_u64(w->m, dtv + 16 * (module & 0xffff), &block))
		return PT_WHY_PAGE;
	if (!block || block == UINT64_MAX)
		return PT_WHY_NONE;	/* it never touched the library */
	return mem_u64(w->m, block + offset + w->img->tls_add, data) ?
		PT_WHY_PAGE : PT_WHY_NONE;
}

/* The thread state that the gilstate API keeps for the thread; 0: it has none. */
static enum pt_why gilstate_slot(const struct walk *w, uint64_t *tstate)
{
	enum pt_why why;
	uint32_t key;

	if (w->img->tls_kind == PT_TLS_STATIC || w->img->tls_kind == PT_TLS_DTV)
		return tls_variable(w, tstate);
	*tstate = 0;
	why = find_key(w, &key);
	return why || !key ? why : pthread_slot(w, key - 1, tstate);
}

static enum pt_why read_tstate(struct walk *w, uint64_t tstate, uint64_t *frame)
{
	const struct pt_layout *l = w->l;
	uint64_t id;

	if (mem_u64(w->m, tstate + (uint64_t)l->ts_thread_id, &id) ||
	    mem_u64(w->m, tstate + (uint64_t)l->ts_frame, frame))
		return PT_WHY_PAGE;
	if (id != w->fs)
		return PT_WHY_CHAIN;
	/* 3.15: base_frame follows current_frame; nothing comes after it */
	w->end = 0;
	if (l->version == 0x030f &&
	    mem_u64(w->m, tstate + (uint64_t)l->ts_frame + 8, &w->end))
		return PT_WHY_PAGE;
	if (*frame && l->frames == PT_FRAMES_CFRAME &&
	    mem_u64(w->m, *frame + (uint64_t)l->cf_current, frame))
		return PT_WHY_PAGE;
	return PT_WHY_NONE;
}

/*
 * Up to 3.11 the slot has the first thread state of the thread, of several: that
 * of a sub-interpreter that it may be in is another one.
 */
static enum pt_why has_one_interpreter(const struct walk *w)
{
	uint64_t interp, next;

	if (w->l->rt_current == PT_NONE || w->l->rt_interpreters == PT_NONE)
		return PT_WHY_NONE;
	if (mem_u64(w->m, w->img->runtime + w->bias +
		    (uint64_t)w->l->rt_interpreters, &interp) || !interp ||
	    mem_u64(w->m, interp + (uint64_t)w->l->is_next, &next))
		return PT_WHY_PAGE;
	return next ? PT_WHY_SUBINTERPRETER : PT_WHY_NONE;
}

static enum pt_why newest_frame(struct walk *w, uint64_t *frame)
{
	enum pt_why why;
	uint64_t tstate;

	*frame = 0;
	why = gilstate_slot(w, &tstate);
	if (why || !tstate)
		return why;
	why = has_one_interpreter(w);
	return why ? why : read_tstate(w, tstate, frame);
}

/* ---- its frames ----------------------------------------------------------- */

/* Of a deep stack the innermost frames stay, and the outermost come round. */
static void push(struct framewalk *out, uint64_t code, int64_t lasti)
{
	uint32_t n = out->nr + out->omitted;

	if (n < PT_MAX_FRAMES) {
		out->nr++;
	} else {
		memmove(out->frames + PT_INNER, out->frames + PT_INNER + 1,
			(PT_OUTER - 1) * sizeof(out->frames[0]));
		out->omitted++;
		n = PT_MAX_FRAMES - 1;
	}
	out->frames[n] = (struct framewalk_frame){
		code, lasti < 0 || lasti > INT32_MAX ? -1 : (int32_t)lasti };
}

static uint64_t word(const uint8_t *frame, pt_s32 at)
{
	uint64_t v;

	memcpy(&v, frame + at, sizeof(v));
	return v;
}

/* A frame that was read: it is kept if it is one of Python's.  The next one. */
static uint64_t take(const struct pt_layout *l, const uint8_t *frame,
		     struct framewalk *out)
{
	uint64_t code = word(frame, l->fr_code);
	int32_t lasti;

	if (l->frames == PT_FRAMES_OBJECT) {
		memcpy(&lasti, frame + l->fr_lasti, sizeof(lasti));
		push(out, code, (int64_t)lasti * l->lasti_scale);
	} else if (frame[l->fr_owner] < l->owner_c) {
		code &= l->tagged ? ~(uint64_t)3 : ~(uint64_t)0;
		push(out, code, (int64_t)(word(frame, l->fr_lasti) - code -
					  (uint64_t)l->co_code));
	}
	return word(frame, l->fr_back);
}

static bool fits(const struct pt_layout *l)
{
	const pt_s32 most = MAX_FRAME - 8;

	return l->fr_size > 0 && l->fr_size <= MAX_FRAME && l->fr_code >= 0 &&
	       l->fr_code <= most && l->fr_back >= 0 && l->fr_back <= most &&
	       l->fr_lasti >= 0 && l->fr_lasti <= most &&
	       (l->frames == PT_FRAMES_OBJECT ||
		(l->fr_owner >= 0 && l->fr_owner <= most));
}

enum pt_why framewalk(const struct mem *m, const struct pt_image *image,
		      uint64_t bias, uint64_t fs, struct framewalk *out)
{
	struct walk w = {
		.m = m, .img = image, .l = &image->layout, .bias = bias,
		.fs = fs,
	};
	uint8_t bytes[MAX_FRAME] = { 0 };
	uint64_t frame;
	enum pt_why why;

	out->nr = out->omitted = 0;
	if (!fs)
		return PT_WHY_NONE;
	if (!fits(w.l))
		return PT_WHY_UNSUPPORTED;
	why = newest_frame(&w, &frame);
	for (uint32_t n = 0; !why && frame && frame != w.end; n++) {
		if (n == MOST_FRAMES)
			return PT_WHY_TOO_DEEP;
		if (mem_read(m, frame, bytes, (size_t)w.l->fr_size))
			return PT_WHY_PAGE;
		frame = take(w.l, bytes, out);
	}
	return why;
}
