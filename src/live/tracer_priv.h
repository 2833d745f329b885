/* SPDX-License-Identifier: MIT */
/* tracer_priv: what the files of the tracer share. */
#ifndef PT_TRACER_PRIV_H
#define PT_TRACER_PRIV_H

#include <bpf/libbpf.h>

#include "event/tracefs.h"
#include "live/plan.h"
#include "live/tracer.h"

struct pytrace_bpf;

/* A file that has been added, so that it is not added again. */
struct known_file {
	uint64_t dev, ino;
	pid_t pid;
	struct pt_image image;
};

/* An event as it is attached. */
struct named_event {
	const char *name;
	uint8_t kind;			/* enum pt_named_kind */
	bool raw;
	uint64_t id;			/* of tracefs */
	bool is_period;			/* of a counter */
	uint64_t rate;
	struct pt_shape shape;
	char (*field)[TRACEFS_FIELD_LEN];
	size_t nr;
	bool told;			/* its PT_NAMED, as it is now */
};

struct tracer {
	struct pytrace_bpf *skel;
	bool dry;		/* nothing is loaded */
	struct plan plan;	/* what is attached, or would be */
	struct bpf_link **links;
	size_t nr_links, room;
	int link_fds[2 * PT_MAX_IMAGES + PT_MAX_SITES];	/* those not of libbpf's making */
	size_t nr_link_fds;
	struct known_file images[PT_MAX_IMAGES];
	uint32_t nr_images;
	uint32_t events;	/* 1 << PT_SYSCALL, ... */
	int nr_cpus;
	int untimed_cpus;	/* where faults have no durations */
	struct pt_loss_count *loss_rows;	/* nr_cpus: one reason as read */
	uint64_t *loss_told;	/* [reason][cpu]: told of so far */
	uint64_t misses_told;	/* of recursion_misses */
	struct named_event *named;	/* nr_named, by their numbers - 1 */
	uint32_t nr_named;
	uint32_t nr_sites;	/* of USDT probes */
	struct usdt_file *usdt_files;	/* looked into: usdt.c */
	size_t nr_usdt_files;
	char **usdt_seen;	/* "provider:name" of all probes met */
	size_t nr_usdt_seen;
	uint8_t calls;		/* enum tracer_calls */
	bool allow_step;
	uint32_t nr_placed;	/* files that have places of calls: places.c */
	uint64_t usdt_found;	/* bit for each of `named` that is in some file */
	uint64_t probe_ns;	/* what a hit of one costs, before the program */
	uint32_t path_len;
	uint32_t sample_hz;	/* 0: no samples */
	struct bpf_link **sampled;	/* nr_cpus of them; NULL: not, or off */
	struct bpf_link **counted;	/* likewise, of each of `named` */
	struct pt_verdicts *verdicts;	/* as the kernel half has them; NULL:
					 * it asks for none */
	struct err no_samples;	/* why the first one failed; no kind: none did */
};

static inline bool tracer_has(const struct tracer *t, unsigned int type)
{
	return t->events & 1u << type;
}

/* switches.c: what is attached for time off the CPU, and for interrupts. */
void switches_leave_out(struct tracer *t);
void interrupts_leave_out(struct tracer *t);
int interrupts_attach(struct tracer *t, struct err *err) PT_MUST_CHECK;
int switches_attach(struct tracer *t, struct err *err) PT_MUST_CHECK;

/* named.c: events that were asked for by name. */
int named_open(struct tracer *t, const struct tracer_opts *opts,
	       struct err *err) PT_MUST_CHECK;
void named_leave_out(struct tracer *t);
int named_tell(struct tracer *t) PT_MUST_CHECK;	/* when loaded: 0 or -errno */
int named_attach(struct tracer *t, struct err *err) PT_MUST_CHECK;
void named_close(struct tracer *t);
/* usdt.c: the fields that are known before any file is. */
int usdt_open(struct named_event *e, struct err *err) PT_MUST_CHECK;

/* verdicts.c */
int verdicts_open(struct tracer *t, bool filter) PT_MUST_CHECK;

/* samples.c */
int tracer_count(struct tracer *t, struct err *err) PT_MUST_CHECK;
void tracer_stop_samples(struct tracer *t);

/*
 * price.c: measure what a hit costs, with this program on a place of our own:
 * t->probe_ns.  A few milliseconds.
 */
int price_of_probe(struct tracer *t, const struct bpf_program *prog,
		   struct err *err) PT_MUST_CHECK;

/*
 * places.c: probes at the places of an interpreter's code; *nr: how many.
 * -ENOTSUP (ERR_UNSUPPORTED) with a sentence, before any is in.
 */
int places_add(struct tracer *t, const struct tracer_file *file, uint32_t *nr,
	       struct err *err) PT_MUST_CHECK;

struct probe_place;

/* A uprobe, by one of the two ways; the tracer's. */
int tracer_add_probe(struct tracer *t, const struct bpf_program *prog,
		     const struct probe_place *at, uint64_t cookie,
		     struct err *err) PT_MUST_CHECK;

/* named.c, for usdt.c: is it one, and what its data are. */
bool named_is_usdt(const struct named_event *e);
int named_set_fields(struct named_event *e, const struct tracefs_event *found,
		     struct err *err) PT_MUST_CHECK;

/* Into one of the kernel half's maps, if there are any: -errno. */
int tracer_put(const struct tracer *t, const struct bpf_map *map,
	       const void *key, const void *value) PT_MUST_CHECK;

/* It is the tracer's from here on, whatever this returns. */
int tracer_keep_link(struct tracer *t, struct bpf_link *link,
		     struct err *err) PT_MUST_CHECK;

#endif /* PT_TRACER_PRIV_H */
