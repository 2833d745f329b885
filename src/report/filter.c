/* SPDX-License-Identifier: MIT */
/* filter: which events are shown, and how many each condition left out. */
#include "report/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "event/record.h"
#include "report/sysargs.h"
#include "stack/pattern.h"

struct func {
	char *text;		/* what the pattern points into */
	struct pattern is;
	bool not;
};

struct filter {
	struct eventset events;
	struct func *func;
	size_t nr_func;
	bool has_positive, innermost, errors;
	uint32_t *tid;
	size_t nr_tid;
	char **thread;
	size_t nr_thread;
	uint64_t slower;
	uint64_t seen, left_out[FILTER_NR];
};

int filter_new(struct filter **out, struct err *err)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return err_set(err, -ENOMEM, "out of memory");
	eventset_init(&(*out)->events, EVENTS_ALL);
	return 0;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr_func; i++)
		free(f->func[i].text);
	for (size_t i = 0; i < f->nr_thread; i++)
		free(f->thread[i]);
	free(f->func);
	free(f->tid);
	free(f->thread);
	free(f);
}

struct eventset *filter_events(struct filter *f)
{
	return &f->events;
}

void filter_innermost(struct filter *f)
{
	f->innermost = true;
}

void filter_errors(struct filter *f)
{
	f->errors = true;
}

void filter_slower(struct filter *f, uint64_t ns)
{
	f->slower = ns;
}

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

int filter_add_tid(struct filter *f, uint32_t tid, struct err *err)
{
	uint32_t *more = reallocarray(f->tid, f->nr_tid + 1, sizeof(*more));

	if (!more)
		return no_memory(err);
	f->tid = more;
	f->tid[f->nr_tid++] = tid;
	return 0;
}

int filter_add_thread(struct filter *f, const char *glob, struct err *err)
{
	char **more = reallocarray(f->thread, f->nr_thread + 1, sizeof(*more));
	char *copy = strdup(glob);

	if (more)
		f->thread = more;
	if (!more || !copy) {
		free(copy);
		return no_memory(err);
	}
	f->thread[f->nr_thread++] = copy;
	return 0;
}

/* ---- functions ------------------------------------------------------------ */

static bool is_number(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s);
}

int filter_add_func(struct filter *f, const char *pattern, struct err *err)
{
	struct func p = { 0 }, *more;

	if (is_number(pattern)) {
		err_kind(err, ERR_USAGE, -EINVAL,
			 "-F takes a function; '%s' is a number", pattern);
		err_hint(err, "a sampling rate is -e cpu:%s", pattern);
		return -EINVAL;
	}
	if (!pattern[0] || !strcmp(pattern, "!") || !strcmp(pattern, ":") ||
	    !strcmp(pattern, "!:"))
		return err_kind(err, ERR_USAGE, -EINVAL,
				"-F takes a function, '%s' is none", pattern);
	p.text = strdup(pattern);
	more = reallocarray(f->func, f->nr_func + 1, sizeof(*more));
	if (more)
		f->func = more;
	if (!more || !p.text) {
		free(p.text);
		return no_memory(err);
	}
	p.not = *p.text == '!';
	pattern_split(&p.is, p.text + p.not);
	f->has_positive |= !p.not;
	f->func[f->nr_func++] = p;
	return 0;
}

static bool stack_matches(const struct func *p, const struct pystack *st,
			  bool innermost)
{
	uint32_t nr = innermost && st->nr ? 1 : st->nr;

	for (uint32_t i = 0; i < nr; i++)
		if (pattern_matches(&p->is, &st->frames[i]))
			return true;
	return false;
}

static bool functions_pass(const struct filter *f, const struct pystack *st,
			   bool innermost)
{
	bool wanted = !f->has_positive;

	for (size_t i = 0; i < f->nr_func; i++) {
		const struct func *p = &f->func[i];

		if ((wanted && !p->not) || !stack_matches(p, st, innermost))
			continue;
		if (p->not)
			return false;
		wanted = true;
	}
	return wanted;
}

bool filter_passes_stack(const struct filter *f, const struct pystack *st)
{
	return functions_pass(f, st, f->innermost);
}

/* ---- all conditions ------------------------------------------------------- */

static bool tid_passes(const struct filter *f, const struct moment *m)
{
	for (size_t i = 0; i < f->nr_tid; i++)
		if (f->tid[i] == m->rec->tid)
			return true;
	return !f->nr_tid;
}

