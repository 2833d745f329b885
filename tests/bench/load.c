/* SPDX-License-Identifier: MIT */
/* load: what loading the kernel half takes, in time and memory. */
#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "bench.h"
#include "live/tracer.h"

#define ROUNDS 7

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return 1e3 * (double)ts.tv_sec + 1e-6 * (double)ts.tv_nsec;
}

static int time_opening(struct series *ms, struct err *err)
{
	struct tracer_opts opts = { 0 };
	struct tracer *t;
	double start = now_ms();
	int rc = tracer_open(&t, &opts, err);

	if (rc)
		return rc;
	series_add(ms, now_ms() - start);
	tracer_close(t);
	return 0;
}

/* Bytes that the kernel charges for a map of ours; 0 if it is none. */
static long long map_bytes(const char *fd)
{
	char path[64], line[128];
	long long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%.20s", fd);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "memlock: %lld", &bytes);
	if (f)
		fclose(f);
	return bytes;
}

static void print_program(const char *fd)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(atoi(fd), &info, &len))
		return;
	printf("  %-20s %8u instructions verified, %6u bytes of code\n",
	       info.name, info.verified_insns, info.jited_prog_len);
}

static void print_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long long maps = 0;
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char path[64], to[64];
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%.20s", e->d_name);
		n = readlink(path, to, sizeof(to) - 1);
		to[n > 0 ? n : 0] = 0;
		if (!strcmp(to, "anon_inode:bpf-map"))
			maps += map_bytes(e->d_name);
		else if (!strcmp(to, "anon_inode:bpf-prog"))
			print_program(e->d_name);
	}
	if (dir)
		closedir(dir);
	printf("  maps and ring: %.1f MiB\n", (double)maps / (1 << 20));
}

int bench_load(const struct bench *b, struct err *err)
{
	struct tracer_opts opts = { 0 };
	struct series ms = { 0 };
	struct tracer *t;
	struct spread s;
	int rc = 0;

	if (b->argv[0])		/* has nothing to do with an interpreter */
		return 0;
	for (int i = 0; !rc && i < ROUNDS; i++)
		rc = time_opening(&ms, err);
	s = series_spread(&ms);
	series_fini(&ms);
	if (!rc)
		rc = tracer_open(&t, &opts, err);
	if (rc)
		return rc;
	printf("  %.0f ms (%.0f-%.0f)\n", s.median, s.q1, s.q3);
	print_descriptors();
	tracer_close(t);
	return 0;
}
