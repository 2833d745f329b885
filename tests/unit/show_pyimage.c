/* SPDX-License-Identifier: MIT */
/*
 * show_pyimage: what pyimage_find() makes of each file, as a line of JSON.
 * For tests/live, which compares it with the interpreter itself.
 */
#include <inttypes.h>
#include <stdio.h>

#include "elf/elfimg.h"
#include "python/layout.h"
#include "python/pyimage.h"

static void show_layout(const struct pt_layout *l)
{
#define N(f) printf("\"%s\":%d,", #f, (int)l->f)
	N(version); N(frames); N(tagged); N(owner_c); N(lasti_scale);
	N(rt_key); N(rt_current); N(rt_interpreters); N(is_next);
	N(is_threads); N(ts_next); N(ts_interp); N(ts_thread_id); N(ts_frame);
	N(ts_status); N(cf_current); N(fr_code); N(fr_back); N(fr_lasti); N(fr_owner);
	N(fr_size); N(co_firstlineno); N(co_filename); N(co_name);
	N(co_qualname); N(co_linetable); N(co_code); N(ob_type); N(ob_size);
	N(bytes_data); N(str_length); N(str_state); N(str_ascii);
	N(str_compact); N(rt_collecting); N(is_collecting);
	N(rt_gil); N(is_gil);
#undef N
	printf("\"str_data\":%d", l->str_data);
}

static void show(const struct pyimage *p)
{
	const struct pt_image *i = &p->image;
	char what[128];

	printf("{\"what\":\"%s\",\"hex\":%" PRIu32 ",\"kind\":%d,\"walk\":%s,"
	       "\"why\":\"%s\",\"hint\":\"%s\",\"runtime\":%" PRIu64
	       ",\"code_type\":%" PRIu64 ",\"init\":%" PRIu64
	       ",\"dealloc\":%" PRIu64 ",\"tls\":%" PRId64
	       ",\"tls_kind\":%" PRIu32 ",\"tls_add\":%" PRIu32
	       ",\"layout\":{", pyimage_describe(p, what, sizeof(what)),
	       p->hex, p->kind, p->walk ? "true" : "false", p->why, p->hint,
	       (uint64_t)i->runtime, (uint64_t)i->code_type, (uint64_t)i->init,
	       (uint64_t)i->dealloc, (int64_t)i->tls, i->tls_kind, i->tls_add);
	show_layout(&i->layout);
	if (layout_for(p->version)) {
		printf("},\"row\":{");
		show_layout(layout_for(p->version));
	}
	puts("}}");
}

int main(int argc, char **argv)
{
	int rc = 0;

	for (int i = 1; i < argc; i++) {
		struct elfimg *img = NULL;
		struct pyimage p;
		struct err e = { 0 };

		if (elfimg_open(&img, argv[i], &e) < 0 ||
		    pyimage_find(img, &p, &e) < 0) {
			printf("{\"error\":\"%s\",\"hint\":\"%s\"}\n", e.text,
			       e.hint);
			rc = 1;
		} else {
			show(&p);
		}
		elfimg_close(img);
	}
	return rc;
}
