/* SPDX-License-Identifier: MIT */
/* eventtext: an event in words. */
#include "report/eventtext.h"

#include <inttypes.h>
#include <string.h>

#include "base/printable.h"
#include "report/fields.h"
#include "stack/cause.h"

size_t eventtext_put_task(FILE *out, uint32_t pid, uint32_t tid,
			  const struct thread *thread)
{
	int n = fprintf(out, "%" PRIu32 " ", pid), m;

	if (thread && thread->comm[0])
		return (n < 0 ? 0 : (size_t)n) +
		       printable_put(out, thread->comm, strlen(thread->comm));
	m = fprintf(out, "%" PRIu32, tid);
	return n < 0 || m < 0 ? 0 : (size_t)n + (size_t)m;
}

/* Milliseconds are enough for what takes some. */
void eventtext_put_seconds(FILE *out, uint64_t ns)
{
	uint64_t us = ns / 1000 + (ns % 1000 >= 500), ms = (us + 500) / 1000;

	if (us < 1000)
		fprintf(out, "0.%06" PRIu64 " s", us);
	else
		fprintf(out, "%" PRIu64 ".%03" PRIu64 " s", ms / 1000,
			ms % 1000);
}

/* ---- system calls --------------------------------------------------------- */

static void put_syscall(FILE *out, const struct pt_syscall *sys,
			const struct sysargs_opts *opts)
{
	sysargs_put(out, sys, opts);
	fputs(" = ", out);
	sysargs_put_result(out, sys);
	if (sys->state != PT_SYS_DONE)
		return;
	fputs(" <", out);
	eventtext_put_seconds(out, sys->dur);
	putc('>', out);
}

/* ---- page faults ---------------------------------------------------------- */

static const char *fault_kind(uint8_t kind)
{
	switch ((enum pt_fault_kind)kind) {
	case PT_FAULT_OTHER:
		break;
	case PT_FAULT_COW:
		return "copy on write";
	case PT_FAULT_FIRST_TOUCH:
		return "first touch";
	case PT_FAULT_FILE:
		return "file";
	case PT_FAULT_SWAP:
		return "swap";
	}
	return NULL;
}

/* "first touch, write": a copy is made for a write only. */
static void put_fault_kind(FILE *out, const struct pt_fault *f)
{
	const char *kind = fault_kind(f->kind);

	fputs(kind ? kind : "", out);
	if (f->kind != PT_FAULT_COW)
		fprintf(out, "%s%s", kind ? ", " : "",
			f->write ? "write" : "read");
}

static void put_bytes(FILE *out, uint32_t bytes)
{
	if (bytes % (1 << 20) == 0)
		fprintf(out, ", %" PRIu32 " MiB", bytes >> 20);
	else if (bytes % (1 << 10) == 0)
		fprintf(out, ", %" PRIu32 " KiB", bytes >> 10);
	else
		fprintf(out, ", %" PRIu32 " bytes", bytes);
}

/* Most take less than what seconds are good for. */
static void put_fault_time(FILE *out, uint64_t ns)
{
	fputs(" <", out);
	if (ns < 1000000)
		fprintf(out, "%.1f us", (double)ns / 1e3);
	else
		eventtext_put_seconds(out, ns);
	putc('>', out);
}

static void put_fault(FILE *out, const struct pt_fault *f)
{
	fprintf(out, "page fault 0x%" PRIx64 " ", (uint64_t)f->addr);
	put_fault_kind(out, f);
	if (f->major == PT_YES || f->major == PT_NO)
		fputs(f->major ? ", major" : ", minor", out);
	if (f->bytes && f->bytes != 4096)	/* a page is what one expects */
		put_bytes(out, f->bytes);
	if (f->kernel)
		fputs(", in the kernel", out);
	if (f->in_gc == PT_YES)
		fputs(", gc", out);
	if (f->dur)
		put_fault_time(out, f->dur);
}

/* ---- time off the CPU ----------------------------------------------------- */

static void put_waiting(FILE *out, const struct pt_offcpu *off,
			enum cause cause, const struct sysargs_opts *opts)
{
	switch (cause) {
	case CAUSE_GIL:
		fputs("waiting for the GIL", out);
		break;
	case CAUSE_FUTEX:
	case CAUSE_SYSCALL:
		fputs("blocked in ", out);
		sysargs_put_wait(out, off, opts);
		break;
	case CAUSE_FAULT:
		fputs("blocked in a page fault", out);
		break;
	case CAUSE_STOPPED:
		fputs("stopped", out);
		break;
	case CAUSE_PREEMPTED:		/* and yet it was blocked, too */
	case CAUSE_UNKNOWN:
		fputs("blocked", out);
		break;
	}
}

