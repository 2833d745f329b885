/* SPDX-License-Identifier: MIT */
/* describe: the records that user space writes into the stream. */
#include <errno.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/clock.h"
#include "live/session_priv.h"
#include "target/where.h"

/*
 * What to add to CLOCK_MONOTONIC for the time of day.  The clocks are read one
 * after the other: of a few tries the one with the least between counts.
 */
static int64_t realtime_offset(int64_t *now)
{
	int64_t offset = 0, best = INT64_MAX;

	for (int i = 0; i < 5; i++) {
		int64_t before = (int64_t)clock_ns(CLOCK_MONOTONIC);
		int64_t real = (int64_t)clock_ns(CLOCK_REALTIME);
		int64_t after = (int64_t)clock_ns(CLOCK_MONOTONIC);

		if (after - before >= best)
			continue;
		best = after - before;
		offset = real - before - best / 2;
		*now = after;
	}
	return offset;
}

static int put(struct session *s)
{
	const struct pt_hdr *rec = recbuf_end(&s->buf);

	return rec ? queue_put(&s->queue, rec) : -ENOMEM;
}

/* Which boot of the machine CLOCK_MONOTONIC counts from; "" if not known. */
static void read_boot_id(char *id, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f || !fgets(id, (int)size, f))
		id[0] = '\0';
	if (f)
		fclose(f);
	id[strcspn(id, "\n")] = '\0';
}

int describe_meta(struct session *s)
{
	struct pt_meta *m = recbuf_begin(&s->buf, PT_META);
	struct utsname host;
	char boot_id[64];
	int64_t now = 0;

	if (!m)
		return -ENOMEM;
	m->realtime_offset = realtime_offset(&now);
	m->h.t = (uint64_t)now;
	memset(&host, 0, sizeof(host));
	uname(&host);
	recbuf_string(&s->buf, s->version);
	recbuf_string(&s->buf, host.release);
	recbuf_string(&s->buf, host.nodename);
	read_boot_id(boot_id, sizeof(boot_id));
	if (*boot_id) {
		((struct pt_hdr *)(void *)s->buf.bytes)->flags =
			PT_META_BOOT_ID;
		recbuf_string(&s->buf, boot_id);
	}
	for (size_t i = 0; s->argv[i]; i++)
		recbuf_string(&s->buf, s->argv[i]);
	return put(s);
}

/* What the numbers of events stand for that were asked for by name. */
int describe_named(struct session *s)
{
	int rc = 0;

	for (uint32_t nr = 1; nr <= tracer_nr_named(s->tracer) && !rc; nr++)
		if (tracer_named_is_new(s->tracer, nr))
			rc = tracer_named(s->tracer, nr, &s->buf) ? put(s) :
								    -ENOMEM;
	return rc;
}

/* The kernel half has met a process: add what was found out about it. */
int describe_process(struct session *s, const struct pt_process *rec)
{
	struct known_proc *p = known_proc(&s->known, rec->h.proc, rec->h.pid);
	struct known_pid *t = known_pid(&s->known, rec->h.pid);
	const struct known_image *img = NULL;
	struct proc_info info = { 0 };
	struct proc proc = PROC_NONE;
	struct pt_process *out;
	char *group = NULL;
	int rc;

	if (!p || !t)
		return -ENOMEM;
	p->bias = rec->bias;
	p->running = rec->walk == PT_WALK_YES;
	p->image = rec->image;
	t->image = rec->image;
	if (p->image < PT_MAX_IMAGES)
		img = &s->known.images[p->image];
	if (img)
		discover_probes(s, img);
	out = recbuf_begin(&s->buf, PT_PROCESS);
	if (!out)
		return -ENOMEM;
	*out = *rec;
	out->version = img ? img->pt.layout.version : 0;
	out->image = 0;
	out->calls = img ? img->calls : PT_CALLS_NONE;
	if (!proc_open(&proc, (pid_t)rec->h.pid, NULL)) {
		char *exe = proc_link(&proc, "exe");

		if (exe) {	/* else what was found at first */
			free(t->exe);
			t->exe = exe;
		}
		out->start_ns = proc.start_ns;
		if (!proc_info(&proc, &info, NULL))
			out->nspid = (uint32_t)info.nspid;
		group = where_group_of(&proc);
	}
	proc_close(&proc);
	recbuf_string(&s->buf, t->exe);
	recbuf_string(&s->buf, img ? img->python : NULL);
	recbuf_string(&s->buf, img ? img->path : NULL);
	recbuf_string(&s->buf, img ? img->why : NULL);
	if (group || (img && img->no_calls))
		recbuf_string(&s->buf, group);
	if (img && img->no_calls)
		recbuf_string(&s->buf, img->no_calls);
	rc = put(s);
	if (!rc && group)
		rc = groups_meet(&s->groups, group, &rec->h, &s->queue);
	free(group);
	return rc ? rc : gil_tell(s, p, rec->h.t);
}

int describe_end(struct session *s)
{
	struct pt_end *e = recbuf_begin(&s->buf, PT_END);
	struct pt_cost cost;

	if (!e)
		return -ENOMEM;
	e->h.t = s->stopped_ns;	/* detaching takes its time */
	e->events = s->events;
	e->lost = s->lost;
	tracer_cost(s->tracer, &cost);
	e->overhead_ns = tracer_cost_ns(s->tracer, &cost) +
			 tracer_cost_of_others(&cost);
	e->own_ms = (uint32_t)((clock_ns(CLOCK_PROCESS_CPUTIME_ID) -
				s->own_begin_ns) / 1000000);
	return put(s);
}
