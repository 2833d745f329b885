/* SPDX-License-Identifier: MIT */
/* tracer: load the kernel half and tell it what to trace. */
#include "live/tracer.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "event/syscalls.h"
#include "live/attach.h"
#include "live/faults.h"
#include "live/tracer_priv.h"
#include "target/rights.h"
#include "target/through.h"
#include "pytrace.skel.h"

_Static_assert((int)PT_SYSARG_PATH == (int)SYSARG_PATH &&
	       (int)PT_SYSARG_SOCKADDR == (int)SYSARG_SOCKADDR &&
	       (int)PT_SYSARG_SOCKADDR_OUT == (int)SYSARG_SOCKADDR_OUT &&
	       (int)PT_SYSARG_FD == (int)SYSARG_FD,
	       "both halves number the arguments alike");

#define DEFAULT_RING (8u << 20)
#define DEFAULT_PATH 200
#define DEFAULT_HZ 49

/* libbpf speaks to stderr only where it was asked to. */
PT_PRINTF(2, 0)
static int libbpf_says(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	static int loud = -1;

	if (loud < 0)
		loud = getenv("LIBBPF_LOG_LEVEL") != NULL;
	if (!loud)
		return 0;
	(void)level;
	return vfprintf(stderr, fmt, ap);
}

static size_t ring_size(size_t asked)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);

	if (!asked)
		asked = DEFAULT_RING;
	while (bytes < asked && bytes < (1u << 31))
		bytes <<= 1;
	return bytes;
}

static int load_error(int rc, struct err *err)
{
	struct rights rights;

	rights_read(&rights);
	if (rc == -EPERM || (rc == -EACCES && !rights_suffice(&rights))) {
		(void)!rights_explain(&rights, RIGHTS_TO_LOAD, rc, err);
		return err_wrap(err, rc, "loading a BPF program was refused "
				"(%s)", strerrorname_np(-rc));
	}
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		err_kind(err, ERR_KERNEL, rc, "cannot load the BPF programs: "
			 "this kernel has no type information "
			 "(/sys/kernel/btf/vmlinux)");
		err_hint(err, "pytrace needs Linux 6.1 or later built with "
			 "CONFIG_DEBUG_INFO_BTF=y");
		return rc;
	}
	err_kind(err, ERR_KERNEL, rc, "cannot load the BPF programs: %s",
		 strerror(-rc));
	if (rc == -EMFILE) {
		err_hint(err, "raise the hard limit of open files: ulimit -Hn "
			 "1024");
		return rc;
	}
	err_hint(err, "pytrace needs Linux 6.1 or later; LIBBPF_LOG_LEVEL=debug "
		 "shows the verifier's words");
	return rc;
}

/* What there is to be done for it, so that the kernel half need not look. */
static void sum_up(struct pt_sysargs *row)
{
	for (size_t i = 0; i < ARRAY_LEN(row->kind); i++) {
		if (row->kind[i] == PT_SYSARG_FD)
			row->has_fd = 1;
		else if (row->kind[i] != PT_SYSARG_NONE)
			row->has_pointer = 1;
	}
}

int tracer_put(const struct tracer *t, const struct bpf_map *map,
	       const void *key, const void *value)
{
	if (t->dry)
		return 0;
	return bpf_map_update_elem(bpf_map__fd(map), key, value, BPF_ANY) ?
		-errno : 0;
}

static int fill_sysargs(struct tracer *t, const uint8_t *wanted)
{
	for (uint32_t i = 0; i < PT_MAX_NR; i++) {
		struct pt_sysargs row = {
			.wanted = tracer_has(t, PT_SYSCALL) &&
				  (!wanted || wanted[i]),
		};
		struct syscall_args args;
		int rc;

		if (i < SYSCALLS_NR && syscalls_args(i, &args))
			memcpy(row.kind, args.kind, sizeof(row.kind));
		sum_up(&row);
		rc = tracer_put(t, t->skel->maps.sysargs, &i, &row);
		if (rc)
			return rc;
	}
	return 0;
}

/* Where are we?  Process ids are written as the reader of the trace sees them. */
static int find_pidns(struct tracer *t)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int fd = bpf_program__fd(t->skel->progs.find_pidns_level);

	return bpf_prog_test_run_opts(fd, &run);
}

