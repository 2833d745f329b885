/* SPDX-License-Identifier: MIT */
/* main: choose the subcommand. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "config.h"

static const struct subcommand *const commands[] = {
	&cmd_trace,
	&cmd_record,
	&cmd_dump,
	&cmd_probes,
	&cmd_ps,
};

int cmd_fail(const struct err *err)
{
	const char *line = err->hint;

	fprintf(stderr, "pytrace: %s: %s\n", err_kind_name(err->kind),
		err->text);
	while (*line) {
		size_t len = strcspn(line, "\n");

		fprintf(stderr, "  %.*s\n", (int)len, line);
		line += len + (line[len] == '\n');
	}
	return err->kind ? (int)err->kind : ERR_FAILED;
}

/* Nobody reads any more: not by errno, which an earlier write has had. */
static bool pipe_is_closed(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) > 0 && p.revents & POLLERR;
}

int cmd_flush(int code)
{
	struct err err = { 0 };

	errno = 0;
	if ((!fflush(stdout) && !ferror(stdout)) || pipe_is_closed())
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
	fputs("usage: pytrace VIEW TARGET [OPTION...]\n"
	      "       pytrace VIEW [OPTION...] -- COMMAND [ARGUMENT...]\n"
	      "       pytrace VIEW -i FILE [OPTION...]\n"
	      "\n"
	      "Which Python function, file and line made a process do what the "
	      "kernel saw.\n"
	      "\n", to);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		fprintf(to, "  %-9s %s\n", commands[i]->name,
			commands[i]->help);
	fputs("\n'pytrace VIEW --help' lists the options of one; the manual is "
	      "pytrace(1).\n", to);
}

static int run(const struct subcommand *c, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "pytrace %s", c->name);
	argv[1] = name;
	return c->run(argc - 1, argv + 1);
}

static int usage(const char *word)
{
	struct err err = { 0 };

	if (!*word)
		err_kind(&err, ERR_USAGE, -EINVAL, "no view is named");
	else if (*word == '-')
		err_kind(&err, ERR_USAGE, -EINVAL,
			 "an option comes after its view: '%s'", word);
	else
		err_kind(&err, ERR_USAGE, -EINVAL, "unknown view '%s'", word);
	err_hint(&err, "'pytrace --help' lists them");
	return cmd_fail(&err);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	cmd_ignore_sigpipe();
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		help(stdout);
		return cmd_flush(0);
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		puts(PACKAGE_STRING);
		return cmd_flush(0);
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (!strcmp(word, commands[i]->name))
			return run(commands[i], argc, argv);
	return usage(word);
}
