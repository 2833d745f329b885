/* SPDX-License-Identifier: MIT */
/*
 * fake_python: as much of an interpreter as pyimage looks at.
 *
 *	HEX	its version; TEXT, if defined, instead of Py_Version
 *	BASIC, ITEM	sizes of PyCode_Type's objects
 *	KEY	offset of the thread key in _PyRuntime, or
 *	STATIC_KEY	it is a static variable, or
 *	VARIABLE	the thread state is a thread-local one
 *	OFFSETS	file with the first numbers of _PyRuntime
 *	COMPILER	what Py_GetCompiler() says
 *	ALSO	more definitions
 */
#ifndef TEXT
const unsigned long Py_Version = HEX;
#define TEXT "unused"
#endif
#ifndef COMPILER
#define COMPILER "[GCC 12.2.0]"
#endif
#ifdef ALSO
ALSO
#endif

#ifndef WORDS
#define WORDS 4096		/* of _PyRuntime */
#endif

#define FAR __attribute__((noinline, noclone))

struct type {
	long refcnt;
	void *type;
	long size;
	const char *name;
	long basic, item;
	void (*dealloc)(void *);
};

FAR static void code_dealloc(void *o)
{
	__asm__ volatile("" : : "r"(o));
}

struct type not_PyCode_Type = { 1, 0, 0, "codec", BASIC, ITEM, 0 };
struct type PyCode_Type = { 1, 0, 0, "code", BASIC, ITEM, code_dealloc };

#ifndef STATIC_KEY
unsigned long long _PyRuntime[WORDS]
	__attribute__((section(".PyRuntime"))) = {
#ifdef OFFSETS
#include OFFSETS
#else
	1
#endif
};
#endif

FAR void *PyThread_tss_get(void *key)
{
	__asm__ volatile("" : "+r"(key));
	return key;
}

FAR int PyThread_tss_is_created(void *key)
{
	__asm__ volatile("" : "+r"(key));
	return key != 0;
}

#ifdef STATIC_KEY
static int autoTLSkey = -1;
static void *autoInterpreterState;

FAR void *PyThread_get_key_value(int key)
{
	__asm__ volatile("" : "+r"(key));
	return (void *)(long)key;
}

void *PyInterpreterState_New(void)
{
	autoInterpreterState = &PyCode_Type;
	return &autoTLSkey;
}

void *PyGILState_GetThisThreadState(void)
{
	if (!autoInterpreterState)
		return 0;
	return PyThread_get_key_value(autoTLSkey);
}
#elif defined(VARIABLE)
__thread long before = 1;
VARIABLE __thread void *_Py_tss_gilstate;

void *PyGILState_GetThisThreadState(void)
{
	return _Py_tss_gilstate;
}

void bind_gilstate(void *tstate)
{
	_Py_tss_gilstate = tstate;
}
#else
void *PyGILState_GetThisThreadState(void)
{
	void *key = (char *)_PyRuntime + KEY - 4;

	if (!PyThread_tss_is_created(key))
		return 0;
	return PyThread_tss_get(key);
}
#endif

FAR int PyOS_snprintf(char *s, unsigned long n, const char *format, ...)
{
	__asm__ volatile("" : : "r"(s), "r"(n), "r"(format));
	return 0;
}

FAR const char *Py_GetBuildInfo(void)
{
	return "default, Feb 28 2021, 17:03:44";
}

FAR const char *Py_GetCompiler(void)
{
	return COMPILER;
}

const char *Py_GetVersion(void)
{
	static char version[250];

	PyOS_snprintf(version, sizeof(version), "%.80s (%.80s) %.80s", TEXT,
		      Py_GetBuildInfo(), Py_GetCompiler());
	return version;
}

void Py_InitializeFromConfig(void)
{
	code_dealloc(&not_PyCode_Type);
}

int main(void)
{
	return 0;
}