/* What nobody asked for is not loaded: a kernel need not have it. */
static void leave_out(struct tracer *t)
{
	bool faults = tracer_has(t, PT_FAULT);

	bpf_program__set_autoload(t->skel->progs.on_fault, faults);
	bpf_program__set_autoload(t->skel->progs.on_fault_minor, faults);
	bpf_program__set_autoload(t->skel->progs.on_fault_major, faults);
	bpf_program__set_autoload(t->skel->progs.on_sample,
				  tracer_has(t, PT_SAMPLE));
	bpf_program__set_autoload(t->skel->progs.on_call,
				  tracer_has(t, PT_CALL));
	bpf_program__set_autoload(t->skel->progs.on_return,
				  tracer_has(t, PT_CALL));
	bpf_program__set_autoload(t->skel->progs.on_place,
				  tracer_has(t, PT_CALL));
	if (!tracer_has(t, PT_OFFCPU))
		switches_leave_out(t);
	if (!tracer_has(t, PT_OFFCPU) && !tracer_has(t, PT_TRACEPOINT))
		interrupts_leave_out(t);
	named_leave_out(t);
}

static int load(struct tracer *t, const struct tracer_opts *opts)
{
	struct pytrace_bpf *skel = pytrace_bpf__open();
	int rc;

	if (!skel)
		return -errno;
	t->skel = skel;
	t->dry = opts->dry;
	t->calls = opts->calls;
	t->allow_step = opts->allow_step;
	t->events = opts->events ? opts->events : 1u << PT_SYSCALL;
	if (tracer_has(t, PT_SAMPLE))
		t->sample_hz = opts->sample_hz ? opts->sample_hz : DEFAULT_HZ;
	skel->rodata->cfg.follow = opts->follow;
	skel->rodata->cfg.select = opts->select;
	skel->rodata->cfg.path_len = opts->path_len ? opts->path_len : DEFAULT_PATH;
	skel->rodata->cfg.no_paths = opts->no_paths;
	skel->rodata->cfg.events = t->events;
	skel->rodata->cfg.sample_hz = t->sample_hz;
	skel->rodata->cfg.kernel_stacks = opts->kernel_stacks;
	faults_configure(&skel->rodata->cfg);
	leave_out(t);
	skel->bss->sw.stacks = !opts->no_stacks;
	rc = bpf_map__set_max_entries(skel->maps.ring,
				      (uint32_t)ring_size(opts->ring_bytes));
	if (!rc && !opts->kernel_stacks)
		rc = bpf_map__set_max_entries(skel->maps.kstacks, 1);
	if (!rc)
		rc = verdicts_open(t, opts->filter_calls);
	if (!rc && !tracer_has(t, PT_CALL))
		rc = bpf_map__set_max_entries(skel->maps.callees, 1);
	if (rc)
		return rc;
	attach_note_in(&t->plan, t->dry);
	if (t->dry)
		return 0;
	rc = pytrace_bpf__load(skel);
	if (rc)
		return rc;
	rc = fill_sysargs(t, opts->wanted);
	if (!rc)
		rc = named_tell(t);
	return rc ? rc : find_pidns(t);
}

int tracer_open(struct tracer **out, const struct tracer_opts *opts,
		struct err *err)
{
	struct tracer *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return err_set(err, -ENOMEM, "out of memory");
	libbpf_set_print(libbpf_says);
	t->nr_cpus = libbpf_num_possible_cpus();
	if (t->nr_cpus < 1)
		t->nr_cpus = 1;
	t->loss_rows = calloc((size_t)t->nr_cpus, sizeof(*t->loss_rows));
	t->loss_told = calloc((size_t)t->nr_cpus * PT_NR_LOSSES,
			      sizeof(*t->loss_told));
	t->sampled = calloc((size_t)t->nr_cpus, sizeof(struct bpf_link *));
	t->counted = calloc((size_t)t->nr_cpus * (opts->nr_named + 1),
			    sizeof(struct bpf_link *));
	if (!t->loss_rows || !t->loss_told || !t->sampled || !t->counted) {
		tracer_close(t);
		return err_set(err, -ENOMEM, "out of memory");
	}
	rc = named_open(t, opts, err);
	if (rc) {
		tracer_close(t);
		return rc;
	}
	rc = load(t, opts);
	if (rc) {
		tracer_close(t);
		return load_error(rc, err);
	}
	*out = t;
	return 0;
}

