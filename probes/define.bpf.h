/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * define: stacks and code objects are sent once, at first sight.
 *
 * What was sent is remembered for each CPU in a table that forgets: a
 * definition that is sent again costs its bytes, one that is missing would
 * cost the truth.  An id counts as sent only once all its records are in the
 * ring.
 *
 * An id is a hash over the process, its generation and the addresses.  The
 * generation is raised when a code object that was sent dies (on_dealloc), so
 * that its successor at the same address has another id.
 */
#ifndef PT_DEFINE_BPF_H
#define PT_DEFINE_BPF_H

#include "walk.bpf.h"

#define SENT_STACKS	8192	/* ids remembered for each CPU */
#define SENT_CODES	8192
#define SEEN_WORDS	16384	/* times 64 bits: codes ever sent, by hash */

#define PART_BYTES	4096	/* in one record */
#define PART_RECORDS	128	/* of one part: 512 KiB, then it is PT_PART_LONG */

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SENT_STACKS);
	__type(key, u32);
	__type(value, u64);
} sent_stacks SEC(".maps");

struct sent_code {
	u64 id;
	u32 flags;		/* co_flags */
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SENT_CODES);
	__type(key, u32);
	__type(value, struct sent_code);
} sent_codes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SEEN_WORDS);
	__type(key, u32);
	__type(value, u64);
} seen_codes SEC(".maps");

struct define {
	struct pt_code code;
	u8 head[64 + 8];	/* of a str or bytes object */
	struct pt_part part;
	u8 bytes[PART_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct define);
} defines SEC(".maps");

static __always_inline u64 seen_hash(u32 proc, u64 code)
{
	return mix(mix(proc, code), code);
}

static __always_inline void mark_seen(u32 proc, u64 code)
{
	u64 h = seen_hash(proc, code);
	u32 word = (h >> 6) & (SEEN_WORDS - 1);
	u64 *bits = bpf_map_lookup_elem(&seen_codes, &word);

	if (bits && !(*bits & (1ULL << (h & 63))))
		__sync_fetch_and_or(bits, 1ULL << (h & 63));
}

static __always_inline bool was_seen(u32 proc, u64 code)
{
	u64 h = seen_hash(proc, code);
	u32 word = (h >> 6) & (SEEN_WORDS - 1);
	u64 *bits = bpf_map_lookup_elem(&seen_codes, &word);

	return bits && (*bits & (1ULL << (h & 63)));
}

static __always_inline u64 head_u64(const struct define *d, u32 off)
{
	return *(const u64 *)(d->head + (off & 63));
}

/*
 * Where the contents of a str are (PEP 393; unicodeobject.h).  The state word
 * has been, from 3.6 to 3.15: interned:2, kind:3, compact:1, ascii:1.
 */
static __always_inline u8 locate_str(struct define *d, const struct pt_layout *l,
				     u64 obj, struct pt_part_ref *ref)
{
	u32 state;

	if (bpf_probe_read_user(d->head, 64, (void *)obj))
		return PT_PART_UNREAD;
	state = (u32)head_u64(d, l->str_state) >> 2;
	ref->kind = state & 7;
	ref->ascii = (state >> 4) & 1;
	ref->len = (u32)head_u64(d, l->str_length);
	if (ref->kind != 1 && ref->kind != 2 && ref->kind != 4)
		return PT_PART_BAD;
	if (head_u64(d, l->str_length) >> 28)
		return PT_PART_BAD;
	if (!(state & 8))	/* not compact: the data lies elsewhere */
		return user_u64(obj + l->str_data, &ref->addr) ?
			PT_PART_UNREAD : PT_PART_SENT;
	ref->addr = obj + (ref->ascii ? l->str_ascii : l->str_compact);
	return PT_PART_SENT;
}

static __always_inline u8 locate_bytes(struct define *d, const struct pt_layout *l,
				       u64 obj, struct pt_part_ref *ref)
{
	if (bpf_probe_read_user(d->head, 64, (void *)obj))
		return PT_PART_UNREAD;
	ref->kind = 1;
	ref->len = (u32)head_u64(d, l->ob_size);
	if (head_u64(d, l->ob_size) >> 28)
		return PT_PART_BAD;
	ref->addr = obj + l->bytes_data;
	return PT_PART_SENT;
}

