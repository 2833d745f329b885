/* SPDX-License-Identifier: MIT */
/* calltext: the flow of calls, indented by depth. */
#include "report/calltext.h"

#include <inttypes.h>

#include "base/printable.h"
#include "report/eventtext.h"

#define INDENT_MAX 32U		/* deeper than a line has room: by its number */

static void put_depth(FILE *out, uint32_t depth)
{
	if (depth > INDENT_MAX)
		fprintf(out, "%*s[%" PRIu32 "] ", (int)INDENT_MAX * 2, "", depth);
	else
		fprintf(out, "%*s", (int)depth * 2, "");
}

static void put_func(FILE *out, const struct frame *f)
{
	if (f->func)
		printable_put(out, f->func, f->func_len);
	else
		putc('?', out);
}

static void put_place(FILE *out, const struct frame *f)
{
	fputs("  ", out);
	if (f->file)
		printable_put(out, f->file, f->file_len);
	else
		putc('?', out);
	if (f->def >= 0)
		fprintf(out, ":%d", f->def);
	if (!f->func && f->why)
		fprintf(out, " (%s)", f->why);
}

static void put_begin(FILE *out, const struct moment_step *ms)
{
	static const char *const how[] = {
		[BEGIN_ENTRY] = "", [BEGIN_RESUME] = "  resumed",
		[BEGIN_THROW] = "  thrown into",
		[BEGIN_SEEDED] = "  running already",
	};

	fputs(ms->step->kind == STEP_MAKES ? "-- " : "-> ", out);
	put_func(out, &ms->func);
	put_place(out, &ms->func);
	if (ms->step->kind == STEP_MAKES)
		fputs("  makes a generator", out);
	else
		fputs(how[ms->step->begin], out);
}

/* Seconds, as those of system calls. */
static void put_end(FILE *out, const struct moment_step *ms)
{
	static const char *const how[] = {
		[END_RETURN] = "", [END_YIELD] = " yields",
		[END_EXCEPTION] = " raises", [END_UNFINISHED] = " unfinished",
	};
	const struct step *step = ms->step;
	bool least = step->late || step->end == END_UNFINISHED;

	fputs("<- ", out);
	put_func(out, &ms->func);
	fprintf(out, "%s <%s", how[step->end], least ? "≥" : step->gap ? "~" : "");
	eventtext_put_seconds(out, step->t - step->begin_t);
	putc('>', out);
}

void calltext_put(FILE *out, const struct moment_step *ms)
{
	put_depth(out, ms->step->depth);
	if (ms->step->kind == STEP_END)
		put_end(out, ms);
	else
		put_begin(out, ms);
}