void tracer_close(struct tracer *t)
{
	if (!t)
		return;
	tracer_stop(t);
	attach_note_in(NULL, false);
	plan_fini(&t->plan);
	pytrace_bpf__destroy(t->skel);
	free(t->loss_rows);
	free(t->loss_told);
	free(t->links);
	free(t->sampled);
	free(t->counted);
	free(t->verdicts);
	named_close(t);
	free(t);
}

int tracer_keep_link(struct tracer *t, struct bpf_link *link, struct err *err)
{
	if (t->nr_links == t->room) {
		size_t room = t->room ? 2 * t->room : 32;
		struct bpf_link **links = realloc(t->links,
						  room * sizeof(*links));

		if (!links) {
			bpf_link__destroy(link);
			return err_set(err, -ENOMEM, "out of memory");
		}
		t->links = links;
		t->room = room;
	}
	t->links[t->nr_links++] = link;
	return 0;
}

static int add_multi(struct tracer *t, const struct bpf_program *prog,
		     const struct probe_place *at, uint64_t cookie,
		     struct err *err)
{
	struct err why;		/* the first refusal is the one to be told */
	int fd;

	if (t->nr_link_fds == ARRAY_LEN(t->link_fds))
		return err_set(err, -ENOSPC, "too many probes at once");
	fd = attach_uprobe_multi(prog, at, cookie, &why);
	if (fd < 0)
		return fd;
	t->link_fds[t->nr_link_fds++] = fd;
	return 0;
}

int tracer_add_probe(struct tracer *t, const struct bpf_program *prog,
		     const struct probe_place *at, uint64_t cookie,
		     struct err *err)
{
	struct bpf_link *link;
	int rc;

	rc = attach_uprobe(&link, prog, at, cookie, err);
	if (through_helps(rc))
		return add_multi(t, prog, at, cookie, err);
	if (rc)
		return rc;
	return tracer_keep_link(t, link, err);
}

static int add_probe(struct tracer *t, const struct bpf_program *prog,
		     const struct tracer_image *image, uint64_t offset,
		     uint32_t nr, struct err *err)
{
	const struct probe_place at = {
		.fd = image->fd, .pid = image->pid, .offset = offset,
	};

	return tracer_add_probe(t, prog, &at, nr, err);
}

static const struct known_file *known(const struct tracer *t,
				      const struct tracer_image *image,
				      const struct stat *st)
{
	for (uint32_t i = 0; i < t->nr_images; i++) {
		const struct known_file *k = &t->images[i];

		if (k->dev == st->st_dev && k->ino == st->st_ino &&
		    (k->pid == -1 || k->pid == image->pid) &&
		    !memcmp(&k->image, &image->image, sizeof(k->image)))
			return k;
	}
	return NULL;
}

int tracer_add_image(struct tracer *t, const struct tracer_image *image,
		     uint32_t *nr, struct err *err)
{
	const struct known_file *old;
	struct known_file *k;
	struct stat st;
	struct err why;
	int rc;

	if (fstat(image->fd, &st))
		return err_set(err, -errno, "cannot stat an interpreter: %s",
			       strerror(errno));
	if (image->ino) {
		st.st_dev = image->dev;
		st.st_ino = image->ino;
	}
	old = known(t, image, &st);
	if (old) {
		*nr = (uint32_t)(old - t->images);
		return 0;
	}
	if (t->nr_images == PT_MAX_IMAGES)
		return err_set(err, -ENOSPC, "more than %d different interpreters",
			       PT_MAX_IMAGES);
	*nr = t->nr_images;
	rc = tracer_put(t, t->skel->maps.images, nr, &image->image);
	if (rc)
		return err_set(err, rc, "cannot write a layout: %s",
			       strerror(-rc));
	if (image->init_offset) {
		rc = add_probe(t, t->skel->progs.on_init, image,
			       image->init_offset, *nr, err);
		if (rc)
			return err_wrap(err, rc, "probe on the initialisation");
	}
	/* Without this probe the kernel half compares fingerprints. */
	if (!image->dealloc_offset ||
	    add_probe(t, t->skel->progs.on_dealloc, image,
		      image->dealloc_offset, *nr, &why))
		t->skel->bss->sw.fingerprint = 1;
	k = &t->images[t->nr_images++];
	k->dev = st.st_dev;
	k->ino = st.st_ino;
	k->pid = image->pid;
	k->image = image->image;
	return 0;
}

