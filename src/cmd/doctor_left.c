/* SPDX-License-Identifier: MIT */
/*
 * doctor_left: doctor --leftovers.
 *
 *	removed  pytrace/function__entry  /usr/bin/python3.9:0x1a2b3c
 *	other    probe_python/main           /usr/bin/python3.11:0x20f000
 */
#include <inttypes.h>

#include "base/printable.h"
#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "cmd/jsonline.h"
#include "target/leftovers.h"

/* "removed", "in-use" (own, and somebody has it), "left" (not removed), "other" */
static const char *state_of(const struct leftover *l)
{
	if (!l->own)
		return "other";
	if (l->removed)
		return "removed";
	return l->why.kind == ERR_CONFLICT ? "in-use" : "left";
}

static void put_line(FILE *out, const struct leftover *l)
{
	fprintf(out, "%-8s ", state_of(l));
	printable_put(out, l->group, strlen(l->group));
	putc('/', out);
	printable_put(out, l->event, strlen(l->event));
	fputs("  ", out);
	printable_put(out, l->file, strlen(l->file));
	fprintf(out, ":0x%" PRIx64 "%s", l->offset,
		l->is_return ? " (return)" : "");
	if (l->own && !l->removed)
		fprintf(out, "  %s", l->why.text);
	putc('\n', out);
}

static int put_json(FILE *out, const struct leftover *l, struct err *err)
{
	struct jsonline j;

	jsonline_begin(&j, "leftover");
	jsonline_bool(&j, "own", l->own);
	jsonline_str(&j, "state", state_of(l));
	jsonline_str(&j, "group", l->group);
	jsonline_str(&j, "event", l->event);
	jsonline_str(&j, "file", l->file);
	jsonline_u64(&j, "offset", l->offset);
	jsonline_bool(&j, "return", l->is_return);
	jsonline_str(&j, "why", l->why.text);
	return jsonline_end(&j, out, err);
}

/* One that is in use is nobody's leftover. */
static int code_of(const struct leftovers *left)
{
	for (size_t i = 0; i < left->nr; i++)
		if (!strcmp(state_of(&left->v[i]), "left"))
			return ERR_FAILED;
	return 0;
}

static int print_json(const struct leftovers *left, struct err *err)
{
	struct jsonline j;
	int rc = 0;

	for (size_t i = 0; !rc && i < left->nr; i++)
		rc = put_json(stdout, &left->v[i], err);
	if (rc)
		return rc;
	jsonline_begin(&j, "end");
	jsonline_int(&j, "exit", code_of(left));
	return jsonline_end(&j, stdout, err);
}

int doctor_leftovers(bool json)
{
	struct leftovers left;
	struct err err = { 0 };
	int code;

	if (leftovers_find(&left, &err))
		return cmd_fail(&err);
	leftovers_remove(&left);
	code = code_of(&left);
	if (json && print_json(&left, &err))
		code = cmd_fail(&err);
	for (size_t i = 0; !json && i < left.nr; i++)
		put_line(stdout, &left.v[i]);
	if (!json && !left.nr)
		puts("nothing is left on this host");
	leftovers_fini(&left);
	return cmd_flush(code);
}
