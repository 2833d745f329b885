/* SPDX-License-Identifier: MIT */
/* multi: uprobes by a uprobe_multi link, made by bpf(2) itself. */
#include "live/multi.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/bpf.h>

/* union bpf_attr of 6.6, link_create.uprobe_multi: headers may be older. */
struct multi_attr {
	uint32_t prog_fd;
	uint32_t target_fd;
	uint32_t attach_type;
	uint32_t flags;
	uint64_t path;
	uint64_t offsets;
	uint64_t ref_ctr_offsets;
	uint64_t cookies;
	uint32_t cnt;
	uint32_t multi_flags;
	uint32_t pid;
	uint32_t pad;
};

int multi_attach(int prog, const char *path, uint64_t offset,
		 uint64_t semaphore, uint64_t cookie, pid_t pid)
{
	struct multi_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_fd = (uint32_t)prog;
	attr.attach_type = MULTI_ATTACH_TYPE;
	attr.path = (uintptr_t)path;
	attr.offsets = (uintptr_t)&offset;
	if (semaphore)
		attr.ref_ctr_offsets = (uintptr_t)&semaphore;
	attr.cookies = (uintptr_t)&cookie;
	attr.cnt = 1;
	attr.pid = pid > 0 ? (uint32_t)pid : 0;
	fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : (int)fd;
}
