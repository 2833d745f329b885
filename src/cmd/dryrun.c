/* SPDX-License-Identifier: MIT */
/* dryrun: what a trace would attach, for whom, until when, at what price. */
#include "cmd/dryrun.h"

#include <inttypes.h>

#include "base/num.h"
#include "base/printable.h"
#include "cmd/price.h"
#include "live/plan.h"
#include "report/jsonw.h"
#include "target/rights.h"

#define COLUMN 12		/* where what is said of a word begins */
#define WIDTH 96

/* "processes   ", the word once and blanks below it. */
static void put_head(const char **word)
{
	printf("%-*s", COLUMN, *word);
	*word = "";
}

static void put_name(const char *s)
{
	printable_put(stdout, s, strlen(s));
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

static bool may_trace(void)
{
	struct rights r;

	rights_read(&r);
	return rights_suffice(&r);
}

static const char *until(const struct opts *o, char *buf, size_t size)
{
	char dur[32];

	snprintf(buf, size, "%s%sCtrl-C%s", o->duration_ns ?
		 num_duration_text(o->duration_ns, dur, sizeof(dur)) : "",
		 o->duration_ns ? ", " : "", o->command ? ", or its end" :
		 o->selects ? "" : ", or the end of all of them");
	return buf;
}

/* ---- for people ---------------------------------------------------------- */

static void put_process(const struct session_process *p)
{
	printf("%" PRIu32 " ", p->pid);
	put_name(base_name(p->exe));
	if (p->python)
		printf(", CPython %s, ", p->python);
	else
		fputs(", no interpreter yet", stdout);
	if (p->why) {
		fputs("not walked: ", stdout);
		put_name(p->why);
	} else if (p->python) {
		fputs("by walking", stdout);
	}
	putchar('\n');
}

static void put_command(const struct opts *o)
{
	for (char **word = o->command; *word; word++) {
		put_name(*word);
		putchar(word[1] ? ' ' : '\n');
	}
}

static void put_processes(const struct opts *o, const struct session *s)
{
	const char *word = o->command ? "command" : "processes";
	struct session_process p;

	if (o->command) {
		put_head(&word);
		put_command(o);
	}
	for (size_t i = 0; !o->command && session_process(s, i, &p); i++) {
		put_head(&word);
		put_process(&p);
	}
	if (o->selects) {
		put_head(&word);
		puts("those that come to match");
	}
	if (o->follow) {
		put_head(&word);
		printf("%s descendants, those born later, too\n",
		       o->command ? "its" : "their");
	}
}

/* Names in as many lines as they need. */
static void put_programs(const struct plan *plan)
{
	const char *word = "events";
	int column = WIDTH;

	for (size_t i = 0; i < plan->nr; i++) {
		const struct plan_row *r = &plan->v[i];
		char text[96];
		int n;

		if (r->offset)
			continue;
		n = snprintf(text, sizeof(text), r->nr > 1 ? "%s x%" PRIu32 :
			     "%s", r->what, r->nr);
		if (column + n + 2 > WIDTH) {
			if (!*word)
				fputs(",\n", stdout);
			put_head(&word);
			column = COLUMN;
		} else {
			fputs(", ", stdout);
		}
		fputs(text, stdout);
		column += n + 2;
	}
	if (!*word)
		putchar('\n');
}

static void put_places(const struct plan *plan)
{
	const char *word = "places";

	for (size_t i = 0; i < plan->nr; i++) {
		const struct plan_row *r = &plan->v[i];

		if (!r->offset)
			continue;
		put_head(&word);
		put_name(r->what);
		printf("+0x%" PRIx64 " %s, ", r->offset, r->program);
		if (r->semaphore)
			printf("semaphore 0x%" PRIx64 ", ", r->semaphore);
		if (r->pid < 0)
			puts("in all processes that map it");
		else if (r->pid)
			printf("in %d\n", (int)r->pid);
		else
			puts("in the command");
	}
	if (!*word)
		printf("%-*s(a breakpoint byte in the file's pages while it is "
		       "there; the kernel puts it back)\n", COLUMN, "");
	else
		printf("%-*snone: no process is written to\n", COLUMN, word);
}

static void put_cost(const struct eventset *events, uint32_t limit)
{
	char text[256];

	printf("%-*s%s\n", COLUMN, "cost",
	       price_text(events, 0, text, sizeof(text)));
	if (limit)
		printf("%-*sat most %" PRIu32 " %% of their CPU time, then less "
		       "is traced (--max-overhead)\n", COLUMN, "", limit);
	else
		printf("%-*swithout a limit (--max-overhead)\n", COLUMN, "");
	if (!may_trace())
		printf("%-*sdo not suffice as you are: 'pytrace doctor' says "
		       "which is missing\n", COLUMN, "rights");
}

static int put_text(const struct opts *o, const struct eventset *events,
		    uint32_t limit, const struct session *s)
{
	const struct plan *plan = session_plan(s);
	char text[96];

	puts("would trace, and has attached nothing:");
	put_processes(o, s);
	printf("%-*s%s\n", COLUMN, "until", until(o, text, sizeof(text)));
	put_programs(plan);
	put_places(plan);
	if (o->output) {
		printf("%-*s", COLUMN, "writes");
		put_name(o->output);
		putchar('\n');
	}
	put_cost(events, limit);
	return 0;
}

/* ---- for programs -------------------------------------------------------- */

static int json_process(struct jsonw *w, const struct session_process *p,
			struct err *err)
{
	jsonw_open(w);
	jsonw_key_string(w, "type", "planned");
	jsonw_key_uint(w, "pid", p->pid);
	jsonw_key_string(w, "exe", p->exe);
	jsonw_key_string(w, "python", p->python);
	jsonw_key(w, "walk");
	if (p->python)
		jsonw_bool(w, !p->why);
	else
		jsonw_null(w);
	jsonw_key_string(w, "why", p->why);
	jsonw_close(w);
	return jsonw_line(w, stdout, err);
}

static int json_attach(struct jsonw *w, const struct plan_row *r,
		       struct err *err)
{
	jsonw_open(w);
	jsonw_key_string(w, "type", "attach");
	jsonw_key_string(w, "program", r->program);
	jsonw_key_string(w, "way", r->way);
	jsonw_key_name(w, "what", r->what);
	jsonw_key_uint(w, "nr", r->nr);
	jsonw_key_known(w, "offset", r->offset);
	jsonw_key_known(w, "semaphore", r->semaphore);
	jsonw_key_known(w, "pid", r->pid > 0 ? (uint64_t)r->pid : 0);
	jsonw_close(w);
	return jsonw_line(w, stdout, err);
}

static void json_prices(struct jsonw *w, const struct eventset *events)
{
	const struct price *p = NULL;

	jsonw_key(w, "cost_ns");
	jsonw_open(w);
	while ((p = price_next(events, p)))
		jsonw_key_uint(w, p->kind, p->ns);
	jsonw_close(w);
	jsonw_key(w, "estimate");
	jsonw_open_list(w);
	jsonw_string(w, "cost_ns");
	jsonw_close_list(w);
}

static int json_plan(struct jsonw *w, const struct opts *o,
		     const struct eventset *events, uint32_t limit,
		     struct err *err)
{
	jsonw_open(w);
	jsonw_key_string(w, "type", "plan");
	jsonw_key(w, "command");
	if (o->command) {
		jsonw_open_list(w);
		for (char **word = o->command; *word; word++)
			jsonw_string(w, *word);
		jsonw_close_list(w);
	} else {
		jsonw_null(w);
	}
	jsonw_key(w, "follow");
	jsonw_bool(w, o->follow);
	jsonw_key(w, "later");
	jsonw_bool(w, o->selects);
	jsonw_key_known(w, "duration_ns", o->duration_ns);
	jsonw_key_known(w, "max_overhead_percent", limit);
	jsonw_key_string(w, "output", o->output);
	jsonw_key(w, "may_trace");
	jsonw_bool(w, may_trace());
	json_prices(w, events);
	jsonw_close(w);
	return jsonw_line(w, stdout, err);
}

static int put_json(const struct opts *o, const struct eventset *events,
		    uint32_t limit, const struct session *s, struct err *err)
{
	const struct plan *plan = session_plan(s);
	struct session_process p;
	struct jsonw w;
	int rc = jsonw_init(&w, err);

	if (rc)
		return rc;
	rc = json_plan(&w, o, events, limit, err);
	for (size_t i = 0; !rc && !o->command && session_process(s, i, &p); i++)
		rc = json_process(&w, &p, err);
	for (size_t i = 0; !rc && i < plan->nr; i++)
		rc = json_attach(&w, &plan->v[i], err);
	jsonw_fini(&w);
	return rc;
}

int dryrun_put(const struct opts *o, const struct eventset *events,
	       uint32_t limit, const struct session *s, struct err *err)
{
	return o->json ? put_json(o, events, limit, s, err) :
			 put_text(o, events, limit, s);
}