struct send {
	struct define *d;
	u64 addr;
	u32 total;
	u32 state;		/* enum pt_part_state */
	u32 lost;
};

static long send_piece(u32 i, struct send *s)
{
	struct define *d = s->d;
	u32 offset = i * PART_BYTES;
	u32 left, nr, size;

	if (offset >= s->total && offset)
		return 1;
	left = s->total - offset;
	nr = left < PART_BYTES ? left : PART_BYTES;
	nr &= 2 * PART_BYTES - 1;
	if (nr > PART_BYTES)
		return 1;
	/* the padding is no piece of what was sent before */
	*(u64 *)(d->bytes + ((nr ? nr - 1 : 0) & (PART_BYTES - 8))) = 0;
	if (bpf_probe_read_user(d->bytes, nr, (void *)(s->addr + offset))) {
		s->state = PT_PART_UNREAD;
		return 1;
	}
	d->part.offset = offset;
	d->part.nr = (u16)nr;
	size = (sizeof(d->part) + nr + 7) & ~7U;
	d->part.h.size = size;
	if (size > sizeof(d->part) + PART_BYTES)
		return 1;
	if (emit(&d->part, size)) {
		s->lost = 1;
		return 1;
	}
	return 0;
}

/* The bytes of one part; its state goes into `ref`.  Non-zero: the ring is full. */
static __always_inline long send_part(struct define *d, u16 part,
				      struct pt_part_ref *ref)
{
	struct send s = { .d = d, .addr = ref->addr };
	u32 pieces;

	if (ref->state != PT_PART_SENT)
		return 0;
	s.state = PT_PART_SENT;
	s.total = ref->len * ref->kind;
	pieces = (s.total + PART_BYTES - 1) / PART_BYTES;
	if (pieces > PART_RECORDS) {
		ref->state = PT_PART_LONG;
		return 0;
	}
	d->part.part = part;
	d->part.total = s.total;
	bpf_loop(pieces ? pieces : 1, send_piece, &s, 0);
	ref->state = (u8)s.state;
	return s.lost;
}

/*
 * From 3.13 a specialised call of a class has a frame of its own below that of
 * __init__, which checks what that returns: _Py_InitCleanup in CPython's
 * Python/specialize.c, file and name "__init__", first line 0.  Tracebacks
 * leave it out, and so do we.  Its address is found out when it is first met.
 */
#define INIT_AS_WORD	0x5f5f74696e695f5fULL	/* "__init__" */

static __always_inline void find_shim(struct define *d, struct proc *p, u64 addr)
{
	const struct pt_part_ref *file = &d->code.part[PT_FILENAME];
	u64 word = 0;

	if (d->code.version < 0x030d || d->code.firstline || file->len != 8 ||
	    file->kind != 1 || user_u64(file->addr, &word))
		return;
	if (word == INIT_AS_WORD)
		p->shim = addr;
}

/* A code object: its parts, then the record that says where each one was. */
static __noinline long define_code(struct define *d, struct pt_image *img,
				   struct proc *p, u64 addr, u64 id)
{
	static const u8 absent = PT_PART_ABSENT;
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_layout *l = &img->layout;
	s32 where[PT_NR_PARTS] = { l->co_name, l->co_qualname, l->co_filename,
				   l->co_linetable };
	u64 now = bpf_ktime_get_ns();
	u64 type = 0, obj;
	s32 firstline = 0;
	bool unread;

