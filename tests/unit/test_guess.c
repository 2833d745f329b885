/* SPDX-License-Identifier: MIT */
/* guess: the words and files of a command that may be an interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "target/guess.h"

/* The words of `text`, each followed by a bar. */
static void assert_words(const char *text, const char *want)
{
	char word[16], all[256] = "";
	size_t len = 0;

	while (guess_next_word(&text, word, sizeof(word))) {
		assert_true(len < sizeof(all) - sizeof(word));
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s|",
					word);
	}
	assert_string_equal(all, want);
}

static void words_of_shell_text(void **state)
{
	(void)state;
	assert_words("", "");
	assert_words(" \t\n;&|", "");
	assert_words("python3", "python3|");
	assert_words("exec python3 -m x", "exec|python3|-m|x|");
	assert_words("exec sh -c 'exec sh -c \"exec \\\"/a/py\\\"\"'",
		     "exec|sh|-c|exec|sh|-c|exec|/a/py|");
	assert_words("a;b&&c||d|e&(f)>g<h", "a|b|c|d|e|f|g|h|");
	assert_words("PY=/x/python3 $PY", "PY|/x/python3|PY|");
	assert_words("x=`/a/b c`; ${P:-/d/e}", "x|/a/b|c|P:-/d/e|");
	assert_words("{a,b}\nc # d", "a|b|c|#|d|");
	assert_words("\xff\xfe \x01", "\xff\xfe|\x01|");
}

static void what_is_too_long_is_passed_over(void **state)
{
	(void)state;
	assert_words("123456789012345", "123456789012345|");
	assert_words("1234567890123456", "");
	assert_words("a 1234567890123456 b", "a|b|");
	assert_words("1234567890123456;c", "c|");
}

static void names_of_pythons(void **state)
{
	static const char *const yes[] = {
		"python", "python3", "python3.9", "python3.13t", "python3.6m",
		"python2.7",
	};
	static const char *const no[] = {
		"", "pytho", "python3-config", "python3.11-config", "pythonw.exe",
		"pypy3", "ipython", "python-build", "Python",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		assert_true(guess_is_python_name(yes[i]));
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		assert_false(guess_is_python_name(no[i]));
}

static bool has_exe(const struct guesses *g, const char *exe)
{
	for (size_t i = 0; i < g->nr; i++)
		if (!strcmp(g->v[i].exe, exe))
			return true;
	return false;
}

static void put_script(const char *path, const char *program)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "#!/bin/sh\ncd /; exec \"%s\" -m x\n", program);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

/* Debian's own interpreter, wherever the command hides it. */
static void files_of_a_command(void **state)
{
	char real[4096], script[] = "/tmp/test_guess.XXXXXX", text[4200];
	char folder[] = "/", empty[] = "";
	char *const none[] = { NULL };
	char *const named[] = { empty, folder, text, NULL };
	char *const by_script[] = { folder, script, empty, NULL };
	struct guesses g;

	(void)state;
	if (!realpath("/usr/bin/python3", real))
		skip();
	assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
	guess_command(none, &g);
	assert_int_equal(g.nr, 0);

	snprintf(text, sizeof(text), "x=1; exec '%s' -S", real);
	guess_command(named, &g);
	assert_true(has_exe(&g, real));
	guesses_fini(&g);

	assert_true(mkstemp(script) >= 0);
	put_script(script, real);
	guess_command(by_script, &g);
	assert_true(has_exe(&g, real));
	guesses_fini(&g);
	put_script(script, "/nowhere/python3");
	guess_command(by_script, &g);
	assert_int_equal(g.nr, 0);
	guesses_fini(&g);
	unlink(script);

	assert_int_equal(setenv("PATH", "/nowhere:/usr/bin", 1), 0);
	guess_command(none, &g);
	assert_true(g.nr > 0);
	guesses_fini(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_shell_text),
		cmocka_unit_test(what_is_too_long_is_passed_over),
		cmocka_unit_test(names_of_pythons),
		cmocka_unit_test(files_of_a_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
