/* SPDX-License-Identifier: MIT */
/* json_event: the objects of events. */
#include <string.h>

#include "event/record.h"
#include "event/syscalls.h"
#include "report/fields.h"
#include "report/json_priv.h"
#include "report/sysargs.h"
#include "stack/cause.h"

/* ---- stacks --------------------------------------------------------------- */

void json_put_line(struct jsonw *w, const char *key, int line)
{
	jsonw_key(w, key);
	if (line >= 0)
		jsonw_int(w, line);
	else
		jsonw_null(w);
}

/* A name may have a NUL in it: CPython lets a file be called anything. */
void json_put_name(struct jsonw *w, const char *key, const char *name, size_t len)
{
	jsonw_key(w, key);
	if (name)
		jsonw_bytes(w, name, len);
	else
		jsonw_null(w);
}

static void put_frame(struct jsonw *w, const struct frame *frame)
{
	jsonw_open(w);
	json_put_name(w, "func", frame->func, frame->func_len);
	json_put_name(w, "file", frame->file, frame->file_len);
	json_put_line(w, "line", frame->line);
	jsonw_key_int(w, "lasti", frame->lasti);
	json_put_line(w, "def", frame->def);
	if (frame->why)
		jsonw_key_string(w, "why", frame->why);
	jsonw_close(w);
}

/* "stack", and beside it what is not known of it. */
void json_put_stack(struct jsonw *w, const struct pystack *st)
{
	jsonw_key(w, "stack");
	if (st->known) {
		jsonw_open_list(w);
		for (uint32_t i = 0; i < st->nr; i++)
			put_frame(w, &st->frames[i]);
		jsonw_close_list(w);
	} else {
		jsonw_null(w);
	}
	if (st->omitted)
		jsonw_key_uint(w, "truncated", st->omitted);
	if (st->why)
		jsonw_key_string(w, "why", st->why);
}

/* ---- system calls --------------------------------------------------------- */

static const char *state_word(uint8_t state)
{
	switch ((enum pt_sys_state)state) {
	case PT_SYS_DONE:
		return NULL;
	case PT_SYS_NO_RETURN:
		return "no-return";
	case PT_SYS_UNFINISHED:
		return "unfinished";
	case PT_SYS_NO_ENTRY:
		return "no-entry";
	}
	return "unknown";
}

/* Of others than x86-64. */
static const char *abi_word(uint8_t abi)
{
	switch ((enum pt_abi)abi) {
	case PT_ABI_X86_64:
		return NULL;
	case PT_ABI_I386:
		return "i386";
	case PT_ABI_X32:
		return "x32";
	}
	return "unknown";
}

/* As the registers have them; those of 32 bits with a sign, with it. */
static void put_arg(struct jsonw *w, const struct syscall_def *def, size_t i,
		    uint64_t v)
{
	if (sysargs_is_int(def, i))
		jsonw_int(w, (int32_t)v);
	else
		jsonw_uint(w, v);
}

static void put_args(struct jsonw *w, const struct pt_syscall *sys,
		     const struct syscall_def *def)
{
	jsonw_key(w, "args");
	if (sys->state == PT_SYS_NO_ENTRY) {
		jsonw_null(w);
		return;
	}
	jsonw_open_list(w);
	for (size_t i = 0; i < sysargs_count(def); i++)
		put_arg(w, def, i, sys->args[i]);
	jsonw_close_list(w);
}

/* A descriptor's: "tcp 10.0.3.7:443". */
static void put_socket(struct jsonw *w, const struct pt_socket *sock)
{
	char text[160];

	sysargs_socket_text(text, sizeof(text), sock);
	jsonw_string(w, text);
}