int tracer_add_exe(struct tracer *t, int fd, uint32_t nr, bool take,
		   struct err *err)
{
	const uint32_t value = nr | (take ? PT_EXE_TAKE : 0);
	struct pt_exe key = { 0 };
	struct stat st;
	int rc;

	if (fstat(fd, &st))
		return err_set(err, -errno, "cannot stat an executable: %s",
			       strerror(errno));
	key.ino = st.st_ino;
	key.dev = major(st.st_dev) << 20 | minor(st.st_dev);
	rc = tracer_put(t, t->skel->maps.exes, &key, &value);
	return rc ? err_set(err, rc, "cannot note an executable: %s",
			    strerror(-rc)) : 0;
}

int tracer_set_target(struct tracer *t, pid_t pid, const struct pt_target *target,
		      struct err *err)
{
	int fd = bpf_map__fd(t->skel->maps.targets);
	struct pt_target next = *target, before;
	uint32_t key = (uint32_t)pid;
	int rc;

	/* the calls that it made before anybody knew */
	if (!t->dry && !bpf_map_lookup_elem(fd, &key, &before) &&
	    before.candidate) {
		next.skipped = before.skipped;
		next.skipped_ns = before.skipped_ns;
	}
	rc = tracer_put(t, t->skel->maps.targets, &key, &next);
	return rc ? err_set(err, rc, "cannot trace process %d: %s", (int)pid,
			    strerror(-rc)) : 0;
}

void tracer_drop_candidate(struct tracer *t, pid_t pid, uint32_t exec_id)
{
	int fd = bpf_map__fd(t->skel->maps.targets);
	uint32_t key = (uint32_t)pid;
	struct pt_target is;

	if (!t->dry && !bpf_map_lookup_elem(fd, &key, &is) && is.candidate &&
	    is.exec_id == exec_id)
		bpf_map_delete_elem(fd, &key);
}

static int attach_all(struct tracer *t, struct bpf_program *const *progs,
		      size_t nr, struct err *err)
{
	for (size_t i = 0; i < nr; i++) {
		struct bpf_link *link;
		int rc = attach_tracepoint(&link, progs[i], err);

		if (!rc)
			rc = tracer_keep_link(t, link, err);
		if (rc)
			return rc;
	}
	return 0;
}

/*
 * In this order: a process must be known from its fork on, and a return
 * without its entry is understood, an entry without its return is not.
 */
int tracer_start(struct tracer *t, struct err *err)
{
	struct bpf_program *calls[] = {
		t->skel->progs.on_exit, t->skel->progs.on_exec,
		t->skel->progs.on_fork, t->skel->progs.on_rename,
		t->skel->progs.on_sys_exit, t->skel->progs.on_sys_enter,
	};
	int rc = 0;

	if (tracer_has(t, PT_FAULT))
		rc = faults_attach(t, err);
	if (!rc)
		rc = attach_all(t, calls, ARRAY_LEN(calls), err);
	if (!rc && (tracer_has(t, PT_OFFCPU) || tracer_has(t, PT_TRACEPOINT)))
		rc = interrupts_attach(t, err);
	if (!rc && tracer_has(t, PT_OFFCPU))
		rc = switches_attach(t, err);
	if (!rc)
		rc = named_attach(t, err);
	if (!rc && tracer_has(t, PT_CALL) && !t->dry)
		rc = price_of_probe(t, t->skel->progs.on_call, err);
	if (rc)
		return rc;
	t->skel->bss->sw.on = 1;
	return 0;
}

