/* SPDX-License-Identifier: MIT */
/* text_fields: the tables that text.c goes by. */
#include "event/text_fields.h"

#include <pytrace_abi.h>

#include "base/compiler.h"

#define WORDS(name, ...)						\
	static const char *const name##_list[] = { __VA_ARGS__ };	\
	static const struct field_words name = { name##_list,		\
						 ARRAY_LEN(name##_list) }

/* Reasons are spelled as their names are, in small letters. */
#define X(nr, NAME, text) [nr] = #NAME,
WORDS(words_why, PT_WHYS(X));
WORDS(words_loss, PT_LOSSES(X));
#undef X

WORDS(words_walk, [PT_WALK_NO] = "no", [PT_WALK_YES] = "yes",
      [PT_WALK_STARTING] = "starting");
WORDS(words_calls, [PT_CALLS_NONE] = "none", [PT_CALLS_USDT] = "usdt",
      [PT_CALLS_SYNTHETIC] = "synthetic");
WORDS(words_part, [PT_NAME] = "name", [PT_QUALNAME] = "qualname",
      [PT_FILENAME] = "filename", [PT_LINETABLE] = "linetable");
WORDS(words_abi, [PT_ABI_X86_64] = "x86-64", [PT_ABI_I386] = "i386",
      [PT_ABI_X32] = "x32");
WORDS(words_sys_state, [PT_SYS_DONE] = "done",
      [PT_SYS_NO_RETURN] = "no-return", [PT_SYS_UNFINISHED] = "unfinished",
      [PT_SYS_NO_ENTRY] = "no-entry");

WORDS(words_tristate, [PT_NO] = "no", [PT_YES] = "yes",
      [PT_UNKNOWN] = "unknown");
WORDS(words_fault, [PT_FAULT_OTHER] = "other", [PT_FAULT_COW] = "cow",
      [PT_FAULT_FIRST_TOUCH] = "first-touch", [PT_FAULT_FILE] = "file",
      [PT_FAULT_SWAP] = "swap");
WORDS(words_off_reason, [PT_OFF_UNKNOWN] = "unknown",
      [PT_OFF_PREEMPTED] = "preempted", [PT_OFF_SYSCALL] = "syscall",
      [PT_OFF_FAULT] = "fault", [PT_OFF_STOPPED] = "stopped");
WORDS(words_off_state, [PT_OFF_DONE] = "done",
      [PT_OFF_UNFINISHED] = "unfinished", [PT_OFF_BEFORE] = "before");
WORDS(words_named, [PT_NAMED_TRACEPOINT] = "tracepoint",
      [PT_NAMED_COUNTER] = "counter", [PT_NAMED_USDT] = "usdt",
      [PT_NAMED_GC] = "gc", [PT_NAMED_IMPORT] = "import",
      [PT_NAMED_AUDIT] = "audit", [PT_NAMED_LINE] = "line");
WORDS(words_waker, [PT_WAKER_NONE] = "none", [PT_WAKER_TASK] = "task",
      [PT_WAKER_TIMER] = "timer", [PT_WAKER_INTERRUPT] = "interrupt");

WORDS(words_shed, [PT_SHED_NOTHING] = "nothing",
      [PT_SHED_STACKS] = "stacks", [PT_SHED_CALLS] = "calls",
      [PT_SHED_SAMPLES] = "samples", [PT_SHED_DETACH] = "detach");
WORDS(words_shed_why, [PT_SHED_TARGET] = "target", [PT_SHED_OWN] = "own");

static const char *const arg_kinds[] = {
	[PT_ARG_NONE] = "none",
	[PT_ARG_PATH] = "path",
	[PT_ARG_SOCKADDR] = "sockaddr",
	[PT_ARG_SOCKADDR_OUT] = "sockaddr-out",
	[PT_ARG_SOCKET] = "socket",
	[PT_ARG_UNREAD] = "unread",
};
const struct field_words words_arg_kind = { arg_kinds, ARRAY_LEN(arg_kinds) };

#define FIELD(type, member, style)					\
	{ #member, offsetof(struct type, member),			\
	  sizeof(((struct type *)0)->member), style, NULL }
#define WORD(type, member, words)					\
	{ #member, offsetof(struct type, member),			\
	  sizeof(((struct type *)0)->member), STYLE_WORD, &(words) }
#define REF(name, nr)							\
	{ name, offsetof(struct pt_code, part[nr]),			\
	  sizeof(struct pt_part_ref), STYLE_REF, NULL }

const struct field fields_of_header[] = {
	FIELD(pt_hdr, pid, STYLE_DEC),
	FIELD(pt_hdr, tid, STYLE_DEC),
	FIELD(pt_hdr, proc, STYLE_DEC),
	FIELD(pt_hdr, cpu, STYLE_DEC),
	FIELD(pt_hdr, flags, STYLE_HEX),
	{ 0 },
};

static const struct field none[] = { { 0 } };

static const struct field meta[] = {
	FIELD(pt_meta, realtime_offset, STYLE_SIGNED),
	{ 0 },
};

static const struct field process[] = {
	FIELD(pt_process, start_ns, STYLE_DEC),
	FIELD(pt_process, nspid, STYLE_DEC),
	FIELD(pt_process, version, STYLE_VERSION),
	WORD(pt_process, walk, words_walk),
	WORD(pt_process, calls, words_calls),
	FIELD(pt_process, bias, STYLE_HEX),
	{ 0 },
};

static const struct field thread[] = {
	FIELD(pt_thread, start_ns, STYLE_DEC),
	FIELD(pt_thread, comm, STYLE_CHARS),
	{ 0 },
};

static const struct field fork[] = {
	FIELD(pt_fork, child_pid, STYLE_DEC),
	FIELD(pt_fork, child_tid, STYLE_DEC),
	FIELD(pt_fork, child_proc, STYLE_DEC),
	{ 0 },
};

static const struct field exec[] = {
	FIELD(pt_exec, old_proc, STYLE_DEC),
	{ 0 },
};

static const struct field exit_[] = {
	FIELD(pt_exit, code, STYLE_HEX),
	FIELD(pt_exit, last, STYLE_DEC),
	{ 0 },
};

static const struct field code[] = {
	FIELD(pt_code, code, STYLE_HEX),
	FIELD(pt_code, addr, STYLE_HEX),
	FIELD(pt_code, firstline, STYLE_SIGNED),
	FIELD(pt_code, version, STYLE_VERSION),
	REF("name", PT_NAME),
	REF("qualname", PT_QUALNAME),
	REF("filename", PT_FILENAME),
	REF("linetable", PT_LINETABLE),
	{ 0 },
};

/* `nr` is how many bytes are given. */
static const struct field part[] = {
	FIELD(pt_part, code, STYLE_HEX),
	WORD(pt_part, part, words_part),
	FIELD(pt_part, offset, STYLE_DEC),
	FIELD(pt_part, total, STYLE_DEC),
	{ 0 },
};

/* `nr` is how many frames are given. */
static const struct field stack[] = {
	FIELD(pt_stack, stack, STYLE_HEX),
	FIELD(pt_stack, omitted, STYLE_DEC),
	WORD(pt_stack, why, words_why),
	{ 0 },
};

/* `nr_args` is how many arguments are given. */
static const struct field syscall_[] = {
	FIELD(pt_syscall, nr, STYLE_DEC),
	WORD(pt_syscall, abi, words_abi),
	FIELD(pt_syscall, args, STYLE_WORDS6),
	FIELD(pt_syscall, ret, STYLE_SIGNED),
	FIELD(pt_syscall, dur, STYLE_DEC),
	WORD(pt_syscall, state, words_sys_state),
	FIELD(pt_syscall, ip, STYLE_HEX),
	FIELD(pt_syscall, stack, STYLE_HEX),
	WORD(pt_syscall, why, words_why),
	{ 0 },
};

static const struct field mapped[] = {
	FIELD(pt_mapped, exec_id, STYLE_DEC),
	{ 0 },
};

static const struct field lost[] = {
	FIELD(pt_lost, until, STYLE_DEC),
	FIELD(pt_lost, count, STYLE_DEC),
	WORD(pt_lost, reason, words_loss),
	{ 0 },
};

static const struct field end[] = {
	FIELD(pt_end, events, STYLE_DEC),
	FIELD(pt_end, lost, STYLE_DEC),
	FIELD(pt_end, overhead_ns, STYLE_DEC),
	FIELD(pt_end, own_ms, STYLE_DEC),
	FIELD(pt_end, exit, STYLE_DEC),
	{ 0 },
};

static const struct field begin[] = {
	FIELD(pt_begin, events, STYLE_HEX),
	FIELD(pt_begin, sample_hz, STYLE_DEC),
	{ 0 },
};

static const struct field fault[] = {
	FIELD(pt_fault, addr, STYLE_HEX),
	WORD(pt_fault, kind, words_fault),
	FIELD(pt_fault, bytes, STYLE_DEC),
	WORD(pt_fault, major, words_tristate),
	FIELD(pt_fault, write, STYLE_DEC),
	FIELD(pt_fault, kernel, STYLE_DEC),
	WORD(pt_fault, in_gc, words_tristate),
	FIELD(pt_fault, dur, STYLE_DEC),
	FIELD(pt_fault, stack, STYLE_HEX),
	FIELD(pt_fault, ip, STYLE_HEX),
	WORD(pt_fault, why, words_why),
	{ 0 },
};

static const struct field offcpu[] = {
	WORD(pt_offcpu, reason, words_off_reason),
	WORD(pt_offcpu, state, words_off_state),
	FIELD(pt_offcpu, blocked, STYLE_DEC),
	FIELD(pt_offcpu, runq, STYLE_DEC),
	FIELD(pt_offcpu, preempted, STYLE_DEC),
	FIELD(pt_offcpu, iowait, STYLE_DEC),
	FIELD(pt_offcpu, nr, STYLE_DEC),
	WORD(pt_offcpu, abi, words_abi),
	{ "arg0", offsetof(struct pt_offcpu, args[0]), 8, STYLE_HEX, NULL },
	{ "arg1", offsetof(struct pt_offcpu, args[1]), 8, STYLE_HEX, NULL },
	FIELD(pt_offcpu, socket.family, STYLE_DEC),
	FIELD(pt_offcpu, socket.type, STYLE_DEC),
	FIELD(pt_offcpu, socket.protocol, STYLE_DEC),
	FIELD(pt_offcpu, socket.port, STYLE_DEC),
	{ "socket.addr0", offsetof(struct pt_offcpu, socket.addr[0]), 8,
	  STYLE_HEX, NULL },
	{ "socket.addr1", offsetof(struct pt_offcpu, socket.addr[8]), 8,
	  STYLE_HEX, NULL },
	FIELD(pt_offcpu, dur, STYLE_DEC),
	FIELD(pt_offcpu, stack, STYLE_HEX),
	FIELD(pt_offcpu, ip, STYLE_HEX),
	WORD(pt_offcpu, why, words_why),
	WORD(pt_offcpu, waker, words_waker),
	FIELD(pt_offcpu, waker_pid, STYLE_DEC),
	FIELD(pt_offcpu, waker_tid, STYLE_DEC),
	FIELD(pt_offcpu, waker_proc, STYLE_DEC),
	FIELD(pt_offcpu, waker_stack, STYLE_HEX),
	WORD(pt_offcpu, waker_why, words_why),
	WORD(pt_offcpu, in_gc, words_tristate),
	{ 0 },
};

static const struct field sample[] = {
	FIELD(pt_sample, event, STYLE_DEC),
	FIELD(pt_sample, kernel, STYLE_DEC),
	WORD(pt_sample, in_gc, words_tristate),
	FIELD(pt_sample, dur, STYLE_DEC),
	FIELD(pt_sample, stack, STYLE_HEX),
	FIELD(pt_sample, ip, STYLE_HEX),
	WORD(pt_sample, why, words_why),
	{ 0 },
};

static const struct field gil[] = {
	FIELD(pt_gil, from, STYLE_HEX),
	FIELD(pt_gil, to, STYLE_HEX),
	{ 0 },
};

static const struct field cpustat[] = {
	FIELD(pt_cpustat, quota_us, STYLE_DEC),
	FIELD(pt_cpustat, period_us, STYLE_DEC),
	FIELD(pt_cpustat, nr_periods, STYLE_DEC),
	FIELD(pt_cpustat, nr_throttled, STYLE_DEC),
	FIELD(pt_cpustat, throttled_us, STYLE_DEC),
	FIELD(pt_cpustat, memory_high, STYLE_DEC),
	{ 0 },
};

static const struct field named[] = {
	FIELD(pt_named, event, STYLE_DEC),
	WORD(pt_named, kind, words_named),
	FIELD(pt_named, rate, STYLE_DEC),
	FIELD(pt_named, is_period, STYLE_DEC),
	{ 0 },
};

/* `nr` is how many bytes are given. */
static const struct field tracepoint[] = {
	FIELD(pt_tracepoint, event, STYLE_DEC),
	FIELD(pt_tracepoint, total, STYLE_DEC),
	FIELD(pt_tracepoint, interrupt, STYLE_DEC),
	FIELD(pt_tracepoint, unread, STYLE_HEX),
	FIELD(pt_tracepoint, dur, STYLE_DEC),
	FIELD(pt_tracepoint, stack, STYLE_HEX),
	FIELD(pt_tracepoint, ip, STYLE_HEX),
	WORD(pt_tracepoint, why, words_why),
	{ 0 },
};

static const struct field shed[] = {
	WORD(pt_shed, step, words_shed),
	WORD(pt_shed, why, words_shed_why),
	FIELD(pt_shed, limit, STYLE_DEC),
	FIELD(pt_shed, slower_ns, STYLE_DEC),
	FIELD(pt_shed, span_ns, STYLE_DEC),
	FIELD(pt_shed, cost_ns, STYLE_DEC),
	FIELD(pt_shed, target_ns, STYLE_DEC),
	FIELD(pt_shed, own_ns, STYLE_DEC),
	{ 0 },
};

static const struct field call[] = {
	FIELD(pt_call, frame, STYLE_HEX),
	FIELD(pt_call, caller, STYLE_HEX),
	FIELD(pt_call, code, STYLE_HEX),
	{ 0 },
};

static const struct field return_[] = {
	FIELD(pt_return, frame, STYLE_HEX),
	FIELD(pt_return, code, STYLE_HEX),
	{ 0 },
};

/* `nr` is how many frames are given. */
static const struct field seed[] = {
	FIELD(pt_seed, lost, STYLE_DEC),
	FIELD(pt_seed, omitted, STYLE_DEC),
	WORD(pt_seed, why, words_why),
	{ 0 },
};

static const struct field kstack[] = {
	FIELD(pt_kstack, kstack, STYLE_DEC),
	{ 0 },
};

static const struct field *const by_type[] = {
	[PT_META] = meta,	[PT_PROCESS] = process,
	[PT_THREAD] = thread,	[PT_FORK] = fork,
	[PT_EXEC] = exec,	[PT_EXIT] = exit_,
	[PT_CODE] = code,	[PT_PART] = part,
	[PT_STACK] = stack,	[PT_SYSCALL] = syscall_,
	[PT_MAPPED] = mapped,	[PT_LOST] = lost,
	[PT_END] = end,		[PT_BEGIN] = begin,
	[PT_FAULT] = fault,	[PT_OFFCPU] = offcpu,
	[PT_SAMPLE] = sample,	[PT_GIL] = gil,
	[PT_CPUSTAT] = cpustat,	[PT_NAMED] = named,
	[PT_TRACEPOINT] = tracepoint,
	[PT_SHED] = shed,	[PT_CALL] = call,
	[PT_RETURN] = return_,	[PT_SEED] = seed,
	[PT_KSTACK] = kstack,
};

_Static_assert(ARRAY_LEN(by_type) == PT_TYPE_END, "a type without fields");

const struct field *fields_of(uint16_t type)
{
	return type < ARRAY_LEN(by_type) && by_type[type] ? by_type[type] :
							    none;
}

const char *const *fields_strings(uint16_t type, uint32_t flags)
{
	static const char *const of_meta[] = { "tool", "kernel", "host",
					       "argv", NULL };
	static const char *const of_meta_boot[] = { "tool", "kernel", "host",
						    "boot_id", "argv", NULL };
	static const char *const of_process[] = { "exe", "python", "library",
						  "refused", "cgroup",
						  "no_calls", NULL };
	static const char *const of_exec[] = { "file", NULL };
	static const char *const of_cpustat[] = { "group", NULL };
	static const char *const of_named[] = { "name", "field", NULL };
	static const char *const of_kstack[] = { "func", NULL };

	switch (type) {
	case PT_META:
		return flags & PT_META_BOOT_ID ? of_meta_boot : of_meta;
	case PT_PROCESS:
		return of_process;
	case PT_EXEC:
		return of_exec;
	case PT_CPUSTAT:
		return of_cpustat;
	case PT_NAMED:
		return of_named;
	case PT_KSTACK:
		return of_kstack;
	default:
		return NULL;
	}
}
