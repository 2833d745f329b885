/* SPDX-License-Identifier: MIT */
/*
 * named: events that were asked for by name, from the word to the probe.
 *
 * A tracepoint has fields where tracefs may be read.  Where it may not, it is a
 * raw tracepoint: its arguments, typed by the kernel's BTF, which keeps no names
 * for them.
 */
#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "base/clock.h"
#include "event/evfield.h"
#include "event/tracefs.h"
#include "live/attach.h"
#include "live/tracer_priv.h"
#include "pytrace.skel.h"

/* ---- what it looks like -------------------------------------------------- */

static void shape_of(struct named_event *e, bool no_paths)
{
	struct pt_shape *s = &e->shape;
	struct evfield f;

	for (size_t i = 0; i < e->nr; i++) {
		if (!evfield_parse(e->field[i], &f))
			continue;
		if (f.offset + f.size > s->size)
			s->size = (uint16_t)(f.offset + f.size);
		if (!f.is_behind || no_paths || s->nr_dyn == PT_MAX_DYN)
			continue;
		s->relative |= (uint16_t)(f.is_relative << s->nr_dyn);
		s->dyn[s->nr_dyn++] = f.offset;
	}
	s->is_args = e->raw;
	if (!s->size)
		s->size = 8;	/* the word before all fields */
}

bool named_is_usdt(const struct named_event *e)
{
	return e->kind == PT_NAMED_USDT || e->kind == PT_NAMED_GC ||
	       e->kind == PT_NAMED_IMPORT || e->kind == PT_NAMED_AUDIT ||
	       e->kind == PT_NAMED_LINE;
}

int named_set_fields(struct named_event *e, const struct tracefs_event *found,
		     struct err *err)
{
	free(e->field);
	e->told = false;
	e->nr = 0;
	e->field = calloc(found->nr + 1, sizeof(*e->field));
	if (!e->field)
		return err_set(err, -ENOMEM, "out of memory");
	memcpy(e->field, found->field, found->nr * sizeof(*e->field));
	e->nr = found->nr;
	return 0;
}

/* The type of an argument as C has it, for what there is in tracepoints. */
static void put_type(const struct btf *btf, uint32_t id, char *out, size_t size)
{
	const struct btf_type *t = btf__type_by_id(btf, id);
	char of[96];

	while (t && (btf_is_const(t) || btf_is_volatile(t)))
		t = btf__type_by_id(btf, t->type);
	if (!t) {
		snprintf(out, size, "void");
	} else if (btf_is_ptr(t)) {
		put_type(btf, t->type, of, sizeof(of));
		snprintf(out, size, "%s *", of);
	} else {
		const char *name = btf__name_by_offset(btf, t->name_off);

		snprintf(out, size, "%s%s", btf_is_struct(t) ? "struct " :
			 btf_is_union(t) ? "union " :
			 btf_is_any_enum(t) ? "enum " : "",
			 name && *name ? name : "?");
	}
}

static bool arg_is_signed(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t && btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED;
}

/* "struct task_struct * arg2 8 8 u": every argument is a word. */
static void put_args(const struct btf *btf, const struct btf_type *proto,
		     struct tracefs_event *out)
{
	const struct btf_param *p = btf_params(proto);
	char type[128];

	/* the first is the kernel's own: include/trace/bpf_probe.h */
	for (uint32_t i = 1; i < btf_vlen(proto) && i <= 12; i++) {
		int64_t size = btf__resolve_size(btf, p[i].type);
		bool is_signed = arg_is_signed(btf, p[i].type);

		if (size < 1 || size > 8 || (size & (size - 1)))
			size = 8;
		put_type(btf, p[i].type, type, sizeof(type));
		snprintf(out->field[out->nr++], TRACEFS_FIELD_LEN,
			 "%s arg%u %u %d %c", type, i, (i - 1) * 8, (int)size,
			 is_signed ? 's' : 'u');
	}
}

