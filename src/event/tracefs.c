/* SPDX-License-Identifier: MIT */
/* tracefs: what the kernel says of its tracepoints. */
#include "event/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "event/evfield.h"

const char *tracefs_path(void)
{
	static const char *const usual[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};
	char events[64];

	for (size_t i = 0; i < ARRAY_LEN(usual); i++) {
		snprintf(events, sizeof(events), "%s/events", usual[i]);
		if (!access(events, F_OK) || errno == EACCES)
			return usual[i];
	}
	return NULL;
}

/* Both parts are names of folders and nothing else. */
static bool is_event(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon && colon > name && colon[1] && !strchr(name, '/') &&
	       !strchr(colon + 1, ':') && name[0] != '.' && colon[1] != '.' &&
	       strlen(name) < 200;
}

static FILE *open_in(const char *path, const char *name, const char *file)
{
	const char *colon = strchr(name, ':');
	char full[512];

	snprintf(full, sizeof(full), "%s/events/%.*s/%s/%s", path,
		 (int)(colon - name), name, colon + 1, file);
	return fopen(full, "re");
}

/* Those whose first `same` bytes are those of `want`, as many as fit. */
static size_t list_alike(DIR *dir, const char *want, size_t same, char *out,
			 size_t size)
{
	struct dirent *e;
	size_t len = 0;

	while ((e = readdir(dir)) && len + 70 < size)
		if (e->d_name[0] != '.' && strlen(e->d_name) < 50 &&
		    !strncmp(e->d_name, want, same))
			len += (size_t)snprintf(out + len, size - len, "%s%s",
						len ? ", " : "", e->d_name);
	return len;
}

/* "sched_wakeup, sched_waking": some that begin alike, as far as any does. */
static void hint_near(const char *path, const char *name, struct err *err)
{
	int category = (int)(strchr(name, ':') - name);
	char full[512], near[160] = "";
	const char *want = name + category + 1;
	size_t len = 0;
	DIR *dir;

	snprintf(full, sizeof(full), "%s/events/%.*s", path, category, name);
	dir = opendir(full);
	if (!dir) {
		err_hint(err, "there is no category '%.*s'; %s/events has them",
			 category, name, path);
		return;
	}
	for (size_t same = strlen(want); same && !len; same--) {
		rewinddir(dir);
		len = list_alike(dir, want, same, near, sizeof(near));
	}
	closedir(dir);
	err_hint(err, len ? "in %s there is %s" : "%s has those that there are",
		 len ? strrchr(full, '/') + 1 : full, near);
}

static int no_event(const char *path, const char *name, int rc, struct err *err)
{
	if (rc != -ENOENT && rc != -ENOTDIR)
		return err_kind(err, ERR_NOT_PERMITTED, rc,
				"cannot read %s/events: %s", path,
				strerror(-rc));
	err_kind(err, ERR_USAGE, -ENOENT, "this kernel has no tracepoint '%s'",
		 name);
	hint_near(path, name, err);
	return -ENOENT;
}

static void read_fields(FILE *f, struct tracefs_event *out)
{
	char *line = NULL;
	size_t room = 0;

	out->nr = 0;
	while (out->nr < TRACEFS_FIELDS && getline(&line, &room, f) > 0)
		if (evfield_from_format(line, out->field[out->nr],
					TRACEFS_FIELD_LEN))
			out->nr++;
	free(line);
}

int tracefs_event(const char *path, const char *name, struct tracefs_event *out,
		  struct err *err)
{
	FILE *f;
	int n;

	if (!is_event(name))
		return err_kind(err, ERR_USAGE, -EINVAL,
				"'%s' is no tracepoint: category:name", name);
	f = open_in(path, name, "id");
	if (!f)
		return no_event(path, name, -errno, err);
	n = fscanf(f, "%" SCNu64, &out->id);
	fclose(f);
	if (n != 1)
		return err_kind(err, ERR_KERNEL, -EBADMSG,
				"the id of %s is no number", name);
	f = open_in(path, name, "format");
	if (!f)
		return no_event(path, name, -errno, err);
	read_fields(f, out);
	fclose(f);
	return 0;
}
