/* SPDX-License-Identifier: MIT */
/*
 * model: what a stream came to, read-only.
 *
 * One table of cells holds everything.  A cell is what one thread did in one
 * way on one stack: a piece of its time by cause, its calls of one kind, its
 * faults of one kind.  Each view is an aggregation over cells: which kind, by
 * which key, which values, in which order (rows.h).  So a number of one view is
 * a sum in another, and the cells of CELL_TIME sum to the time of all threads,
 * exactly, in nanoseconds.
 *
 * Threads, places, stacks, objects and cells are numbered from 1; 0 is unknown,
 * or "others" when memory was short.
 */
#ifndef PT_MODEL_H
#define PT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pytrace_abi.h>

#include "analysis/hist.h"
#include "analysis/spent.h"
#include "stack/engine.h"

enum cell_kind {
	CELL_TIME,		/* `cause`; `call` if in one */
	CELL_CALLS,		/* `call`; object: the errno of failed ones;
				 * TIME_IDLE: where one waits for work */
	CELL_FAULTS,		/* `call` is enum pt_fault_kind, `cause` enum
				 * age, flags FAULT_* */
	CELL_SAMPLES,		/* `call` is 1 in kernel mode */
	CELL_COUNTED,		/* samples of a counter: `call` is its number,
				 * flags COUNTED_KERNEL */
};

enum cell_state {
	TIME_BUSY,
	TIME_IDLE,		/* waiting for work */
	TIME_UNSEEN,		/* blocked since before the trace, where one can
				 * be idle, and the stack is not known */
};

/* Age of a process when it faulted: `cause` of CELL_FAULTS. */
enum age {
	AGE_UNKNOWN,
	AGE_1S,			/* its first second, up to 5, 30, 300 s, older */
	AGE_5S,
	AGE_30S,
	AGE_300S,
	AGE_OLDER,
	AGE_NR,
};

#define FAULT_MAJOR	1
#define FAULT_WRITE	2
#define FAULT_KERNEL	4
#define FAULT_IN_GC	8
#define FAULT_NO_SIZE	16	/* bytes not known, or none */

#define COUNTED_KERNEL	1

struct cell_key {
	uint32_t thread;
	uint32_t stack;
	uint32_t object;
	uint16_t call;		/* spent_call() */
	uint8_t kind;		/* enum cell_kind */
	uint8_t cause;		/* enum spent */
	uint8_t state;		/* enum cell_state */
	uint8_t flags;
	uint8_t pad[2];		/* 0 */
	uint32_t kernel;	/* model_kernel(); 0: not known, or not asked */
};

struct sums {
	uint64_t count;
	uint64_t ns;
	uint64_t max;		/* ns of the longest */
	uint64_t errors;
	uint64_t bytes;
	uint64_t events;	/* that samples of a counter stand for */
};

struct cell {
	const struct cell_key *key;
	struct sums is;
	bool estimate;		/* ns from samples */
	bool left_out;		/* of a thread that was not asked for */
	const struct hist *hist; /* how long each took, of what has an end */
};

/* A line of a function. */
struct place {
	uint32_t file, func;	/* strings */
	int32_t line, def;	/* -1: unknown */
	uint32_t origin;	/* enum origin */
	uint32_t app;		/* 1: the application's */
};

/* Kept once; places innermost first. */
struct stack_info {
	uint32_t app;		/* the place it is charged to: the innermost of
				 * the application, else the outermost known */
	uint32_t inner;		/* the innermost place */
	uint32_t nr;
	uint32_t omitted;	/* frames left out behind the first nr_inner */
	uint32_t nr_inner;
	uint8_t why;		/* enum pt_why; unknown, or its rest is */
	bool known;
	bool coarse;		/* only `app` and `inner`, for memory */
	const uint32_t *places;
};

/* What was waited for or used. */
enum object_kind {
	OBJECT_SOCKET,		/* struct pt_socket */
	OBJECT_FILE,		/* a path, as the program named it */
	OBJECT_FD,		/* the number of a descriptor */
	OBJECT_ERRNO,
};

struct object {
	enum object_kind kind;
	const struct pt_socket *socket;
	const char *path;
	size_t path_len;
	uint32_t nr;		/* descriptor, errno */
};

struct thread_info {
	uint32_t tid, pid, proc;
	uint64_t born, ended;	/* inside the trace */
	uint64_t life_ns;	/* ended - born; of "others" the sum */
	uint64_t off_ns;
	uint64_t kernel_ns;	/* on CPU in calls and faults */
	char comm[17];		/* the last name that it had */
	bool left_out;		/* not asked for: in no sum and no row */
};

struct process_info {
	uint32_t proc, pid;
	uint64_t since;		/* 0: not known when it began */
	uint16_t version;
	bool left_out;		/* it became a program that is no Python */
	bool born;		/* while tracing */
	const char *exe, *python;	/* "" if not known */
	char comm[17];		/* of its first thread */
};

/* A counter of processor or kernel whose samples are in the stream. */
struct counter_info {
	uint32_t event;		/* its number in the stream */
	bool is_period;		/* a sample every `rate` events, else so many
				 * samples a second and CPU */
	uint64_t rate;
	char name[40];
};

