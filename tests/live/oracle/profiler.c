// SPDX-License-Identifier: MIT
/*
 * profiler: a profile function in C that writes down which code object was
 * called and which returned.  One in Python would disturb what it looks at: it
 * makes calls of its own, and fails where the stack is full.
 *
 * Built without headers and without a C library, so that it can be loaded by
 * any CPython (ctypes does it): what it needs of Python it finds there.
 */
#define PYTRACE_CALL	0	/* PyTrace_CALL, Include/cpython/pystate.h */
#define PYTRACE_RETURN	3
#define SYS_gettid	186	/* x86-64 */
#define FRAME_CODE	32	/* f_code of a PyFrameObject, to 3.8 */

/* With a reference of its own: no other object can come to its address. */
extern void *PyFrame_GetCode(void *frame) __attribute__((weak));	/* 3.9 */
extern void Py_IncRef(void *object);

struct event {
	int tid;
	int what;
	void *code;
};

#define MOST (1 << 20)

struct event profiler_events[MOST];
unsigned int profiler_nr;

static int thread_id(void)
{
	long ret;

	__asm__ volatile ("syscall" : "=a"(ret) : "a"(SYS_gettid)
			  : "rcx", "r11", "memory");
	return (int)ret;
}

static void *code_of(char *frame)
{
	void *code;

	if (PyFrame_GetCode)
		return PyFrame_GetCode(frame);
	code = *(void **)(frame + FRAME_CODE);
	Py_IncRef(code);
	return code;
}

/* A Py_tracefunc; whoever calls it has the GIL. */
int profiler_event(void *self, void *frame, int what, void *arg)
{
	struct event *e = &profiler_events[profiler_nr];

	(void)self;
	(void)arg;
	if (what != PYTRACE_CALL && what != PYTRACE_RETURN)
		return 0;
	if (profiler_nr == MOST)
		return 0;
	e->tid = thread_id();
	e->what = what;
	e->code = code_of(frame);
	profiler_nr++;
	return 0;
}
