/* SPDX-License-Identifier: MIT */
/* json: the stream as one JSON object a line, for programs. */
#include "report/json.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "event/record.h"
#include "event/syscalls.h"
#include "report/jsonw.h"
#include "report/sysargs.h"

struct json {
	struct jsonw w;
	FILE *out;
	struct json_opts opts;
};

int json_new(struct json **out, FILE *f, const struct json_opts *opts,
	     struct err *err)
{
	struct json *j = calloc(1, sizeof(*j));
	int rc;

	if (!j)
		return err_set(err, -ENOMEM, "out of memory");
	rc = jsonw_init(&j->w, err);
	if (rc < 0) {
		free(j);
		return rc;
	}
	j->out = f;
	if (opts)
		j->opts = *opts;
	*out = j;
	return 0;
}

void json_free(struct json *j)
{
	if (!j)
		return;
	jsonw_fini(&j->w);
	free(j);
}

/* ---- parts ---------------------------------------------------------------- */

static void put_type(struct jsonw *w, const struct pt_hdr *rec)
{
	jsonw_key_string(w, "type", record_type(rec->type)->name);
	jsonw_key_uint(w, "t", rec->t);
}

static void put_task(struct jsonw *w, const struct moment *m)
{
	jsonw_key_known(w, "pid", m->rec->pid);
	jsonw_key_known(w, "tid", m->rec->tid);
	jsonw_key_name(w, "thread", m->thread ? m->thread->comm : NULL);
}

static void put_line(struct jsonw *w, const char *key, int line)
{
	jsonw_key(w, key);
	if (line >= 0)
		jsonw_int(w, line);
	else
		jsonw_null(w);
}

/* A name may have a NUL in it: CPython lets a file be called anything. */
static void put_name(struct jsonw *w, const char *key, const char *name, size_t len)
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
	put_name(w, "func", frame->func, frame->func_len);
	put_name(w, "file", frame->file, frame->file_len);
	put_line(w, "line", frame->line);
	jsonw_key_int(w, "lasti", frame->lasti);
	put_line(w, "def", frame->def);
	if (frame->why)
		jsonw_key_string(w, "why", frame->why);
	jsonw_close(w);
}

