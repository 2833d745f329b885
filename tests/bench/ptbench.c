/* SPDX-License-Identifier: MIT */
/*
 * ptbench: one section of the benchmark on one interpreter.
 *
 *	ptbench SECTION				the heading of its table
 *	ptbench SECTION COMMAND... WORKLOAD.PY	the rows of that interpreter
 *
 * BENCH_ROUNDS, BENCH_CALLS and BENCH_DEPTH change how much is measured.
 * tests/bench/run calls it for each section and interpreter.
 */
#include "bench.h"

#include <signal.h>

static const struct section {
	const char *name;
	int (*run)(const struct bench *b, struct err *err);
} sections[] = {
	{ "cost", bench_cost },
	{ "depth", bench_depth },
	{ "tools", bench_tools },
	{ "switches", bench_switches },
	{ "volley", bench_volley },
	{ "idle", bench_idle },
	{ "attach", bench_attach },
	{ "flow", bench_flow },
	{ "faults", bench_faults },
	{ "calls", bench_calls },
	{ "calltools", bench_calltools },
	{ "rush", bench_rush },
	{ "load", bench_load },
};

static int number(const char *name, int otherwise)
{
	const char *s = getenv(name);
	int v = s ? atoi(s) : 0;

	return v > 0 ? v : otherwise;
}

int main(int argc, char **argv)
{
	struct bench b = {
		.rounds = number("BENCH_ROUNDS", 500),
		.calls = number("BENCH_CALLS", 2000),
		.depth = number("BENCH_DEPTH", 20),
	};
	struct err err = { 0 };

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(sections); i++) {
		if (strcmp(argv[1], sections[i].name))
			continue;
		b.argv = argv + 2;
		if (!sections[i].run(&b, &err))
			return 0;
		fprintf(stderr, "ptbench: %s: %s\n", argv[1], err.text);
		return 1;
	}
	fprintf(stderr, "usage: ptbench SECTION [COMMAND... WORKLOAD.PY]\n");
	return 2;
}