static void put_one_decoded(struct jsonw *w, const struct pt_arg *arg)
{
	const uint8_t *bytes = record_arg_bytes(arg);
	struct pt_socket sock;
	char text[160];

	switch (arg->kind) {
	case PT_ARG_PATH:
		jsonw_bytes(w, (const char *)bytes, arg->len);
		break;
	case PT_ARG_SOCKET:
		if (arg->len < sizeof(sock)) {
			jsonw_null(w);
			break;
		}
		memcpy(&sock, bytes, sizeof(sock));
		put_socket(w, &sock);
		break;
	case PT_ARG_SOCKADDR:
	case PT_ARG_SOCKADDR_OUT:
		sysargs_sockaddr_text(text, sizeof(text), bytes, arg->len);
		jsonw_string(w, text);
		break;
	default:
		jsonw_null(w);
		break;
	}
}

/* "cut":[1]: of these paths there is only the beginning (-s). */
static void put_cut(struct jsonw *w, uint8_t cut)
{
	if (!cut)
		return;
	jsonw_key(w, "cut");
	jsonw_open_list(w);
	for (unsigned int i = 0; i < 8; i++)
		if (cut >> i & 1)
			jsonw_uint(w, i);
	jsonw_close_list(w);
}

/*
 * "decoded":{"1":"/etc/passwd"}: what arguments point to, by their index; null
 * where it could not be read.
 */
static void put_decoded(struct jsonw *w, const struct pt_syscall *sys)
{
	const struct pt_arg *arg = NULL;
	uint8_t given = 0, cut = 0;
	char index[4];

	if (!record_next_arg(sys, NULL))
		return;
	jsonw_key(w, "decoded");
	jsonw_open(w);
	while ((arg = record_next_arg(sys, arg))) {
		if (given & 1u << arg->index)	/* the first one counts */
			continue;
		given |= (uint8_t)(1u << arg->index);
		if (arg->kind == PT_ARG_PATH && arg->total > arg->len)
			cut |= (uint8_t)(1u << arg->index);
		snprintf(index, sizeof(index), "%u", arg->index);
		jsonw_key(w, index);
		put_one_decoded(w, arg);
	}
	jsonw_close(w);
	put_cut(w, cut);
}

static void put_result(struct jsonw *w, const struct pt_syscall *sys)
{
	bool returned = sys->state == PT_SYS_DONE ||
			sys->state == PT_SYS_NO_ENTRY;

	jsonw_key(w, "ret");
	if (returned)
		jsonw_int(w, sys->ret);
	else
		jsonw_null(w);
	if (sysargs_failed(sys))
		jsonw_key_string(w, "error", sysargs_errno(sys->ret));
	if (state_word(sys->state))
		jsonw_key_string(w, "state", state_word(sys->state));
}

static void put_syscall(struct jsonw *w, const struct moment *m,
			const struct json_opts *opts)
{
	const struct pt_syscall *sys = (const void *)m->rec;
	const struct syscall_def *def = syscall_find(sys->abi, sys->nr);

	jsonw_key_uint(w, "nr", sys->nr);
	jsonw_key_string(w, "name", def ? def->name : NULL);
	if (abi_word(sys->abi))
		jsonw_key_string(w, "abi", abi_word(sys->abi));
	put_args(w, sys, def);
	if (!opts->no_paths)
		put_decoded(w, sys);
	put_result(w, sys);
}

/* ---- page faults ---------------------------------------------------------- */

static const char *fault_kind(uint8_t kind)
{
	switch ((enum pt_fault_kind)kind) {
	case PT_FAULT_OTHER:
		break;
	case PT_FAULT_COW:
		return "cow";
	case PT_FAULT_FIRST_TOUCH:
		return "first-touch";
	case PT_FAULT_FILE:
		return "file";
	case PT_FAULT_SWAP:
		return "swap";
	}
	return "other";
}

static void put_tristate(struct jsonw *w, const char *key, uint8_t v)
{
	jsonw_key(w, key);
	if (v == PT_NO || v == PT_YES)
		jsonw_bool(w, v == PT_YES);
	else
		jsonw_null(w);
}

static void put_flag(struct jsonw *w, const char *key, bool v)
{
	jsonw_key(w, key);
	jsonw_bool(w, v);
}

