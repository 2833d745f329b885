/* SPDX-License-Identifier: MIT */
/* attach: one program to one place, with a sentence when it is refused. */
#include "live/attach.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "live/multi.h"

static enum err_kind kind_of(int rc)
{
	return rc == -EPERM || rc == -EACCES ? ERR_NOT_PERMITTED : ERR_KERNEL;
}

int attach_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
		      struct err *err)
{
	struct bpf_link *link = bpf_program__attach(prog);
	int rc = (int)libbpf_get_error(link);

	if (rc)
		return err_kind(err, kind_of(rc), rc, "cannot attach to %s: %s",
				bpf_program__section_name(prog), strerror(-rc));
	*out = link;
	return 0;
}

int attach_raw_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
			  const char *name, struct err *err)
{
	struct bpf_link *link = bpf_program__attach_raw_tracepoint(prog, name);
	int rc = (int)libbpf_get_error(link);

	if (rc)
		return err_kind(err, kind_of(rc), rc, "cannot attach to %s: %s",
				name, strerror(-rc));
	*out = link;
	return 0;
}

int attach_perf_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
			   uint64_t id, uint64_t cookie, struct err *err)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = cookie);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
	};
	/* the program runs on every CPU, wherever the event is opened */
	long fd = syscall(SYS_perf_event_open, &attr, -1, sched_getcpu(), -1,
			  PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link;
	int rc;

	if (fd < 0)
		return err_kind(err, kind_of(-errno), -errno,
				"cannot open the event: %s", strerror(errno));
	link = bpf_program__attach_perf_event_opts(prog, (int)fd, &opts);
	rc = (int)libbpf_get_error(link);
	if (rc) {
		close((int)fd);
		return err_kind(err, kind_of(rc), rc, "cannot attach to it: %s",
				strerror(-rc));
	}
	*out = link;		/* which has the event now */
	return 0;
}

/* union bpf_attr of 6.10, raw_tracepoint: headers may be older. */
struct raw_attr {
	uint64_t name;
	uint32_t prog_fd;
	uint32_t pad;
	uint64_t cookie;
};

int attach_raw_cookie(const struct bpf_program *prog, const char *name,
		      uint64_t cookie, struct err *err)
{
	struct raw_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.name = (uintptr_t)name;
	attr.prog_fd = (uint32_t)bpf_program__fd(prog);
	attr.cookie = cookie;
	/* a kernel that does not know the cookie takes an attr without it */
	fd = syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr,
		     cookie ? sizeof(attr) : offsetof(struct raw_attr, pad));
	if (fd < 0)
		return err_kind(err, kind_of(-errno), -errno,
				"cannot attach to %s: %s", name,
				strerror(errno));
	return (int)fd;
}

/*
 * A uprobe that is there already must have the same semaphore (kernel,
 * ref_ctr_mismatch_warn()).
 */
static int no_uprobe(const struct probe_place *at, const char *what, int rc,
		     struct err *err)
{
	if (rc == -EINVAL && at->semaphore) {
		err_kind(err, ERR_CONFLICT, rc, "cannot put %s at offset 0x%llx: "
			 "%s", what, (unsigned long long)at->offset,
			 strerror(-rc));
		err_hint(err, "another tool may have a probe there with another "
			 "semaphore: 'pytrace doctor --leftovers' shows those "
			 "that are registered");
		return rc;
	}
	return err_kind(err, kind_of(rc), rc, "cannot put %s at offset 0x%llx: "
			"%s", what, (unsigned long long)at->offset,
			strerror(-rc));
}

int attach_uprobe(struct bpf_link **out, const struct bpf_program *prog,
		  const struct probe_place *at, uint64_t cookie, struct err *err)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = cookie,
		    .ref_ctr_offset = at->semaphore);
	struct bpf_link *link;
	char path[64];
	int rc;

	/* through the descriptor: the very file that was analysed */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", at->fd);
	link = bpf_program__attach_uprobe_opts(prog, at->pid, path, at->offset,
					       &opts);
	rc = (int)libbpf_get_error(link);
	if (rc)
		return no_uprobe(at, "a uprobe", rc, err);
	*out = link;
	return 0;
}

/*
 * What a program is to be attached to is said when it is loaded.  The copy has
 * the instructions as libbpf has loaded them, and so the same maps.
 */
static int load_copy(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type =
			    (enum bpf_attach_type)MULTI_ATTACH_TYPE);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, bpf_program__name(prog),
			     "Dual MIT/GPL", bpf_program__insns(prog),
			     bpf_program__insn_cnt(prog), &opts);
}

int attach_uprobe_multi(const struct bpf_program *prog,
			const struct probe_place *at, uint64_t cookie,
			struct err *err)
{
	int copy = load_copy(prog), link;
	char path[64];

	if (copy < 0)
		return err_kind(err, kind_of(copy), copy, "cannot load %s for a "
				"uprobe_multi link: %s",
				bpf_program__name(prog), strerror(-copy));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", at->fd);
	link = multi_attach(copy, path, at->offset, at->semaphore, cookie,
			    at->pid);
	close(copy);		/* the link has it */
	if (link < 0)
		return no_uprobe(at, "a uprobe_multi link", link, err);
	return link;
}

int attach_event(struct bpf_link **out, const struct bpf_program *prog,
		 struct perf_event_attr *attr, int cpu, uint64_t cookie,
		 struct err *err)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = cookie);
	long fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link;
	int rc;

	if (fd < 0)
		return err_kind(err, kind_of(-errno), -errno,
				"cannot open a perf event: %s", strerror(errno));
	link = bpf_program__attach_perf_event_opts(prog, (int)fd, &opts);
	rc = (int)libbpf_get_error(link);
	if (rc) {
		close((int)fd);
		return err_kind(err, kind_of(rc), rc,
				"cannot attach to a perf event: %s",
				strerror(-rc));
	}
	*out = link;		/* which has the event now */
	return 0;
}
