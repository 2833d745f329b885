/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * syscall: a system call is one record, sent when it returns.
 *
 * The stack is walked at the entry, and is true until the return: nothing of
 * the thread's Python moves in between.  Paths and addresses are read at the
 * return, when the kernel has itself read them and their pages are there.
 */
#ifndef PT_SYSCALL_BPF_H
#define PT_SYSCALL_BPF_H

#include "fault.bpf.h"

#define TS_COMPAT	0x0002	/* arch/x86/include/asm/thread_info.h */
#define X32_BIT		0x40000000
#define PROT_EXEC	4
#define NR_MMAP		9
#define NR_MPROTECT	10
#define S_IFMT		0170000
#define S_IFSOCK	0140000
#define AF_INET		2
#define AF_INET6	10
#define MAX_PATH	4096
#define MAX_SOCKADDR	128	/* sizeof(struct sockaddr_storage) */
#define MAX_ARGS	4	/* sent behind one call */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PT_MAX_NR);
	__type(key, u32);
	__type(value, struct pt_sysargs);
} sysargs SEC(".maps");

struct call {
	u32 busy;
	u32 size;		/* of the record so far */
	struct pt_syscall rec;
	u8 tail[2 * (MAX_PATH + 16) + 2 * (MAX_SOCKADDR + 16)];
	u8 slack[MAX_PATH + 64];	/* so that a bound is easy to see */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct call);
} calls SEC(".maps");

static __always_inline struct pt_sysargs *sysargs_of(u32 nr, u8 abi)
{
	u32 at = nr;

	if (abi == PT_ABI_I386)
		at = 512 + (nr & 511);
	return bpf_map_lookup_elem(&sysargs, &at);
}

/* The socket behind a descriptor, if it is one; without a reference held. */
static __noinline int read_socket(struct task_struct *task, u32 fd,
				  struct pt_socket *out)
{
	struct files_struct *files = task->files;
	struct file **slot, *file;
	struct socket *socket;
	struct sock *sk;
	u16 mode;

	if (!files || fd >= BPF_CORE_READ(files, fdt, max_fds))
		return -1;
	slot = BPF_CORE_READ(files, fdt, fd);
	if (bpf_probe_read_kernel(&file, sizeof(file), slot + fd) || !file)
		return -1;
	mode = BPF_CORE_READ(file, f_inode, i_mode);
	if ((mode & S_IFMT) != S_IFSOCK)
		return -1;
	socket = BPF_CORE_READ(file, private_data);
	sk = BPF_CORE_READ(socket, sk);
	if (!sk)
		return -1;
	__builtin_memset(out, 0, sizeof(*out));
	out->family = BPF_CORE_READ(sk, __sk_common.skc_family);
	out->type = BPF_CORE_READ(sk, sk_type);
	out->protocol = BPF_CORE_READ(sk, sk_protocol);
	if (out->family == AF_INET || out->family == AF_INET6)
		out->port = __builtin_bswap16(
			BPF_CORE_READ(sk, __sk_common.skc_dport));
	if (out->family == AF_INET) {
		u32 addr = BPF_CORE_READ(sk, __sk_common.skc_daddr);

		__builtin_memcpy(out->addr, &addr, 4);
	} else if (out->family == AF_INET6) {
		bpf_core_read(out->addr, 16, &sk->__sk_common.skc_v6_daddr);
	}
	return 0;
}

static __always_inline void note_socket(struct task_struct *task,
					struct thread *t,
					const struct pt_sysargs *a)
{
	for (u32 i = 0; i < 2; i++) {	/* no call has one further back */
		if (a->kind[i] != PT_SYSARG_FD)
			continue;
		if (!read_socket(task, (u32)t->args[i], &t->socket)) {
			t->socket_arg = (u8)(i + 1);
			return;
		}
	}
}

static __always_inline void note_args(struct thread *t, struct pt_regs *regs,
				      u8 abi)
{
	if (abi == PT_ABI_I386) {
		t->args[0] = (u32)regs->bx;
		t->args[1] = (u32)regs->cx;
		t->args[2] = (u32)regs->dx;
		t->args[3] = (u32)regs->si;
		t->args[4] = (u32)regs->di;
		t->args[5] = (u32)regs->bp;
		return;
	}
	t->args[0] = regs->di;
	t->args[1] = regs->si;
	t->args[2] = regs->dx;
	t->args[3] = regs->r10;
	t->args[4] = regs->r8;
	t->args[5] = regs->r9;
}