static void put_fault(struct jsonw *w, const struct pt_fault *f)
{
	jsonw_key_uint(w, "addr", f->addr);
	jsonw_key_string(w, "kind", fault_kind(f->kind));
	jsonw_key_known(w, "bytes", f->bytes);
	put_flag(w, "write", f->write);
	put_flag(w, "kernel", f->kernel);
	put_tristate(w, "major", f->major);
	put_tristate(w, "in_gc", f->in_gc);
}

/* ---- time off the CPU ----------------------------------------------------- */

/* "syscall:read"; the number of a call that has no name. */
static void put_reason(struct jsonw *w, const struct moment *m)
{
	static const char *const words[] = {
		[CAUSE_PREEMPTED] = "preempted", [CAUSE_GIL] = "gil",
		[CAUSE_FUTEX] = "futex", [CAUSE_FAULT] = "fault",
		[CAUSE_STOPPED] = "stopped",
	};
	const struct pt_offcpu *off = (const void *)m->rec;
	const struct syscall_def *def = syscall_find(off->abi, off->nr);
	enum cause cause = cause_of(m->process, off);
	char text[64];

	if (cause != CAUSE_SYSCALL) {
		jsonw_key_string(w, "reason", words[cause]);
		return;
	}
	if (def)
		snprintf(text, sizeof(text), "syscall:%s", def->name);
	else
		snprintf(text, sizeof(text), "syscall:%u", off->nr);
	jsonw_key_string(w, "reason", text);
}

/* The call that it was in: as of a system call, but for what is not known. */
static void put_off_call(struct jsonw *w, const struct pt_offcpu *off,
			 const struct json_opts *opts)
{
	const struct syscall_def *def = syscall_find(off->abi, off->nr);

	jsonw_key_uint(w, "nr", off->nr);
	jsonw_key_string(w, "name", def ? def->name : NULL);
	if (abi_word(off->abi))
		jsonw_key_string(w, "abi", abi_word(off->abi));
	jsonw_key(w, "args");
	jsonw_open_list(w);
	for (size_t i = 0; i < ARRAY_LEN(off->args); i++)
		if (i < sysargs_count(def))
			put_arg(w, def, i, off->args[i]);
	jsonw_close_list(w);
	if (!off->socket.family || opts->no_paths)
		return;
	jsonw_key(w, "decoded");
	jsonw_open(w);
	jsonw_key(w, "0");
	put_socket(w, &off->socket);
	jsonw_close(w);
}

static void put_waker_task(struct jsonw *w, const struct moment *m,
			   const struct json_opts *opts)
{
	const struct pt_offcpu *off = (const void *)m->rec;

	jsonw_key_string(w, "kind", "task");
	jsonw_key_known(w, "pid", off->waker_pid);
	jsonw_key_known(w, "tid", off->waker_tid);
	jsonw_key_name(w, "thread",
		       m->waker_thread ? m->waker_thread->comm : NULL);
	if (!opts->no_stacks)
		json_put_stack(w, &m->waker);
}

static void put_waker(struct jsonw *w, const struct moment *m,
		      const struct json_opts *opts)
{
	const struct pt_offcpu *off = (const void *)m->rec;

	jsonw_key(w, "waker");
	if (off->waker == PT_WAKER_NONE || off->waker > PT_WAKER_INTERRUPT) {
		jsonw_null(w);
		return;
	}
	jsonw_open(w);
	if (off->waker == PT_WAKER_TASK)
		put_waker_task(w, m, opts);
	else
		jsonw_key_string(w, "kind", off->waker == PT_WAKER_TIMER ?
				 "timer" : "interrupt");
	jsonw_close(w);
}

static const char *off_state(uint8_t state)
{
	switch ((enum pt_off_state)state) {
	case PT_OFF_DONE:
		return NULL;
	case PT_OFF_UNFINISHED:
		return "unfinished";
	case PT_OFF_BEFORE:
		return "before";
	}
	return "unknown";
}

