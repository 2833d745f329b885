/* SPDX-License-Identifier: MIT */
/*
 * sdt_sites: one provider and name at several places, each with a semaphore of
 * its own, as when a library is built from objects that each declare it.
 * Compiled with -DPART=0 (main), 1, 2 and linked together.
 */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

__extension__ static unsigned short t_p_semaphore
	__attribute__((used, section(".probes")));

#define NAME2(n) part##n
#define NAME(n) NAME2(n)

void part0(int loops);
void part1(int loops);
void part2(int loops);

void NAME(PART)(int loops)
{
	int i;

	for (i = 0; i < loops + PART; i++)
		if (*(volatile unsigned short *)&t_p_semaphore)
			STAP_PROBE1(t, p, i);
}

#if PART == 0
int main(void)
{
	part0(3);
	part1(3);
	part2(3);
	return 0;
}
#endif
