/* SPDX-License-Identifier: MIT */
/* words: places, threads, waits and numbers of a model, as people read them. */
#include "report/words.h"

#include <ctype.h>
#include <inttypes.h>

#include "base/num.h"
#include "report/sysargs.h"

/* ---- numbers -------------------------------------------------------------- */

void words_count(struct text *t, uint64_t n)
{
	char text[32];

	text_add(t, "%s", num_grouped_text(n, text, sizeof(text)));
}

void words_amount(struct text *t, uint64_t n)
{
	static const struct {
		uint64_t from;
		const char *name;
	} units[] = {
		{ UINT64_C(1000000000000), "T" }, { 1000000000, "G" },
		{ 1000000, "M" },
	};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (n < units[i].from)
			continue;
		text_add(t, "%" PRIu64 ".%02" PRIu64 " %s", n / units[i].from,
			 n % units[i].from / (units[i].from / 100),
			 units[i].name);
		return;
	}
	words_count(t, n);
}

struct unit words_unit(uint64_t largest_ns)
{
	if (largest_ns < UINT64_C(1000000000))
		return (struct unit){ "ms", 1000000 };
	return (struct unit){ "s", 1000000000 };
}

void words_time(struct text *t, struct unit unit, uint64_t ns)
{
	uint64_t hundredths = unit.ns / 100;
	uint64_t n = ns / hundredths + (ns % hundredths >= hundredths / 2);

	text_add(t, "%" PRIu64 ".%02" PRIu64, n / 100, n % 100);
}

__extension__ typedef unsigned __int128 wide;

void words_share(struct text *t, uint64_t part, uint64_t whole)
{
	uint64_t tenths = whole ? (uint64_t)((wide)part * 1000 / whole) : 0;

	text_add(t, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
}

/* Three digits of what is left of a value after a division. */
static void put_digits(struct text *t, uint64_t value, uint64_t unit,
		       const char *name)
{
	if (value / unit < 10)
		text_add(t, "%" PRIu64 ".%02" PRIu64 "%s", value / unit,
			 (uint64_t)((wide)(value % unit) * 100 / unit), name);
	else if (value / unit < 100)
		text_add(t, "%" PRIu64 ".%" PRIu64 "%s", value / unit,
			 (uint64_t)((wide)(value % unit) * 10 / unit), name);
	else
		text_add(t, "%" PRIu64 "%s", value / unit, name);
}

static uint64_t three_digits(uint64_t n)
{
	uint64_t unit = 1;

	while (n / unit >= 1000)
		unit *= 10;
	return (n / unit + (n % unit >= unit - unit / 2)) * unit;
}

void words_duration(struct text *t, uint64_t ns)
{
	ns = ns < UINT64_MAX / 2 ? three_digits(ns) : ns;
	if (ns < 1000)
		text_add(t, "%" PRIu64 "ns", ns);
	else if (ns < 1000000)
		put_digits(t, ns, 1000, "us");
	else if (ns < 1000000000)
		put_digits(t, ns, 1000000, "ms");
	else
		put_digits(t, ns, 1000000000, "s");
}

void words_size(struct text *t, uint64_t bytes)
{
	static const char *const names[] = { "K", "M", "G", "T", "P", "E" };
	size_t i = 0;

	if (bytes < 10000) {
		words_count(t, bytes);
		return;
	}
	while (i + 1 < ARRAY_LEN(names) && bytes >> (10 * (i + 2)))
		i++;
	text_add(t, "%" PRIu64 ".%" PRIu64 "%s", bytes >> (10 * (i + 1)),
		 (uint64_t)((wide)(bytes & ((UINT64_C(1) << (10 * (i + 1))) - 1)) *
			    10 >> (10 * (i + 1))), names[i]);
}

const char *words_age(uint32_t age)
{
	static const char *const words[] = {
		[AGE_UNKNOWN] = "not known", [AGE_1S] = "0-1 s",
		[AGE_5S] = "1-5 s", [AGE_30S] = "5-30 s",
		[AGE_300S] = "30-300 s", [AGE_OLDER] = "older",
	};

	return age < ARRAY_LEN(words) ? words[age] : "not known";
}

/* ---- places --------------------------------------------------------------- */

static const char *file_of(const struct words *w, uint32_t place, size_t *len)
{
	const struct place *p = model_place(w->a, place);

	return p ? model_string(w->a, p->file, len) : NULL;
}

static bool is_app(const struct words *w, uint32_t place)
{
	const struct place *p = model_place(w->a, place);

	return p && p->app;
}

void words_prefix_add(struct words *w, uint32_t place)
{
	size_t len, same = 0;
	const char *file = file_of(w, place, &len);

	if (!file || !is_app(w, place) || file[0] != '/')
		return;
	if (!w->common) {
		w->common = file;
		w->common_len = len;
	}
	while (same < w->common_len && same < len &&
	       file[same] == w->common[same])
		same++;
	w->common_len = same;
}

void words_prefix_end(struct words *w)
{
	size_t len = w->common ? w->common_len : 0;

	while (len && w->common[len - 1] != '/')
		len--;
	if (len < 2 || len >= sizeof(w->prefix))
		len = 0;
	if (len)
		memcpy(w->prefix, w->common, len);
	w->prefix[len] = '\0';
	w->common = NULL;
}

/* Behind the last ".../lib/python3.11/" and ".../site-packages/". */
const char *words_library_part(const char *file)
{
	static const char *const folders[] = { "/site-packages/",
					       "/dist-packages/" };
	const char *p = file, *found = file;

	while ((p = strstr(p, "/python3"))) {
		p += strlen("/python3");
		while (*p == '.' || isdigit((unsigned char)*p) || *p == 't')
			p++;
		if (*p == '/' || !strncmp(p, ".zip/", 5))
			found = strchr(p, '/') + 1;
	}
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		p = strstr(found, folders[i]);
		if (p)
			found = p + strlen(folders[i]);
		else if (!strncmp(found, folders[i] + 1,
				  strlen(folders[i]) - 1))
			found += strlen(folders[i]) - 1;
	}
	return found;
}

