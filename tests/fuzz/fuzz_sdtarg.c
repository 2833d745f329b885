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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = {
		EM_X86_64, EM_386, EM_AARCH64, EM_ARM, EM_S390, EM_PPC64,
		EM_PPC, EM_MIPS,
	};
	struct sdtarg a[SDTARG_MAX];
	size_t i, nr;
	char *args;

	if (!size || !(args = malloc(size)))
		return 0;
	memcpy(args, data + 1, size - 1);
	args[size - 1] = '\0';
	nr = sdtarg_parse(machines[data[0] % (sizeof(machines) /
					      sizeof(machines[0]))],
			  data[0] & 0x40, args, a, SDTARG_MAX);
	for (i = 0; i < nr && i < SDTARG_MAX; i++)
		check(&a[i], args);
	free(args);
	return 0;
}
