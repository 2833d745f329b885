/* SPDX-License-Identifier: MIT */
/* cmd_dump: a recording as text, and text as a recording. */
#include <argp.h>
#include <errno.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "event/recfile.h"
#include "event/source.h"
#include "event/text.h"

struct options {
	const char *input;	/* to text */
	const char *text;	/* to a recording */
	const char *output;	/* of the recording */
};

enum { OPT_TEXT = 256 };

static const struct argp_option options[] = {
	{ "input", 'i', "FILE", 0, "show this recording as text (-: standard "
	  "input); text is read too, and written as it should be", 0 },
	{ "text", OPT_TEXT, "FILE", 0, "make a recording of this text", 0 },
	{ "output", 'o', "FILE", 0, "with --text: the recording (-: standard "
	  "output)", 0 },
	{ 0 },
};

static const char *wrong_choice(const struct options *o)
{
	if (!o->input && !o->text)
		return "name a recording with -i, or a text with --text";
	if (o->input && o->text)
		return "-i and --text exclude each other";
	if (o->text && !o->output)
		return "--text needs -o: where the recording goes";
	if (o->input && o->output)
		return "-o is for --text; text goes to standard output";
	return NULL;
}

static error_t option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'i':
		o->input = arg;
		return 0;
	case OPT_TEXT:
		o->text = arg;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->input || o->text)
			cmd_usage("one file at a time: '%s'", arg);
		o->input = arg;
		return 0;
	case ARGP_KEY_END:
		if (wrong_choice(o))
			cmd_usage("%s", wrong_choice(o));
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Where records go: `file`, or as text to standard output. */
static int put(struct recfile *file, const struct pt_hdr *rec, struct err *err)
{
	if (file)
		return recfile_put(file, rec, err);
	if (!text_write(stdout, rec))
		return 0;
	return err_kind(err, ERR_OUTPUT, -EIO,
			"cannot write to standard output");
}

/* All records; the first failure, of reading or of writing, ends it. */
static int copy(struct source *from, struct recfile *to, struct err *err)
{
	const struct pt_hdr *rec;
	int rc;

	while ((rc = source_next(from, &rec, err)) > 0) {
		rc = put(to, rec, err);
		if (rc < 0)
			break;
	}
	return rc;
}

/*
 * Is it right to its end?  Before it takes the place of an older recording; what
 * can be read but once (a pipe) is not known before.
 */
static int check_text(const char *path, struct err *err)
{
	struct source *from = NULL;
	const struct pt_hdr *rec;
	struct stat st;
	int rc;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	rc = source_open(&from, path, err);
	while (!rc && (rc = source_next(from, &rec, err)) > 0)
		rc = 0;
	source_close(from);
	return rc;
}

static int dump(const struct options *o, struct err *err)
{
	struct err other = { 0 };
	struct source *from = NULL;
	struct recfile *to = NULL;
	int rc = o->text ? check_text(o->text, err) : 0;

	if (rc < 0)
		return rc;
	rc = source_open(&from, o->input ? o->input : o->text, err);
	if (!rc && o->output)
		rc = recfile_create(&to, o->output, false, err);
	if (!rc)
		rc = copy(from, to, err);
	source_close(from);
	if (recfile_close(to, &other) < 0 && !rc) {
		*err = other;
		rc = -EIO;
	}
	return rc;
}

static int run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = option,
		.args_doc = "-i FILE\n--text FILE -o RECORDING",
		.doc = "Show a recording as text, one record a line, or make a "
		       "recording of such text.\v"
		       "The lines are described in pytrace.data(5).",
	};
	struct options o = { 0 };
	struct err err = { 0 };
	int rc, code;

	cmd_parse(&argp, argc, argv, 0, &o);
	rc = dump(&o, &err);
	code = cmd_flush(0);	/* says what was wrong with standard output */
	/* it has also looked whether the reader has just seen enough */
	if (rc >= 0 || rc == -EPIPE ||
	    (!o.output && (code || err.kind == ERR_OUTPUT)))
		return code;
	return cmd_fail(&err);
}

const struct subcommand cmd_dump = {
	.name = "dump",
	.help = "the event stream of a recording as text, and back",
	.run = run,
};