#define FROZEN "<frozen "

static void short_file(struct text *t, const struct words *w, uint32_t place)
{
	size_t len, cut;
	const char *file = file_of(w, place, &len), *from;

	if (!file) {
		text_add(t, "?");
		return;
	}
	from = file;
	if (!strncmp(file, FROZEN, strlen(FROZEN)) && file[len - 1] == '>') {
		text_name(t, file + strlen(FROZEN), len - strlen(FROZEN) - 1);
		return;
	}
	if (is_app(w, place) && !strncmp(file, w->prefix, strlen(w->prefix)))
		from = file + strlen(w->prefix);
	else if (!is_app(w, place))
		from = words_library_part(file);
	cut = (size_t)(from - file);
	text_name(t, from, len - cut);
}

void words_line(struct text *t, const struct words *w, uint32_t place)
{
	const struct place *p = model_place(w->a, place);

	if (!p) {
		text_add(t, "?");
		return;
	}
	short_file(t, w, place);
	if (p->line >= 0)
		text_add(t, ":%d", p->line);
	else if (p->def >= 0)
		text_add(t, ":%d", p->def);
	else
		text_add(t, ":?");
}

void words_func(struct text *t, const struct words *w, uint32_t place)
{
	const struct place *p = model_place(w->a, place);
	size_t len = 0;
	const char *func = p ? model_string(w->a, p->func, &len) : NULL;

	if (func)
		text_name(t, func, len);
	else
		text_add(t, "?");
}

/* To 3.13 no thread has a name of its own, unless the program gave it one. */
static bool is_of_its_process(const struct words *w,
			      const struct thread_info *info)
{
	const struct model *m = analysis_model(w->a);

	for (uint32_t i = 0; i < m->nr_processes; i++)
		if (m->processes[i].proc == info->proc)
			return !strcmp(m->processes[i].comm, info->comm);
	return false;
}

void words_thread(struct text *t, const struct words *w, uint32_t thread)
{
	const struct thread_info *info = &analysis_model(w->a)->threads[thread];

	if (info->comm[0] && !is_of_its_process(w, info))
		text_name(t, info->comm, strlen(info->comm));
	else
		text_add(t, "%" PRIu32, info->tid);
}

/* ---- what is waited for --------------------------------------------------- */

