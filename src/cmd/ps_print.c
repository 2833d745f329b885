/* SPDX-License-Identifier: MIT */
/*
 * ps_print: the Python processes as a table.
 *
 *   PID USER PYTHON CALL PROBES WALK THR WORKERS WHERE            PROGRAM
 *   811 www  3.11.2 returns     yes    1       4 gunicorn.service gunicorn app
 *  3120 ml   3.14t  -           no    33       0 docker 77aa01    python t.py
 */
#include <pwd.h>

#include "base/printable.h"
#include "cmd/ps.h"

enum { PID, USER, PYTHON, CALLS, WALK, THR, WORKERS, WHERE, PROGRAM, NR_COLS };

static const struct {
	const char *head;
	bool right;
} cols[NR_COLS] = {
	[PID] = { "PID", true },
	[USER] = { "USER", false },
	[PYTHON] = { "PYTHON", false },
	[CALLS] = { "CALL PROBES", false },
	[WALK] = { "WALK", false },
	[THR] = { "THR", true },
	[WORKERS] = { "WORKERS", true },
	[WHERE] = { "WHERE", false },
	[PROGRAM] = { "PROGRAM", false },
};

struct cell {
	char s[512];
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

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
	return "-";
}

static const char *walk_words(enum pt_walk walk)
{
	switch (walk) {
	case PT_WALK_YES:
		return "yes";
	case PT_WALK_STARTING:
		return "starting";
	case PT_WALK_NO:
		break;
	}
	return "no";
}

static void put_where(const struct ps_row *row, struct cell *c)
{
	char where[200];

	where_text(&row->where, where, sizeof(where));
	if (!row->embedded || !row->exe)
		snprintf(c->s, sizeof(c->s), "%s", where);
	else if (*row->where.runtime)
		snprintf(c->s, sizeof(c->s), "%s, in %.64s", where,
			 base_name(row->exe));
	else
		snprintf(c->s, sizeof(c->s), "embedded in %.64s",
			 base_name(row->exe));
}

static void put_program(const struct ps_row *row, struct cell *c)
{
	const struct proc_text *t = &row->cmdline;
	size_t len = t->len, i;

	while (len && !t->s[len - 1])
		len--;
	if (!len) {
		snprintf(c->s, sizeof(c->s), "[%s]", row->info.comm);
		return;
	}
	if (len >= sizeof(c->s))
		len = sizeof(c->s) - 1;
	memcpy(c->s, t->s, len);
	c->s[len] = '\0';
	for (i = 0; i < len; i++)
		if (!c->s[i])
			c->s[i] = ' ';
}

static void put_cell(const struct ps_row *row, int col, struct cell *c)
{
	const struct passwd *pw;
	size_t size = sizeof(c->s);

	switch (col) {
	case PID:
		snprintf(c->s, size, "%d", row->pid);
		break;
	case USER:
		pw = getpwuid(row->info.uid);
		if (pw)
			snprintf(c->s, size, "%.32s", pw->pw_name);
		else
			snprintf(c->s, size, "%u", row->info.uid);
		break;
	case PYTHON:
		snprintf(c->s, size, "%s", row->python);
		break;
	case CALLS:
		snprintf(c->s, size, "%s", calls_words(row->calls));
		break;
	case WALK:
		snprintf(c->s, size, "%s", walk_words(row->walk));
		break;
	case THR:
		snprintf(c->s, size, "%d", row->info.nr_threads);
		break;
	case WORKERS:
		snprintf(c->s, size, "%u", row->workers);
		break;
	case WHERE:
		put_where(row, c);
		break;
	default:
		put_program(row, c);
	}
}

static void measure(const struct ps *ps, size_t *widths)
{
	struct cell c;
	size_t i, n;
	int col;

	for (col = 0; col < NR_COLS; col++)
		widths[col] = strlen(cols[col].head);
	for (i = 0; i < ps->nr; i++)
		for (col = 0; col < PROGRAM; col++) {
			put_cell(&ps->rows[i], col, &c);
			n = printable_put(NULL, c.s, strlen(c.s));
			if (n > widths[col])
				widths[col] = n;
		}
}

/* As many bytes as fit, and no part of a character or of an escape. */
static size_t fitting(const char *s, size_t room)
{
	size_t len = strlen(s);

	while (len && printable_put(NULL, s, len) > room)
		len--;
	while (len && s[len] && ((unsigned char)s[len] & 0xc0) == 0x80)
		len--;
	return len;
}

static void pad(FILE *out, size_t n)
{
	fprintf(out, "%*s", (int)n, "");
}

static void print_cell(FILE *out, int col, const char *s, size_t width)
{
	size_t n = printable_put(NULL, s, strlen(s));
	size_t gap = width > n ? width - n : 0;

	if (cols[col].right)
		pad(out, gap);
	printable_put(out, s, strlen(s));
	if (!cols[col].right)
		pad(out, gap);
	fputc(' ', out);
}

static void print_row(FILE *out, const struct ps_row *row, const size_t *widths,
		      size_t room)
{
	struct cell c;
	int col;

	for (col = 0; col < PROGRAM; col++) {
		put_cell(row, col, &c);
		print_cell(out, col, c.s, widths[col]);
	}
	put_cell(row, PROGRAM, &c);
	printable_put(out, c.s, room ? fitting(c.s, room) : strlen(c.s));
	fputc('\n', out);
}

/* Why those that say "no" cannot be walked: one line each. */
static void print_reasons(FILE *out, const struct ps *ps)
{
	size_t i;

	for (i = 0; i < ps->nr; i++) {
		const struct ps_row *row = &ps->rows[i];

		if (row->walk != PT_WALK_NO || !*row->why.text)
			continue;
		fprintf(out, "%d: ", row->pid);
		printable_put(out, row->why.text, strlen(row->why.text));
		fputc('\n', out);
	}
}

void ps_print(FILE *out, const struct ps *ps, size_t width)
{
	size_t widths[NR_COLS], used = 0, i, room;
	int col;

	if (ps->nr) {
		measure(ps, widths);
		for (col = 0; col < PROGRAM; col++) {
			print_cell(out, col, cols[col].head, widths[col]);
			used += widths[col] + 1;
		}
		fprintf(out, "%s\n", cols[PROGRAM].head);
	}
	/* A name of a few letters even on a narrow terminal. */
	room = !width ? 0 : width > used + 16 ? width - used : 16;
	for (i = 0; i < ps->nr; i++)
		print_row(out, &ps->rows[i], widths, room);
	print_reasons(out, ps);
}
