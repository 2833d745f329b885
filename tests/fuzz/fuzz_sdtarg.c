/* SPDX-License-Identifier: MIT */
/*
 * fuzz_sdtarg: argument strings of any bytes, for each machine.
 *
 * The first byte chooses the machine, the rest is the string.
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/sdtarg.h"
#include "elf/sdtfetch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int no_memory(const struct mem *m, uint64_t addr, void *buf, size_t len)
{
	(void)m;
	memset(buf, (int)(addr & 0xff), len);
	return addr & 1 ? -EFAULT : 0;
}

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* What the header promises of every argument, whatever the bytes. */
static void check(const struct sdtarg *a, const char *args)
{
	const struct mem mem = { no_memory };
	uint64_t regs[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, v;
	int rc;

	must(a->len > 0 && a->text >= args &&
	     a->text + a->len <= args + strlen(args));
	must(a->operand >= a->text &&
	     a->operand + a->operand_len == a->text + a->len);
	must((a->place == SDTARG_UNKNOWN) == (a->why != NULL));
	must(!a->sym || (a->sym >= a->operand && a->sym_len > 0 &&
			 a->sym + a->sym_len <= a->text + a->len));
	rc = sdtarg_eval(a, regs, sizeof(regs) / sizeof(regs[0]), &mem, &v);
	must(!rc || rc == -ENOTSUP || rc == -EFAULT);
	must(rc || a->place != SDTARG_UNKNOWN);
	if (!rc)
		must(sdtarg_fit(a, v) == v);
}

/* A fetcharg is one word, closed; or there is a reason. */
static void check_fetch(unsigned int machine, const struct sdtarg *a)
{
	struct sdtfetch f;

	for (int is_text = 0; is_text < 2; is_text++) {
		if (sdtfetch_of(machine, a, is_text, &f))
			continue;
		must(a->place != SDTARG_UNKNOWN && !a->sym);
		must(strlen(f.from) + 1 < sizeof(f.from) && *f.from);
		must(strlen(f.type) + 1 < sizeof(f.type) && *f.type);
		must(!strpbrk(f.from, " \t\n#") && !strchr(f.type, ' '));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = {
		EM_X86_64, EM_386, EM_AARCH64, EM_ARM, EM_S390, EM_PPC64,
		EM_PPC, EM_MIPS,
	};
	struct sdtarg a[SDTARG_MAX];
	unsigned int machine;
	size_t i, nr;
	char *args;

	if (!size || !(args = malloc(size)))
		return 0;
	memcpy(args, data + 1, size - 1);
	args[size - 1] = '\0';
	machine = machines[data[0] % (sizeof(machines) / sizeof(machines[0]))];
	nr = sdtarg_parse(machine, data[0] & 0x40, args, a, SDTARG_MAX);
	for (i = 0; i < nr && i < SDTARG_MAX; i++) {
		check(&a[i], args);
		check_fetch(machine, &a[i]);
	}
	free(args);
	return 0;
}
