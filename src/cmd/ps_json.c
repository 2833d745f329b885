/* SPDX-License-Identifier: MIT */
/* ps_json: the Python processes as JSON, one object a line. */
#include <pwd.h>

#include "cmd/jsonline.h"
#include "cmd/ps.h"

static const char *calls_words(enum ps_calls calls)
{
	switch (calls) {
	case PS_CALLS_USDT:
		return "usdt";
	case PS_CALLS_RETURNS:
		return "returns";
	case PS_CALLS_NONE:
		break;
	}
	return "none";
}

void ps_put_walk(struct jsonline *j, enum pt_walk walk, const struct err *why)
{
	if (walk == PT_WALK_STARTING)
		jsonline_null(j, "walk");
	else
		jsonline_bool(j, "walk", walk == PT_WALK_YES);
	jsonline_str(j, "why", walk == PT_WALK_NO ? why->text : NULL);
}

static int print_row(FILE *out, const struct ps_row *row, struct err *err)
{
	const struct passwd *pw = getpwuid(row->info.uid);
	struct jsonline j;

	jsonline_begin(&j, "python");
	jsonline_int(&j, "pid", row->pid);
	jsonline_int(&j, "nspid", row->info.nspid);
	jsonline_int(&j, "ppid", row->ppid);
	jsonline_int(&j, "uid", row->info.uid);
	jsonline_str(&j, "user", pw ? pw->pw_name : NULL);
	jsonline_str(&j, "exe", row->exe);
	jsonline_str(&j, "library", row->library);
	jsonline_str(&j, "python", row->python);
	jsonline_str(&j, "calls", calls_words(row->calls));
	ps_put_walk(&j, row->walk, &row->why);
	jsonline_int(&j, "threads", row->info.nr_threads);
	jsonline_int(&j, "workers", row->workers);
	jsonline_bool(&j, "embedded", row->embedded);
	jsonline_str(&j, "runtime", row->where.runtime);
	jsonline_str(&j, "container", row->where.container);
	jsonline_str(&j, "unit", row->where.unit);
	if (row->cmdline.s)
		jsonline_strs(&j, "argv", row->cmdline.s, row->cmdline.len);
	else
		jsonline_null(&j, "argv");
	return jsonline_end(&j, out, err);
}

int ps_print_json(FILE *out, const struct ps *ps, int code, struct err *err)
{
	struct jsonline j;
	size_t i;
	int rc = 0;

	for (i = 0; i < ps->nr && !rc; i++)
		rc = print_row(out, &ps->rows[i], err);
	if (rc < 0)
		return rc;
	jsonline_begin(&j, "end");
	jsonline_u64(&j, "processes", ps->nr);
	jsonline_u64(&j, "refused", ps->refused);
	jsonline_u64(&j, "hung", ps->hung);
	jsonline_int(&j, "exit", code);
	return jsonline_end(&j, out, err);
}
