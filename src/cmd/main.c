/* SPDX-License-Identifier: MIT */
/* main: choose the subcommand. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/printable.h"
#include "cmd/cmd.h"
#include "cmd/opts.h"
#include "config.h"
#include "report/json.h"
#include "report/schema.h"

static const struct subcommand *const commands[] = {
	&cmd_calls,
	&cmd_cpu,
	&cmd_offcpu,
	&cmd_syscalls,
	&cmd_faults,
	&cmd_trace,
	&cmd_record,
	&cmd_dump,
	&cmd_probes,
	&cmd_ps,
	&cmd_doctor,
};

static FILE *json_errors;	/* NULL: nobody reads JSON */

void cmd_errors_as_json(FILE *out)
{
	json_errors = out;
}

/* It is on stderr already: nothing to say when this cannot be written, too. */
static void put_json(const struct err *what)
{
	struct json *j;
	struct err lost;

	if (json_new(&j, json_errors, NULL, &lost))
		return;
	(void)(json_error(j, what, &lost) || fflush(json_errors));
	json_free(j);
}

int cmd_fail(const struct err *err)
{
	int code = err->kind ? (int)err->kind : ERR_FAILED;
	const char *line = err->hint;

	fprintf(stderr, "pytrace: %s: ", err_kind_name(err->kind));
	printable_put(stderr, err->text, strlen(err->text));
	putc('\n', stderr);
	while (*line) {
		size_t len = strcspn(line, "\n");

		fputs("  ", stderr);
		printable_put(stderr, line, len);
		putc('\n', stderr);
		line += len + (line[len] == '\n');
	}
	if (json_errors)
		put_json(err);
	return code;
}

bool cmd_pipe_is_closed(FILE *out)
{
	struct pollfd p = { .fd = fileno(out), .events = POLLOUT };

	return poll(&p, 1, 0) > 0 && p.revents & POLLERR;
}

int cmd_flush(int code)
{
	struct err err = { 0 };

	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || cmd_pipe_is_closed(stdout))
		return code;
	err_kind(&err, ERR_OUTPUT, -errno, "cannot write to standard output: "
		 "%s", errno ? strerror(errno) : "an earlier write failed");
	return cmd_fail(&err);
}

static struct sigaction found_sigpipe;

void cmd_ignore_sigpipe(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGPIPE, &ignore, &found_sigpipe);
}

void cmd_restore_sigpipe(void)
{
	sigaction(SIGPIPE, &found_sigpipe, NULL);
}

static void help(FILE *to)
{
	fputs("usage: pytrace [VIEW] TARGET [OPTION...]\n"
	      "       pytrace [VIEW] [OPTION...] -- COMMAND [ARGUMENT...]\n"
	      "       pytrace [VIEW] -i FILE [OPTION...]\n"
	      "       pytrace --json-schema | --version\n"
	      "\n"
	      "Which Python function, file and line made a process do what the "
	      "kernel saw.\n"
	      "\n"
	      "  (none)    where the time and the events went, in 24 lines\n",
	      to);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(to, "  %-9s %s\n", commands[i]->name,
			commands[i]->help);
	fputs("\n'pytrace VIEW --help' lists the options of one; the manual is "
	      "pytrace(1).  Without a view:\n\n", to);
	opts_help(to, OPTS_SUMMARY);
}

static int run(const struct subcommand *c, int argc, char **argv)
{
	cmd_options_of(c->name, argv);
	return c->run(argc - 1, argv + 1);
}

bool cmd_has_view(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (!strcmp(name, commands[i]->name))
			return true;
	return false;
}

/* Options first: no view is named, and the first word is our own name. */
static int run_summary(int argc, char **argv)
{
	cmd_options_of("", argv);
	return cmd_summary.run(argc, argv);
}

static int usage(const char *word)
{
	struct err err = { 0 };

	if (!*word)
		err_kind(&err, ERR_USAGE, -EINVAL, "no target and no view");
	else if (word[strspn(word, "0123456789,")] == '\0')
		err_kind(&err, ERR_USAGE, -EINVAL, "unknown view '%s': a process "
			 "is named by -p %s", word, word);
	else
		err_kind(&err, ERR_USAGE, -EINVAL, "unknown view '%s'", word);
	err_hint(&err, "'pytrace --help' lists them");
	return cmd_fail(&err);
}

static int put_schema(void)
{
	struct err err = { 0 };
	int rc = schema_put(stdout, &err);

	return rc && rc != -EPIPE ? cmd_fail(&err) : 0;
}

/*
 * Whoever starts us with these closed must not find the report in whatever is
 * opened first.  For reading only: to write there fails, and is said.
 */
static void fill_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	fill_standard_fds();
	cmd_ignore_sigpipe();
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		help(stdout);
		return cmd_flush(0);
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		puts(PACKAGE_STRING);
		return cmd_flush(0);
	}
	if (!strcmp(word, "--json-schema"))
		return cmd_flush(put_schema());
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (!strcmp(word, commands[i]->name))
			return run(commands[i], argc, argv);
	return word[0] == '-' ? run_summary(argc, argv) : usage(word);
}