static __always_inline u8 call_abi(struct task_struct *task, long id)
{
	if (task->thread_info.status & TS_COMPAT)
		return PT_ABI_I386;
	return id & X32_BIT ? PT_ABI_X32 : PT_ABI_X86_64;
}

/* One argument's record head; NULL when there is no room left. */
static __always_inline u8 *arg_room(struct call *c, u8 index, u8 kind)
{
	u32 at = c->size - sizeof(c->rec);
	struct pt_arg *a;

	if (at > sizeof(c->tail) || c->rec.nr_args >= MAX_ARGS)
		return NULL;
	a = (struct pt_arg *)(c->tail + at);
	a->index = index;
	a->kind = kind;
	a->len = 0;
	a->total = 0;
	return (u8 *)(a + 1);
}

static __always_inline void arg_done(struct call *c, u32 len, u32 total)
{
	u32 at = c->size - sizeof(c->rec);
	struct pt_arg *a;

	if (at > sizeof(c->tail))
		return;
	a = (struct pt_arg *)(c->tail + at);
	a->len = (u16)len;
	a->total = total;
	/* the padding is no piece of what was sent before */
	len &= 2 * MAX_PATH - 1;
	for (u32 i = 0; i < 7; i++)
		if (i < (-len & 7))
			c->tail[at + sizeof(*a) + len + i] = 0;
	c->rec.nr_args++;
	c->size += sizeof(*a) + ((len + 7) & ~7U);
}

static __always_inline void add_path(struct call *c, u8 i, u64 addr)
{
	u8 *to = arg_room(c, i, PT_ARG_PATH);
	u32 max = cfg.path_len + 1;
	long n;

	if (!to || !addr)
		return;
	if (max > MAX_PATH)
		max = MAX_PATH;
	n = bpf_probe_read_user_str(to, max, (void *)addr);
	if (n <= 0) {
		*(to - sizeof(struct pt_arg) + 1) = PT_ARG_UNREAD;
		arg_done(c, 0, 0);
		return;
	}
	/* the string fills the room: there is more of it than this */
	arg_done(c, (u32)(n - 1) & (MAX_PATH - 1), (u32)n == max ? (u32)n : (u32)n - 1);
}

static __always_inline void add_sockaddr(struct call *c, u8 i, u64 addr, u32 len,
					 u8 kind)
{
	u8 *to = arg_room(c, i, kind);

	if (!to || !addr || !len)
		return;
	if (len > MAX_SOCKADDR)
		len = MAX_SOCKADDR;
	if (bpf_probe_read_user(to, len, (void *)addr)) {
		*(to - sizeof(struct pt_arg) + 1) = PT_ARG_UNREAD;
		len = 0;
	}
	arg_done(c, len, len);
}

static __noinline void add_args(struct call *c, struct thread *t,
				struct pt_sysargs *a)
{
	for (u8 i = 0; i < 6; i++) {
		u32 len = 0;

		switch (a->kind[i]) {
		case PT_SYSARG_PATH:
			add_path(c, i, t->args[i]);
			break;
		case PT_SYSARG_SOCKADDR:
			if (i < 5)
				add_sockaddr(c, i, t->args[i], (u32)t->args[i + 1],
					     PT_ARG_SOCKADDR);
			break;
		case PT_SYSARG_SOCKADDR_OUT:
			if (i < 5 && c->rec.ret >= 0 &&
			    !bpf_probe_read_user(&len, 4, (void *)t->args[i + 1]))
				add_sockaddr(c, i, t->args[i], len,
					     PT_ARG_SOCKADDR_OUT);
			break;
		}
	}
}

static __always_inline void add_socket(struct call *c, struct thread *t)
{
	u8 *to;

	if (!t->socket_arg)
		return;
	to = arg_room(c, (u8)(t->socket_arg - 1), PT_ARG_SOCKET);
	if (!to)
		return;
	__builtin_memcpy(to, &t->socket, sizeof(t->socket));
	arg_done(c, sizeof(t->socket), sizeof(t->socket));
}

/* How a call ended. */
struct ended {
	u64 at;
	s64 ret;
	u8 state;		/* enum pt_sys_state */
};

