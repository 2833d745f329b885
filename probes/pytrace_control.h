/* SPDX-License-Identifier: MIT */
/*
 * pytrace_control: what the user half writes into the kernel half's maps and
 * settings, and reads back from them.  Unlike pytrace_abi.h nothing of this
 * is ever in a recording.
 */
#ifndef PYTRACE_CONTROL_H
#define PYTRACE_CONTROL_H

#include "pytrace_abi.h"

#define PT_MAX_PROCS	8192
#define PT_MAX_IMAGES	64
#define PT_MAX_NR	1024	/* system calls: 0.. x86-64, 512.. i386 */
#define PT_MAX_CPUS	512
#define PT_MAX_NAMED	64	/* events that are asked for by name */
#define PT_MAX_DATA	1024	/* bytes of the data of one event */
#define PT_MAX_KSTACKS	8192	/* different stacks of the kernel */
#define PT_KERNEL_FRAMES 64	/* of one, innermost */
#define PT_MAX_DYN	8	/* fields of it whose length varies */

/* Settings, fixed when the programs are loaded. */
struct pt_config {
	pt_u32 follow;		/* descendants are traced too */
	pt_u32 select;		/* what is executed may be a target: ask */
	pt_u32 path_len;	/* bytes of a path that are sent */
	pt_u32 no_paths;	/* neither paths nor addresses */
	pt_u32 events;		/* 1 << PT_SYSCALL, ...: what is sent */
	pt_u32 sample_hz;	/* of PT_SAMPLE, a CPU */
	/* Bytes of the least page beyond 4096 that anonymous memory may get
	 * unasked, or where it was advised (MADV_HUGEPAGE); 0: none. */
	pt_u32 huge_always, huge_advised;
	pt_u32 kernel_stacks;	/* where threads are in the kernel, too */
	pt_u32 only_raw;	/* the one raw tracepoint, where the kernel has
				 * no cookies for them; 0: it has */
	pt_u32 filter_calls;	/* of calls only what the verdicts do not refuse */
};

/*
 * What the user half says of functions, by ids of their code objects: in the set
 * of an id there is the id, with its lowest bit 1 for what is wanted, 0 for what
 * is not.  Not there: not known yet, or forgotten.
 */
#define PT_VERDICT_SETS	4096
#define PT_VERDICT_WAYS	8	/* a cache line */

struct pt_verdicts {
	pt_u64 is[PT_VERDICT_WAYS];	/* 0: free */
};
PT_SIZE_IS(struct pt_verdicts, 64);

#define PT_VERDICT_SET(id)	((pt_u32)((id) >> 20) & (PT_VERDICT_SETS - 1))

/* Settings that may change while the programs run. */
struct pt_switches {
	pt_u32 on;		/* 0: look at nothing, send nothing */
	pt_u32 stacks;		/* walk the stacks */
	pt_u32 fingerprint;	/* code objects may die unnoticed: compare */
	pt_u32 pidns_level;	/* of the reader; 0: the first pid namespace */
	pt_u64 pidns;		/* that namespace itself, of several as deep */
	pt_u64 stopped_ns;	/* when `on` became 0 */
	pt_u64 slower_ns;	/* system calls below this are left out; 0: none */
	pt_u32 no_call_stacks;	/* over budget: walk at no call's entry */
	pt_u32 calls;		/* raised when more probes of calls are in place;
				 * 0: none are, or not all */
	pt_u32 list_only;	/* find_threads: say who sleeps, no more */
	pt_u32 pad;
};

enum pt_proc_state {
	PT_PROC_UNKNOWN,	/* not recognised */
	PT_PROC_STARTING,	/* will run an interpreter that is known */
	PT_PROC_RUNNING,	/* frames can be read */
	PT_PROC_REFUSED,	/* has an interpreter that cannot be walked */
};

#define PT_ANY_EXEC 0xffffffffu

/* What is known of a process that is to be traced.  Key: its pid. */
struct pt_target {
	pt_u64 bias;		/* load address minus link address */
	pt_u32 image;
	pt_u32 state;		/* enum pt_proc_state */
	pt_u32 exec_id;		/* of the program that this speaks of (the
				 * kernel's count of execs), or PT_ANY_EXEC */
	pt_u32 held;		/* a fork of ours, until it execs the command */
	pt_u32 candidate;	/* no target before user space says so */
	pt_u32 pad;
	pt_u64 skipped;		/* calls that it made until then */
	pt_u64 skipped_ns;	/* the first of them */
};
PT_SIZE_IS(struct pt_target, 48);

/* Whoever executes the file is a target; added to the image's number. */
#define PT_EXE_TAKE	0x80000000u

struct pt_exe {
	pt_u64 ino;
	pt_u32 dev;		/* as the kernel keeps it: major << 20 | minor */
	pt_u32 pad;
};
PT_SIZE_IS(struct pt_exe, 16);

/* Which arguments of a system call are looked at. */
struct pt_sysargs {
	pt_u8 wanted;		/* 0: the call is not sent */
	pt_u8 kind[6];		/* enum pt_sysarg */
	pt_u8 has_pointer;	/* one of them is a path or an address */
	pt_u8 has_fd;		/* one of the first two is a descriptor */
	pt_u8 pad[7];
};
PT_SIZE_IS(struct pt_sysargs, 16);

