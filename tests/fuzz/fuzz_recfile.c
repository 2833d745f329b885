/* SPDX-License-Identifier: MIT */
/* fuzz_recfile: any bytes as a recording, through everything that shows one. */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event/source.h"
#include "event/text.h"
#include "report/filter.h"
#include "report/json.h"
#include "report/trace.h"
#include "stack/engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct views {
	FILE *out;
	struct engine *engine;
	struct trace *trace;
	struct json *json;
	struct filter *filter;
};

static void show(struct views *v, const struct pt_hdr *rec)
{
	struct moment m;

	if (text_write(v->out, rec) < 0 ||
	    engine_feed(v->engine, rec, &m, NULL) < 0)
		abort();
	filter_passes(v->filter, &m);
	if (trace_moment(v->trace, &m, NULL) < 0 ||
	    json_moment(v->json, &m, engine_totals(v->engine), NULL) < 0)
		abort();
}

static void show_all(struct views *v, struct source *src)
{
	const struct engine_opts few = { .memory = 4096 };
	const struct trace_opts all = { .whole_stacks = true, .lasti = true };
	const struct pt_hdr *rec;

	if (engine_new(&v->engine, &few, NULL) ||
	    trace_new(&v->trace, v->out, &all, NULL) ||
	    json_new(&v->json, v->out, NULL, NULL) ||
	    filter_new(&v->filter, NULL) ||
	    filter_add_func(v->filter, "a*/b.py:*c", NULL))
		abort();
	while (source_next(src, &rec, NULL) > 0)
		show(v, rec);
	filter_free(v->filter);
	json_free(v->json);
	trace_free(v->trace);
	engine_free(v->engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct views v = { .out = fopen("/dev/null", "we") };
	struct source *src = NULL;
	int fd = memfd_create("recording", MFD_CLOEXEC);
	char path[32];

	if (fd < 0 || !v.out || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!source_open(&src, path, NULL))
		show_all(&v, src);
	source_close(src);
	fclose(v.out);
	close(fd);
	return 0;
}
