/* SPDX-License-Identifier: MIT */
/* journal: who traced what, from when to when, in the system's log. */
#include "cmd/journal.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <syslog.h>
#include <unistd.h>

#include "base/printable.h"
#include "cmd/cmd.h"
#include "cmd/targets.h"

#define NOBODY UINT32_MAX	/* loginuid of what no login has started */

static bool is_wanted(const struct opts *o)
{
	return !o->no_journal && !o->dry_run && !geteuid();
}

static uint32_t login_uid(void)
{
	FILE *f = fopen("/proc/self/loginuid", "re");
	uint32_t uid = NOBODY;

	if (f && fscanf(f, "%" SCNu32, &uid) != 1)
		uid = NOBODY;
	if (f)
		fclose(f);
	return uid;
}

static void put_uid(FILE *out, uint32_t uid)
{
	const struct passwd *pw = getpwuid(uid);

	if (pw)
		printable_put(out, pw->pw_name, strlen(pw->pw_name));
	else
		fprintf(out, "uid %" PRIu32, uid);
}

/* Who logged in, which no sudo and su changes; what sudo says; else root. */
static void put_who(FILE *out)
{
	const char *sudo = getenv("SUDO_USER");
	uint32_t login = login_uid();

	if (sudo && *sudo)
		printable_put(out, sudo, strlen(sudo));
	else
		put_uid(out, login != NOBODY ? login : getuid());
	if (login != NOBODY)
		fprintf(out, " (login uid %" PRIu32 ")", login);
}

/* Of a command the program alone: what stands behind it may be a secret. */
static void put_what(FILE *out, const struct opts *o, const char *exe)
{
	const char *again, *name = o->command ? o->command[0] : exe;
	char target[512];

	fprintf(out, "%s", cmd_view());
	again = targets_again(o, target, sizeof(target));
	if (again) {
		putc(' ', out);
		printable_put(out, again, strlen(again));
	}
	if (name && o->command)
		fputs(" -- ", out);
	else if (name)
		fputs(" (", out);
	if (name)
		printable_put(out, name, strlen(name));
	if (name && !o->command)
		putc(')', out);
	fputs(", by ", out);
	put_who(out);
}

static void send(char *text)
{
	openlog("pytrace", LOG_PID, LOG_AUTHPRIV);
	if (text)
		syslog(LOG_NOTICE, "%s", text);
	free(text);
}

void journal_start(const struct opts *o, const char *exe)
{
	char *text = NULL;
	size_t size;
	FILE *out = is_wanted(o) ? open_memstream(&text, &size) : NULL;

	if (!out)
		return;
	fputs("start: ", out);
	put_what(out, o, exe);
	fclose(out);
	send(text);
}

void journal_end(const struct opts *o, const char *exe, uint64_t took_ns,
		 uint64_t events, int code)
{
	char *text = NULL;
	size_t size;
	FILE *out = is_wanted(o) ? open_memstream(&text, &size) : NULL;

	if (!out)
		return;
	fputs("end: ", out);
	put_what(out, o, exe);
	fprintf(out, ", after %.1f s, %" PRIu64 " events, exit %d",
		(double)took_ns / 1e9, events, code);
	fclose(out);
	send(text);
}
