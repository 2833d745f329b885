/* SPDX-License-Identifier: MIT */
/* output: where a report goes, and how it ends there. */
#include "cmd/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "report/json.h"

FILE *output_default(const struct opts *o)
{
	return o->command && !o->dry_run ? stderr : stdout;
}

static bool is_input(const struct opts *o)
{
	struct stat in, out;

	return o->input && !stat(o->input, &in) && !stat(o->output, &out) &&
	       in.st_dev == out.st_dev && in.st_ino == out.st_ino &&
	       S_ISREG(in.st_mode);
}

/* May everybody put a link into the folder of this path? */
static bool is_trap(const char *path)
{
	char *copy = strdup(path);
	struct stat st;
	bool trap = !copy || stat(dirname(copy), &st) || st.st_mode & S_IWOTH;

	free(copy);
	return trap;
}

/*
 * A link is followed (/dev/stdout, what a shell makes of >(command)), but not
 * where somebody may have laid it for a tool that runs as root.
 */
static int open_report(const char *path)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY;
	int fd = open(path, flags | O_NOFOLLOW, 0600);

	if (fd < 0 && errno == ELOOP && !is_trap(path))
		return open(path, flags, 0600);
	return fd;
}

int output_open(struct output *out, const struct opts *o, struct err *err)
{
	int fd;

	if (!o->output || !strcmp(o->output, "-")) {
		out->file = o->output ? stdout : output_default(o);
		return 0;
	}
	if (is_input(o))
		return err_kind(err, ERR_USAGE, -EINVAL, "-o would overwrite "
				"'%s', which -i reads", o->output);
	fd = open_report(o->output);
	out->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (out->file)
		return 0;
	err_kind(err, ERR_OUTPUT, -errno, "cannot open '%s': %s", o->output,
		 errno == ELOOP ? "it is a symbolic link in a folder that "
		 "everybody may write to" : strerror(errno));
	if (fd >= 0)
		close(fd);
	return -EIO;
}

bool output_failed(const struct output *out)
{
	return out->file && ferror(out->file);
}

static int put_end(struct output *out, const struct pt_end *end,
		   const struct engine_totals *totals, int code,
		   struct err *err)
{
	static const struct engine_totals nothing;
	struct pt_end last = *end;
	struct moment m = { .rec = &last.h };
	struct json *json;
	int rc = json_new(&json, out->file, NULL, err);

	if (rc)
		return rc;
	if (!totals)
		totals = &nothing;
	if (last.h.type != PT_END) {
		last.h.type = PT_END;
		last.h.size = sizeof(last);
		last.events = totals->events;
		last.lost = totals->lost_all;
	}
	last.exit = (uint32_t)code;
	rc = json_moment(json, &m, totals, err);
	json_free(json);
	return rc;
}

static int flush(struct output *out, struct err *err)
{
	bool own = out->file != stdout && out->file != stderr;

	errno = 0;
	if (!(own ? fclose(out->file) : fflush(out->file)))
		return 0;
	return err_kind(err, ERR_OUTPUT, errno ? -errno : -EIO,
			"cannot write the report: %s", strerror(errno));
}

int output_close(struct output *out, const struct opts *o,
		 const struct pt_end *end, const struct engine_totals *totals,
		 int code)
{
	struct err err = { 0 };
	int rc = 0, rc2;

	if (o->json && !out->file)
		out->file = output_default(o);
	if (!out->file)
		return code;
	if (o->json && !output_failed(out))
		rc = put_end(out, end, totals, code, &err);
	cmd_errors_as_json(NULL);
	rc2 = flush(out, rc ? NULL : &err);
	rc = rc ? rc : rc2;
	out->file = NULL;
	if (rc && rc != -EPIPE && !code)
		code = cmd_fail(&err);
	return code;
}
