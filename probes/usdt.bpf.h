/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * usdt: a USDT probe is a record of its arguments, a word each, and behind them
 * the texts that some of them point to.
 *
 * Two probes that begin and end something are one record, sent at the end: its
 * data begin with the first argument of the one that began it.
 */
#ifndef PT_USDT_BPF_H
#define PT_USDT_BPF_H

#include "tracepoint.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PT_MAX_SITES);
	__type(key, u32);
	__type(value, struct pt_site);
} sites SEC(".maps");

struct begun_key {
	u64 task;
	u64 text;		/* address of the first text; 0: it has none */
	u64 event;
};

struct begun {
	u64 at;
	u64 word;		/* first argument */
};

/* What has begun; the oldest give way: of them the begin is not known. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, struct begun_key);
	__type(value, struct begun);
} begun SEC(".maps");

/* Words before the texts: what was kept, and the arguments. */
#define USDT_WORDS (1 + PT_SITE_ARGS)
#define USDT_TEXTS 2
/* A word that says where a text is that could not be read: nowhere. */
#define NOWHERE 0x1ffff

struct usdt_record {
	struct pt_tracepoint head;
	u64 word[USDT_WORDS];
	char text[USDT_TEXTS * PT_SITE_TEXT];
};

static __always_inline u64 reg_word(const u64 *regs, u8 nr)
{
	return nr < PT_SITE_REGS ? regs[nr] : 0;
}

/* Cut to its size, and extended by its sign. */
static __always_inline u64 fit(const struct pt_site_arg *a, u64 v)
{
	u32 unused = 64 - 8 * (a->size & 15);

	if (!a->size || unused > 56)
		return v;
	return a->is_signed ? (u64)((s64)(v << unused) >> unused) :
			      v << unused >> unused;
}

/* The argument; *unread if it is in memory that is not there. */
static __always_inline u64 site_arg(const struct pt_site_arg *a, const u64 *regs,
				    bool *unread)
{
	u64 v = 0, at;

	switch (a->place) {
	case PT_SITE_CONST:
		return (u64)a->value;
	case PT_SITE_REG:
		return fit(a, reg_word(regs, a->base) >> (a->base_bits & 63));
	case PT_SITE_MEM:
		at = reg_word(regs, a->base) + (u64)a->value +
		     reg_word(regs, a->index) * a->scale;
		*unread = bpf_probe_read_user(&v, sizeof(v), (void *)at) != 0;
		return *unread ? 0 : fit(a, v);
	default:
		return 0;
	}
}

/*
 * Which of them could not be read, a bit each.  In a frame of its own: the walk
 * needs what there is of the stack.
 */
static __noinline u32 site_args(const struct pt_site *s, u64 ctx, u64 *arg)
{
	u64 regs[PT_SITE_REGS];
	u32 mask = 0;

	if (bpf_probe_read_kernel(regs, sizeof(regs), (void *)ctx))
		return (1U << PT_SITE_ARGS) - 1;
	for (u32 i = 0; i < PT_SITE_ARGS; i++) {
		bool unread = i >= s->nr_args;	/* other places have it */

		if (!unread)
			arg[i] = site_arg(&s->arg[i], regs, &unread);
		mask |= (u32)unread << i;
	}
	return mask;
}

/*
 * The text at `from` to `at` in the record; the word for it.  `*end` moves on.
 */
static __always_inline u64 put_text(struct usdt_record *r, u32 *end, u64 from)
{
	u32 at = *end, most = cfg.path_len + 1;
	long len;

	if (at > PT_SITE_TEXT)
		return NOWHERE;
	if (most > PT_SITE_TEXT)
		most = PT_SITE_TEXT;
	len = bpf_probe_read_user_str(r->text + at, most, (void *)from);
	if (len < 1 || len > PT_SITE_TEXT)
		return NOWHERE;
	*end = at + (u32)len;
	return (u64)len << 16 | (sizeof(r->word) + at);
}

static __always_inline u64 first_text(const struct pt_site *s, const u64 *arg)
{
	return s->arg[0].is_string ? arg[0] : 0;
}

static __always_inline void usdt_began(const struct begun_key *key, u64 word)
{
	struct begun b = { .at = bpf_ktime_get_ns(), .word = word };

	bpf_map_update_elem(&begun, key, &b, BPF_ANY);
}

static __always_inline void usdt_send(struct task_struct *task, struct thread *t,
				      const struct pt_site *s, u64 ip,
				      const u64 *arg, u32 unread,
				      const struct begun *b)
{
	u64 now = bpf_ktime_get_ns();
	struct usdt_record *r;
	u64 stack;
	u32 end = 0;
	u8 why = 0;

	stack = stack_here(task, t, &why);
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r) {
		count_loss(PT_LOSS_RING_FULL);
		return;
	}
	__builtin_memset(&r->head, 0, sizeof(r->head));
	fill_hdr(&r->head.h, PT_TRACEPOINT, sizeof(*r), task, t->proc,
		 b && b->at ? b->at : now);
	r->head.event = s->event;
	r->head.dur = b && b->at ? now - b->at : 0;
	r->head.stack = stack;
	r->head.why = why;
	r->head.ip = ip;
	r->head.unread = (u8)(unread << 1);	/* word 0 is none of them */
	r->word[0] = b ? b->word : 0;
	for (u32 i = 0; i < PT_SITE_ARGS; i++) {
		bool text = s->arg[i].is_string && i < s->nr_args;

		r->word[1 + i] = text ? put_text(r, &end, arg[i]) : arg[i];
	}
	for (u32 i = 0; i < 7; i++)	/* the padding */
		if (i < (-end & 7) && end + i < sizeof(r->text))
			r->text[end + i] = 0;
	r->head.nr = (u16)(sizeof(r->word) + end);
	r->head.h.size = sizeof(r->head) + sizeof(r->word) + ((end + 7) & ~7U);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	cost_here()->sent++;
}

static __always_inline void usdt_hit(struct pt_regs *ctx, u32 nr)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct pt_site *s = bpf_map_lookup_elem(&sites, &nr);
	struct begun_key key = { .task = (u64)task };
	struct begun b = { 0 }, *was;
	u64 arg[PT_SITE_ARGS] = { 0 };
	u32 unread;

	if (!s || !t || !t->known)
		return;
	unread = site_args(s, (u64)ctx, arg);
	key.text = first_text(s, arg);
	key.event = s->event;
	if (s->role == PT_SITE_START) {
		usdt_began(&key, arg[0]);
		return;
	}
	if (s->role == PT_SITE_DONE) {
		was = bpf_map_lookup_elem(&begun, &key);
		if (was) {
			b = *was;
			bpf_map_delete_elem(&begun, &key);
		}
	}
	usdt_send(task, t, s, BPF_CORE_READ(ctx, ip), arg, unread, &b);
}

#endif /* PT_USDT_BPF_H */