static void put_stack(struct jsonw *w, const struct moment *m)
{
	jsonw_key(w, "stack");
	if (m->stack.known) {
		jsonw_open_list(w);
		for (uint32_t i = 0; i < m->stack.nr; i++)
			put_frame(w, &m->stack.frames[i]);
		jsonw_close_list(w);
	} else {
		jsonw_null(w);
	}
	if (m->stack.omitted)
		jsonw_key_uint(w, "truncated", m->stack.omitted);
	if (m->stack.why)
		jsonw_key_string(w, "why", m->stack.why);
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
static void put_args(struct jsonw *w, const struct pt_syscall *sys,
		     const struct syscall_def *def)
{
	jsonw_key(w, "args");
	if (sys->state == PT_SYS_NO_ENTRY) {
		jsonw_null(w);
		return;
	}
	jsonw_open_list(w);
	for (size_t i = 0; i < sysargs_count(def); i++) {
		if (sysargs_is_int(def, i))
			jsonw_int(w, (int32_t)sys->args[i]);
		else
			jsonw_uint(w, sys->args[i]);
	}
	jsonw_close_list(w);
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
		sysargs_socket_text(text, sizeof(text), &sock);
		jsonw_string(w, text);
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

/*
 * "decoded":{"1":"/etc/passwd"}: what arguments point to, by their index; null
 * where it could not be read.
 */
static void put_decoded(struct jsonw *w, const struct pt_syscall *sys)
{
	const struct pt_arg *arg = NULL;
	uint8_t given = 0;
	char index[4];

	if (!record_next_arg(sys, NULL))
		return;
	jsonw_key(w, "decoded");
	jsonw_open(w);
	while ((arg = record_next_arg(sys, arg))) {
		if (given & 1u << arg->index)	/* the first one counts */
			continue;
		given |= (uint8_t)(1u << arg->index);
		snprintf(index, sizeof(index), "%u", arg->index);
		jsonw_key(w, index);
		put_one_decoded(w, arg);
	}
	jsonw_close(w);
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

static void put_syscall(struct json *j, const struct moment *m)
{
	const struct pt_syscall *sys = (const void *)m->rec;
	const struct syscall_def *def = syscall_find(sys->abi, sys->nr);
	struct jsonw *w = &j->w;

	put_type(w, m->rec);
	jsonw_key(w, "dur");
	if (sys->state == PT_SYS_DONE)
		jsonw_uint(w, sys->dur);
	else
		jsonw_null(w);
	put_task(w, m);
	jsonw_key_uint(w, "nr", sys->nr);
	jsonw_key_string(w, "name", def ? def->name : NULL);
	if (abi_word(sys->abi))
		jsonw_key_string(w, "abi", abi_word(sys->abi));
	put_args(w, sys, def);
	if (!j->opts.no_paths)
		put_decoded(w, sys);
	put_result(w, sys);
	jsonw_key_known(w, "ip", sys->ip);
	if (!j->opts.no_stacks)
		put_stack(w, m);
}

/* ---- the other records ---------------------------------------------------- */

static void put_meta(struct jsonw *w, const struct pt_hdr *rec)
{
	const struct pt_meta *meta = (const void *)rec;
	const char *arg;

	put_type(w, rec);
	jsonw_key_uint(w, "version", 1);
	jsonw_key_string(w, "clock", "monotonic");
	jsonw_key_int(w, "realtime_offset_ns", meta->realtime_offset);
	jsonw_key_name(w, "tool", record_string(rec, 0));
	jsonw_key_name(w, "kernel", record_string(rec, 1));
	jsonw_key_name(w, "host", record_string(rec, 2));
	jsonw_key(w, "argv");
	jsonw_open_list(w);
	for (size_t i = 3; (arg = record_string(rec, i)); i++)
		jsonw_string(w, arg);
	jsonw_close_list(w);
}

static void put_process(struct jsonw *w, const struct pt_hdr *rec)
{
	const struct pt_process *p = (const void *)rec;

	put_type(w, rec);
	jsonw_key_known(w, "pid", rec->pid);
	jsonw_key_known(w, "nspid", p->nspid);
	jsonw_key_name(w, "exe", record_string(rec, 0));
	jsonw_key_name(w, "python", record_string(rec, 1));
	jsonw_key_name(w, "library", record_string(rec, 2));
	jsonw_key(w, "walk");
	if (p->walk == PT_WALK_STARTING)
		jsonw_null(w);
	else
		jsonw_bool(w, p->walk == PT_WALK_YES);
	jsonw_key_string(w, "calls", "none");
	if (p->walk != PT_WALK_YES)
		jsonw_key_name(w, "why", p->walk == PT_WALK_STARTING ?
			       "the interpreter is not initialised yet" :
			       record_string(rec, 3));
}

static void put_fork(struct jsonw *w, const struct moment *m)
{
	const struct pt_fork *fork = (const void *)m->rec;

	put_type(w, m->rec);
	put_task(w, m);
	jsonw_key_known(w, "child_pid", fork->child_pid);
	jsonw_key_known(w, "child_tid", fork->child_tid);
}

static void put_exit(struct jsonw *w, const struct moment *m)
{
	const struct pt_exit *end = (const void *)m->rec;
	int status = (int)end->code;

	put_type(w, m->rec);
	put_task(w, m);
	jsonw_key(w, "code");
	if (WIFEXITED(status))
		jsonw_int(w, WEXITSTATUS(status));
	else
		jsonw_null(w);
	jsonw_key(w, "signal");
	if (WIFEXITED(status))
		jsonw_null(w);
	else
		jsonw_int(w, WTERMSIG(status));
	jsonw_key(w, "last");
	jsonw_bool(w, end->last);
}

/* "ring-full": the name of a reason as a key. */
static const char *loss_key(uint32_t reason, char *out, size_t size)
{
	static const char *const names[] = {
#define X(nr, NAME, text) [nr] = #NAME,
		PT_LOSSES(X)
#undef X
	};
	size_t i;

	if (reason >= ARRAY_LEN(names))
		return "other";
	for (i = 0; names[reason][i] && i + 1 < size; i++) {
		out[i] = (char)tolower((unsigned char)names[reason][i]);
		if (out[i] == '_')
			out[i] = '-';
	}
	out[i] = '\0';
	return out;
}

static void put_lost(struct jsonw *w, const struct pt_hdr *rec)
{
	const struct pt_lost *lost = (const void *)rec;
	char key[32];

	put_type(w, rec);
	jsonw_key_uint(w, "until", lost->until);
	jsonw_key_string(w, "reason", loss_key(lost->reason, key, sizeof(key)));
	jsonw_key_uint(w, "count", lost->count);
	jsonw_key_uint(w, "cpu", rec->cpu);
	jsonw_key_known(w, "tid", rec->tid);
}

static void put_losses(struct jsonw *w, const struct engine_totals *t)
{
	uint64_t other = 0;
	char key[32];

	jsonw_key(w, "losses");
	jsonw_open(w);
	for (uint32_t i = 0; i < ARRAY_LEN(t->lost); i++) {
		if (i >= PT_NR_LOSSES)
			other += t->lost[i];
		else if (t->lost[i])
			jsonw_key_uint(w, loss_key(i, key, sizeof(key)),
				       t->lost[i]);
	}
	if (other)
		jsonw_key_uint(w, "other", other);
	jsonw_close(w);
}

static void put_stack_totals(struct jsonw *w, const struct engine_totals *t)
{
	uint64_t other = t->unknown[PT_WHY_NONE];

	jsonw_key(w, "stacks");
	jsonw_open(w);
	jsonw_key_uint(w, "known", t->with_stack);
	jsonw_key_uint(w, "no_frames", t->no_frames);
	jsonw_key(w, "unknown");
	jsonw_open(w);
	for (uint32_t i = 1; i < ARRAY_LEN(t->unknown); i++) {
		if (i > PT_WHY_NOT_WALKED)	/* the last there is */
			other += t->unknown[i];
		else if (t->unknown[i])
			jsonw_key_uint(w, engine_why_words(i), t->unknown[i]);
	}
	if (other)
		jsonw_key_uint(w, "no reason given", other);
	jsonw_close(w);
	jsonw_close(w);
}

static void put_end(struct jsonw *w, const struct pt_hdr *rec,
		    const struct engine_totals *totals)
{
	const struct pt_end *end = (const void *)rec;

	put_type(w, rec);
	jsonw_key_uint(w, "events", end->events);
	jsonw_key_uint(w, "lost", end->lost);
	if (totals) {
		put_losses(w, totals);
		put_stack_totals(w, totals);
	}
	jsonw_key_known(w, "overhead_ns", end->overhead_ns);
	jsonw_key_uint(w, "exit", end->exit);
}

/* Definitions have no object of their own. */
static bool has_object(uint16_t type)
{
	return type != PT_CODE && type != PT_PART && type != PT_STACK &&
	       type != PT_MAPPED && type < PT_BEGIN;
}

static void put_object(struct json *j, const struct moment *m,
		       const struct engine_totals *totals)
{
	struct jsonw *w = &j->w;

	switch ((enum pt_type)m->rec->type) {
	case PT_META:
		put_meta(w, m->rec);
		break;
	case PT_PROCESS:
		put_process(w, m->rec);
		break;
	case PT_THREAD:
		put_type(w, m->rec);
		put_task(w, m);
		break;
	case PT_FORK:
		put_fork(w, m);
		break;
	case PT_EXEC:
		put_type(w, m->rec);
		put_task(w, m);
		jsonw_key_string(w, "file", record_string(m->rec, 0));
		break;
	case PT_EXIT:
		put_exit(w, m);
		break;
	case PT_SYSCALL:
		put_syscall(j, m);
		break;
	case PT_LOST:
		put_lost(w, m->rec);
		break;
	case PT_END:
		put_end(w, m->rec, totals);
		break;
	case PT_CODE:
	case PT_PART:
	case PT_STACK:
	case PT_MAPPED:
	case PT_BEGIN:
	case PT_FAULT:
	case PT_OFFCPU:
	case PT_SAMPLE:
	case PT_GIL:
	case PT_CPUSTAT:
	case PT_TYPE_END:
		break;
	}
}

int json_moment(struct json *j, const struct moment *m,
		const struct engine_totals *totals, struct err *err)
{
	if (!has_object(m->rec->type))
		return 0;
	jsonw_open(&j->w);
	put_object(j, m, totals);
	jsonw_close(&j->w);
	return jsonw_line(&j->w, j->out, err);
}

int json_error(struct json *j, const struct err *what, struct err *err)
{
	jsonw_open(&j->w);
	jsonw_key_string(&j->w, "type", "error");
	jsonw_key_string(&j->w, "kind", err_kind_name(what->kind));
	jsonw_key_string(&j->w, "text", what->text);
	if (what->hint[0])
		jsonw_key_string(&j->w, "hint", what->hint);
	jsonw_close(&j->w);
	return jsonw_line(&j->w, j->out, err);
}