/* The record of the call that thread t is in, but for what follows it. */
static __always_inline void fill_call(struct pt_syscall *rec,
				      struct task_struct *task,
				      const struct thread *t,
				      const struct ended *e)
{
	fill_hdr(&rec->h, PT_SYSCALL, sizeof(*rec), task, t->proc, t->enter_ns);
	rec->dur = e->state == PT_SYS_DONE ? e->at - t->enter_ns : 0;
	rec->stack = t->stack;
	rec->ip = t->ip;
	__builtin_memcpy(rec->args, t->args, sizeof(t->args));
	rec->ret = e->ret;
	rec->nr = t->nr;
	rec->abi = t->abi;
	rec->state = e->state;
	rec->why = t->why;
	rec->nr_args = 0;
}

/*
 * A call with nothing behind its record, as most are, is written where user
 * space will read it: copying it there would take 60 ns more.
 */
static __always_inline long send_plain(struct task_struct *task, struct thread *t,
				       const struct ended *e)
{
	struct pt_syscall *rec = bpf_ringbuf_reserve(&ring, sizeof(*rec), 0);

	if (!rec) {
		count_loss(PT_LOSS_RING_FULL);
		return -1;
	}
	fill_call(rec, task, t, e);
	bpf_ringbuf_submit(rec, BPF_RB_NO_WAKEUP);
	return 0;
}

static __noinline long send_with_tail(struct task_struct *task, struct thread *t,
				      const struct ended *e, const char *path)
{
	u32 zero = 0, size;
	long rc = -1;
	struct call *c = bpf_map_lookup_elem(&calls, &zero);
	struct pt_sysargs *a = sysargs_of(t->nr, t->abi);

	if (!c || !a)
		return rc;
	if (c->busy) {
		count_loss(PT_LOSS_NESTED);
		return rc;
	}
	c->busy = 1;
	c->size = sizeof(c->rec);
	fill_call(&c->rec, task, t, e);
	add_socket(c, t);
	if (path) {		/* a successful execve: its memory is gone */
		u8 *to = arg_room(c, t->nr == 322 ? 1 : 0, PT_ARG_PATH);
		long n = -1;

		if (to)
			n = bpf_probe_read_kernel_str(to, MAX_PATH, path);
		if (n > 0)
			arg_done(c, (u32)(n - 1) & (MAX_PATH - 1), (u32)n - 1);
	} else if (e->state != PT_SYS_UNFINISHED && !cfg.no_paths &&
		   t->abi == PT_ABI_X86_64) {
		add_args(c, t, a);
	}
	size = c->size;
	c->rec.h.size = size;
	if (size <= sizeof(c->rec) + sizeof(c->tail))
		rc = emit(&c->rec, size);
	c->busy = 0;
	return rc;
}

/* The call that thread t is in, ended this way; t is in none afterwards. */
static __always_inline void send_call(struct task_struct *task, struct thread *t,
				      u8 state, s64 ret, const char *path)
{
	struct ended e = { bpf_ktime_get_ns(), ret, state };

	long rc;

	t->in_syscall = 0;
	t->entry = PT_ENTRY_UNSEEN;
	if (state == PT_SYS_DONE && e.at - t->enter_ns < sw.slower_ns) {
		cost_here()->filtered++;
		return;
	}
	if (path || t->has_tail)
		rc = send_with_tail(task, t, &e, path);
	else
		rc = send_plain(task, t, &e);
	if (!rc)
		cost_here()->sent++;
}

