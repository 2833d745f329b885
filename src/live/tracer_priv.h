/* SPDX-License-Identifier: MIT */
/* tracer_priv: what the files of the tracer share. */
#ifndef PT_TRACER_PRIV_H
#define PT_TRACER_PRIV_H

#include <bpf/libbpf.h>

#include "live/tracer.h"

#define TRACER_LINKS (16 + 2 * PT_MAX_IMAGES)

struct pytrace_bpf;

/* A file that has been added, so that it is not added again. */
struct known_file {
	uint64_t dev, ino;
	pid_t pid;
	struct pt_image image;
};

struct tracer {
	struct pytrace_bpf *skel;
	struct bpf_link *links[TRACER_LINKS];
	size_t nr_links;
	int link_fds[2 * PT_MAX_IMAGES];	/* those not of libbpf's making */
	size_t nr_link_fds;
	struct known_file images[PT_MAX_IMAGES];
	uint32_t nr_images;
	int nr_cpus;
	struct pt_loss_count *loss_rows;	/* nr_cpus: one reason as read */
	uint64_t *loss_told;	/* [reason][cpu]: told of so far */
	uint64_t misses_told;	/* of recursion_misses */
};

#endif /* PT_TRACER_PRIV_H */
