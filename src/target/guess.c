/* SPDX-License-Identifier: MIT */
/* guess: the interpreters that a command may come to run. */
#include "target/guess.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/clock.h"
#include "target/bounded.h"

#define LOOK_MS		3000	/* then it is content with what it has */
#define GUESS_MS	5000	/* then it hangs */
#define MAX_WORDS	1024	/* looked for: a few microseconds each */
#define MAX_NAMED	48	/* programs looked into: about 1 ms each */
#define MAX_ON_PATH	16	/* more of them */
#define MAX_FOUND	32	/* leaves the kernel half room for others */
#define SCRIPT_BYTES	4096

struct seen {
	dev_t dev;
	ino_t ino;
};

struct job {			/* owns what it touches: bounded.h */
	char **argv;
	size_t words;
	struct seen seen[MAX_NAMED + MAX_ON_PATH];
	size_t nr_seen, max_seen;
	uint64_t end_ms;
	struct guesses found;
};

/* ---- words ------------------------------------------------------------ */

bool guess_next_word(const char **at, char *word, size_t size)
{
	static const char between[] = " \t\r\n\"'`\\;&|()<>{}$=,";
	size_t len;

	do {
		*at += strspn(*at, between);
		len = strcspn(*at, between);
		if (!len)
			return false;
		if (len < size) {
			memcpy(word, *at, len);
			word[len] = '\0';
		}
		*at += len;
	} while (len >= size);
	return true;
}

bool guess_is_python_name(const char *name)
{
	static const char python[] = "python";

	if (strncmp(name, python, sizeof(python) - 1))
		return false;
	name += sizeof(python) - 1;
	name += strspn(name, "0123456789.");
	name += strspn(name, "dmtu");	/* sys.abiflags */
	return !*name;
}

/* ---- files ------------------------------------------------------------ */

static bool was_seen(const struct job *j, const struct stat *st)
{
	for (size_t i = 0; i < j->nr_seen; i++)
		if (j->seen[i].dev == st->st_dev && j->seen[i].ino == st->st_ino)
			return true;
	return false;
}

static uint64_t now_ms(void)
{
	return now_ns() / 1000000;
}

static bool note_seen(struct job *j, const struct stat *st)
{
	if (j->nr_seen == j->max_seen || now_ms() >= j->end_ms)
		return false;
	j->seen[j->nr_seen++] = (struct seen){ st->st_dev, st->st_ino };
	return true;
}

/* `w` is taken, whatever happens. */
static void keep(struct job *j, struct which *w)
{
	struct which *more;

	more = !w->image.walk || j->found.nr == MAX_FOUND ? NULL :
	       realloc(j->found.v, (j->found.nr + 1) * sizeof(*more));
	if (!more) {
		which_fini(w);
		return;
	}
	j->found.v = more;
	j->found.v[j->found.nr++] = *w;
}

/* The first bytes, as a string; false: cannot be read. */
static bool read_head(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static void look_for_files(struct job *j, const char *text);

/* A script that no Python runs may name one. */
static void look_at(struct job *j, const char *path, bool into_scripts)
{
	struct which w = WHICH_NONE;
	char text[SCRIPT_BYTES];
	struct stat st;
	bool script;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || was_seen(j, &st) ||
	    !read_head(path, text, sizeof(text)))
		return;
	script = !strncmp(text, "#!", 2);
	if (!script && strncmp(text, "\177ELF", 4))
		return;
	if (!note_seen(j, &st))
		return;
	if (!which_file(path, &w, NULL))
		keep(j, &w);
	else if (script && into_scripts)
		look_for_files(j, text);
}

static void look_for(struct job *j, const char *word, bool into_scripts)
{
	char *path;

	if (j->words == MAX_WORDS)
		return;
	j->words++;
	path = which_path(word);
	look_at(j, path ? path : word, into_scripts);
	free(path);
}

static void look_for_words(struct job *j, const char *text)
{
	char word[PATH_MAX];

	while (guess_next_word(&text, word, sizeof(word)))
		look_for(j, word, true);
}

/* Scripts are full of words, and of names that PATH has: only whole paths. */
static void look_for_files(struct job *j, const char *text)
{
	char word[PATH_MAX];

	while (guess_next_word(&text, word, sizeof(word)))
		if (strchr(word, '/'))
			look_for(j, word, false);
}

/* ---- PATH ------------------------------------------------------------- */

static void look_in_folder(struct job *j, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *path;

	while (d && (e = readdir(d))) {
		if (!guess_is_python_name(e->d_name) ||
		    asprintf(&path, "%s/%s", dir, e->d_name) < 0)
			continue;
		look_at(j, path, false);
		free(path);
	}
	if (d)
		closedir(d);
}

static void look_on_path(struct job *j)
{
	const char *dirs = getenv("PATH");
	char dir[PATH_MAX];
	size_t len;

	for (; dirs && *dirs; dirs += len + (dirs[len] == ':')) {
		len = strcspn(dirs, ":");
		snprintf(dir, sizeof(dir), "%.*s", (int)len, len ? dirs : ".");
		look_in_folder(j, dir);
	}
}

/* ---- the whole -------------------------------------------------------- */

static void job_run(void *arg)
{
	struct job *j = arg;

	j->end_ms = now_ms() + LOOK_MS;
	j->max_seen = MAX_NAMED;
	for (char **word = j->argv; *word; word++) {
		look_for(j, *word, true);	/* a name may have blanks */
		look_for_words(j, *word);
	}
	j->max_seen += MAX_ON_PATH;
	look_on_path(j);
}

static void job_free(void *arg)
{
	struct job *j = arg;

	for (char **word = j->argv; word && *word; word++)
		free(*word);
	free(j->argv);
	guesses_fini(&j->found);
	free(j);
}

static struct job *job_new(char *const argv[])
{
	struct job *j = calloc(1, sizeof(*j));

	if (j)
		j->argv = calloc(MAX_WORDS + 1, sizeof(*j->argv));
	for (size_t i = 0; j && j->argv && argv[i] && i < MAX_WORDS; i++) {
		j->argv[i] = strdup(argv[i]);
		if (!j->argv[i])
			break;
	}
	if (j && j->argv)
		return j;
	free(j);
	return NULL;
}

void guess_command(char *const argv[], struct guesses *out)
{
	struct job *j = job_new(argv);
	struct bounded *b = j ? bounded_new() : NULL;
	int rc = b ? bounded_run(b, job_run, job_free, j, GUESS_MS) : -ENOMEM;

	bounded_free(b);
	*out = (struct guesses){ 0 };
	if (!rc) {
		*out = j->found;
		j->found = (struct guesses){ 0 };
	}
	if (j && rc != -ETIMEDOUT)
		job_free(j);
}

void guesses_fini(struct guesses *g)
{
	for (size_t i = 0; i < g->nr; i++)
		which_fini(&g->v[i]);
	free(g->v);
	*g = (struct guesses){ 0 };
}
