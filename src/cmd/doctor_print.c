/* SPDX-License-Identifier: MIT */
/*
 * doctor_print: what · state · reason, a row each, and what to do.
 *
 *	pytrace 0.1   kernel 6.8.0   user 65532   capabilities: bpf perfmon
 *	 system calls         ok      BTF tracepoints
 *	 uprobes, perf_event  no      user 65532 has no CAP_SYS_ADMIN
 *	                              run as root (sudo), or once: setcap ...
 */
#include <sys/utsname.h>

#include "base/printable.h"
#include "cmd/doctor.h"
#include "cmd/jsonline.h"
#include "config.h"

#define REASON_AT 34		/* column of the reasons */

static const char *state_word(enum check_state state)
{
	switch (state) {
	case CHECK_OK:
		return "ok";
	case CHECK_PARTLY:
		return "partly";
	case CHECK_NOTE:
		return "note";
	case CHECK_NO:
		break;
	}
	return "no";
}

int doctor_code(const struct checks *c)
{
	const struct check *bad = checks_obstacle(c);

	if (!bad)
		return 0;
	return bad->why.kind ? (int)bad->why.kind : ERR_FAILED;
}

const char *doctor_next(const struct checks *c, bool *may, char *buf, size_t size)
{
	const struct check *bad = checks_obstacle(c);
	const struct check *family = checks_find(c, "children");
	const char *f = family && family->state == CHECK_NOTE ? " -f" : "";

	*may = !bad;
	if (!bad && c->pid)
		snprintf(buf, size, "pytrace -p %d%s -d 10", c->pid, f);
	else if (!bad)
		snprintf(buf, size, "pytrace ps");
	else if (bad->why.kind == ERR_NOT_PERMITTED && c->rights.uid &&
		 !c->rights.no_new_privs && c->rights.first_userns && c->pid)
		snprintf(buf, size, "sudo pytrace doctor -p %d", c->pid);
	else if (bad->why.kind == ERR_NOT_PERMITTED && c->rights.uid &&
		 !c->rights.no_new_privs && c->rights.first_userns)
		snprintf(buf, size, "sudo pytrace doctor");
	else if (bad->why.kind == ERR_NO_TARGET ||
		 bad->why.kind == ERR_NOT_PYTHON)
		snprintf(buf, size, "pytrace ps");
	else
		*buf = '\0';
	return buf;
}

/* ---- the page --------------------------------------------------------- */

/* How much of `s` goes on one line of `width`: up to a blank. */
static size_t fits(const char *s, size_t len, size_t width)
{
	size_t at;

	if (len <= width)
		return len;
	for (at = width; at && s[at] != ' '; at--)
		;
	return at ? at : width;
}

/* A text of lines, each broken at blanks and put under the first. */
static void put_reason(FILE *out, const char *s, size_t width)
{
	bool first = true;

	while (*s) {
		size_t len = strcspn(s, "\n"), n = fits(s, len, width);

		if (!first)
			fprintf(out, "%*s", REASON_AT, "");
		printable_put(out, s, n);
		putc('\n', out);
		first = false;
		s += n;
		s += *s == ' ' || *s == '\n';
	}
	if (first)
		putc('\n', out);
}

static void put_row(FILE *out, const struct check *row, size_t width)
{
	fprintf(out, " %-25s%-8s", row->what, state_word(row->state));
	put_reason(out, row->why.text, width);
	if (!*row->why.hint)
		return;
	fprintf(out, "%*s", REASON_AT, "");
	put_reason(out, row->why.hint, width);
}

static void put_head(FILE *out, const struct checks *c)
{
	const struct rights *r = &c->rights;
	struct utsname u;
	char caps[160];

	memset(&u, 0, sizeof(u));
	uname(&u);
	fprintf(out, "pytrace %s   kernel %s   user %u   capabilities: %s%s%s%s\n",
		PACKAGE_VERSION, u.release, (unsigned int)r->uid,
		rights_caps(r->effective, caps, sizeof(caps)),
		r->first_userns ? "" : "   user namespace",
		r->no_new_privs ? "   no_new_privs" : "",
		r->seccomp ? "   seccomp" : "");
}

void doctor_print(FILE *out, const struct checks *c, size_t width)
{
	size_t room = width > REASON_AT + 20 ? width - REASON_AT : 66;
	const struct check *bad = checks_obstacle(c);
	char next[128];
	bool may;

	put_head(out, c);
	for (size_t i = 0; i < c->nr; i++)
		put_row(out, &c->v[i], room);
	doctor_next(c, &may, next, sizeof(next));
	if (bad)
		fprintf(out, "nothing can be traced: %s%s%s\n", bad->what,
			*next ? "; next:   " : "", next);
	else
		fprintf(out, "%s can be traced:   %s\n",
			c->pid ? "it" : "processes", next);
}

/* ---- JSON ------------------------------------------------------------- */

static int put_rights(FILE *out, const struct rights *r, struct err *err)
{
	struct jsonline j;
	char caps[160];

	jsonline_begin(&j, "rights");
	jsonline_int(&j, "uid", r->uid);
	jsonline_str(&j, "effective",
		     rights_caps(r->effective, caps, sizeof(caps)));
	jsonline_str(&j, "permitted",
		     rights_caps(r->permitted, caps, sizeof(caps)));
	jsonline_str(&j, "bounding",
		     rights_caps(r->bounding, caps, sizeof(caps)));
	jsonline_bool(&j, "no_new_privs", r->no_new_privs);
	jsonline_int(&j, "seccomp", r->seccomp);
	jsonline_bool(&j, "first_user_namespace", r->first_userns);
	jsonline_str(&j, "uid_map", r->uid_map);
	if (r->perf_paranoid == INT_MIN)
		jsonline_null(&j, "perf_event_paranoid");
	else
		jsonline_int(&j, "perf_event_paranoid", r->perf_paranoid);
	if (r->bpf_disabled == INT_MIN)
		jsonline_null(&j, "unprivileged_bpf_disabled");
	else
		jsonline_int(&j, "unprivileged_bpf_disabled", r->bpf_disabled);
	return jsonline_end(&j, out, err);
}

static int put_check(FILE *out, const struct checks *c, const struct check *row,
		     struct err *err)
{
	struct jsonline j;

	jsonline_begin(&j, "check");
	jsonline_str(&j, "id", row->id);
	jsonline_str(&j, "what", row->what);
	if (row->of_target)
		jsonline_int(&j, "pid", c->pid);
	else
		jsonline_null(&j, "pid");
	jsonline_str(&j, "state", state_word(row->state));
	jsonline_bool(&j, "needed", row->needed);
	jsonline_str(&j, "reason", row->why.text);
	jsonline_str(&j, "cure", row->why.hint);
	jsonline_str(&j, "kind", row->state == CHECK_NO ?
		     err_kind_name(row->why.kind) : NULL);
	return jsonline_end(&j, out, err);
}

int doctor_print_json(FILE *out, const struct checks *c, struct err *err)
{
	int rc = put_rights(out, &c->rights, err);
	struct jsonline j;
	char next[128];
	bool may;

	for (size_t i = 0; !rc && i < c->nr; i++)
		rc = put_check(out, c, &c->v[i], err);
	if (rc)
		return rc;
	doctor_next(c, &may, next, sizeof(next));
	jsonline_begin(&j, "end");
	jsonline_bool(&j, "may_trace", may);
	jsonline_str(&j, "next", next);
	jsonline_int(&j, "exit", doctor_code(c));
	return jsonline_end(&j, out, err);
}