/* Who ended the waits of a cell. */
struct wake {
	uint32_t cell;
	uint32_t thread;	/* 0: not traced, or none */
	uint32_t stack;
	uint8_t kind;		/* enum pt_waker */
	struct sums is;
};

/* What a thread was at, for somebody who waited for it. */
struct doing {
	uint32_t place;		/* charged to; 0: unknown */
	uint32_t object;
	uint16_t call;
	uint8_t cause;		/* enum spent */
	uint8_t pad;		/* 0 */
};

/*
 * What the one who released a lock did while he had it, as far as others waited
 * for that: the share of the waits of `cell` that is `doing`.
 */
struct hold {
	uint32_t cell;
	uint32_t doing;
	uint64_t ns;
};

/* Sums over CELL_TIME: thread_ns = idle + unseen + all of busy[]. */
struct account {
	uint64_t thread_ns, idle_ns, unseen_ns;
	uint64_t busy_ns;
	uint64_t busy[SPENT_NR];
	uint64_t unseen_threads;
};

enum precision { EXACT, FROM_SAMPLES, NOT_KNOWN };

struct model {
	uint64_t begin, end;	/* of the trace, on the stream's clock */
	bool has_clock;
	int64_t realtime_offset;
	uint32_t events;	/* asked for: 1 << PT_SYSCALL... */
	uint32_t sample_hz;
	bool complete;		/* its end is there; else it was cut */
	uint64_t overhead_ns;	/* of the kernel half; 0: not measured */
	uint64_t tracer_ns;	/* of the tracer itself; 0: not known */

	const struct thread_info *threads;	/* [0]: others */
	uint32_t nr_threads;			/* highest number */
	bool chosen;				/* some were asked for */
	const struct process_info *processes;	/* [0] is the first */
	uint32_t nr_processes;
	uint64_t more_processes;		/* that found no room */
	/* The last program executed, Python or not; NULL: none was. */
	const char *program;
	uint32_t program_pid;

	struct account account;
	enum precision kernel;	/* how user and kernel mode were told apart */
	enum precision off;	/* EXACT; NOT_KNOWN without such events: time in
				 * calls stands for it, CPU time in them too */
	bool lossy;		/* records were lost: sums are lower bounds, CPU
				 * time is an upper one */
	uint64_t coarse;	/* events under a coarser key, for memory */
	bool interval;		/* of -I: it is one of several */
	uint32_t going_on;	/* threads whose time of an interval is not
				 * known up to its end: in a wait, most likely */
	uint64_t before;	/* events that came before PT_BEGIN: in the
				 * stream, and in no cell */

	const struct counter_info *counters;
	uint32_t nr_counters;

	uint32_t shed;		/* 1 << each PT_SHED_* step: over its budget,
				 * the trace had less from then on: */
	uint64_t shed_at;	/* the first of them */

	bool quota;		/* a control group has a CPU quota */
	uint64_t periods, throttled_periods, throttled_ns;
	uint64_t memory_high;	/* times a group was over memory.high */
};

/* Did it leave out what rows are made of?  Then they are estimates. */
static inline bool model_is_thinned(const struct model *m)
{
	return m->shed & (1u << PT_SHED_STACKS | 1u << PT_SHED_CALLS |
			  1u << PT_SHED_SAMPLES);
}

/* The first of this name; NULL: the stream has none. */
const struct counter_info *model_counter(const struct model *m,
					 const char *name);
/* Each sample is one event: they are counted, not estimated. */
static inline bool counter_is_exact(const struct counter_info *c)
{
	return c->is_period && c->rate == 1;
}

/* Good until the next record is fed. */
struct analysis;
const struct model *analysis_model(const struct analysis *a);

/*
 * How many processes (*born: of them, while tracing) and threads there were,
 * each once, whatever programs it executed; not what turned out to be no Python.
 * Threads: those that were asked for; *all of them.
 */
uint32_t model_processes(const struct model *m, uint32_t *born);
uint32_t model_threads(const struct model *m, uint32_t *all);

uint32_t model_cells(const struct analysis *a);		/* highest number */
void model_cell(const struct analysis *a, uint32_t nr, struct cell *out);
uint32_t model_wakes(const struct analysis *a);
void model_wake(const struct analysis *a, uint32_t nr, struct wake *out);

uint32_t model_holds(const struct analysis *a);
void model_hold(const struct analysis *a, uint32_t nr, struct hold *out);
const struct doing *model_doing(const struct analysis *a, uint32_t nr);

/* NULL, "" or known == false for 0; of a place for any number that is none. */
const char *model_string(const struct analysis *a, uint32_t nr, size_t *len);
const struct place *model_place(const struct analysis *a, uint32_t nr);
const struct stack_info *model_stack(const struct analysis *a, uint32_t nr);
bool model_object(const struct analysis *a, uint32_t nr, struct object *out);
/* Functions of a stack of the kernel, innermost first: strings. */
const uint32_t *model_kernel(const struct analysis *a, uint32_t nr,
			     uint32_t *funcs);

#endif /* PT_MODEL_H */
