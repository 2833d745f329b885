/* SPDX-License-Identifier: MIT */
/* stacktext: a Python stack in lines of text. */
#include "report/stacktext.h"

#include <inttypes.h>
#include <string.h>

#include "base/printable.h"

#define CALLERS 2		/* shown beside the application frame */

struct lines {
	FILE *out;
	const struct pystack *st;
	size_t indent;
	const char *lead;	/* of the next line; NULL: blanks */
	bool lasti, defs;
	struct app_rule *app;	/* NULL: by origin */
};

static void put_func(FILE *out, const struct frame *frame)
{
	if (frame->func)
		printable_put(out, frame->func, frame->func_len);
	else
		putc('?', out);
}

/* "shop/rates.py:31+36 fetch (why)": '?' is unknown, '-' is none. */
static void put_frame(const struct lines *l, const struct frame *frame)
{
	if (frame->file)
		printable_put(l->out, frame->file, frame->file_len);
	else
		putc('?', l->out);
	if (l->defs ? frame->def >= 0 : frame->line >= 0)
		fprintf(l->out, ":%d", l->defs ? frame->def : frame->line);
	else
		fputs(frame->why ? ":?" : ":-", l->out);
	if (l->lasti && !l->defs)
		fprintf(l->out, "%+d", frame->lasti);
	putc(' ', l->out);
	put_func(l->out, frame);
	if (frame->why)
		fprintf(l->out, " (%s)", frame->why);
}

/* The lead stands once; what follows is aligned behind it. */
static void put_indent(struct lines *l)
{
	fprintf(l->out, "%*s", (int)l->indent, "");
	if (!l->lead)
		return;
	fputs(l->lead, l->out);
	l->indent += strlen(l->lead);
	l->lead = NULL;
}

/* What is not known of the callers is not left out silently. */
static void put_callers(const struct lines *l, uint32_t at)
{
	const struct pystack *st = l->st;
	uint32_t i;

	for (i = at + 1; i < st->nr && i <= at + CALLERS; i++) {
		if (i == st->nr_inner && st->omitted)
			fprintf(l->out, " < (%" PRIu32 " left out)",
				st->omitted);
		fputs(" < ", l->out);
		put_func(l->out, &st->frames[i]);
	}
	if (i <= at + CALLERS && st->why)
		fprintf(l->out, " < ? (%s)", st->why);
}

static void put_short(struct lines *l)
{
	struct app_rule by_origin = { 0 };
	uint32_t at = app_frame(l->app ? l->app : &by_origin, l->st);

	put_indent(l);
	put_frame(l, &l->st->frames[at]);
	put_callers(l, at);
	putc('\n', l->out);
}

static void put_left_out(struct lines *l)
{
	put_indent(l);
	fprintf(l->out, "[%" PRIu32 " frames left out]\n", l->st->omitted);
}

static void put_whole(struct lines *l)
{
	const struct pystack *st = l->st;

	for (uint32_t i = 0; i < st->nr; i++) {
		if (i == st->nr_inner && st->omitted)
			put_left_out(l);
		put_indent(l);
		put_frame(l, &st->frames[i]);
		putc('\n', l->out);
	}
	if (st->nr == st->nr_inner && st->omitted)
		put_left_out(l);
}

static void put_unknown(struct lines *l)
{
	if (l->st->why_nr == PT_WHY_NOT_WALKED)
		return;
	put_indent(l);
	fprintf(l->out, "[stack unknown: %s]\n", l->st->why);
}

void stacktext_put(FILE *out, const struct pystack *st,
		   const struct stacktext_opts *opts)
{
	struct lines l = { out, st, opts->indent, opts->lead, opts->lasti,
			   opts->defs, opts->app };

	if (!st->known) {
		put_unknown(&l);
		return;
	}
	if (!st->nr && !st->why) {
		put_indent(&l);
		fputs("[no Python frames]\n", out);
		return;
	}
	if (st->nr && opts->whole)
		put_whole(&l);
	else if (st->nr)
		put_short(&l);
	if (st->why && (opts->whole || !st->nr)) {
		put_indent(&l);
		fprintf(out, "[the rest is unknown: %s]\n", st->why);
	}
}