enum pt_sysarg {
	PT_SYSARG_NONE,
	PT_SYSARG_PATH,
	PT_SYSARG_SOCKADDR,	/* its length is the next argument */
	PT_SYSARG_SOCKADDR_OUT,	/* a pointer to its length is the next one */
	PT_SYSARG_FD,
};

/*
 * The data of a tracepoint: so many bytes, and behind them what fields of
 * varying length say of themselves: length << 16 | offset in a word at `dyn`.
 */
struct pt_shape {
	pt_u16 size;
	pt_u16 nr_dyn;
	pt_u16 dyn[PT_MAX_DYN];	/* offsets of such words */
	pt_u16 relative;	/* bit for each: offset from the word's end */
	pt_u16 is_args;		/* raw: the arguments themselves */
};
PT_SIZE_IS(struct pt_shape, 24);

/* Where an argument of a USDT probe is: src/elf/sdtarg.h. */
struct pt_site_arg {
	pt_s64 value;		/* constant, or displacement */
	pt_u8 place;		/* enum pt_site_place */
	pt_u8 base, index;	/* words of struct pt_regs; PT_SITE_NONE */
	pt_u8 base_bits;	/* to shift the register right by */
	pt_u8 scale;		/* of the index */
	pt_u8 size;		/* bytes: 1, 2, 4, 8 */
	pt_u8 is_signed;
	pt_u8 is_string;	/* the text there is sent, too */
};
PT_SIZE_IS(struct pt_site_arg, 16);

#define PT_SITE_ARGS	6
#define PT_SITE_NONE	0xff
#define PT_SITE_REGS	21	/* words of struct pt_regs */
#define PT_MAX_SITES	256
#define PT_SITE_TEXT	256	/* bytes of a text, its NUL included */

enum pt_site_place {
	PT_SITE_UNKNOWN,
	PT_SITE_CONST,
	PT_SITE_REG,
	PT_SITE_MEM,
};

enum pt_site_role {
	PT_SITE_PLAIN,
	PT_SITE_START,		/* noted, and sent with what ends it */
	PT_SITE_DONE,		/* ends the START with the same first text, or
				 * (if it has none) of the same thread */
};

/* One location of a USDT probe. */
struct pt_site {
	pt_u32 event;
	pt_u8 role;		/* enum pt_site_role */
	pt_u8 nr_args;
	pt_u8 pad[2];
	struct pt_site_arg arg[PT_SITE_ARGS];
};
PT_SIZE_IS(struct pt_site, 104);

/*
 * A thread of a target that sleeps, as the iterator over threads writes it.  As
 * long as `switches` stays the same, and it is on no CPU, it has not run.
 */
struct pt_sleeper {
	pt_u64 fs;		/* its fs_base */
	pt_u64 switches;	/* how often it left a CPU, in all its life */
	pt_u32 pid, tid;	/* as in a record */
};
PT_SIZE_IS(struct pt_sleeper, 24);

/*
 * A place in an interpreter's machine code that tells of calls, as the cookie of
 * its probe: src/python/synth.h has what the kinds are, and the conditions.
 * Registers are words of struct pt_regs; PT_SITE_NONE.
 */
enum pt_place_kind {
	PT_PLACE_ENTRY,
	PT_PLACE_RETURN,
	PT_PLACE_YIELD,
	PT_PLACE_MAKES,
	PT_PLACE_CLEAR,
	PT_PLACE_EVAL,
	PT_PLACE_EVAL_END,
	PT_PLACE_TRACEBACK,
};

struct pt_place {
	pt_u8 kind;		/* enum pt_place_kind */
	pt_u8 file;		/* whose places are in when pt_placed says so */
	pt_u8 frame, tstate, throwing;	/* registers */
	pt_u8 cond;		/* x86's number; 0xff: always */
	pt_u16 frame_at;	/* the frame is so far behind what the register
				 * points to; PT_PLACE_IN_REG: in it */
};
PT_SIZE_IS(struct pt_place, 8);

#define PT_PLACE_IN_REG	0xffff

#define PT_MAX_PLACED	PT_MAX_IMAGES	/* files with such places */
#define PT_MAX_CALLEES	(1 << 16)	/* frames of which is known what they call */

/* Losses and cost of one CPU. */
struct pt_loss_count {
	pt_u64 count;
	pt_u64 first, last;	/* ns, CLOCK_MONOTONIC */
	pt_u32 tid;		/* of the last one */
	pt_u32 pad;
};

struct pt_cost {
	pt_u64 ticks;		/* runs of the programs, for anybody */
	pt_u64 runs;		/* those for a target */
	pt_u64 timed, timed_ns;	/* those that were timed, every 64th */
	pt_u64 sent;		/* events */
	pt_u64 filtered;	/* calls left out by the table of system calls */
	pt_u64 probes;		/* of the runs: uprobes of Python calls */
	/* runs for others: ticks that are no runs, likewise */
	pt_u64 others_timed, others_ns;
	pt_u64 pad[7];		/* cache lines of its own for each CPU */
};
PT_SIZE_IS(struct pt_cost, 128);

#endif /* PYTRACE_CONTROL_H */
