/* SPDX-License-Identifier: MIT */
/* where: the container or systemd unit of a process, by its control group. */
#include "target/where.h"

#include <ctype.h>

#define ID_LEN		64
#define SHORT_ID	6

/* Names of a component: before the id or name, and after it. */
static const struct {
	const char *before, *after, *runtime;
	bool is_id;
} kinds[] = {
	{ "docker-", ".scope", "docker", true },
	{ "libpod-", ".scope", "podman", true },
	{ "libpod-", "", "podman", true },
	{ "cri-containerd-", ".scope", "containerd", true },
	{ "nerdctl-", ".scope", "containerd", true },
	{ "crio-", ".scope", "cri-o", true },
	{ "lxc.payload.", "", "lxc", false },
	{ "machine-", ".scope", "nspawn", false },
	{ "systemd-nspawn@", ".service", "nspawn", false },
	{ "", "", "container", true },
};

struct part {			/* of a path, between slashes */
	const char *s;
	size_t len;
};

static bool has_suffix(const struct part *p, const char *suffix)
{
	size_t len = strlen(suffix);

	return p->len > len && !memcmp(p->s + p->len - len, suffix, len);
}

static bool is_hex_id(const struct part *p)
{
	size_t i;

	for (i = 0; i < p->len; i++)
		if (!isxdigit((unsigned char)p->s[i]))
			return false;
	return p->len == ID_LEN;
}

/* What stands between `before` and `after`, or false. */
static bool cut(const struct part *p, const char *before, const char *after,
		struct part *out)
{
	size_t head = strlen(before), tail = strlen(after);

	if (p->len <= head + tail || memcmp(p->s, before, head) ||
	    memcmp(p->s + p->len - tail, after, tail))
		return false;
	*out = (struct part){ .s = p->s + head, .len = p->len - head - tail };
	return true;
}

static void copy(char *to, size_t size, const struct part *p)
{
	snprintf(to, size, "%.*s", (int)(p->len < size ? p->len : size - 1),
		 p->s);
}

static void take_container(struct where *w, const struct part *p,
			   const struct part *parent)
{
	struct part id;
	size_t i;

	for (i = 0; i < ARRAY_LEN(kinds) && !*w->runtime; i++) {
		if (!cut(p, kinds[i].before, kinds[i].after, &id) ||
		    (kinds[i].is_id && !is_hex_id(&id)))
			continue;
		copy(w->container, sizeof(w->container), &id);
		snprintf(w->runtime, sizeof(w->runtime), "%s",
			 kinds[i].runtime);
	}
	/* "/docker/ID", "/lxc/NAME": the runtime is the folder. */
	if (parent->len == 6 && !memcmp(parent->s, "docker", 6) && is_hex_id(p))
		snprintf(w->runtime, sizeof(w->runtime), "docker");
	if (parent->len == 3 && !memcmp(parent->s, "lxc", 3) && !*w->runtime) {
		snprintf(w->runtime, sizeof(w->runtime), "lxc");
		copy(w->container, sizeof(w->container), p);
	}
}

static void take_path(struct where *w, const char *path, const char *end,
		      bool units)
{
	struct part parent = { .s = "" };

	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		struct part p = { .s = path };

		p.len = (size_t)((slash ? slash : end) - path);
		take_container(w, &p, &parent);
		if (units && (has_suffix(&p, ".service") ||
			      has_suffix(&p, ".scope")))
			copy(w->unit, sizeof(w->unit), &p);
		parent = p;
		path += p.len + 1;
	}
}

/* "0::/path" (v2) and "1:name=systemd:/path" (v1) tell of units. */
void where_parse(const char *text, struct where *out)
{
	const char *end;

	memset(out, 0, sizeof(*out));
	for (; *text; text = *end ? end + 1 : end) {
		const char *list = strchr(text, ':'), *path;

		end = text + strcspn(text, "\n");
		path = list && list < end ? strchr(list + 1, ':') : NULL;
		if (path && path < end)
			take_path(out, path + 1, end,
				  !strncmp(text, "0::", 3) ||
				  !strncmp(list, ":name=systemd:", 14));
	}
}

/* Is `word` one of the words of `list`, which commas separate? */
static bool is_listed(const char *list, size_t len, const char *word)
{
	for (size_t at = 0, n; at < len; at += n + 1) {
		for (n = 0; at + n < len && list[at + n] != ','; n++)
			;
		if (n == strlen(word) && !memcmp(list + at, word, n))
			return true;
	}
	return false;
}

char *where_group(const char *text)
{
	const char *found = NULL, *end;

	for (; *text; text = *end ? end + 1 : end) {
		const char *list = strchr(text, ':'), *path;

		end = text + strcspn(text, "\n");
		path = list && list < end ? strchr(list + 1, ':') : NULL;
		if (!path || path >= end)
			continue;
		if (is_listed(list + 1, (size_t)(path - list - 1), "cpu")) {
			found = path + 1;
			break;
		}
		if (!strncmp(text, "0::", 3))
			found = path + 1;
	}
	return found ? strndup(found, strcspn(found, "\n")) : NULL;
}

char *where_group_of(const struct proc *p)
{
	struct proc_text t;
	char *group;

	if (proc_read(p, "cgroup", 1U << 20, &t, NULL) < 0)
		return NULL;
	group = where_group(t.s);
	free(t.s);
	return group;
}

void where_of(const struct proc *p, struct where *out)
{
	struct proc_text t;

	memset(out, 0, sizeof(*out));
	if (proc_read(p, "cgroup", 1U << 20, &t, NULL) < 0)
		return;
	where_parse(t.s, out);
	free(t.s);
}

const char *where_text(const struct where *w, char *buf, size_t size)
{
	struct part id = { .s = w->container, .len = strlen(w->container) };

	if (!*w->runtime)
		snprintf(buf, size, "%s", *w->unit ? w->unit : "-");
	else if (is_hex_id(&id))
		snprintf(buf, size, "%s %.*s", w->runtime, SHORT_ID,
			 w->container);
	else
		snprintf(buf, size, "%s %s", w->runtime, w->container);
	return buf;
}