/* A tracepoint as the kernel's types know it. */
static int find_raw(struct named_event *e, struct err *err)
{
	struct btf *btf = btf__load_vmlinux_btf();
	struct tracefs_event *found = calloc(1, sizeof(*found));
	const struct btf_type *t = NULL;
	char type[256];
	int rc;

	snprintf(type, sizeof(type), "btf_trace_%s", strchr(e->name, ':') + 1);
	if (found && !libbpf_get_error(btf)) {
		int id = btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF);

		for (t = btf__type_by_id(btf, id > 0 ? (uint32_t)id : 0);
		     t && (btf_is_typedef(t) || btf_is_ptr(t));
		     t = btf__type_by_id(btf, t->type))
			;
	}
	if (!found) {
		rc = err_set(err, -ENOMEM, "out of memory");
	} else if (!t || !btf_is_func_proto(t)) {
		rc = err_kind(err, ERR_NOT_PERMITTED, -EACCES,
			      "'%s' cannot be traced: tracefs is for root only, "
			      "and the kernel's types have no such tracepoint",
			      e->name);
		err_hint(err, "as root the tracepoints in "
			 "/sys/kernel/tracing/events can be, system calls by "
			 "-e NAME without it");
	} else {
		put_args(btf, t, found);
		rc = named_set_fields(e, found, err);
		e->raw = true;
	}
	free(found);
	if (!libbpf_get_error(btf))
		btf__free(btf);
	return rc;
}

static int find_tracepoint(struct named_event *e, struct err *err)
{
	struct tracefs_event *found = calloc(1, sizeof(*found));
	const char *path = tracefs_path();
	int rc = -EACCES;

	if (!found)
		return err_set(err, -ENOMEM, "out of memory");
	/* they fire inside the locks that sending a record takes */
	if (!strncmp(e->name, "lock:", 5)) {
		free(found);
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"'%s' cannot be traced: tracing takes locks",
				e->name);
	}
	if (path)
		rc = tracefs_event(path, e->name, found, err);
	if (!rc) {
		e->id = found->id;
		rc = named_set_fields(e, found, err);
	} else if (rc == -EACCES || rc == -EPERM) {
		rc = find_raw(e, err);
	}
	free(found);
	return rc;
}

int named_open(struct tracer *t, const struct tracer_opts *opts, struct err *err)
{
	int rc = 0;

	t->named = calloc(opts->nr_named + 1, sizeof(*t->named));
	if (!t->named)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; !rc && i < opts->nr_named; i++) {
		struct named_event *e = &t->named[t->nr_named];

		if (opts->named[i].out)
			continue;
		t->nr_named++;
		e->name = opts->named[i].name;
		e->kind = opts->named[i].kind;
		e->is_period = opts->named[i].is_period;
		e->rate = opts->named[i].rate;
		if (named_is_usdt(e))
			rc = usdt_open(e, err);
		else if (e->kind == PT_NAMED_TRACEPOINT)
			rc = find_tracepoint(e, err);
		if (!rc && e->kind == PT_NAMED_TRACEPOINT)
			shape_of(e, opts->no_paths);
	}
	return rc;
}

void named_close(struct tracer *t)
{
	for (uint32_t i = 0; i < t->nr_named; i++)
		free(t->named[i].field);
	free(t->named);
	free(t->usdt_files);
	for (size_t i = 0; i < t->nr_usdt_seen; i++)
		free(t->usdt_seen[i]);
	free(t->usdt_seen);
}

uint32_t tracer_nr_named(const struct tracer *t)
{
	return t->nr_named;
}

bool tracer_named_is_new(const struct tracer *t, uint32_t nr)
{
	return !t->named[nr - 1].told;
}