	fill_hdr(&d->code.h, PT_CODE, sizeof(d->code), task, p->proc, now);
	fill_hdr(&d->part.h, PT_PART, 0, task, p->proc, now);
	d->code.code = d->part.code = id;
	d->code.addr = addr;
	d->code.version = l->version;
	d->code.pad = 0;
	d->part.pad = 0;
	unread = bpf_probe_read_user(&firstline, 4,
				     (void *)(addr + l->co_firstlineno)) ||
		 user_u64(addr + l->ob_type, &type);
	d->code.firstline = unread ? -1 : firstline;
	for (u32 i = 0; i < PT_NR_PARTS; i++) {
		struct pt_part_ref *ref = &d->code.part[i];

		__builtin_memset(ref, 0, sizeof(*ref));
		if (where[i] == PT_NONE) {
			ref->state = absent;
			continue;
		}
		if (!unread && type != img->code_type + p->bias) {
			ref->state = PT_PART_BAD;
			continue;
		}
		if (unread || user_u64(addr + where[i], &obj)) {
			ref->state = PT_PART_UNREAD;
			continue;
		}
		ref->state = i == PT_LINETABLE ? locate_bytes(d, l, obj, ref) :
						 locate_str(d, l, obj, ref);
		if (ref->state == PT_PART_UNREAD && !ref->addr)
			ref->addr = obj;
		if (send_part(d, (u16)i, ref))
			return -1;
	}
	mark_seen(p->proc, addr);
	find_shim(d, p, addr);
	return emit(&d->code, sizeof(d->code));
}

struct naming {
	struct walk *w;
	struct define *d;
	struct pt_image *img;
	struct proc *p;
	u32 lost;
};

static __always_inline u64 code_id(const struct proc *p,
				   const struct pt_layout *l, u64 addr)
{
	return mix(mix(generation(p), addr), 1 + code_print(addr, l));
}

/* What this CPU has sent under this id, or one that shares its place. */
static __always_inline struct sent_code *sent_code(u64 id)
{
	u32 slot = id & (SENT_CODES - 1);

	return bpf_map_lookup_elem(&sent_codes, &slot);
}

/* The code object at `addr` under its id, if that is new here. */
static __always_inline void define_once(struct naming *n, u64 addr, u64 id)
{
	struct sent_code *sent = sent_code(id);
	u32 flags = 0;

	if (!sent || sent->id == id)
		return;
	bpf_probe_read_user(&flags, sizeof(flags),
			    (void *)(addr + n->img->layout.co_flags));
	sent->id = id;
	sent->flags = flags;
	if (define_code(n->d, n->img, n->p, addr, id)) {
		sent->id = 0;
		n->lost = 1;
	}
}

/* Frame i: its code's address becomes an id. */
static long name_frame(u32 i, struct naming *n)
{
	struct pt_frame *f;
	u64 addr;

	if (i >= PT_MAX_FRAMES)
		return 1;
	f = &n->w->frames[i];
	addr = f->code;
	f->code = code_id(n->p, &n->img->layout, addr);
	define_once(n, addr, f->code);
	return 0;
}

/* The ring of outermost frames of a deep stack, put in order. */
static __always_inline void turn_outer(struct walk *w)
{
	u32 first = (w->nr - PT_INNER) & (PT_OUTER - 1);

	for (u32 i = 0; i < PT_OUTER; i++)
		w->turned[i] = w->frames[PT_INNER + ((first + i) & (PT_OUTER - 1))];
	for (u32 i = 0; i < PT_OUTER; i++)
		w->frames[PT_INNER + i] = w->turned[i];
}

/* The stack in w under this id, and the code objects it names. */
__noinline int define_stack(struct walk *w, struct proc *p,
			    struct pt_image *img, u64 id)
{
	struct naming n = { 0 };
	u32 zero = 0, nr, size;

	if (!w || !p || !img)
		return -1;
	n.w = w;
	n.p = p;
	n.img = img;
	nr = w->nr;
	n.d = bpf_map_lookup_elem(&defines, &zero);
	if (!n.d)
		return -1;
	w->stack.omitted = 0;
	if (nr > PT_MAX_FRAMES) {
		turn_outer(w);
		w->stack.omitted = nr - PT_MAX_FRAMES;
		nr = PT_MAX_FRAMES;
	}
	bpf_loop(nr, name_frame, &n, 0);
	if (n.lost)
		return -1;
	size = sizeof(w->stack) + nr * sizeof(struct pt_frame);
	fill_hdr(&w->stack.h, PT_STACK, size, bpf_get_current_task_btf(),
		 p->proc, bpf_ktime_get_ns());
	w->stack.stack = id;
	w->stack.nr = nr;
	w->stack.why = (u8)w->why;
	if (size > sizeof(w->stack) + sizeof(w->frames))
		return -1;
	return emit(&w->stack, size);
}