static void put_offcpu(struct jsonw *w, const struct moment *m,
		       const struct json_opts *opts)
{
	const struct pt_offcpu *off = (const void *)m->rec;

	jsonw_key_uint(w, "blocked", off->blocked);
	jsonw_key_uint(w, "runq", off->runq);
	jsonw_key_uint(w, "preempted", off->preempted);
	put_reason(w, m);
	if (off->reason == PT_OFF_SYSCALL)
		put_off_call(w, off, opts);
	put_flag(w, "iowait", off->iowait);
	if (off_state(off->state))
		jsonw_key_string(w, "state", off_state(off->state));
	put_waker(w, m, opts);
	put_tristate(w, "in_gc", off->in_gc);
}

/* ---- all of them ---------------------------------------------------------- */

static void put_sample(struct jsonw *w, const struct moment *m)
{
	const struct pt_sample *s = (const void *)m->rec;

	if (s->event) {
		jsonw_key_string(w, "name", m->named ? m->named->name : NULL);
		jsonw_key_uint(w, "count", s->dur);
	}
	jsonw_key_string(w, "mode", s->kernel ? "kernel" : "user");
	put_tristate(w, "in_gc", s->in_gc);
}

/* "gc", "import", "audit", "line": events of Python, not of a probe. */
static bool has_own_type(const struct moment *m)
{
	return m->rec->type == PT_TRACEPOINT && m->named &&
	       (m->named->kind == PT_NAMED_GC ||
		m->named->kind == PT_NAMED_IMPORT ||
		m->named->kind == PT_NAMED_AUDIT ||
		m->named->kind == PT_NAMED_LINE);
}

static void put_tracepoint(struct jsonw *w, const struct moment *m,
			   const struct json_opts *opts)
{
	const struct pt_tracepoint *tp = (const void *)m->rec;

	if (has_own_type(m)) {
		fields_json(w, m, opts->no_paths);
		return;
	}
	jsonw_key_string(w, "name", m->named ? m->named->name : NULL);
	jsonw_key(w, "fields");
	if (m->named) {
		jsonw_open(w);
		fields_json(w, m, opts->no_paths);
		jsonw_close(w);
	} else {
		jsonw_null(w);
	}
	put_flag(w, "interrupt", tp->interrupt);
}

/* A call that took no time that the clock sees has ended all the same. */
static void put_duration(struct jsonw *w, const struct pt_event *ev)
{
	const struct pt_syscall *sys = (const void *)ev;
	const struct pt_sample *sample = (const void *)ev;
	bool counted = ev->h.type == PT_SAMPLE && sample->event;

	if (ev->h.type == PT_SYSCALL && sys->state == PT_SYS_DONE)
		jsonw_key_uint(w, "dur", ev->dur);
	else
		jsonw_key_known(w, "dur", ev->h.type == PT_SYSCALL ||
				counted ? 0 : ev->dur);
}

void json_put_event(struct jsonw *w, const struct moment *m,
		    const struct json_opts *opts)
{
	const struct pt_event *ev = record_event(m->rec);

	if (has_own_type(m)) {
		jsonw_key_string(w, "type", json_named_kind(m->named->kind));
		jsonw_key_uint(w, "t", m->rec->t);
	} else {
		json_put_type(w, m->rec);
	}
	put_duration(w, ev);
	json_put_task(w, m);
	switch (m->rec->type) {
	case PT_SYSCALL:
		put_syscall(w, m, opts);
		break;
	case PT_FAULT:
		put_fault(w, (const void *)m->rec);
		break;
	case PT_OFFCPU:
		put_offcpu(w, m, opts);
		break;
	case PT_SAMPLE:
		put_sample(w, m);
		break;
	case PT_TRACEPOINT:
		put_tracepoint(w, m, opts);
		break;
	default:
		break;
	}
	jsonw_key_known(w, "ip", ev->ip);
	if (opts->no_stacks)
		return;
	json_put_stack(w, &m->stack);
	if (!m->kernel)
		return;
	jsonw_key(w, "kernel");
	jsonw_open_list(w);
	for (uint32_t i = 0; i < m->kernel->nr; i++)
		jsonw_string(w, m->kernel->func[i][0] ? m->kernel->func[i] :
							NULL);
	jsonw_close_list(w);
}
