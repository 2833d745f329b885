/* SPDX-License-Identifier: MIT */
/*
 * price: what one hit of a uprobe costs on this host, tried on ourselves.
 *
 * The program is the one that the targets get; for us, who are none, it returns
 * at once.  What it does for a target is timed as all programs are.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/attach.h"
#include "live/tracer_priv.h"
#include "pytrace.skel.h"

#define HITS	500		/* of a round: 5 ms where a hit is dear */
#define ROUNDS	3

extern const char price_place[];

/* The place: one byte, as USDT sites of CPython are. */
__attribute__((noinline)) static void pass_by(void)
{
	__asm__ volatile(".globl price_place\nprice_place:\n\tnop" ::: "memory");
}

static uint64_t best_of_rounds(void)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		for (int i = 0; i < HITS; i++)
			pass_by();
		ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - ns;
		if (ns < best)
			best = ns;
	}
	return best / HITS;
}

/* Where in the file of this program that is: the first object is the program. */
static int find_place(struct dl_phdr_info *info, size_t size, void *arg)
{
	const uint64_t at = (uintptr_t)price_place - info->dlpi_addr;
	uint64_t *offset = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD && at >= ph->p_vaddr &&
		    at - ph->p_vaddr < ph->p_filesz) {
			*offset = at - ph->p_vaddr + ph->p_offset;
			return 1;
		}
	}
	return 1;
}

int price_of_probe(struct tracer *t, const struct bpf_program *prog,
		   struct err *err)
{
	struct probe_place at = { .pid = getpid() };
	uint64_t without = best_of_rounds(), with;
	size_t links = t->nr_links, fds = t->nr_link_fds;
	int rc;

	dl_iterate_phdr(find_place, &at.offset);
	at.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (at.fd < 0 || !at.offset)
		return err_set(err, -errno, "cannot open our own program");
	attach_note_in(NULL, false);	/* it does not stay */
	rc = tracer_add_probe(t, prog, &at, 0, err);
	attach_note_in(&t->plan, t->dry);
	close(at.fd);
	if (rc)
		return err_wrap(err, rc, "probe on ourselves, for its price");
	with = best_of_rounds();
	while (t->nr_links > links)
		bpf_link__destroy(t->links[--t->nr_links]);
	while (t->nr_link_fds > fds)
		close(t->link_fds[--t->nr_link_fds]);
	t->probe_ns = with > without ? with - without : 0;
	return 0;
}
