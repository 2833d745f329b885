/* SPDX-License-Identifier: MIT */
/* kread: iterators that read processes through the kernel half. */
#include "live/kread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/compiler.h"
#include "reader_abi.h"
#include "target/through.h"

#include "reader.skel.h"

/*
 * Not taken down: a thread that was left behind in a look that hangs may still
 * be using them.  The kernel does it when we end.
 */
static struct reader_bpf *skel;
static int loaded;		/* 0, or why not */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	skel = reader_bpf__open();
	loaded = skel ? reader_bpf__load(skel) : -errno;
}

/* A link of the iterator over process `pid` alone. */
static int attach(const struct bpf_program *prog, pid_t pid)
{
	union bpf_iter_link_info info = { .task.tid = (uint32_t)pid };
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info,
		    .link_info_len = sizeof(info));
	struct bpf_link *link = bpf_program__attach_iter(prog, &opts);
	int rc = (int)libbpf_get_error(link);

	if (rc)
		return rc;
	rc = fcntl(bpf_link__fd(link), F_DUPFD_CLOEXEC, 0);
	rc = rc < 0 ? -errno : rc;
	bpf_link__destroy(link);
	return rc;
}

static int memory(pid_t pid)
{
	pthread_once(&once, load);
	return loaded ? loaded : attach(skel->progs.read_memory, pid);
}

static int maps(pid_t pid)
{
	pthread_once(&once, load);
	return loaded ? loaded : attach(skel->progs.read_maps, pid);
}

void kread_offer(void)
{
	static const struct through_ops ops = { .memory = memory, .maps = maps };

	through_set(&ops);
}

int kread_try(void)
{
	pthread_once(&once, load);
	return loaded;
}
