/* SPDX-License-Identifier: MIT */
/* fuzz_recfile: any bytes as a recording, through everything that shows one. */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <yajl/yajl_parse.h>

#include "event/source.h"
#include "event/text.h"
#include "report/filter.h"
#include "report/json.h"
#include "report/trace.h"
#include "stack/engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct views {
	FILE *out, *json_out;
	char *text;		/* of json_out, `len` bytes */
	size_t len;
	struct engine *engine;
	struct trace *trace;
	struct json *json;
	struct filter *filter;
};

/* What came out of it is JSON. */
static void parse_json(struct views *v)
{
	yajl_handle parser = yajl_alloc(NULL, NULL, NULL);

	if (!parser || fflush(v->json_out))
		abort();
	if (v->len && (yajl_parse(parser, (const unsigned char *)v->text,
				  v->len) != yajl_status_ok ||
		       yajl_complete_parse(parser) != yajl_status_ok))
		abort();
	yajl_free(parser);
	rewind(v->json_out);
}

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
	parse_json(v);
}

static void show_all(struct views *v, struct source *src)
{
	const struct engine_opts few = { .memory = 4096 };
	const struct trace_opts all = { .whole_stacks = true, .lasti = true };
	const struct pt_hdr *rec;

	if (engine_new(&v->engine, &few, NULL) ||
	    trace_new(&v->trace, v->out, &all, NULL) ||
	    json_new(&v->json, v->json_out, NULL, NULL) ||
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
	char path[32];
	int fd;

	v.json_out = open_memstream(&v.text, &v.len);
	fd = memfd_create("recording", MFD_CLOEXEC);
	if (fd < 0 || !v.out || !v.json_out || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!source_open(&src, path, NULL))
		show_all(&v, src);
	source_close(src);
	fclose(v.json_out);
	free(v.text);
	fclose(v.out);
	close(fd);
	return 0;
}
