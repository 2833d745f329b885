/* SPDX-License-Identifier: MIT */
/*
 * kernel: stacks of the kernel, named and told before the events that have them.
 *
 * The kernel half has kept each once, under a number; an event brings only that.
 */
#include <errno.h>

#include "live/session_priv.h"
#include "target/kallsyms.h"

struct kernel {
	struct kallsyms *symbols;
	uint8_t told[PT_MAX_KSTACKS / 8];
};

void kernel_free(struct kernel *k)
{
	if (!k)
		return;
	kallsyms_free(k->symbols);
	free(k);
}

int kernel_new(struct session *s, struct err *err)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	int rc;

	if (!f)
		return err_kind(err, ERR_NOT_PERMITTED, -errno,
				"-n: cannot read /proc/kallsyms: %s",
				strerror(errno));
	s->kernel = calloc(1, sizeof(*s->kernel));
	rc = s->kernel ? kallsyms_read(&s->kernel->symbols, f, err) :
			 err_set(err, -ENOMEM, "out of memory");
	fclose(f);
	return rc;
}

/*
 * A program on a tracepoint is called by functions that belong to the tracing
 * and not to what is traced: kernel/trace/bpf_trace.c, include/linux/tracepoint.h.
 */
static bool is_of_tracing(const char *name)
{
	static const char *const begins[] = {
		"__bpf_trace_", "bpf_trace_run", "__traceiter_", "bpf_prog_",
		"__bpf_prog_", "bpf_trampoline_", "bpf_get_stackid",
		"__bpf_tramp",
	};

	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static const struct pt_hdr *name_stack(struct session *s, uint32_t number,
				       const uint64_t *addr, size_t nr,
				       const struct pt_hdr *as)
{
	struct pt_kstack *rec = recbuf_begin(&s->buf, PT_KSTACK);
	size_t i = 0;

	if (!rec)
		return NULL;
	rec->h.t = as->t;
	rec->kstack = number;
	for (size_t at = 0; at < nr; at++)
		if (is_of_tracing(kallsyms_name(s->kernel->symbols, addr[at])))
			i = at + 1;
	for (; i < nr; i++)	/* a return address can be the next function's */
		recbuf_string(&s->buf, kallsyms_name(s->kernel->symbols,
						     i ? addr[i] - 1 : addr[i]));
	return recbuf_end(&s->buf);
}

int kernel_tell(struct session *s, const struct pt_hdr *as)
{
	uint64_t addr[PT_KERNEL_FRAMES] = { 0 };
	uint32_t number = as->flags;
	const struct pt_hdr *rec;
	size_t nr = 0;

	if (!s->kernel || !number || number > PT_MAX_KSTACKS ||
	    s->kernel->told[(number - 1) / 8] & 1u << (number - 1) % 8)
		return 0;
	if (tracer_kernel_stack(s->tracer, number - 1, addr))
		return 0;
	while (nr < PT_KERNEL_FRAMES && addr[nr])
		nr++;
	rec = name_stack(s, number, addr, nr, as);
	if (!rec)
		return -ENOMEM;
	s->kernel->told[(number - 1) / 8] |= (uint8_t)(1u << (number - 1) % 8);
	return queue_put(&s->queue, rec);
}
