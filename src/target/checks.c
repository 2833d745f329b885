/* SPDX-License-Identifier: MIT */
/* checks: the list of what was tried. */
#include "target/checks.h"

#include <inttypes.h>
#include <stdarg.h>
#include <sys/utsname.h>
#include <unistd.h>

struct check *checks_add(struct checks *c, const char *id, const char *what)
{
	struct check *row = &c->v[c->nr < CHECKS_MAX ? c->nr++ : c->nr - 1];

	memset(row, 0, sizeof(*row));
	row->id = id;
	row->what = what;
	return row;
}

const struct check *checks_find(const struct checks *c, const char *id)
{
	for (size_t i = 0; i < c->nr; i++)
		if (!strcmp(c->v[i].id, id))
			return &c->v[i];
	return NULL;
}

void check_say(struct check *row, enum check_state state, const char *fmt, ...)
{
	va_list ap;

	row->state = state;
	va_start(ap, fmt);
	vsnprintf(row->why.text, sizeof(row->why.text), fmt, ap);
	va_end(ap);
}

void check_refused(struct check *row, enum check_state state,
		   const struct rights *r, enum rights_need need, int rc)
{
	row->state = state;
	row->why.hint[0] = '\0';
	(void)!rights_explain(r, need, rc, &row->why);
}

const struct check *checks_obstacle(const struct checks *c)
{
	for (size_t i = 0; i < c->nr; i++)
		if (c->v[i].needed && c->v[i].state == CHECK_NO)
			return &c->v[i];
	return NULL;
}

static void check_machine(struct checks *c)
{
	struct check *row = checks_add(c, "machine", "machine");
	struct utsname u;

	memset(&u, 0, sizeof(u));
	uname(&u);
	row->needed = true;
	check_say(row, CHECK_OK, "%s, %ld CPUs, Linux %s", u.machine,
		  sysconf(_SC_NPROCESSORS_ONLN), u.release);
	if (strcmp(u.machine, "x86_64")) {
		check_say(row, CHECK_NO, "%s: processes can be traced on x86-64 "
			  "only", u.machine);
		row->why.kind = ERR_UNSUPPORTED;
		err_hint(&row->why, "recordings made elsewhere can be read: "
			 "pytrace trace -i FILE");
	}
}

static void check_lockdown(struct checks *c)
{
	struct check *row = checks_add(c, "lockdown", "kernel lockdown");

	switch (c->rights.lockdown) {
	case RIGHTS_LOCKDOWN_UNKNOWN:
		check_say(row, CHECK_OK, "this kernel shows none");
		break;
	case RIGHTS_LOCKDOWN_NONE:
		check_say(row, CHECK_OK, "none");
		break;
	case RIGHTS_LOCKDOWN_INTEGRITY:
		check_say(row, CHECK_OK, "integrity: does not hinder");
		break;
	case RIGHTS_LOCKDOWN_CONFIDENTIALITY:
		check_say(row, CHECK_NO, "confidentiality: BPF programs may not "
			  "read the kernel's memory");
		row->why.kind = ERR_NOT_PERMITTED;
		err_hint(&row->why, "boot with lockdown=integrity or none");
		break;
	}
}

static void check_memlock(struct checks *c)
{
	struct check *row = checks_add(c, "memlock", "locked memory");

	if (c->rights.memlock == UINT64_MAX)
		check_say(row, CHECK_OK, "no limit");
	else
		check_say(row, CHECK_OK, "limit %" PRIu64 " KiB (BPF maps count "
			  "before Linux 5.11 only)",
			  c->rights.memlock / 1024);
}

void checks_rights(struct checks *c)
{
	rights_read(&c->rights);
	check_machine(c);
	check_lockdown(c);
	check_memlock(c);
}
