/* SPDX-License-Identifier: MIT */
/*
 * pytrace_abi: every struct and number that crosses a boundary: kernel half to
 * user half through the ring and the maps, user half to a recording's file.
 *
 * Both compilers check the sizes.  Fixed widths, no pointers, no bool, no
 * bit-fields, padding spelled out.  Numbers of records, reasons and argument
 * kinds are in recordings: the lists only grow.
 *
 * A stream is a sequence of records, each a whole number of 8-byte words that
 * begins with a struct pt_hdr.  What a record refers to was defined by an
 * earlier one: a PT_SYSCALL names a stack, a PT_STACK its code objects, whose
 * names and tables arrive in PT_PARTs.  Definitions can be repeated, and can
 * be lost: then what refers to them is unknown, with the reason.
 */
#ifndef PYTRACE_ABI_H
#define PYTRACE_ABI_H

#ifndef __bpf__
#include <stdint.h>
typedef uint8_t pt_u8;
typedef uint16_t pt_u16;
typedef uint32_t pt_u32;
typedef uint64_t pt_u64;
typedef int32_t pt_s32;
typedef int64_t pt_s64;
#else
typedef unsigned char pt_u8;
typedef unsigned short pt_u16;
typedef unsigned int pt_u32;
typedef unsigned long long pt_u64;
typedef int pt_s32;
typedef long long pt_s64;
#endif

