/* SPDX-License-Identifier: MIT */
/* proc, remote, bounded: a process that is held, and reads that come back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "target/bounded.h"
#include "target/proc.h"
#include "target/remote.h"

static void stat_is_parsed_from_its_last_bracket(void **state)
{
	static const char text[] =
		"7 (a) R 1 (b) S 5 7 7 0 -1 2097152 1 2 3 4 5 6 7 8 20 0 3 0 "
		"987654321 0 0\n";
	struct proc_info info;
	uint64_t ticks;
	size_t cut;
	char copy[32];

	(void)state;
	assert_true(proc_parse_stat(text, sizeof(text) - 1, &info, &ticks));
	assert_string_equal(info.comm, "a) R 1 (b");
	assert_int_equal(info.state, 'S');
	assert_int_equal(info.ppid, 5);
	assert_int_equal(info.nr_threads, 3);
	assert_int_equal(ticks, 987654321);
	assert_true(info.is_kernel);
	for (cut = 0; cut < sizeof(copy); cut++) {
		memcpy(copy, text, cut);
		copy[cut] = '\0';
		assert_false(proc_parse_stat(copy, cut, &info, &ticks));
	}
}

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "a) Z 1 (b\n");
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static void reap(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void a_process_is_held(void **state)
{
	struct proc p = PROC_NONE;
	struct proc_text t;
	struct proc_info info;
	struct err err = { 0 };
	pid_t pid = sleeper();

	(void)state;
	assert_int_equal(proc_open(&p, pid, &err), 0);
	assert_int_equal(p.pid, pid);
	assert_true(p.start_ns > 0);
	do
		assert_int_equal(proc_info(&p, &info, &err), 0);
	while (strcmp(info.comm, "a) Z 1 (b\n"));
	assert_int_equal(info.ppid, getpid());
	assert_int_equal(info.nspid, pid);
	assert_int_equal(info.uid, geteuid());
	assert_int_equal(info.nr_threads, 1);
	assert_int_equal(info.seccomp, 0);
	assert_false(info.is_kernel);
	assert_true(proc_is_alive(&p));
	kill(pid, SIGKILL);
	while (proc_is_alive(&p))
		;
	/* A zombie still has a name. */
	assert_int_equal(proc_info(&p, &info, &err), 0);
	assert_int_equal(info.state, 'Z');
	reap(pid);
	assert_int_equal(proc_read(&p, "stat", 4096, &t, &err), -ESRCH);
	assert_int_equal(err.kind, ERR_NO_TARGET);
	proc_close(&p);
	assert_int_equal(proc_open(&p, pid, &err), -ESRCH);
	assert_int_equal(err.kind, ERR_NO_TARGET);
	assert_int_equal(proc_open(&p, -1, &err), -ESRCH);
}

static void *tell_tid(void *arg)
{
	int *pipes = arg;
	pid_t tid = (pid_t)syscall(SYS_gettid);
	char byte;

	assert_int_equal(write(pipes[1], &tid, sizeof(tid)), sizeof(tid));
	while (read(pipes[2], &byte, 1) < 0)
		;
	return NULL;
}

static void a_thread_stands_for_its_process(void **state)
{
	struct proc p = PROC_NONE;
	struct pids tids;
	pthread_t thread;
	pid_t tid = 0;
	int pipes[4];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(pipe(pipes + 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, tell_tid, pipes), 0);
	assert_int_equal(read(pipes[0], &tid, sizeof(tid)), sizeof(tid));
	assert_int_equal(proc_open(&p, tid, NULL), 0);
	assert_int_equal(p.pid, getpid());
	assert_int_equal(proc_threads(&p, &tids, NULL), 0);
	assert_true(tids.nr >= 2);
	pids_fini(&tids);
	proc_close(&p);
	close(pipes[3]);
	pthread_join(thread, NULL);
}

static void descendants_are_found(void **state)
{
	int tell[2], hold[2];
	pid_t child, grand = 0;
	struct pids d;
	char byte;

	(void)state;
	assert_int_equal(pipe(tell), 0);
	assert_int_equal(pipe(hold), 0);
	child = fork();
	if (!child) {
		pid_t pid = fork();

		close(hold[1]);
		if (!pid)
			pid = getpid();
		else
			pid = 0;
		if (pid && write(tell[1], &pid, sizeof(pid)) < 0)
			_exit(1);
		_exit(read(hold[0], &byte, 1) != 0);
	}
	assert_int_equal(read(tell[0], &grand, sizeof(grand)), sizeof(grand));
	assert_int_equal(proc_descendants(getpid(), &d, NULL), 0);
	assert_int_equal(d.nr, 2);
	assert_int_equal(d.v[0], child);
	assert_int_equal(d.v[1], grand);
	pids_fini(&d);
	close(hold[1]);
	waitpid(child, NULL, 0);
}

static void memory_is_read(void **state)
{
	struct proc p = PROC_NONE;
	struct remote r = REMOTE_NONE;
	static char big[200000];
	char *copy = malloc(sizeof(big));
	struct err err = { 0 };
	uint64_t v = 0;
	pid_t pid;

	(void)state;
	memset(big, 'x', sizeof(big));
	pid = sleeper();
	assert_int_equal(proc_open(&p, pid, &err), 0);
	assert_int_equal(remote_open(&r, &p, &err), 0);
	assert_int_equal(mem_read(&r.mem, (uintptr_t)big, copy, sizeof(big)),
			 0);
	assert_memory_equal(copy, big, sizeof(big));
	free(copy);
	assert_int_equal(mem_u64(&r.mem, 16, &v), -EFAULT);
	assert_int_equal(mem_u64(&r.mem, UINT64_MAX - 3, &v), -EFAULT);
	assert_int_equal(mem_u64(&r.mem, INT64_MAX, &v), -EFAULT);
	assert_int_equal(mem_read(&r.mem, 0, &v, SIZE_MAX), -E2BIG);
	reap(pid);
	assert_int_equal(mem_u64(&r.mem, (uintptr_t)big, &v), -ESRCH);
	remote_close(&r);
	proc_close(&p);
}

