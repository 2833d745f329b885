/* SPDX-License-Identifier: MIT */
/*
 * An evaluator in the shape of CPython's, for tests/unit/test_synth.c, which
 * writes handlers.h (a HANDLER for each opcode) and targets.h (the table).
 *
 * CLEAR	the name of what clears a frame
 * SWITCH	dispatch by a switch
 * TAIL		each opcode is a function
 */
#include <stddef.h>

struct frame {
	void *code;
	struct frame *previous;
	void *pad[5];
	unsigned char *instr;	/* at 56, as in 3.11 to 3.15 */
	int top;
};

int sink;

#define EXPORT __attribute__((visibility("default"), noinline))

EXPORT void CLEAR(int *tstate, struct frame *f);
EXPORT void CLEAR(int *tstate, struct frame *f)
{
	sink += *tstate + f->top;
	__asm__ volatile("" ::: "memory");
}

struct traceback { void *head[3]; struct frame *f; };

EXPORT int PyTraceBack_Here(struct traceback *t);
EXPORT int PyTraceBack_Here(struct traceback *t)
{
	sink += t->f->top;
	return sink;
}

EXPORT void slow(int *tstate);
EXPORT void slow(int *tstate)
{
	sink += *tstate;
	__asm__ volatile("" ::: "memory");
}

#ifdef TAIL

#define HANDLER(nr) \
	EXPORT void *op_##nr(int *tstate, struct frame *frame, int acc) \
	{ frame->instr++; sink += acc * sizeof(#nr); return tstate; }
#define RESUMES(nr) HANDLER(nr)
#define RETURNS(nr) HANDLER(nr)
#define YIELDS(nr) HANDLER(nr)
#define MAKES(nr) HANDLER(nr)
#include "handlers.h"
HANDLER(unknown)

#define TARGET(nr) op_##nr
#define UNKNOWN op_unknown
static void *(*const targets[])(int *, struct frame *, int) = {
#include "targets.h"
};

EXPORT void *_PyEval_EvalFrameDefault(int *tstate, struct frame *frame,
				      int throwflag)
{
	return targets[*frame->instr](tstate, frame, throwflag);
}

#else

#ifdef SWITCH
#define LABEL(nr) case nr
#define NEXT goto dispatch
#else
#define LABEL(nr) op_##nr
#define NEXT goto *targets[*next]
#endif

#define BEGIN frame->instr = next++; acc = acc * 31

EXPORT void *_PyEval_EvalFrameDefault(int *tstate, struct frame *frame,
				      int throwflag)
{
	unsigned char *next = frame->instr;
	struct frame *gone;
	int acc = throwflag;

#ifndef SWITCH
#define TARGET(nr) &&op_##nr
#define UNKNOWN &&unknown
	static void *const targets[] = {
#include "targets.h"
	};
	NEXT;
#else
dispatch:
	switch (*next) {
#endif

#define HANDLER(nr) \
	LABEL(nr): BEGIN + nr; if (acc == -nr) goto unwind; NEXT;
#define RESUMES(nr) \
	LABEL(nr): BEGIN + nr; if (*tstate > nr) slow(tstate); NEXT;
#define RETURNS(nr) \
	LABEL(nr): BEGIN + nr; gone = frame; frame = frame->previous; \
	CLEAR(tstate, gone); if (!frame) goto leave; next = frame->instr; NEXT;
#define YIELDS(nr) \
	LABEL(nr): BEGIN + nr; if (acc & 1) slow(tstate); gone = frame; \
	frame = frame->previous; gone->previous = NULL; \
	if (!frame) goto leave; next = frame->instr; NEXT;
#define MAKES(nr) HANDLER(nr)
#include "handlers.h"

#ifdef SWITCH
	default:
		goto unwind;
	}
#else
unknown:
#endif
unwind:
	sink += acc;
	gone = frame;
	frame = frame->previous;
	CLEAR(tstate, gone);
	if (frame) {
		next = frame->instr + 1;
		NEXT;
	}
leave:
	slow(tstate);
	return tstate + acc;
}

#endif /* TAIL */

int main(void)
{
	return sink;
}