#define PT_SIZE_IS(type, bytes) \
	_Static_assert(sizeof(type) == (bytes), "size of " #type)

/* ---- records ---------------------------------------------------------- */

/* X(number, NAME, struct, bytes of its fixed part).  Append only. */
#define PT_RECORDS(X)							\
	X(1, META,	pt_meta,	40)				\
	X(2, PROCESS,	pt_process,	64)				\
	X(3, THREAD,	pt_thread,	56)				\
	X(4, FORK,	pt_fork,	48)				\
	X(5, EXEC,	pt_exec,	40)				\
	X(6, EXIT,	pt_exit,	40)				\
	X(7, CODE,	pt_code,	120)				\
	X(8, PART,	pt_part,	56)				\
	X(9, STACK,	pt_stack,	56)				\
	X(10, SYSCALL,	pt_syscall,	120)				\
	X(11, MAPPED,	pt_mapped,	40)				\
	X(12, LOST,	pt_lost,	56)				\
	X(13, END,	pt_end,		64)				\
	X(14, BEGIN,	pt_begin,	40)				\
	X(15, FAULT,	pt_fault,	80)				\
	X(16, OFFCPU,	pt_offcpu,	152)				\
	X(17, SAMPLE,	pt_sample,	64)				\
	X(18, GIL,	pt_gil,		48)				\
	X(19, CPUSTAT,	pt_cpustat,	80)				\
	X(20, NAMED,	pt_named,	48)				\
	X(21, TRACEPOINT, pt_tracepoint, 72)			\
	X(24, SHED,	pt_shed,	88)				\
	X(25, CALL,	pt_call,	56)				\
	X(26, RETURN,	pt_return,	48)				\
	X(27, SEED,	pt_seed,	56)				\
	X(30, KSTACK,	pt_kstack,	40)

struct pt_hdr {
	pt_u32 size;		/* bytes of the record, header included */
	pt_u16 type;		/* enum pt_type */
	pt_u16 cpu;
	pt_u64 t;		/* CLOCK_MONOTONIC, ns */
	pt_u32 pid, tid;	/* process and thread; of the first namespace
				 * from the kernel half, of the reader's in a
				 * stream that has left src/live */
	pt_u32 proc;		/* serial number of an address space, from 1;
				 * 0: none, or not (yet) recognised */
	pt_u32 flags;		/* of PT_META: below; of PT_OFFCPU and PT_SAMPLE
				 * the number of a PT_KSTACK, 0: none; else 0 */
};

/* First record of a stream; after it argv as NUL-terminated strings. */
struct pt_meta {
	struct pt_hdr h;
	pt_s64 realtime_offset;	/* CLOCK_REALTIME minus h.t's clock, ns */
	/* then strings: tool version, kernel release, host, with
	 * PT_META_BOOT_ID that of the boot, argv... */
};

#define PT_META_BOOT_ID	1	/* h.flags (not in older streams) */

enum pt_walk {			/* what can be walked of a process */
	PT_WALK_NO,		/* not CPython, or refused: see why */
	PT_WALK_YES,
	PT_WALK_STARTING,	/* the interpreter is not initialised yet */
};

enum pt_calls_by {		/* what tells of the calls of its functions */
	PT_CALLS_NONE,		/* nothing: not asked for, or see why */
	PT_CALLS_USDT,		/* function__entry and function__return */
	PT_CALLS_SYNTHETIC,	/* places in the interpreter's code */
};

/*
 * A process as user space has understood it.  Written before the first event
 * that names `h.proc`, or as soon as it is known.
 */
struct pt_process {
	struct pt_hdr h;
	pt_u64 start_ns;	/* start time of the process, boot clock; 0 unknown */
	pt_u32 nspid;		/* the innermost namespace's pid; 0 unknown */
	pt_u16 version;		/* 0x030b for 3.11; 0 unknown */
	pt_u8 walk;		/* enum pt_walk */
	pt_u8 calls;		/* enum pt_calls_by (NONE in older streams) */
	pt_u64 bias;		/* load address minus link address */
	pt_u32 image;		/* between the halves only: 0 in a stream */
	pt_u32 pad2;
	/* then strings: exe, python's full version, library, why not walked,
	 * its control group, why nothing tells of calls that were asked for
	 * (these two not in older streams) */
};

/* A thread at first sight and whenever its name changes. */
struct pt_thread {
	struct pt_hdr h;
	pt_u64 start_ns;	/* task start time, tells reused ids apart */
	char comm[16];
};

struct pt_fork {
	struct pt_hdr h;	/* the parent */
	pt_u32 child_pid, child_tid;
	pt_u32 child_proc;	/* equals h.proc for a thread and a vfork */
	pt_u32 pad;
};

struct pt_exec {
	struct pt_hdr h;	/* proc is the new one, 0 if not recognised */
	pt_u32 old_proc;
	pt_u32 pad;
	/* then the file name as the kernel has it, NUL-terminated */
};

struct pt_exit {
	struct pt_hdr h;
	pt_u32 code;		/* wait status, as in wait(2) */
	pt_u8 last;		/* 1: the last thread of its process */
	pt_u8 pad[3];
};

/* A process asked for executable memory: it may have loaded an interpreter. */
struct pt_mapped {
	struct pt_hdr h;
	pt_u32 exec_id;		/* which of the execs of that process it is in */
	pt_u32 candidate;	/* between the halves only: it is no target yet,
				 * and this an exec; 0 in a stream */
};

/* Where a str or bytes object of the target is. */
struct pt_part_ref {
	pt_u64 addr;		/* of the first byte of its contents */
	pt_u32 len;		/* code points (str) or bytes (table) */
	pt_u8 kind;		/* bytes a code point: 1, 2, 4; tables: 1 */
	pt_u8 ascii;
	pt_u8 state;		/* enum pt_part_state */
	pt_u8 pad;
};

enum pt_part_state {
	PT_PART_ABSENT,		/* this version has no such field */
	PT_PART_SENT,		/* the bytes are in PT_PART records */
	PT_PART_LONG,		/* longer than the kernel half sends */
	PT_PART_UNREAD,		/* the page was not resident */
	PT_PART_BAD,		/* the object is not what it should be */
};

enum pt_part_nr {
	PT_NAME,
	PT_QUALNAME,
	PT_FILENAME,
	PT_LINETABLE,
	PT_NR_PARTS,
};

/* A code object at first sight. */
struct pt_code {
	struct pt_hdr h;
	pt_u64 code;		/* its id: never reused within a stream */
	pt_u64 addr;		/* where it was */
	pt_s32 firstline;	/* -1: the page was not resident */
	pt_u16 version;		/* of the interpreter: 0x030b */
	pt_u16 pad;
	struct pt_part_ref part[PT_NR_PARTS];
};

/* Bytes of one part of a code object, `nr` of them at `offset`. */
struct pt_part {
	struct pt_hdr h;
	pt_u64 code;
	pt_u16 part;		/* enum pt_part_nr */
	pt_u16 nr;
	pt_u32 offset;		/* in bytes */
	pt_u32 total;		/* bytes of the whole part */
	pt_u32 pad;
	/* then `nr` bytes, padded with 0 to a whole word */
};

struct pt_frame {
	pt_u64 code;		/* id of a PT_CODE */
	pt_s32 lasti;		/* bytes, as frame.f_lasti of that version */
	pt_u32 flags;		/* none yet: 0 */
};

/* A Python stack, innermost first. */
struct pt_stack {
	struct pt_hdr h;
	pt_u64 stack;		/* its id: see PT_STACK_* */
	pt_u32 nr;		/* frames that follow */
	pt_u32 omitted;		/* frames left out behind the first PT_INNER */
	pt_u8 why;		/* enum pt_why: the chain could not be followed
				 * past the frames that are here */
	pt_u8 pad[7];
	/* then struct pt_frame[nr] */
};

#define PT_MAX_FRAMES	512	/* sent of one stack */
#define PT_OUTER	64	/* of these, outermost of a deeper one */
#define PT_INNER	(PT_MAX_FRAMES - PT_OUTER)

/* Ids of stacks below this are not stacks: the `why` of the event says more. */
#define PT_STACK_UNKNOWN	0
#define PT_STACK_EMPTY		1	/* a thread without Python frames */
#define PT_STACK_FIRST		16

/* Why a stack, or the rest of one, is unknown.  X(number, NAME, "words") */
#define PT_WHYS(X)							\
	X(0, NONE,		"")					\
	X(1, UNRECOGNISED,	"process not yet recognised")		\
	X(2, PAGE,		"a page was not resident")		\
	X(3, CHAIN,		"implausible frame chain")		\
	X(4, SUBINTERPRETER,	"one of several sub-interpreters")	\
	X(5, NESTED,		"nested in another program")		\
	X(6, NO_STORAGE,	"no memory for thread state")		\
	X(7, TOO_DEEP,		"deeper than the walk goes")		\
	X(8, LOST,		"its definition was lost")		\
	X(9, UNSUPPORTED,	"interpreter not supported")		\
	X(10, NOT_WALKED,	"stack not asked for")			\
	X(11, BEFORE,		"in it since before the trace began")

enum pt_why {
#define X(nr, NAME, words) PT_WHY_##NAME = (nr),
	PT_WHYS(X)
#undef X
	PT_NR_WHYS,
};

/* One system call, sent when it has returned (or when it never will). */
struct pt_syscall {
	struct pt_hdr h;	/* t: at entry */
	pt_u64 dur;		/* ns; 0 if state is not PT_SYS_DONE */
	pt_u64 stack;
	pt_u64 ip;		/* user instruction pointer */
	pt_u64 args[6];
	pt_s64 ret;
	pt_u32 nr;
	pt_u8 abi;		/* enum pt_abi */
	pt_u8 state;		/* enum pt_sys_state */
	pt_u8 why;		/* enum pt_why, if the stack is unknown */
	pt_u8 nr_args;		/* struct pt_arg that follow */
	/* then nr_args times: struct pt_arg, its bytes, padded to a word */
};

/*
 * All events begin alike: header (t: when it began), then
 *
 *	dur	ns; 0: not known, or not over
 *	stack	the Python stack that it happened on
 *	ip	user instruction pointer; 0: not known
 */
struct pt_event {
	struct pt_hdr h;
	pt_u64 dur, stack, ip;
};
PT_SIZE_IS(struct pt_event, 56);

/* From here on all that happens to the targets is in the stream. */
struct pt_begin {
	struct pt_hdr h;
	pt_u32 events;		/* 1 << each PT_SYSCALL, PT_FAULT... asked for */
	pt_u32 sample_hz;	/* samples a second and CPU; 0: none */
};

enum pt_tristate { PT_NO, PT_YES, PT_UNKNOWN };

/* A page fault. */
struct pt_fault {
	struct pt_hdr h;
	pt_u64 dur, stack, ip;
	pt_u64 addr;
	pt_u32 bytes;		/* that became resident, or private; 0: not known */
	pt_u8 kind;		/* enum pt_fault_kind */
	pt_u8 major;		/* enum pt_tristate: it read from a disk */
	pt_u8 write;		/* 1: by a write */
	pt_u8 kernel;		/* 1: taken in kernel mode, for the process */
	pt_u8 in_gc;		/* enum pt_tristate: while the collector ran */
	pt_u8 why;		/* enum pt_why, if the stack is unknown */
	pt_u8 pad[6];
};

enum pt_fault_kind {
	PT_FAULT_OTHER,		/* or not known */
	PT_FAULT_COW,		/* a write to a page that was shared */
	PT_FAULT_FIRST_TOUCH,	/* of anonymous memory */
	PT_FAULT_FILE,		/* of a mapped file */
	PT_FAULT_SWAP,
};

struct pt_socket {
	pt_u16 family;		/* AF_* */
	pt_u16 type;		/* SOCK_* */
	pt_u16 protocol;
	pt_u16 port;		/* of the peer, host order; 0: not connected */
	pt_u8 addr[16];		/* of the peer, network order; IPv4 in the
				 * first four */
};

/* A thread was not on a CPU: dur = blocked + runq + preempted. */
struct pt_offcpu {
	struct pt_hdr h;	/* t: when it was switched out */
	pt_u64 dur, stack, ip;
	pt_u64 blocked;		/* until it was woken */
	pt_u64 runq;		/* woken, and waiting for a CPU */
	pt_u64 preempted;	/* switched out while it could run */
	pt_u64 args[2];		/* of the system call it was in */
	pt_u64 waker_stack;	/* as `stack`: where the waker was */
	pt_u32 nr;		/* of the system call */
	pt_u32 waker_pid, waker_tid, waker_proc;
	struct pt_socket socket; /* its descriptor; family 0: none */
	pt_u8 reason;		/* enum pt_off_reason */
	pt_u8 abi;		/* enum pt_abi of the system call */
	pt_u8 state;		/* enum pt_off_state */
	pt_u8 why;		/* enum pt_why, if the stack is unknown */
	pt_u8 waker;		/* enum pt_waker */
	pt_u8 waker_why;	/* enum pt_why, if waker_stack is unknown */
	pt_u8 iowait;		/* 1: for a block device */
	pt_u8 in_gc;		/* enum pt_tristate */
};

enum pt_off_reason {
	PT_OFF_UNKNOWN,
	PT_OFF_PREEMPTED,	/* in user mode or in the kernel */
	PT_OFF_SYSCALL,		/* blocked in `nr` */
	PT_OFF_FAULT,		/* blocked in a page fault */
	PT_OFF_STOPPED,		/* by a signal or a debugger */
};

enum pt_off_state {
	PT_OFF_DONE,
	PT_OFF_UNFINISHED,	/* the trace ended first, and dur with it */
	PT_OFF_BEFORE,		/* out since before PT_BEGIN, which is its t */
};

enum pt_waker {
	PT_WAKER_NONE,		/* not woken, or not seen */
	PT_WAKER_TASK,
	PT_WAKER_TIMER,
	PT_WAKER_INTERRUPT,
};

/*
 * A thread was on a CPU when the clock ticked, and the sample stands for `dur` ns;
 * or when a counter came round, and it stands for `dur` events.
 */
struct pt_sample {
	struct pt_hdr h;
	pt_u64 dur, stack, ip;
	pt_u32 event;		/* 0: the CPU clock; else of a PT_NAMED */
	pt_u8 kernel;		/* 1: in kernel mode */
	pt_u8 in_gc;		/* enum pt_tristate */
	pt_u8 why;
	pt_u8 pad;
};

/*
 * What the number of an event stands for that was asked for by its name.
 * Written before the first event with that number.
 */
struct pt_named {
	struct pt_hdr h;
	pt_u32 event;		/* its number, from 1 */
	pt_u8 kind;		/* enum pt_named_kind */
	pt_u8 is_period;	/* 1: a sample every `rate` events; 0: so many
				 * samples a second */
	pt_u8 pad[2];
	pt_u64 rate;		/* of a counter; else 0 */
	/* then strings: its name, and one for each field of its data:
	 * "TYPE NAME OFFSET SIZE u", or "... s" if it is signed */
};

/*
 * Where in the kernel a thread was: a stack of functions that has a number.
 * Written before the first event with that number, where -n asked for them.
 */
struct pt_kstack {
	struct pt_hdr h;
	pt_u32 kstack;		/* its number, from 1 */
	pt_u32 pad;
	/* then strings: the functions, innermost first; "" is not known */
};

enum pt_named_kind {
	PT_NAMED_TRACEPOINT,	/* of the kernel: category:name */
	PT_NAMED_COUNTER,	/* of PT_SAMPLE: what kernel or processor count */
	PT_NAMED_USDT,		/* usdt:provider:name, its arguments */
	PT_NAMED_GC,		/* a run of the garbage collector */
	PT_NAMED_IMPORT,	/* a module was looked for and loaded, or not */
	PT_NAMED_AUDIT,		/* sys.audit() of some event */
	PT_NAMED_LINE,		/* a line of a function begins */
};

/* The kernel came by a place that has a name. */
struct pt_tracepoint {
	struct pt_hdr h;
	pt_u64 dur, stack, ip;	/* of a thing without duration: dur is 0 */
	pt_u32 event;		/* of a PT_NAMED */
	pt_u32 total;		/* bytes of the data, if they were cut; else 0 */
	pt_u16 nr;		/* bytes of data that follow */
	pt_u8 why;		/* enum pt_why, if the stack is unknown */
	pt_u8 interrupt;	/* 1: in an interrupt, of which the thread that
				 * was there knows nothing */
	pt_u8 unread;		/* bit n: word n of the data, an argument of a
				 * USDT probe, could not be read */
	pt_u8 pad[3];
	/* then `nr` bytes, padded with 0 to a whole word */
};

/*
 * Calls.  A frame is known by its address for as long as it lives; of a stream
 * that has names only (text) frame and caller are 0 and the code object, or its
 * names, is all there is.  They are what the interpreter's probes say, with the
 * faults that these have: the engine makes a stack of them.
 *
 * Records of one thread are in order.  Before its first one, and where some
 * could not be sent, a PT_SEED says what its stack is.
 */

/* A frame begins to run: its function is called, or it is resumed. */
struct pt_call {
	struct pt_hdr h;	/* flags: PT_CALL_* */
	pt_u64 frame;
	pt_u64 caller;		/* the frame that called it; 0: none */
	pt_u64 code;		/* id of a PT_CODE */
};

#define PT_CALL_RESUMED		1	/* has run before, up to a yield */
#define PT_CALL_THROWN		2	/* into it an exception was thrown */
#define PT_CALL_GENERATOR	4	/* of a generator or a coroutine */
#define PT_CALL_MAKES		8	/* does no more than make its generator:
					 * no return follows */
#define PT_CALL_LOOSE		16	/* the caller is not known: 0 says nothing */
#define PT_CALL_EXACT		32	/* each begin and each end is told, by places
				 * found in the interpreter's code */

/* A frame stops running. */
struct pt_return {
	struct pt_hdr h;	/* flags: PT_RETURN_* */
	pt_u64 frame;
	pt_u64 code;		/* 0: that of its PT_CALL, which was sent */
};

#define PT_RETURN_YIELDED	1	/* and can be resumed */
#define PT_RETURN_RAISED	2	/* by an exception */
#define PT_RETURN_GENERATOR	4
#define PT_RETURN_EXACT		8	/* as PT_CALL_EXACT: if that frame does not
				 * run, it never did */
#define PT_RETURN_UNBEGUN 16	/* it is at its first instruction: likely it
				 * never ran */

struct pt_seed_frame {
	pt_u64 frame;
	pt_u64 code;		/* id of a PT_CODE */
	pt_s32 lasti;		/* as in pt_frame */
	pt_u32 flags;		/* PT_SEED_* */
};

#define PT_SEED_GENERATOR	1
#define PT_SEED_SUSPENDED	2	/* linked, and not running: an exception
					 * passes it on its way to what it awaits */

/*
 * The stack of a thread, innermost first, as it is before the PT_CALL or
 * PT_RETURN of the same thread that follows.
 */
struct pt_seed {
	struct pt_hdr h;
	pt_u64 lost;		/* calls and returns of this thread that could
				 * not be sent before; 0: it is its first one */
	pt_u32 nr;		/* frames that follow */
	pt_u32 omitted;		/* outer frames that do not */
	pt_u8 why;		/* enum pt_why, if there may be more frames */
	pt_u8 pad[7];
	/* then struct pt_seed_frame[nr] */
};

#define PT_MAX_SEED	1280	/* frames: a recursion to Python's limit has 1000 */

/* Where the GIL of a process is: a futex inside [from, to) is a wait for it. */
struct pt_gil {
	struct pt_hdr h;
	pt_u64 from, to;
};

/* CPU control of a control group, whenever it was read (cpu.stat, cpu.max). */
struct pt_cpustat {
	struct pt_hdr h;	/* of a process in it */
	pt_u64 quota_us;	/* 0: no quota */
	pt_u64 period_us;
	pt_u64 nr_periods, nr_throttled, throttled_us;	/* since its creation */
	pt_u64 memory_high;	/* events of memory.events "high", likewise */
	/* then a string: the path of the group */
};

/* Tracing cost more than it may: from here on less is traced. */
struct pt_shed {
	struct pt_hdr h;
	pt_u64 span_ns;		/* the time that the next three are of */
	pt_u64 cost_ns;		/* run time of the kernel half, sampled */
	pt_u64 target_ns;	/* CPU time of the traced processes, that included */
	pt_u64 own_ns;		/* CPU time of the tracer itself */
	pt_u64 slower_ns;	/* PT_SHED_CALLS: calls below this are left out */
	pt_u32 limit;		/* percent: of the target's time, or of a CPU */
	pt_u16 step;		/* enum pt_shed_step */
	pt_u16 why;		/* enum pt_shed_why */
	pt_u64 reserved;
};

/* In this order. */
enum pt_shed_step {
	PT_SHED_NOTHING,
	PT_SHED_STACKS,		/* no stacks of system calls that do not block */
	PT_SHED_CALLS,		/* no system calls below slower_ns */
	PT_SHED_SAMPLES,	/* no samples */
	PT_SHED_DETACH,		/* the end of the trace */
};

enum pt_shed_why {
	PT_SHED_TARGET,		/* it cost the traced processes too much */
	PT_SHED_OWN,		/* the tracer itself used too much of a CPU */
};

enum pt_abi { PT_ABI_X86_64, PT_ABI_I386, PT_ABI_X32 };

enum pt_sys_state {
	PT_SYS_DONE,
	PT_SYS_NO_RETURN,	/* exit, exit_group, a successful execve */
	PT_SYS_UNFINISHED,	/* the thread was killed in it, or the trace
				 * ended first */
	PT_SYS_NO_ENTRY,	/* was in it when the trace began: args unknown */
};

/* What an argument points to, or which socket a descriptor is. */
struct pt_arg {
	pt_u8 index;		/* which argument, 0 to 5 */
	pt_u8 kind;		/* enum pt_arg_kind */
	pt_u16 len;		/* bytes that follow */
	pt_u32 total;		/* of the whole, if it was cut */
};

enum pt_arg_kind {
	PT_ARG_NONE,
	PT_ARG_PATH,		/* string; without its NUL */
	PT_ARG_SOCKADDR,	/* as the kernel has it, filled in by the caller */
	PT_ARG_SOCKADDR_OUT,	/* filled in by the kernel: read at exit */
	PT_ARG_SOCKET,		/* struct pt_socket of a descriptor */
	PT_ARG_UNREAD,		/* a path or address that could not be read */
};

/* Why something was not sent.  X(number, NAME, "words") */
#define PT_LOSSES(X)							\
	X(0, NONE,		"")					\
	X(1, RING_FULL,		"ring full")				\
	X(2, NESTED,		"nested in another program")		\
	X(3, RECURSION,		"program already running on that CPU")	\
	X(4, NO_STORAGE,	"no memory for thread state")		\
	X(5, MAP_FULL,		"a map was full")			\
	X(6, UNRECOGNISED,	"process not yet recognised")		\
	X(7, NOT_PYTHON,	"process without an interpreter")	\
	X(8, DAMAGED,		"record damaged")			\
	X(9, UNREAD,		"frame could not be read")		\
	X(10, UNSEEN,		"context switch not seen")

enum pt_loss {
#define X(nr, NAME, words) PT_LOSS_##NAME = (nr),
	PT_LOSSES(X)
#undef X
	PT_NR_LOSSES,
};

struct pt_lost {
	struct pt_hdr h;	/* t: first loss of this count; tid 0: unknown */
	pt_u64 until;		/* t of the last one */
	pt_u64 count;
	pt_u32 reason;		/* enum pt_loss */
	pt_u32 pad;
};

/* Last record of a complete stream. */
struct pt_end {
	struct pt_hdr h;
	pt_u64 events;		/* of all kinds that were written */
	pt_u64 lost;		/* sum of all PT_LOST */
	pt_u64 overhead_ns;	/* run time of the kernel half, for others as for
				 * targets, sampled; 0: not measured */
	pt_u32 exit;		/* exit code of the run */
	pt_u32 own_ms;		/* CPU time of the tracer itself; 0: not known (not
				 * in older streams) */
};

enum pt_type {
#define X(nr, NAME, payload, bytes) PT_##NAME = (nr),
	PT_RECORDS(X)
#undef X
	PT_TYPE_END,
};

#define X(nr, NAME, payload, bytes) PT_SIZE_IS(struct payload, bytes);
PT_RECORDS(X)
#undef X
PT_SIZE_IS(struct pt_hdr, 32);
PT_SIZE_IS(struct pt_frame, 16);
PT_SIZE_IS(struct pt_seed_frame, 24);
PT_SIZE_IS(struct pt_arg, 8);
PT_SIZE_IS(struct pt_socket, 24);

/* ---- what the kernel half is told ------------------------------------- */

enum pt_frames {
	PT_FRAMES_OBJECT,	/* to 3.10: PyFrameObjects linked by f_back */
	PT_FRAMES_CFRAME,	/* 3.11, 3.12: through tstate->cframe */
	PT_FRAMES_CURRENT,	/* from 3.13: tstate->current_frame */
};

enum pt_tls {			/* how a thread finds its thread state */
	PT_TLS_KEY,		/* pthread key in the runtime (to 3.14) */
	PT_TLS_KEY_SYMBOL,	/* 3.6: pthread key in a variable of its own */
	PT_TLS_STATIC,		/* thread-local variable at fs_base + tls */
	PT_TLS_DTV,		/* the same through the dynamic thread vector:
				 * tls is the link address of its tls_index,
				 * tls_add what to add to what that says */
};

#define PT_NONE (-1)		/* this version has no such field */

/*
 * Where CPython keeps what the walk needs: offsets in bytes into the structs
 * named by the prefix.  Filled from src/python/layout (rows by version, or
 * _Py_DebugOffsets).  PT_NONE where a version lacks the field.
 */
struct pt_layout {
	pt_u16 version;		/* 0x030b */
	pt_u8 frames;		/* enum pt_frames */
	pt_u8 tagged;		/* code pointers of frames carry tag bits */
	pt_u8 owner_c;		/* fr_owner from this on: not a Python frame;
				 * 0xff none */
	pt_u8 lasti_scale;	/* fr_lasti in units of (3.10: 2); else 1 */
	pt_u8 pad[2];
	/* _PyRuntime */
	pt_s32 rt_key;		/* the key in autoTSSkey, an int; the one before it
				 * says whether it is initialised */
	pt_s32 rt_current;	/* gilstate.tstate_current, 3.7 to 3.11 */
	pt_s32 rt_interpreters;	/* interpreters.head */
	/* PyInterpreterState */
	pt_s32 is_next, is_threads;
	/* PyThreadState */
	pt_s32 ts_next, ts_interp, ts_thread_id;
	pt_s32 ts_frame;	/* frame, cframe or current_frame */
	pt_s32 cf_current;	/* _PyCFrame.current_frame, 3.11 and 3.12 */
	/* PyFrameObject or _PyInterpreterFrame */
	pt_s32 fr_code, fr_back, fr_lasti, fr_owner;
	pt_s32 fr_size;		/* bytes that hold all of these */
	/* PyCodeObject */
	pt_s32 co_firstlineno, co_filename, co_name, co_qualname, co_linetable;
	pt_s32 co_code;		/* co_code_adaptive, from 3.11 */
	/* PyObject, PyBytesObject, str */
	pt_s32 ob_type, ob_size, bytes_data;
	pt_s32 str_length, str_state, str_ascii, str_compact;
	pt_s32 str_data;	/* data.any of a legacy string */
	/* gc.collecting, an int: of the runtime in 3.7 and 3.8, of each
	 * interpreter from 3.9 */
	pt_s32 rt_collecting, is_collecting;
	/* the GIL: itself in the runtime, 3.7 to 3.11; from 3.12 a pointer in
	 * each interpreter to the one it uses */
	pt_s32 rt_gil, is_gil;
	pt_s32 ts_status;	/* _status of a thread state, from 3.12 */
	/* what calls need: the exception that is being raised; of a frame
	 * object its generator, and f_stacktop (3.10: f_state), which tells a
	 * yield from a return; co_flags */
	pt_s32 ts_raised, fr_gen, fr_state, co_flags;
};
PT_SIZE_IS(struct pt_layout, 160);

/* An interpreter's file, addresses as linked. */
struct pt_image {
	struct pt_layout layout;
	pt_u64 runtime;		/* _PyRuntime (3.6: autoTLSkey) */
	pt_u64 code_type;	/* PyCode_Type */
	pt_u64 init;		/* function hit once at initialisation */
	pt_u64 dealloc;		/* the function in PyCode_Type.tp_dealloc */
	pt_s64 tls;		/* see enum pt_tls */
	pt_u32 tls_kind;	/* enum pt_tls */
	pt_u32 tls_add;
	pt_u64 depth_limit;	/* _Py_CheckRecursionLimit, to 3.8; else 0 */
};
PT_SIZE_IS(struct pt_image, 216);

#endif /* PYTRACE_ABI_H */