/* The address of another program must not be read after an exec. */
static void an_exec_ends_it(void **state)
{
	struct proc p = PROC_NONE;
	struct remote r = REMOTE_NONE;
	static uint64_t here = 42;
	uint64_t v = 0;
	int hold[2];
	pid_t pid;
	char byte;

	(void)state;
	assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		close(hold[1]);
		if (read(hold[0], &byte, 1) == 1)
			execlp("sleep", "sleep", "100", NULL);
		_exit(1);
	}
	assert_int_equal(proc_open(&p, pid, NULL), 0);
	assert_int_equal(remote_open(&r, &p, NULL), 0);
	assert_int_equal(mem_u64(&r.mem, (uintptr_t)&here, &v), 0);
	assert_int_equal(v, 42);
	close(hold[0]);
	assert_int_equal(write(hold[1], "", 1), 1);
	while (!mem_u64(&r.mem, (uintptr_t)&here, &v))
		assert_int_equal(v, 42);
	assert_int_equal(mem_u64(&r.mem, (uintptr_t)&here, &v), -ESRCH);
	assert_true(proc_is_alive(&p));
	remote_close(&r);
	proc_close(&p);
	reap(pid);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* A page whose fault nobody answers, in a child; NULL where we may not. */
static void *page_that_hangs(pid_t *pid)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int tell[2], fd;
	void *page = NULL;

	assert_int_equal(pipe(tell), 0);
	*pid = fork();
	if (*pid) {
		close(tell[1]);
		assert_int_equal(read(tell[0], &page, sizeof(page)),
				 sizeof(page));
		return page;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (uintptr_t)page;
	reg.range.len = 4096;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg))
		page = NULL;
	if (write(tell[1], &page, sizeof(page)) < 0)
		_exit(1);
	for (;;)
		pause();
}

static void a_page_that_hangs_is_given_up(void **state)
{
	struct proc p = PROC_NONE;
	struct remote r = REMOTE_NONE;
	static uint64_t other = 42;
	uint64_t v = 0, before;
	pid_t pid;
	void *page = page_that_hangs(&pid);

	(void)state;
	if (!page) {
		reap(pid);
		skip();
	}
	assert_int_equal(proc_open(&p, pid, NULL), 0);
	assert_int_equal(remote_open(&r, &p, NULL), 0);
	before = now_ms();
	assert_int_equal(mem_u64(&r.mem, (uintptr_t)page, &v), -ETIMEDOUT);
	assert_true(now_ms() - before >= REMOTE_MS);
	assert_true(now_ms() - before < 20 * REMOTE_MS);
	/* The rest of the process can be read all the same. */
	assert_int_equal(mem_u64(&r.mem, (uintptr_t)&other, &v), 0);
	assert_int_equal(v, 42);
	reap(pid);
	remote_close(&r);
	proc_close(&p);
}

/* ---- bounded ---------------------------------------------------------- */

struct wait_job {
	int from, dropped;
};

static void wait_for_byte(void *arg)
{
	struct wait_job *job = arg;
	char byte;

	while (read(job->from, &byte, 1) < 0)
		;
}

static void tell_dropped(void *arg)
{
	struct wait_job *job = arg;

	assert_int_equal(write(job->dropped, "", 1), 1);
	free(job);
}

static struct wait_job *wait_job(int from, int dropped)
{
	struct wait_job *job = malloc(sizeof(*job));

	assert_non_null(job);
	*job = (struct wait_job){ .from = from, .dropped = dropped };
	return job;
}

static void hung_jobs_are_dropped_when_they_return(void **state)
{
	struct bounded *b = bounded_new();
	int block[2], dropped[2], i;
	struct wait_job *job;
	char byte;

	(void)state;
	assert_int_equal(pipe(block), 0);
	assert_int_equal(pipe(dropped), 0);
	for (i = 0; i < 6; i++)
		assert_int_equal(bounded_run(b, wait_for_byte, tell_dropped,
					     wait_job(block[0], dropped[1]),
					     10), -ETIMEDOUT);
	assert_int_equal(bounded_hung(b), 4);
	bounded_free(b);
	close(block[1]);
	for (i = 0; i < 6; i++)
		assert_int_equal(read(dropped[0], &byte, 1), 1);

	b = bounded_new();
	job = wait_job(block[0], dropped[1]);	/* end of file by now */
	for (i = 0; i < 1000; i++)
		assert_int_equal(bounded_run(b, wait_for_byte, tell_dropped,
					     job, 10000), 0);
	free(job);
	bounded_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_is_parsed_from_its_last_bracket),
		cmocka_unit_test(a_process_is_held),
		cmocka_unit_test(a_thread_stands_for_its_process),
		cmocka_unit_test(descendants_are_found),
		cmocka_unit_test(memory_is_read),
		cmocka_unit_test(an_exec_ends_it),
		cmocka_unit_test(a_page_that_hangs_is_given_up),
		cmocka_unit_test(hung_jobs_are_dropped_when_they_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
