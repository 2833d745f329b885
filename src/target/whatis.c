/* SPDX-License-Identifier: MIT */
/* whatis: the words for a process that is not Python. */
#include "target/whatis.h"

#include <ctype.h>
#include <errno.h>

/*
 * Names that tell.  A prefix must be followed by the end, a digit, '.' or '-':
 * "node" is Node.js and "nodename" is not.  Libraries before programs: a JVM is
 * often embedded in something.
 */
static const struct {
	const char *prefix;
	const char *words;
} known[] = {
	{ "libjvm", "Java" },
	{ "java", "Java" },
	{ "libnode", "Node.js" },
	{ "node", "Node.js" },
	{ "nodejs", "Node.js" },
	{ "libruby", "Ruby" },
	{ "ruby", "Ruby" },
	{ "libperl", "Perl" },
	{ "perl", "Perl" },
	{ "libphp", "PHP" },
	{ "php", "PHP" },
	{ "php-fpm", "PHP" },
	{ "libmono", "Mono" },
	{ "libcoreclr", ".NET" },
	{ "dotnet", ".NET" },
	{ "beam", "Erlang" },
	{ "lua", "Lua" },
	{ "luajit", "Lua" },
	{ "bash", "a shell" },
	{ "dash", "a shell" },
	{ "sh", "a shell" },
	{ "zsh", "a shell" },
	{ "fish", "a shell" },
	{ "ksh", "a shell" },
	{ "busybox", "BusyBox" },
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool begins_with(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	char next;

	if (strncmp(name, prefix, len))
		return false;
	next = name[len];
	return !next || next == '.' || next == '-' ||
	       isdigit((unsigned char)next);
}

const char *whatis_name(const char *path)
{
	const char *name = base_name(path);
	size_t i;

	for (i = 0; i < ARRAY_LEN(known); i++)
		if (begins_with(name, known[i].prefix))
			return known[i].words;
	return NULL;
}

const char *whatis_other_python(const char *path)
{
	const char *name = base_name(path);

	if (begins_with(name, "pypy") || begins_with(name, "libpypy"))
		return "PyPy";
	if (begins_with(name, "graalpy") || begins_with(name, "libpythonvm"))
		return "GraalPy";
	return NULL;
}

static int no_memory(const struct proc *p, struct err *err)
{
	struct proc_info info;
	int rc = proc_info(p, &info, err);

	if (rc < 0)
		return rc;
	if (info.is_kernel)
		return err_kind(err, ERR_NOT_PYTHON, -ENOEXEC,
				"process %d is a kernel thread", p->pid);
	if (info.state != 'Z' && info.state != 'X')
		return proc_error(p, -EACCES, "maps", err);
	return err_kind(err, ERR_NO_TARGET, -ESRCH,
			"process %d has ended and waits for its parent to "
			"notice", p->pid);
}

/* The name of another language's runtime among the mapped files. */
static const char *runtime_of(const struct maps *maps, const char *exe)
{
	size_t i;

	for (i = 0; i < maps->nr; i++) {
		const struct map *m = &maps->v[i];
		const char *words = m->kind == MAPS_FILE && m->exec ?
			whatis_name(m->path) : NULL;

		if (words && !strncmp(base_name(m->path), "lib", 3))
			return words;
	}
	return whatis_name(exe);
}

static const char *other_python_of(const struct maps *maps)
{
	size_t i;

	for (i = 0; i < maps->nr; i++) {
		const struct map *m = &maps->v[i];
		const char *words = m->kind == MAPS_FILE && m->exec ?
			whatis_other_python(m->path) : NULL;

		if (words)
			return words;
	}
	return NULL;
}

int whatis_process(const struct proc *p, const struct maps *maps,
		   struct err *err)
{
	const char *words;
	char *exe;

	if (!maps->nr)
		return no_memory(p, err);
	words = other_python_of(maps);
	if (words)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"process %d runs %s: only CPython can be "
				"traced", p->pid, words);
	exe = proc_link(p, "exe");
	words = runtime_of(maps, exe ? exe : "");
	err_kind(err, ERR_NOT_PYTHON, -ENOEXEC,
		 "process %d has no Python interpreter in it: it runs '%s'%s%s%s",
		 p->pid, exe ? exe : "?", words ? " (" : "",
		 words ? words : "", words ? ")" : "");
	free(exe);
	return -ENOEXEC;
}
