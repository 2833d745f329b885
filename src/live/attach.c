/* SPDX-License-Identifier: MIT */
/* attach: one program to one place, with a sentence when it is refused. */
#include "live/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "event/counters.h"
#include "live/multi.h"

static struct plan *plan;	/* NULL: nobody writes it down */
static bool only;

void attach_note_in(struct plan *to, bool only_that)
{
	plan = to;
	only = to && only_that;
}

/* What is attached stays so, even if there is no memory to write it down. */
static int add(const struct plan_row *row, struct err *err)
{
	int rc = plan ? plan_add(plan, row, only ? err : NULL) : 0;

	return only ? rc : 0;
}

static int note(const struct bpf_program *prog, const char *way,
		const char *what, struct err *err)
{
	const struct plan_row row = {
		.program = bpf_program__name(prog), .way = way,
		.what = (char *)(uintptr_t)what, .pid = -1,
	};

	return add(&row, err);
}

/* The file that is open as `fd`, by the name that it was found by. */
static int note_uprobe(const struct bpf_program *prog,
		       const struct probe_place *at, struct err *err)
{
	char link[64], path[4096];
	struct plan_row row = {
		.program = bpf_program__name(prog), .way = "uprobe",
		.what = path, .offset = at->offset, .pid = at->pid,
		.semaphore = at->semaphore,
	};
	ssize_t len;

	if (!plan)
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", at->fd);
	len = readlink(link, path, sizeof(path) - 1);
	path[len > 0 ? len : 0] = '\0';
	return add(&row, err);
}

static enum err_kind kind_of(int rc)
{
	return rc == -EPERM || rc == -EACCES ? ERR_NOT_PERMITTED : ERR_KERNEL;
}

int attach_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
		      struct err *err)
{
	const char *section = bpf_program__section_name(prog);
	const char *slash = strchr(section, '/');
	struct bpf_link *link;
	int rc;

	*out = NULL;
	if (slash)
		section = slash + 1;
	if (only)
		return note(prog, "tracepoint", section, err);
	link = bpf_program__attach(prog);
	rc = (int)libbpf_get_error(link);
	if (rc)
		return err_kind(err, kind_of(rc), rc, "cannot attach to %s: %s",
				section, strerror(-rc));
	*out = link;
	return note(prog, "tracepoint", section, err);
}

int attach_raw_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
			  const char *name, struct err *err)
{
	struct bpf_link *link;
	int rc;

	*out = NULL;
	if (only)
		return note(prog, "tracepoint", name, err);
	link = bpf_program__attach_raw_tracepoint(prog, name);
	rc = (int)libbpf_get_error(link);
	if (rc)
		return err_kind(err, kind_of(rc), rc, "cannot attach to %s: %s",
				name, strerror(-rc));
	*out = link;
	return note(prog, "tracepoint", name, err);
}

int attach_perf_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
			   const char *name, uint64_t id, uint64_t cookie,
			   struct err *err)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = cookie);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
	};
	struct bpf_link *link;
	long fd;
	int rc;

	*out = NULL;
	if (only)
		return note(prog, "tracepoint", name, err);
	/* the program runs on every CPU, wherever the event is opened */
	fd = syscall(SYS_perf_event_open, &attr, -1, sched_getcpu(), -1,
		     PERF_FLAG_FD_CLOEXEC);
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
	return note(prog, "tracepoint", name, err);
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

	if (only) {
		int rc = note(prog, "tracepoint", name, err);

		return rc ? rc : open("/dev/null", O_RDONLY | O_CLOEXEC);
	}
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
	(void)!note(prog, "tracepoint", name, NULL);
	return (int)fd;
}

/* libbpf says EINVAL where it cannot open what describes uprobes. */
static bool is_full(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	bool full = fd < 0 && errno == EMFILE;

	if (fd >= 0)
		close(fd);
	return full;
}

/*
 * A uprobe that is there already must have the same semaphore (kernel,
 * ref_ctr_mismatch_warn()).
 */
static int no_uprobe(const struct probe_place *at, const char *what, int rc,
		     struct err *err)
{
	if (rc == -EMFILE || is_full()) {
		err_kind(err, ERR_KERNEL, -EMFILE, "cannot put %s at offset "
			 "0x%llx: %s", what, (unsigned long long)at->offset,
			 strerror(EMFILE));
		err_hint(err, "raise the hard limit of open files (ulimit -Hn)");
		return -EMFILE;
	}
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

	*out = NULL;
	if (only)
		return note_uprobe(prog, at, err);
	/* through the descriptor: the very file that was analysed */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", at->fd);
	link = bpf_program__attach_uprobe_opts(prog, at->pid, path, at->offset,
					       &opts);
	rc = (int)libbpf_get_error(link);
	if (rc)
		return no_uprobe(at, "a uprobe", rc, err);
	*out = link;
	return note_uprobe(prog, at, err);
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
	(void)!note_uprobe(prog, at, NULL);
	return link;
}

int attach_event(struct bpf_link **out, const struct bpf_program *prog,
		 struct perf_event_attr *attr, int cpu, uint64_t cookie,
		 struct err *err)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = cookie);
	const char *what = counter_of(attr->type, attr->config);
	struct bpf_link *link;
	long fd;
	int rc;

	*out = NULL;
	if (only)
		return note(prog, "perf event", what, err);
	fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1,
		     PERF_FLAG_FD_CLOEXEC);
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
	return note(prog, "perf event", what, err);
}