/* What it writes; a read never ends in the midst of one. */
static int read_sleepers(int fd, const struct tracer_sleepers *sleepers)
{
	struct pt_sleeper is[128];
	ssize_t n;
	int rc = 0;

	while ((n = read(fd, is, sizeof(is))) > 0)
		for (size_t i = 0; !rc && sleepers &&
		     i < (size_t)n / sizeof(is[0]); i++)
			rc = sleepers->are(&is[i], sleepers->arg);
	return n < 0 ? -errno : rc;
}

/* Run a program once for each thread of the host. */
static int for_each_thread(const struct tracer *t,
			   const struct bpf_program *prog,
			   const struct tracer_sleepers *sleepers)
{
	struct bpf_link *link;
	int fd, rc = 0;

	if (t->dry)
		return 0;
	link = bpf_program__attach_iter(prog, NULL);
	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0) {
		rc = -errno;
	} else {
		rc = read_sleepers(fd, sleepers);
		close(fd);
	}
	bpf_link__destroy(link);
	return rc;
}

int tracer_list_sleepers(struct tracer *t,
			 const struct tracer_sleepers *sleepers)
{
	int rc;

	t->skel->bss->sw.list_only = 1;
	rc = for_each_thread(t, t->skel->progs.find_threads, sleepers);
	t->skel->bss->sw.list_only = 0;
	return rc;
}

int tracer_find_threads(struct tracer *t,
			const struct tracer_sleepers *sleepers)
{
	return for_each_thread(t, t->skel->progs.find_threads, sleepers);
}

int tracer_begin(struct tracer *t, const struct tracer_sleepers *sleepers,
		 struct err *err)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int rc = for_each_thread(t, t->skel->progs.find_threads, sleepers);

	if (rc)
		return err_kind(err, ERR_KERNEL, rc,
				"cannot look for threads: %s", strerror(-rc));
	rc = tracer_count(t, err);
	if (rc)
		return rc;
	if (tracer_has(t, PT_SAMPLE))
		tracer_sample(t);
	if (t->dry)
		return 0;
	rc = bpf_prog_test_run_opts(bpf_program__fd(t->skel->progs.begin), &run);
	if (!rc)
		rc = (int)run.retval;
	if (rc)
		return err_kind(err, ERR_KERNEL, rc,
				"cannot begin the trace: %s", strerror(abs(rc)));
	return 0;
}

void tracer_stop(struct tracer *t)
{
	bool ran = t->skel && t->skel->bss && t->skel->bss->sw.on;

	if (ran) {
		t->skel->bss->sw.stopped_ns = now_ns();
		t->skel->bss->sw.on = 0;
	}
	tracer_stop_samples(t);
	while (t->nr_links)
		bpf_link__destroy(t->links[--t->nr_links]);
	while (t->nr_link_fds)
		close(t->link_fds[--t->nr_link_fds]);
	/* calls and faults that are not over, threads that have not come back */
	if (ran)
		for_each_thread(t, t->skel->progs.find_blocked, NULL);
}

void tracer_shed(struct tracer *t, const struct pt_shed *shed)
{
	switch ((enum pt_shed_step)shed->step) {
	case PT_SHED_STACKS:
		t->skel->bss->sw.no_call_stacks = 1;
		break;
	case PT_SHED_CALLS:
		t->skel->bss->sw.slower_ns = shed->slower_ns;
		break;
	case PT_SHED_SAMPLES:
		t->sample_hz = 0;
		tracer_stop_samples(t);
		break;
	case PT_SHED_DETACH:
		tracer_stop(t);
		break;
	case PT_SHED_NOTHING:
		break;
	}
}

const struct plan *tracer_plan(const struct tracer *t)
{
	return &t->plan;
}

bool tracer_has_fingerprints(const struct tracer *t)
{
	return t->skel->bss->sw.fingerprint;
}

struct pt_switches *tracer_switches(struct tracer *t)
{
	return &t->skel->bss->sw;
}

int tracer_kernel_stack(const struct tracer *t, uint32_t id,
			uint64_t addr[PT_KERNEL_FRAMES])
{
	int fd = bpf_map__fd(t->skel->maps.kstacks);

	return bpf_map_lookup_elem(fd, &id, addr) ? -errno : 0;
}
