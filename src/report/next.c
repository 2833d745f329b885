/* SPDX-License-Identifier: MIT */
/* next: one command that leads on, of the views that there are. */
#include "report/screen_priv.h"

struct advice {
	const char *view, *options;
};

static struct advice advice_for(const struct screen *s)
{
	enum spent cause = (enum spent)s->first.cause;

	/* calls stand for the time off the CPU: they say more of it */
	if (s->m->off == NOT_KNOWN || (!s->nr_rows && s->storm_calls))
		return (struct advice){ "syscalls", NULL };
	if (!s->nr_rows && s->storm_faults)
		return (struct advice){ "faults", NULL };
	if (!s->nr_rows)
		return (struct advice){ NULL, NULL };
	switch (cause) {
	case SPENT_CPU_USER:
	case SPENT_CPU_KERNEL:
	case SPENT_RUNQ:
	case SPENT_PREEMPTED:
		return (struct advice){ "cpu", "-e cpu" };
	case SPENT_FAULT:
	case SPENT_MEMORY:
		return (struct advice){ "faults", "-e faults" };
	case SPENT_LOCK:
	case SPENT_GIL:
	case SPENT_SOCKET:
	case SPENT_POLL:
	case SPENT_PIPE:
	case SPENT_FILE:
	case SPENT_SLEEP:
	case SPENT_PROCESS:
	case SPENT_SIGNAL:
	case SPENT_STOPPED:
	case SPENT_OTHER:
		return (struct advice){ "offcpu", "-e offcpu" };
	case SPENT_UNKNOWN:
	case SPENT_NR:
		break;
	}
	return (struct advice){ NULL, NULL };
}

/* A word for a shell, if it needs no more than quotes. */
static bool is_plain(const struct text *t)
{
	for (size_t i = 0; i < t->len; i++)
		if ((unsigned char)t->s[i] < ' ' || t->s[i] == '\'' ||
		    t->s[i] == '\\')
			return false;
	return t->len > 0;
}

/* The pattern that names the first row's function. */
static void put_pattern(struct text *t, const struct screen *s)
{
	struct text line = s->first_line;
	char *colon = strrchr(line.s, ':');

	if (!s->nr_rows || !s->first_line.len || !colon || !is_plain(&line) ||
	    !is_plain(&s->first_func) || s->first_line.s[0] == '?' ||
	    s->first_func.s[0] == '?')
		return;
	*colon = '\0';
	text_add(t, " -F '%s:%s'", line.s, s->first_func.s);
}

void next_put(struct screen *s)
{
	struct advice advice = advice_for(s);
	struct text t = { 0 };

	if (!advice.view || !s->o.target)
		return;
	if (s->o.has_view && s->o.has_view(advice.view)) {
		text_add(&t, "next: pytrace %s %s", advice.view, s->o.target);
		if (s->nr_rows)
			text_add(&t, " --by stack");
	} else {
		text_add(&t, "next: pytrace trace %s", s->o.target);
		if (advice.options)
			text_add(&t, " %s", advice.options);
		put_pattern(&t, s);
	}
	text_put(s->out, &t, 0);
	putc('\n', s->out);
}