static bool thread_passes(const struct filter *f, const struct moment *m)
{
	for (size_t i = 0; m->thread && i < f->nr_thread; i++)
		if (!fnmatch(f->thread[i], m->thread->comm, 0))
			return true;
	return !f->nr_thread;
}

static bool has_failed(const struct pt_hdr *rec)
{
	return rec->type == PT_SYSCALL && sysargs_failed((const void *)rec);
}

/* A sample is of one moment: its `dur` is what it stands for. */
static bool took_time(const struct pt_event *ev)
{
	return ev->h.type != PT_SAMPLE;
}

/* Was it asked for by name? */
static bool has_name(const struct pt_hdr *rec)
{
	const struct pt_sample *sample = (const void *)rec;

	return rec->type == PT_TRACEPOINT ||
	       (rec->type == PT_SAMPLE && sample->event);
}

static bool passes(const struct filter *f, const struct moment *m,
		   enum filter_nr nr)
{
	const struct pt_event *ev = record_event(m->rec);

	switch (nr) {
	case FILTER_EVENT:
		return eventset_has(&f->events, m->rec) &&
		       (!has_name(m->rec) ||
			eventset_has_named(&f->events, m->named ?
					   m->named->name : NULL));
	case FILTER_TID:
		return tid_passes(f, m);
	case FILTER_THREAD:
		return thread_passes(f, m);
	case FILTER_ERRORS:
		return !f->errors || has_failed(m->rec);
	case FILTER_SLOWER:
		return !f->slower || (took_time(ev) && ev->dur >= f->slower);
	case FILTER_FUNC:
		/* a line is of one function, whoever called it */
		return functions_pass(f, &m->stack, f->innermost ||
				      (m->named && m->rec->type ==
				       PT_TRACEPOINT && m->named->kind ==
				       PT_NAMED_LINE));
	case FILTER_NR:
		break;
	}
	return true;
}

bool filter_passes(struct filter *f, const struct moment *m)
{
	if (!record_event(m->rec))
		return true;
	f->seen++;
	for (unsigned int nr = 0; nr < FILTER_NR; nr++) {
		if (!passes(f, m, (enum filter_nr)nr)) {
			f->left_out[nr]++;
			return false;
		}
	}
	return true;
}

/* What begins has no duration yet. */
static bool step_is_slow(const struct filter *f, const struct step *step)
{
	return !f->slower || (step->kind == STEP_END &&
			      step->t - step->begin_t >= f->slower);
}

static bool step_passes(const struct filter *f, const struct moment_step *ms,
			enum filter_nr nr)
{
	const struct pt_hdr rec = { .tid = ms->step->tid };
	const struct moment m = { .rec = &rec, .thread = ms->thread };
	const struct pystack func = {
		.known = true, .frames = &ms->func, .nr = 1,
	};

	switch (nr) {
	case FILTER_EVENT:
		return f->events.types & EVENTS_OF(PT_CALL);
	case FILTER_TID:
		return tid_passes(f, &m);
	case FILTER_THREAD:
		return thread_passes(f, &m);
	case FILTER_ERRORS:
		return !f->errors;
	case FILTER_SLOWER:
		return step_is_slow(f, ms->step);
	case FILTER_FUNC:
		return filter_passes_stack(f, &func);
	case FILTER_NR:
		break;
	}
	return true;
}

bool filter_passes_thread(const struct filter *f, const struct moment_step *ms)
{
	return step_passes(f, ms, FILTER_TID) && step_passes(f, ms, FILTER_THREAD);
}

bool filter_passes_step(struct filter *f, const struct moment_step *ms)
{
	bool counts = ms->step->kind == STEP_END;

	f->seen += counts;
	for (unsigned int nr = 0; nr < FILTER_NR; nr++) {
		if (!step_passes(f, ms, (enum filter_nr)nr)) {
			f->left_out[nr] += counts;
			return false;
		}
	}
	return true;
}

uint64_t filter_seen(const struct filter *f)
{
	return f->seen;
}

uint64_t filter_left_out(const struct filter *f, enum filter_nr nr)
{
	return nr < FILTER_NR ? f->left_out[nr] : 0;
}

const char *filter_option(enum filter_nr nr)
{
	static const char *const options[] = {
#define X(NAME, option) option,
		FILTERS(X)
#undef X
	};

	return nr < FILTER_NR ? options[nr] : "";
}