bool tracer_named(struct tracer *t, uint32_t nr, struct recbuf *buf)
{
	struct named_event *e = &t->named[nr - 1];
	struct pt_named *rec = recbuf_begin(buf, PT_NAMED);

	if (!rec)
		return false;
	rec->h.t = now_ns();
	e->told = true;
	rec->event = nr;
	rec->kind = e->kind;
	rec->rate = e->rate;
	rec->is_period = e->is_period;
	recbuf_string(buf, e->name);
	for (size_t i = 0; i < e->nr; i++)
		recbuf_string(buf, e->field[i]);
	return true;
}

/* ---- attaching ----------------------------------------------------------- */

static uint32_t count(const struct tracer *t, bool raw)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nr_named; i++)
		n += t->named[i].kind == PT_NAMED_TRACEPOINT &&
		     t->named[i].raw == raw;
	return n;
}

static bool has_counters(const struct tracer *t)
{
	for (uint32_t i = 0; i < t->nr_named; i++)
		if (t->named[i].kind == PT_NAMED_COUNTER)
			return true;
	return false;
}

/* Does the kernel tell raw tracepoints apart for one program (6.10)? */
static bool has_raw_cookies(void)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_attach_cookie },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, NULL, "GPL", insns,
			       ARRAY_LEN(insns), NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void named_leave_out(struct tracer *t)
{
	uint32_t raw = count(t, true);

	bpf_program__set_autoload(t->skel->progs.on_tracepoint,
				  count(t, false) > 0);
	bpf_program__set_autoload(t->skel->progs.on_raw_tracepoint, raw > 0);
	bpf_program__set_autoload(t->skel->progs.on_usdt, tracer_wants_usdt(t));
	bpf_program__set_autoload(t->skel->progs.on_counter,
				  has_counters(t));
	for (uint32_t i = 0; raw && i < t->nr_named; i++)
		if (t->named[i].raw && !has_raw_cookies())
			t->skel->rodata->cfg.only_raw = i + 1;
}

int named_tell(struct tracer *t)
{
	int fd = bpf_map__fd(t->skel->maps.shapes);

	for (uint32_t i = 0; i < t->nr_named; i++) {
		uint32_t nr = i + 1;

		if (bpf_map_update_elem(fd, &nr, &t->named[i].shape, BPF_ANY))
			return -errno;
	}
	return 0;
}

static int attach_raw(struct tracer *t, uint32_t nr, struct err *err)
{
	const char *name = strchr(t->named[nr - 1].name, ':') + 1;
	uint32_t only = t->skel->rodata->cfg.only_raw;
	int fd;

	if (only && only != nr) {
		err_kind(err, ERR_KERNEL, -EOPNOTSUPP,
			 "more than one tracepoint: where tracefs cannot be read "
			 "this kernel tells only one of them");
		err_hint(err, "Linux 6.10 and later tell more, as does root");
		return -EOPNOTSUPP;
	}
	if (t->nr_link_fds == ARRAY_LEN(t->link_fds))
		return err_set(err, -ENOSPC, "too many probes at once");
	fd = attach_raw_cookie(t->skel->progs.on_raw_tracepoint, name,
			       only ? 0 : nr, err);
	if (fd < 0)
		return fd;
	t->link_fds[t->nr_link_fds++] = fd;
	return 0;
}

static int attach_one(struct tracer *t, uint32_t nr, struct err *err)
{
	const struct named_event *e = &t->named[nr - 1];
	struct bpf_link *link;
	int rc;

	if (e->raw)
		return attach_raw(t, nr, err);
	rc = attach_perf_tracepoint(&link, t->skel->progs.on_tracepoint,
				    e->name, e->id, nr, err);
	return rc ? rc : tracer_keep_link(t, link, err);
}

int named_attach(struct tracer *t, struct err *err)
{
	for (uint32_t nr = 1; nr <= t->nr_named; nr++) {
		int rc = 0;

		if (t->named[nr - 1].kind == PT_NAMED_TRACEPOINT)
			rc = attach_one(t, nr, err);
		if (rc)
			return err_wrap(err, rc, "tracepoint %s",
					t->named[nr - 1].name);
	}
	return 0;
}