void words_object(struct text *t, const struct words *w, uint32_t object)
{
	struct object o;
	char peer[160];

	if (!model_object(w->a, object, &o))
		return;
	switch (o.kind) {
	case OBJECT_SOCKET:
		sysargs_socket_text(peer, sizeof(peer), o.socket);
		if (w->no_paths)
			peer[strcspn(peer, " ")] = '\0';
		text_name(t, peer, strlen(peer));
		break;
	case OBJECT_FILE:
		if (!w->no_paths)
			text_name(t, o.path, o.path_len);
		break;
	case OBJECT_FD:
		text_add(t, "fd %" PRIu32, o.nr);
		break;
	case OBJECT_ERRNO:
		text_add(t, "%s", sysargs_errno(-(int64_t)o.nr) ?
			 sysargs_errno(-(int64_t)o.nr) : "?");
		break;
	}
}

static void put_call(struct text *t, const struct words *w,
		     const struct rows *rows, const struct row *row)
{
	const struct detail *call = rows_detail(rows, row, DETAIL_CALL);
	const struct detail *object = rows_detail(rows, row, DETAIL_OBJECT);
	const char *name = spent_call_name((uint16_t)call->value);

	text_add(t, "%s", name ? name : "a system call");
	if (object->value) {
		text_add(t, "  ");
		words_object(t, w, object->value);
	}
	if (object->value && object->others)
		text_add(t, " and %" PRIu32 " more", object->others);
}

/* The library's line beneath that of the application. */
static void put_inner(struct text *t, const struct words *w,
		      const struct rows *rows, const struct row *row,
		      size_t columns)
{
	const struct detail *inner = rows_detail(rows, row, DETAIL_INNER);
	struct text more = { 0 };

	if (!inner->value || inner->value == row->key)
		return;
	text_add(&more, "  in ");
	words_line(&more, w, inner->value);
	if (columns_of(t->s, t->len) + columns_of(more.s, more.len) > columns)
		return;
	text_add(t, "%s", more.s);
	more = (struct text){ 0 };
	text_add(&more, " ");
	words_func(&more, w, inner->value);
	if (columns_of(t->s, t->len) + columns_of(more.s, more.len) <= columns)
		text_add(t, "%s", more.s);
}

static void put_cpu(struct text *t, const struct row *row)
{
	text_add(t, "on CPU");
	if (row->estimate_ns)
		text_add(t, " (samples)");
	else if (!row->key)
		text_add(t, ", where no sample was taken");
	if (row->kernel_ns > row->is.ns / 10) {
		text_add(t, ", ");
		words_share(t, row->kernel_ns, row->is.ns);
		text_add(t, " %% in the kernel");
	}
}

void words_waits_for(struct text *t, const struct words *w,
		     const struct rows *rows, const struct row *row,
		     size_t columns)
{
	switch ((enum spent)row->cause) {
	case SPENT_CPU_USER:
	case SPENT_CPU_KERNEL:
		put_cpu(t, row);
		break;
	case SPENT_RUNQ:
	case SPENT_PREEMPTED:
		text_add(t, "the run queue");
		break;
	case SPENT_LOCK:
		text_add(t, "a lock (%s)",
			 spent_call_name((uint16_t)rows_detail(rows, row,
						DETAIL_CALL)->value));
		break;
	case SPENT_GIL:
		text_add(t, "the GIL");
		break;
	case SPENT_FAULT:
		text_add(t, "page faults");
		break;
	case SPENT_STOPPED:
		text_add(t, "stopped");
		break;
	case SPENT_UNKNOWN:
		text_add(t, "?");
		break;
	case SPENT_SOCKET:
	case SPENT_POLL:
	case SPENT_PIPE:
	case SPENT_FILE:
	case SPENT_SLEEP:
	case SPENT_PROCESS:
	case SPENT_SIGNAL:
	case SPENT_MEMORY:
	case SPENT_OTHER:
	case SPENT_NR:
		put_call(t, w, rows, row);
		break;
	}
	put_inner(t, w, rows, row, columns);
}

void words_doing(struct text *t, const struct words *w, uint32_t doing)
{
	const struct doing *d = model_doing(w->a, doing);
	const char *call = d ? spent_call_name(d->call) : NULL;

	if (!d)
		return;
	if (call)
		text_add(t, "in %s", call);
	else
		text_add(t, "%s", d->cause == SPENT_CPU_USER ? "on CPU" :
			 d->cause == SPENT_RUNQ ? "in the run queue" :
			 spent_words((enum spent)d->cause));
	if (d->object) {
		text_add(t, "  ");
		words_object(t, w, d->object);
	}
	if (!model_place(w->a, d->place))
		return;
	text_add(t, "  ");
	words_line(t, w, d->place);
	text_add(t, " ");
	words_func(t, w, d->place);
}
