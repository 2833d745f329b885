/* SPDX-License-Identifier: MIT */
/* shebang: which program a script asks for in its first line. */
#include "target/shebang.h"

#include "base/compiler.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && is_blank(*p))
		p++;
	return p;
}

static const char *skip_word(const char *p, const char *end)
{
	while (p < end && !is_blank(*p) && *p)
		p++;
	return p;
}

bool shebang_parse(const char *bytes, size_t len, struct shebang *out)
{
	const char *p, *end, *word;
	bool cut;

	if (len > SHEBANG_BYTES)
		len = SHEBANG_BYTES;
	if (len < 3 || bytes[0] != '#' || bytes[1] != '!')
		return false;
	end = memchr(bytes, '\n', len);
	cut = !end && len == SHEBANG_BYTES;
	if (!end)
		end = bytes + len;
	word = skip_blanks(bytes + 2, end);
	p = skip_word(word, end);
	/* A name that does not end in what the kernel sees is refused. */
	if (p == word || (cut && p == end))
		return false;
	memset(out, 0, sizeof(*out));
	memcpy(out->program, word, (size_t)(p - word));
	p = skip_blanks(p, end);
	while (end > p && is_blank(end[-1]))
		end--;
	memcpy(out->arg, p, (size_t)(end - p));
	return true;
}

static bool takes_a_value(const char *arg)
{
	static const char *const with[] = {
		"-u", "--unset", "-C", "--chdir", "-a", "--argv0",
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(with); i++)
		if (!strcmp(arg, with[i]))
			return true;
	return false;
}

/* The string of -S, -vS, --split-string=; NULL: another option. */
static const char *split_string(const char *arg, const char *next)
{
	static const char option[] = "--split-string";
	const char *s;

	if (!strncmp(arg, option, sizeof(option) - 1)) {
		s = arg + sizeof(option) - 1;
		return *s == '=' ? s + 1 : next;
	}
	if (arg[0] != '-' || arg[1] == '-')
		return NULL;
	s = strchr(arg, 'S');
	if (!s || strspn(arg + 1, "0iv") < (size_t)(s - arg - 1))
		return NULL;
	return s[1] ? s + 1 : next;
}

static bool is_assignment(const char *arg)
{
	const char *eq = strchr(arg, '=');

	return eq && eq != arg;
}

/*
 * Words of a -S string: blanks between them, quotes around them.  (Its other
 * escapes, ${NAME} and \c, are not looked into: they are not used in names of
 * interpreters.)
 */
static const char *program_in_string(const char *s, char *buf, size_t size)
{
	while (*s) {
		size_t len = 0;
		char quote = '\0';

		while (is_blank(*s))
			s++;
		for (; *s && (quote || !is_blank(*s)); s++) {
			if (quote && *s == quote)
				quote = '\0';
			else if (!quote && (*s == '"' || *s == '\''))
				quote = *s;
			else if (len + 1 < size)
				buf[len++] = *s;
			else
				return NULL;
		}
		buf[len] = '\0';
		if (len && *buf != '-' && !is_assignment(buf))
			return buf;
	}
	return NULL;
}

const char *shebang_env_program(const char *const *args, char *buf, size_t size)
{
	const char *found;

	for (; *args; args++) {
		const char *s = split_string(*args, args[1] ? args[1] : "");

		if (s) {
			found = program_in_string(s, buf, size);
			if (found)
				return found;
			if (s == args[1])
				args++;
		} else if (takes_a_value(*args)) {
			if (!args[1])
				return NULL;
			args++;
		} else if (!strcmp(*args, "--")) {
			return args[1];
		} else if (**args != '-' && !is_assignment(*args)) {
			return *args;
		}
	}
	return NULL;
}