static __always_inline u64 walk_id(const struct walk *w)
{
	u64 id = mix(w->hash, ((u64)w->why << 32) | w->nr);

	return id < PT_STACK_FIRST ? id + PT_STACK_FIRST : id;
}

/*
 * The id of the walked stack, defined on this CPU.  What is sent is what the
 * walk that keeps the frames has found: its id is that, too.
 */
static __always_inline u64 stack_id(struct walk *w, struct proc *p,
				    struct pt_image *img, struct thread *t)
{
	u64 id = walk_id(w), *sent;
	u32 slot = id & (SENT_STACKS - 1);

	if (id == t->defined)
		return id;
	sent = bpf_map_lookup_elem(&sent_stacks, &slot);
	if (!sent)
		return id;
	if (*sent == id) {
		t->defined = id;
		return id;
	}
	w->why = walk_keeping(w, p, img);
	id = walk_id(w);
	slot = id & (SENT_STACKS - 1);
	sent = bpf_map_lookup_elem(&sent_stacks, &slot);
	if (!sent)
		return id;
	*sent = id;
	if (define_stack(w, p, img, id))
		*sent = 0;
	return id;
}

static __always_inline u64 walked_stack(struct walk *w, struct proc *p,
					struct pt_image *img, struct thread *t)
{
	w->why = walk_current(w, p, img, t);
	if (w->nr)
		return stack_id(w, p, img, t);
	t->why = (u8)w->why;
	return w->why ? PT_STACK_UNKNOWN : PT_STACK_EMPTY;
}

/* The interpreter that process p runs; as the thread has it, from now on. */
static __always_inline struct pt_image *image_of(const struct proc *p,
						 struct thread *t)
{
	u32 nr = p->image;
	struct pt_image *img;

	if (t->image_nr == nr + 1)
		return &t->image;
	img = bpf_map_lookup_elem(&images, &nr);
	if (!img)
		return NULL;
	t->image_nr = 0;	/* as in copy_proc() */
	barrier();
	t->image = *img;
	barrier();
	t->image_nr = nr + 1;
	return &t->image;
}

/*
 * The Python stack of the current thread as an id.  When it is unknown the id
 * is PT_STACK_UNKNOWN and t->why says so.  A global function: the verifier looks
 * at it once, and not once more for each program that calls it.
 */
__noinline u64 current_stack(struct proc *p, struct thread *t)
{
	struct pt_image *img;
	u32 zero = 0, key;
	struct walk *w;
	u64 id, shim;
	u32 again = 0;

	if (!p || !t)
		return PT_STACK_UNKNOWN;
	t->why = PT_WHY_NONE;
	t->interp = 0;
	if (!sw.stacks)
		t->why = PT_WHY_NOT_WALKED;
	else if (p->state == PT_PROC_UNKNOWN)
		t->why = PT_WHY_UNRECOGNISED;
	else if (p->state == PT_PROC_REFUSED)
		t->why = PT_WHY_UNSUPPORTED;
	if (t->why)
		return PT_STACK_UNKNOWN;
	if (p->state == PT_PROC_STARTING) {
		if (!p->mapped)
			return PT_STACK_EMPTY;	/* no interpreter, no frames */
		/* one is mapped; another one may be the one that runs */
		t->why = PT_WHY_UNRECOGNISED;
		return PT_STACK_UNKNOWN;
	}
	w = bpf_map_lookup_elem(&walks, &zero);
	img = image_of(p, t);
	if (!w || !img)
		return PT_STACK_UNKNOWN;
	if (w->busy) {
		t->why = PT_WHY_NESTED;
		return PT_STACK_UNKNOWN;
	}
	w->busy = 1;
	do {	/* again if a shim was just met: now it is left out */
		shim = p->shim;
		key = p->key;
		id = walked_stack(w, p, img, t);
		if (p->shim != shim || p->key != key)
			publish_proc(p);
	} while (p->shim != shim && !again++);
	w->busy = 0;
	return id;
}

#endif /* PT_DEFINE_BPF_H */