/* So that the end of a process that is not recognised yet is noticed. */
static __noinline void skip_call(struct task_struct *task, struct proc *p)
{
	struct thread *t;

	if (WANTED(PT_SYSCALL))
		count_skipped(p);
	t = bpf_task_storage_get(&threads, task, NULL,
				 BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (t) {
		t->mm = p->mm;
		t->proc = p->proc;
	}
}

/* Nobody has said yet whether it is a target: what it did until then is lost. */
static __noinline void skip_candidate(struct task_struct *task)
{
	u32 pid = task_tgid(task);
	struct pt_target *t = bpf_map_lookup_elem(&targets, &pid);

	if (!t || !t->candidate)
		return;
	if (!t->skipped)
		t->skipped_ns = bpf_ktime_get_ns();
	__sync_fetch_and_add(&t->skipped, 1);
}

static __always_inline int enter(struct pt_regs *regs, long id)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct proc *p = proc_of(task, t);
	struct pt_sysargs *a;
	u8 abi;

	if (!p) {
		if (cfg.select && WANTED(PT_SYSCALL))
			skip_candidate(task);
		return OTHERS;
	}
	if (WANTED(PT_FAULT))
		flush_fault(task, t);
	if (p->state == PT_PROC_UNKNOWN) {
		skip_call(task, p);
		return 0;
	}
	if (!t || t->proc != p->proc || !t->seen) {
		t = thread_get(task, p);
		if (!t)
			return 0;
	}
	abi = call_abi(task, id);
	a = sysargs_of((u32)id & ~X32_BIT, abi);
	if (!a || !a->wanted) {
		cost_here()->filtered++;
		t->entry = PT_ENTRY_KNOWN;
		return 0;
	}
	t->nr = (u32)id & ~X32_BIT;
	t->abi = abi;
	t->ip = regs->ip;
	note_args(t, regs, abi);
	t->socket_arg = 0;
	if (a->has_fd)
		note_socket(task, t, a);
	t->has_tail = t->socket_arg || a->has_pointer;
	t->refused = p->state == PT_PROC_REFUSED;
	t->unmet = 0;
	if (sw.no_call_stacks) {	/* if it blocks it is walked then */
		t->stack = PT_STACK_UNKNOWN;
		t->why = PT_WHY_NOT_WALKED;
		t->entry = PT_ENTRY_KNOWN;
	} else {
		t->stack = current_stack(p, t);
		t->entry = PT_ENTRY_WALKED;
	}
	t->enter_ns = bpf_ktime_get_ns();
	t->in_syscall = 1;
	return 0;
}

/* New executable memory may be an interpreter that was loaded late. */
static __always_inline void note_mapping(struct task_struct *task, struct proc *p,
					 u32 nr, u64 prot, s64 ret)
{
	struct pt_mapped r = { 0 };

	if (p->state != PT_PROC_UNKNOWN && p->state != PT_PROC_REFUSED &&
	    !(p->state == PT_PROC_STARTING && p->mapped))
		return;
	if ((nr != NR_MMAP && nr != NR_MPROTECT) || !(prot & PROT_EXEC))
		return;
	if (ret < 0 && ret > -4096)
		return;
	fill_hdr(&r.h, PT_MAPPED, sizeof(r), task, p->proc, bpf_ktime_get_ns());
	r.exec_id = p->exec_id;
	emit(&r, sizeof(r));
}

/* Of a thread that is in no call, or one that may bring an interpreter. */
static __noinline int leave_unentered(struct task_struct *task, struct thread *t,
				      struct pt_regs *regs, long ret)
{
	struct proc *p = proc_of_task(task);
	u32 nr = (u32)regs->orig_ax & ~X32_BIT;
	u8 abi = call_abi(task, regs->orig_ax);
	struct pt_sysargs *a;

	if (t)
		t->entry = PT_ENTRY_UNSEEN;
	if (!p)
		return OTHERS;
	note_mapping(task, p, nr, regs->dx, ret);
	if (p->state == PT_PROC_UNKNOWN)
		return 0;
	if (t && t->in_syscall) {
		send_call(task, t, PT_SYS_DONE, ret, NULL);
		return 0;
	}
	if (t && !t->unmet)
		return 0;	/* filtered out, or sent before it returned */
	/* The thread was in this call when the trace began. */
	a = sysargs_of(nr, abi);
	if (!a || !a->wanted)
		return 0;
	t = thread_get(task, p);
	if (!t)
		return 0;
	t->unmet = 0;
	__builtin_memset(t->args, 0, sizeof(t->args));
	t->nr = nr;
	t->abi = abi;
	t->ip = regs->ip;
	t->has_tail = 0;	/* its arguments are not known */
	t->stack = current_stack(p, t);
	t->enter_ns = bpf_ktime_get_ns();
	send_call(task, t, PT_SYS_NO_ENTRY, ret, NULL);
	return 0;
}

static __always_inline int leave(struct pt_regs *regs, long ret)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);

	if (!t || !t->in_syscall || t->refused)
		return leave_unentered(task, t, regs, ret);
	send_call(task, t, PT_SYS_DONE, ret, NULL);
	return 0;
}

#endif /* PT_SYSCALL_BPF_H */
