/* SPDX-License-Identifier: MIT */
/* floor: the programs of floor.bpf.c, and the draining of their ring. */
#include "floor.h"

#include <errno.h>

#include <bpf/libbpf.h>

#include "pytrace_abi.h"

#include "floor.skel.h"

struct floor {
	struct floor_bpf *skel;
	struct ring_buffer *rb;
	uint64_t records;
	uint8_t batch[1 << 20];
	size_t used;
};

static int take(void *arg, void *data, size_t len)
{
	struct floor *f = arg;

	if (f->used + len > sizeof(f->batch))
		f->used = 0;
	memcpy(f->batch + f->used, data, len);
	f->used += len;
	f->records++;
	return 0;
}

int floor_open(struct floor **out, struct err *err)
{
	struct floor *f = calloc(1, sizeof(*f));
	int rc = -ENOMEM;

	if (!f)
		return err_set(err, rc, "out of memory");
	f->skel = floor_bpf__open_and_load();
	if (!f->skel)
		goto fail;
	rc = floor_bpf__attach(f->skel);
	if (rc)
		goto fail;
	f->rb = ring_buffer__new(bpf_map__fd(f->skel->maps.floor_ring), take, f,
				 NULL);
	rc = -errno;
	if (!f->rb)
		goto fail;
	*out = f;
	return 0;
fail:
	floor_close(f);
	return err_set(err, rc, "cannot load the floor's programs");
}

void floor_close(struct floor *f)
{
	if (!f)
		return;
	ring_buffer__free(f->rb);
	floor_bpf__destroy(f->skel);
	free(f);
}

void floor_set(struct floor *f, pid_t pid)
{
	f->skel->bss->floor_pid = (uint32_t)pid;
}

int floor_drain(struct floor *f, struct err *err)
{
	int rc = ring_buffer__consume(f->rb);

	return rc < 0 ? err_set(err, rc, "the floor's ring: %s", strerror(-rc)) : 0;
}

uint64_t floor_records(const struct floor *f)
{
	return f->records;
}

uint64_t floor_lost(const struct floor *f)
{
	return f->skel->bss->floor_lost;
}
