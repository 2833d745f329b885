/* SPDX-License-Identifier: MIT */
/*
 * sdt_target: a program with USDT probes whose arguments have known values.
 *
 * Compiled in several ways by the tests, so that the compiler chooses operands
 * of every form.  The values wanted stand in tests/unit/test_sdtlive.c.
 */
#include <stdint.h>
#include <stdlib.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

__extension__ unsigned short t_guarded_semaphore
	__attribute__((section(".probes")));
#define NO_SEMAPHORE(name) \
	__extension__ unsigned short t_##name##_semaphore \
		__attribute__((section(".probes")))
NO_SEMAPHORE(sib);
NO_SEMAPHORE(sib1);
NO_SEMAPHORE(konst);
NO_SEMAPHORE(flt);
NO_SEMAPHORE(glob);
NO_SEMAPHORE(small);
NO_SEMAPHORE(many);

/* Neighbours of the counter, to be left alone. */
int glob = 1234567;
static int own = -42;
static char buf[] = "abcdef";

__attribute__((noinline)) static void arrays(const long *a,
					     const signed char *c, long i)
{
	STAP_PROBE1(t, sib, a[i]);
	STAP_PROBE1(t, sib1, c[i - 96]);
}

__attribute__((noinline)) static void numbers(double d, float f, short s,
					      unsigned char u, long l)
{
	STAP_PROBE3(t, konst, -1, INT64_MAX, (uint8_t)200);
	STAP_PROBE2(t, flt, d, f);
	STAP_PROBE3(t, small, s, u, (signed char)(l >> 8));
	STAP_PROBE6(t, many, l, l + 1, l + 2, l + 3, l + 4, l + 5);
}

__attribute__((noinline)) static void globals(void)
{
	STAP_PROBE3(t, glob, glob, own, buf[3]);
}

__attribute__((noinline)) static void guarded(long n)
{
	if (__builtin_expect(t_guarded_semaphore, 0))
		STAP_PROBE1(t, guarded, n);
}

int main(int argc, char **argv)
{
	long a[8] = { 0, 1, 2, -7, 4 };
	signed char c[16] = { 0, 1, 2, -5 };
	long one = argc;

	(void)argv;
	own += argc - 1;	/* so that they are variables */
	buf[0] += (char)(argc - 1);
	arrays(a, c + 96, 2 + one);
	numbers(0.5 + (double)one, (float)(1.5 + (double)one),
		(short)(-4 + one), (unsigned char)(249 + one), 0x8081 + one);
	globals();
	guarded(99);
	guarded(100);
	return own == -42 ? 0 : 1;
}