static void put_part(FILE *out, uint64_t ns)
{
	if (!ns)
		return;
	putc(' ', out);
	eventtext_put_seconds(out, ns);
}

/* "blocked in read(3) 0.010 s (disk), run queue 0.001 s": what there was. */
static void put_parts(FILE *out, const struct moment *m,
		      const struct sysargs_opts *opts)
{
	const struct pt_offcpu *off = (const void *)m->rec;
	enum cause cause = cause_of(m->process, off);
	const char *between = "";

	if (off->blocked || cause != CAUSE_PREEMPTED) {
		put_waiting(out, off, cause, opts);
		put_part(out, off->blocked);
		fputs(off->iowait ? " (disk)" : "", out);
		between = ", ";
	}
	if (off->preempted || cause == CAUSE_PREEMPTED) {
		fprintf(out, "%spreempted", between);
		put_part(out, off->preempted);
		between = ", ";
	}
	if (off->runq) {
		fprintf(out, "%srun queue", between);
		put_part(out, off->runq);
	}
}

static void put_waker(FILE *out, const struct moment *m)
{
	const struct pt_offcpu *off = (const void *)m->rec;

	switch ((enum pt_waker)off->waker) {
	case PT_WAKER_NONE:
		break;
	case PT_WAKER_TASK:
		fputs(", woken by ", out);
		eventtext_put_task(out, off->waker_pid, off->waker_tid,
				   m->waker_thread);
		break;
	case PT_WAKER_TIMER:
		fputs(", woken by a timer", out);
		break;
	case PT_WAKER_INTERRUPT:
		fputs(", woken by an interrupt", out);
		break;
	}
}

static void put_offcpu(FILE *out, const struct moment *m,
		       const struct sysargs_opts *opts)
{
	const struct pt_offcpu *off = (const void *)m->rec;

	fputs("off CPU", out);
	put_part(out, off->dur);
	fputs(": ", out);
	put_parts(out, m, opts);
	if (off->state == PT_OFF_BEFORE)
		fputs(", since before the trace", out);
	if (off->state == PT_OFF_UNFINISHED)
		fputs(", unfinished", out);
	put_waker(out, m);
	if (off->in_gc == PT_YES)
		fputs(", gc", out);
}

/* ---- all of them ---------------------------------------------------------- */

/* "cache-misses 10000": what a sample stands for. */
static void put_counter(FILE *out, const struct moment *m)
{
	const struct pt_sample *s = (const void *)m->rec;

	if (m->named)
		printable_put(out, m->named->name, strlen(m->named->name));
	else
		fprintf(out, "event %" PRIu32, s->event);
	fprintf(out, " %" PRIu64 " ", (uint64_t)s->dur);
}

static void put_sample(FILE *out, const struct moment *m)
{
	const struct pt_sample *s = (const void *)m->rec;

	if (s->event)
		put_counter(out, m);
	else
		fputs("on CPU ", out);
	fprintf(out, "(%s%s)", s->kernel ? "kernel" : "user",
		s->in_gc == PT_YES ? ", gc" : "");
}

/* "block:block_rq_issue  dev=8388608 sector=2048 ..." */
static void put_tracepoint(FILE *out, const struct moment *m,
			   const struct sysargs_opts *opts)
{
	const struct pt_tracepoint *tp = (const void *)m->rec;

	if (!m->named) {
		fprintf(out, "event %" PRIu32 " (its definition was lost)",
			tp->event);
		return;
	}
	printable_put(out, m->named->name, strlen(m->named->name));
	if (tp->interrupt)
		fputs(" (in an interrupt)", out);
	fields_put(out, m, opts);
	if (tp->dur)
		put_fault_time(out, tp->dur);
}

void eventtext_put(FILE *out, const struct moment *m,
		   const struct sysargs_opts *opts)
{
	switch (m->rec->type) {
	case PT_SYSCALL:
		put_syscall(out, (const void *)m->rec, opts);
		break;
	case PT_FAULT:
		put_fault(out, (const void *)m->rec);
		break;
	case PT_OFFCPU:
		put_offcpu(out, m, opts);
		break;
	case PT_SAMPLE:
		put_sample(out, m);
		break;
	case PT_TRACEPOINT:
		put_tracepoint(out, m, opts);
		break;
	default:
		break;
	}
}
