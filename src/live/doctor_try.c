/* SPDX-License-Identifier: MIT */
/* doctor_try: attach a program that counts, and see whether it ran. */
#include "live/doctor_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "live/multi.h"
#include "target/maps.h"
#include "target/proc.h"

#define PATIENCE_NS	UINT64_C(300000000)
#define TICK_NS		1000000		/* of a clock event */

/* ---- what is to be seen ----------------------------------------------- */

void act_call(void)
{
	syscall(SYS_getppid);
}

void act_sleep(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	nanosleep(&ms, NULL);
}

void act_fault(void)
{
	volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return;
	*page = 1;
	munmap((void *)(uintptr_t)page, 4096);
}

void act_spin(void)
{
	uint64_t end = now_ns() + 5 * TICK_NS;

	while (now_ns() < end)
		;
}

void act_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* The place for a uprobe: nobody else calls it, and it is not inlined. */
static __attribute__((noinline)) void here(void)
{
	__asm__ volatile ("" ::: "memory");
}

/* ---- loading and looking ---------------------------------------------- */

int tries_open(struct tries *t, const struct btf *btf)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	void *page;

	*t = (struct tries){ .btf = btf };
	t->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "pt_doctor", 4, 8, 1, &opts);
	if (t->map < 0)
		return t->map;
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, t->map, 0);
	if (page == MAP_FAILED) {
		int rc = -errno;

		tries_close(t);
		return rc;
	}
	t->hits = page;
	return 0;
}

void tries_close(struct tries *t)
{
	if (t->hits)
		munmap((void *)(uintptr_t)t->hits, 4096);
	if (t->map >= 0)
		close(t->map);
	t->hits = NULL;
	t->map = -1;
}

/* A program that adds one to the number in the map; its descriptor. */
static int load(const struct tries *t, enum bpf_prog_type type,
		enum bpf_attach_type attach, int btf_id)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = attach,
		    .attach_btf_id = (uint32_t)btf_id);
	const struct bpf_insn code[] = {
		/* r1 = &map value; two slots */
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = t->map },
		{ .code = 0 },
		/* r2 = 1; lock *(u64 *)r1 += r2; return 0 */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2,
		  .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_2, .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(type, "pt_doctor", "Dual MIT/GPL", code,
			     ARRAY_LEN(code), &opts);
}

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Make it happen until it was seen, or for so long; then take it all away. */
static int finish(struct tries *t, int prog, int link, try_act act)
{
	uint64_t end = now_ns() + PATIENCE_NS;
	int rc = prog < 0 ? prog : link < 0 ? link : 0;

	while (!rc && !*t->hits && now_ns() < end)
		act();
	if (!rc && !*t->hits)
		rc = -ENODATA;
	close_one(link);
	close_one(prog);
	return rc;
}

/* ---- the tries -------------------------------------------------------- */

int try_tracepoint(struct tries *t, const char *name, try_act act)
{
	char type[64];
	int id, prog, link = -1;

	*t->hits = 0;
	/* include/trace/bpf_probe.h: what a BTF tracepoint is called */
	snprintf(type, sizeof(type), "btf_trace_%s", name);
	id = t->btf ? btf__find_by_name_kind(t->btf, type, BTF_KIND_TYPEDEF) :
		      -ENOENT;
	if (id < 0)
		return -ESRCH;
	prog = load(t, BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, id);
	if (prog >= 0)
		link = bpf_raw_tracepoint_open(NULL, prog);
	return finish(t, prog, link, act);
}

/* On this CPU, whoever runs there: as the sampler does. */
static int open_event(struct perf_event_attr *attr, pid_t pid)
{
	int cpu = pid < 0 ? sched_getcpu() : -1;
	long fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1,
		     PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static int try_perf(struct tries *t, enum bpf_prog_type type, int event,
		    try_act act)
{
	int prog, link = -1, rc;

	*t->hits = 0;
	prog = load(t, type, 0, 0);
	if (prog >= 0)
		link = bpf_link_create(prog, event, BPF_PERF_EVENT, NULL);
	rc = finish(t, prog, link, act);
	close(event);
	return rc;
}

int try_event(struct tries *t, uint32_t type, uint64_t config, try_act act)
{
	struct perf_event_attr attr = {
		.type = type,
		.config = config,
		.sample_period = type == PERF_TYPE_SOFTWARE &&
			config != PERF_COUNT_SW_CPU_CLOCK ? 1 : TICK_NS,
	};
	int fd = open_event(&attr, -1);

	return fd < 0 ? fd : try_perf(t, BPF_PROG_TYPE_PERF_EVENT, fd, act);
}

/* Where here() is in our own file. */
static int place(uint64_t *offset)
{
	struct proc self = PROC_NONE;
	struct maps maps = { 0 };
	uint64_t addr = (uintptr_t)here;
	const struct map *m = NULL;
	int rc = proc_open(&self, getpid(), NULL);

	if (!rc)
		rc = maps_read(&maps, &self, NULL);
	if (!rc) {
		m = maps_at(&maps, addr);
		rc = m ? 0 : -ENOENT;
	}
	if (m)
		*offset = addr - m->start + m->offset;
	maps_fini(&maps);
	proc_close(&self);
	return rc;
}

/* The number that this kernel has given to the kind of event; -ESRCH: none. */
static int uprobe_type(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int type = -ESRCH;

	if (!f)
		return errno == ENOENT ? -ESRCH : -errno;
	if (fscanf(f, "%d", &type) != 1)
		type = -ESRCH;
	fclose(f);
	return type;
}

int try_uprobe_perf(struct tries *t)
{
	struct perf_event_attr attr = { 0 };
	uint64_t offset = 0;
	int type = uprobe_type(), rc = place(&offset), fd;

	if (rc || type < 0)
		return rc ? rc : type;
	attr.type = (uint32_t)type;
	attr.uprobe_path = (uintptr_t)"/proc/self/exe";
	attr.probe_offset = offset;
	fd = open_event(&attr, -1);
	return fd < 0 ? fd : try_perf(t, BPF_PROG_TYPE_KPROBE, fd, here);
}

int try_uprobe_multi(struct tries *t)
{
	uint64_t offset = 0;
	int rc = place(&offset), prog, link = -1;

	if (rc)
		return rc;
	*t->hits = 0;
	prog = load(t, BPF_PROG_TYPE_KPROBE,
		    (enum bpf_attach_type)MULTI_ATTACH_TYPE, 0);
	if (prog >= 0)
		link = multi_attach(prog, "/proc/self/exe", offset, 0, 0, -1);
	return finish(t, prog, link, here);
}

/* Reading from it is what runs the program. */
static int iterating = -1;

static void act_iterate(void)
{
	char none[64];
	int fd = bpf_iter_create(iterating);

	while (fd >= 0 && read(fd, none, sizeof(none)) > 0)
		;
	close_one(fd);
}

int try_iterator(struct tries *t)
{
	int id = t->btf ? btf__find_by_name_kind(t->btf, "bpf_iter_task",
						 BTF_KIND_FUNC) : -ENOENT;
	int prog, link = -1;

	if (id < 0)
		return -ESRCH;
	*t->hits = 0;
	prog = load(t, BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, id);
	if (prog >= 0)
		link = bpf_link_create(prog, 0, BPF_TRACE_ITER, NULL);
	iterating = link;
	return finish(t, prog, link, act_iterate);
}
