/* SPDX-License-Identifier: MIT */
/*
 * usdt: USDT probes that were asked for by name, put into files.
 *
 * The kernel counts the probe's semaphore in each process while the probe is
 * there, and takes both away with our descriptors: nothing stays, however we end.
 */
#include <errno.h>
#include <sys/stat.h>

#include "elf/elfimg.h"
#include "elf/sdtarg.h"
#include "elf/stapsdt.h"
#include "live/attach.h"
#include "live/tracer_priv.h"
#include "python/pyimage.h"
#include "pytrace.skel.h"

/* Into which the probes have been put, so that it is not done again. */
struct usdt_file {
	dev_t dev;
	ino_t ino;
	pid_t pid;
	uint16_t version;	/* as in struct tracer_file */
	uint64_t has;		/* bit for each of the named events */
	uint32_t calls;		/* probes in it that tell of calls */
	enum pt_calls_by by;	/* and what these are */
	struct err why;		/* that there are none */
	bool refused;		/* there are, and the kernel did not take them */
};

_Static_assert(EVENTSET_NAMED < 64, "a bit for each");

#define TEXT(name, nr) "__data_loc char[] " name " " nr " 4 u"

/*
 * CPython's own probes (Include/pydtrace.d).  What the arguments are called;
 * those that are texts; what an event of a short name is made of.  The data
 * begin with a word of the probe that began it, and the arguments follow.
 */
static const struct known {
	uint8_t kind;			/* enum pt_named_kind */
	const char *probe;
	uint8_t role;			/* enum pt_site_role */
	uint8_t texts;			/* bit for each argument */
	uint8_t nr_args;
	const char *field[3];
} known[] = {
	{ PT_NAMED_GC, "gc__start", PT_SITE_START, 0, 1, { NULL } },
	{ PT_NAMED_GC, "gc__done", PT_SITE_DONE, 0, 1,
	  { "int generation 0 4 s", "long collected 8 8 s" } },
	{ PT_NAMED_IMPORT, "import__find__load__start", PT_SITE_START, 1, 1,
	  { NULL } },
	{ PT_NAMED_IMPORT, "import__find__load__done", PT_SITE_DONE, 1, 2,
	  { TEXT("module", "8"), "int found 16 4 s" } },
	{ PT_NAMED_AUDIT, "audit", PT_SITE_PLAIN, 1, 1,
	  { TEXT("event", "8") } },
	{ PT_NAMED_LINE, "line", PT_SITE_PLAIN, 3, 3,
	  { TEXT("file", "8"), TEXT("func", "16"), "int line 24 4 s" } },
	{ PT_NAMED_USDT, "gc__start", PT_SITE_PLAIN, 0, 1,
	  { "int generation 8 4 s" } },
	{ PT_NAMED_USDT, "gc__done", PT_SITE_PLAIN, 0, 1,
	  { "long collected 8 8 s" } },
	{ PT_NAMED_USDT, "import__find__load__start", PT_SITE_PLAIN, 1, 1,
	  { TEXT("module", "8") } },
	{ PT_NAMED_USDT, "import__find__load__done", PT_SITE_PLAIN, 1, 2,
	  { TEXT("module", "8"), "int found 16 4 s" } },
	{ PT_NAMED_USDT, "audit", PT_SITE_PLAIN, 1, 1,
	  { TEXT("event", "8") } },
	{ PT_NAMED_USDT, "function__entry", PT_SITE_PLAIN, 3, 3,
	  { TEXT("filename", "8"), TEXT("function", "16"), "int line 24 4 s" } },
	{ PT_NAMED_USDT, "function__return", PT_SITE_PLAIN, 3, 3,
	  { TEXT("filename", "8"), TEXT("function", "16"), "int line 24 4 s" } },
	{ PT_NAMED_USDT, "line", PT_SITE_PLAIN, 3, 3,
	  { TEXT("filename", "8"), TEXT("function", "16"), "int line 24 4 s" } },
};

/* "usdt:provider:name" and what the note says: the same? */
static bool is_called(const char *word, const char *provider, const char *name)
{
	size_t len = strlen(provider);

	word += strlen("usdt:");
	return !strncmp(word, provider, len) && word[len] == ':' &&
	       !strcmp(word + len + 1, name);
}

static bool is_python(const struct named_event *e)
{
	return e->kind != PT_NAMED_USDT || !strncmp(e->name, "usdt:python:", 12);
}

/* The row of probe `name` of CPython for this event; NULL: there is none. */
static const struct known *find_known(const struct named_event *e,
				      const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (known[i].kind == e->kind && is_python(e) &&
		    !strcmp(known[i].probe, name))
			return &known[i];
	return NULL;
}

static bool wants(const struct named_event *e, const struct stapsdt_note *note)
{
	if (e->kind == PT_NAMED_USDT)
		return is_called(e->name, note->provider, note->name);
	return named_is_usdt(e) && !strcmp(note->provider, "python") &&
	       find_known(e, note->name);
}

static int set_known_fields(struct named_event *e, const struct known *k,
			    struct err *err)
{
	struct tracefs_event *fields = calloc(1, sizeof(*fields));
	int rc;

	if (!fields)
		return err_set(err, -ENOMEM, "out of memory");
	for (; fields->nr < ARRAY_LEN(k->field) && k->field[fields->nr];
	     fields->nr++)
		snprintf(fields->field[fields->nr], TRACEFS_FIELD_LEN, "%s",
			 k->field[fields->nr]);
	rc = named_set_fields(e, fields, err);
	free(fields);
	return rc;
}

int usdt_open(struct named_event *e, struct err *err)
{
	const char *colon = strrchr(e->name, ':');
	int rc = 0;

	if (e->kind == PT_NAMED_USDT &&
	    (colon == e->name + 4 || !colon[1] || colon == e->name + 5 ||
	     strlen(e->name) > 200))
		return err_kind(err, ERR_USAGE, -EINVAL,
				"'%s' is no USDT probe: usdt:provider:name",
				e->name);
	for (size_t i = 0; !rc && i < ARRAY_LEN(known); i++) {
		const struct known *k = &known[i];

		if (k->kind == e->kind && k->field[0] && is_python(e) &&
		    (e->kind != PT_NAMED_USDT || !strcmp(colon + 1, k->probe)))
			rc = set_known_fields(e, k, err);
	}
	return rc;
}

/* ---- one location ------------------------------------------------------- */

static uint8_t slot_of(const struct sdtreg *reg)
{
	return reg->slot < 0 || reg->slot >= PT_SITE_REGS ?
		PT_SITE_NONE : (uint8_t)reg->slot;
}

/* What cannot be read in the kernel stays unknown: it is 0 there. */
static void put_arg(struct pt_site_arg *out, const struct sdtarg *arg)
{
	out->size = arg->size;
	out->is_signed = arg->is_signed;
	out->value = arg->value;
	out->base = slot_of(&arg->base);
	out->index = slot_of(&arg->index);
	out->base_bits = arg->base.shift;
	out->scale = arg->scale;
	switch (arg->place) {
	case SDTARG_UNKNOWN:
		break;
	case SDTARG_CONST:
		out->place = PT_SITE_CONST;
		break;
	case SDTARG_REG:
		out->place = PT_SITE_REG;
		break;
	case SDTARG_MEM:
		if (!arg->sym)
			out->place = PT_SITE_MEM;
		break;
	}
}

static size_t parse_args(struct pt_site *site, const struct stapsdt_note *note,
			 const struct tracer_file *file, struct sdtarg *arg)
{
	size_t nr = sdtarg_parse(elfimg_machine(file->elf),
				 elfimg_is_64(file->elf), note->args, arg,
				 SDTARG_MAX);

	if (nr > PT_SITE_ARGS)
		nr = PT_SITE_ARGS;
	for (size_t i = 0; i < nr; i++)
		put_arg(&site->arg[i], &arg[i]);
	return nr;
}

/*
 * Of a probe that nobody has named the arguments of: "long arg1 8 8 s".  Another
 * of its places may have others (each is a word, extended by its own sign).
 */
static int set_fields(struct named_event *e, const struct pt_site *site,
		      struct err *err)
{
	struct tracefs_event *fields = calloc(1, sizeof(*fields));
	int rc;

	if (!fields)
		return err_set(err, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < site->nr_args; i++) {
		const struct pt_site_arg *a = &site->arg[i];

		if (a->place == PT_SITE_UNKNOWN)
			continue;
		snprintf(fields->field[fields->nr++], TRACEFS_FIELD_LEN,
			 "%s arg%u %u %u %c", a->is_signed ? "long" :
			 "unsigned long", i + 1, 8 * (i + 1), 8,
			 a->is_signed ? 's' : 'u');
	}
	rc = named_set_fields(e, fields, err);
	free(fields);
	return rc;
}

static int fill_site(struct named_event *e, struct pt_site *site,
		     const struct stapsdt_note *note,
		     const struct tracer_file *file, struct err *err)
{
	const struct known *k = find_known(e, note->name);
	struct sdtarg arg[SDTARG_MAX];
	size_t nr = parse_args(site, note, file, arg);

	site->nr_args = (uint8_t)nr;
	if (!k)
		return e->nr >= nr ? 0 : set_fields(e, site, err);
	if (site->nr_args > k->nr_args)
		site->nr_args = k->nr_args;
	site->role = k->role;
	for (size_t i = 0; i < nr; i++)
		site->arg[i].is_string = k->texts >> i & 1;
	return 0;
}

static int add_site(struct tracer *t, uint32_t i, const struct stapsdt_note *note,
		    const struct tracer_file *file, struct err *err)
{
	struct named_event *e = &t->named[i];
	struct pt_site site = { .event = i + 1 };
	const struct probe_place at = {
		.fd = file->fd, .pid = file->pid, .offset = note->offset,
		.semaphore = note->has_sem_offset ? note->sem_offset : 0,
	};
	uint32_t nr = t->nr_sites;
	int rc;

	if (nr == PT_MAX_SITES)
		return err_set(err, -ENOSPC, "more than %d places of USDT probes",
			       PT_MAX_SITES);
	rc = fill_site(e, &site, note, file, err);
	if (rc)
		return rc;
	rc = tracer_put(t, t->skel->maps.sites, &nr, &site);
	if (rc)
		return err_set(err, rc, "cannot note a probe: %s",
			       strerror(-rc));
	rc = tracer_add_probe(t, t->skel->progs.on_usdt, &at, nr, err);
	if (rc)
		return err_wrap(err, rc, "probe %s:%s", note->provider,
				note->name);
	t->nr_sites++;
	t->usdt_files[t->nr_usdt_files - 1].has |= UINT64_C(1) << i;
	t->usdt_found |= UINT64_C(1) << i;
	return 0;
}

/* ---- calls -------------------------------------------------------------- */

/* The program for a probe of CPython that tells of calls; NULL: it does not. */
static const struct bpf_program *of_calls(const struct tracer *t,
					  const struct stapsdt_note *note)
{
	if (strcmp(note->provider, "python") || !note->has_offset)
		return NULL;
	if (!strcmp(note->name, "function__entry"))
		return t->skel->progs.on_call;
	if (!strcmp(note->name, "function__return"))
		return t->skel->progs.on_return;
	return NULL;
}

static bool has_both(const struct tracer *t, const struct stapsdt *notes)
{
	bool entry = false, back = false;

	for (size_t i = 0; i < notes->nr; i++) {
		const struct bpf_program *prog = of_calls(t, &notes->notes[i]);

		entry |= prog && prog == t->skel->progs.on_call;
		back |= prog && prog == t->skel->progs.on_return;
	}
	return entry && back;
}

/* function__entry and function__return, both. */
static int add_usdt_calls(struct tracer *t, const struct stapsdt *notes,
			  const struct tracer_file *file, struct usdt_file *f,
			  struct err *err)
{
	for (size_t i = 0; i < notes->nr; i++) {
		const struct stapsdt_note *note = &notes->notes[i];
		const struct bpf_program *prog = of_calls(t, note);
		const struct probe_place at = {
			.fd = file->fd, .pid = file->pid,
			.offset = note->offset,
			.semaphore = note->has_sem_offset ? note->sem_offset : 0,
		};
		int rc = prog ? tracer_add_probe(t, prog, &at, 0, err) : 0;

		if (rc)
			return err_wrap(err, rc, "probe %s:%s", note->provider,
					note->name);
		f->calls += prog != NULL;
	}
	f->by = PT_CALLS_USDT;
	return 0;
}

/* An interpreter that has no such places is refused when it is a target. */
static int add_places(struct tracer *t, const struct tracer_file *file,
		      struct usdt_file *f, struct err *err)
{
	struct err why = { 0 };
	int rc = file->version ? places_add(t, file, &f->calls, &why) : 0;

	if (rc && rc != -ENOTSUP && err)
		*err = why;
	if (rc != -ENOTSUP) {
		f->by = PT_CALLS_SYNTHETIC;
		return rc;
	}
	f->why = why;
	return 0;
}

/*
 * USDT only where both tell of all calls (not in 3.11).  When all are in place
 * each thread begins anew with its stack.
 */
static int add_calls(struct tracer *t, const struct stapsdt *notes,
		     const struct tracer_file *file, struct usdt_file *f,
		     struct err *err)
{
	bool tell = has_both(t, notes) &&
		    pyimage_probes_tell_calls(file->version);
	int rc = 0;

	if (!tracer_has(t, PT_CALL) || t->calls == TRACER_CALLS_NONE)
		return 0;
	if (tell && t->calls != TRACER_CALLS_PLACES)
		rc = add_usdt_calls(t, notes, file, f, err);
	else if (t->calls != TRACER_CALLS_USDT)
		rc = add_places(t, file, f, err);
	if (!rc && f->calls)
		t->skel->bss->sw.calls++;
	return rc;
}

/* ---- files -------------------------------------------------------------- */

/* What was found in the file before; NULL: nobody has looked into it. */
static struct usdt_file *find_file(struct tracer *t, const struct stat *st,
				   pid_t pid)
{
	for (size_t i = 0; i < t->nr_usdt_files; i++) {
		struct usdt_file *f = &t->usdt_files[i];

		if (f->dev == st->st_dev && f->ino == st->st_ino &&
		    (f->pid == -1 || f->pid == pid))
			return f;
	}
	return NULL;
}

static struct usdt_file *new_file(struct tracer *t, const struct stat *st,
				  pid_t pid)
{
	struct usdt_file *more = reallocarray(t->usdt_files,
					      t->nr_usdt_files + 1,
					      sizeof(*more));

	if (!more)
		return NULL;
	t->usdt_files = more;
	more += t->nr_usdt_files++;
	*more = (struct usdt_file){
		.dev = st->st_dev, .ino = st->st_ino, .pid = pid,
		.by = PT_CALLS_NONE,
	};
	return more;
}

#define SEEN_MAX 512		/* names that are kept for a message */

/* Its name, once; without memory the message is the poorer. */
static void note_seen(struct tracer *t, const struct stapsdt_note *note)
{
	char name[128], **more;

	snprintf(name, sizeof(name), "%s:%s", note->provider, note->name);
	for (size_t i = 0; i < t->nr_usdt_seen; i++)
		if (!strcmp(t->usdt_seen[i], name))
			return;
	more = t->nr_usdt_seen < SEEN_MAX ?
		reallocarray(t->usdt_seen, t->nr_usdt_seen + 1, sizeof(*more)) :
		NULL;
	if (!more)
		return;
	t->usdt_seen = more;
	more[t->nr_usdt_seen] = strdup(name);
	if (more[t->nr_usdt_seen])
		t->nr_usdt_seen++;
}

static int add_notes(struct tracer *t, const struct stapsdt *notes,
		     const struct tracer_file *file, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < notes->nr; i++)
		note_seen(t, &notes->notes[i]);
	for (uint32_t e = 0; e < t->nr_named; e++) {
		for (size_t i = 0; !rc && i < notes->nr; i++)
			if (notes->notes[i].has_offset &&
			    wants(&t->named[e], &notes->notes[i]))
				rc = add_site(t, e, &notes->notes[i], file, err);
	}
	return rc;
}

bool tracer_wants_usdt(const struct tracer *t)
{
	for (uint32_t i = 0; i < t->nr_named; i++)
		if (named_is_usdt(&t->named[i]))
			return true;
	return tracer_has(t, PT_CALL);
}

int tracer_add_file(struct tracer *t, const struct tracer_file *file,
		    struct err *err)
{
	struct usdt_file *f;
	struct stapsdt notes;
	struct err why = { 0 };
	bool is_new = false;
	struct stat st;
	int rc;

	if (fstat(file->fd, &st))
		return err_set(err, -errno, "cannot stat a file: %s",
			       strerror(errno));
	f = find_file(t, &st, file->pid);
	/* a process that begins maps it before one knows that it is Python */
	if (f && (f->version || !file->version))
		return 0;
	if (!f) {
		f = new_file(t, &st, file->pid);
		is_new = true;
	}
	if (!f)
		return err_set(err, -ENOMEM, "out of memory");
	f->version = file->version;
	rc = stapsdt_init(&notes, file->elf, err);
	if (rc)
		return rc;
	if (is_new)
		rc = add_notes(t, &notes, file, err);
	if (!rc) {
		rc = add_calls(t, &notes, file, f, &why);
		f->refused = rc != 0;
	}
	if (f->refused) {	/* of a process that is met late, it is said later */
		f->why = why;
		if (err)
			*err = why;
	}
	stapsdt_fini(&notes);
	return rc;
}

/* What was found in the file; NULL: nobody has looked into it. */
static const struct usdt_file *found_in(const struct tracer *t, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	for (size_t i = 0; i < t->nr_usdt_files; i++)
		if (t->usdt_files[i].dev == st.st_dev &&
		    t->usdt_files[i].ino == st.st_ino)
			return &t->usdt_files[i];
	return NULL;
}

enum pt_calls_by tracer_calls_by(const struct tracer *t, int fd)
{
	const struct usdt_file *found = found_in(t, fd);

	return found && found->calls ? found->by : PT_CALLS_NONE;
}

static int no_calls(const struct tracer *t, const struct usdt_file *f,
		    const char *python, struct err *err)
{
	if (t->calls == TRACER_CALLS_NONE) {
		err_kind(err, ERR_USAGE, -ENOTSUP, "--probes=none leaves no way "
			 "to trace calls");
		err_hint(err, "without probes, by samples and waits: pytrace -p "
			 "PID");
		return -ENOTSUP;
	}
	if (f->refused) {
		if (err)
			*err = f->why;
		return -ENOTSUP;
	}
	if (f->why.kind && err) {
		*err = f->why;
		(void)!err_wrap(err, -ENOTSUP, t->calls == TRACER_CALLS_PLACES ?
				"this CPython %s takes no synthetic probes" :
				"this CPython %s has no USDT probes that tell of "
				"every call, and takes no synthetic ones", python);
	} else {
		err_kind(err, ERR_UNSUPPORTED, -ENOTSUP, "this CPython %s has no "
			 "USDT probes that tell of every call", python);
		err_hint(err, "distributions' builds of 3.6 to 3.10 and 3.15 "
			 "have function__entry and function__return; 'pytrace "
			 "probes FILE' says what each probe does; others: "
			 "--probes=synthetic");
	}
	err_hint(err, "without them, by samples and waits: pytrace -p PID");
	return -ENOTSUP;
}

/* How alike two names are: letters in common at both ends. */
static size_t likeness(const char *a, const char *b)
{
	size_t front = 0, back = 0, la = strlen(a), lb = strlen(b);

	while (front < la && front < lb && a[front] == b[front])
		front++;
	while (back < la - front && back < lb - front &&
	       a[la - 1 - back] == b[lb - 1 - back])
		back++;
	return front + back;
}

/* "python:gc__start, python:gc__done and 7 more": those most like `name` first. */
static const char *list_seen(const struct tracer *t, const char *name,
			     char *buf, size_t size)
{
	uint64_t told[SEEN_MAX / 64] = { 0 };
	size_t len = 0, nr = 0;

	name += !strncmp(name, "usdt:", 5) ? 5 : 0;
	snprintf(buf, size, "%s", t->nr_usdt_seen ? "" : "none");
	for (; nr < t->nr_usdt_seen && nr < 6; nr++) {
		size_t best = SEEN_MAX;

		for (size_t i = 0; i < t->nr_usdt_seen; i++)
			if (!(told[i / 64] >> (i % 64) & 1) &&
			    (best == SEEN_MAX ||
			     likeness(t->usdt_seen[i], name) >
			     likeness(t->usdt_seen[best], name)))
				best = i;
		told[best / 64] |= UINT64_C(1) << (best % 64);
		if (len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s",
						nr ? ", " : "",
						t->usdt_seen[best]);
	}
	if (nr < t->nr_usdt_seen && len < size)
		snprintf(buf + len, size - len, " and %zu more",
			 t->nr_usdt_seen - nr);
	return buf;
}

const char *tracer_missing_usdt(const struct tracer *t, char *buf, size_t size)
{
	for (uint32_t i = 0; i < t->nr_named; i++) {
		const struct named_event *e = &t->named[i];

		if (!named_is_usdt(e) || t->usdt_found >> i & 1)
			continue;
		list_seen(t, e->name, buf, size);
		return e->name;
	}
	return NULL;
}

int tracer_check_usdt(const struct tracer *t, int fd, const char *python,
		      struct err *err)
{
	char there[300];
	const struct usdt_file *found = found_in(t, fd);
	uint64_t has = found ? found->has : UINT64_MAX;

	if (tracer_has(t, PT_CALL) && found && (!found->calls || found->refused))
		return no_calls(t, found, python, err);
	for (uint32_t i = 0; i < t->nr_named; i++) {
		const struct named_event *e = &t->named[i];

		if (!named_is_usdt(e) || !is_python(e) || has >> i & 1)
			continue;
		err_kind(err, ERR_UNSUPPORTED, -ENOTSUP, "'%s' needs a USDT probe "
			 "that this CPython %s does not have", e->name, python);
		err_hint(err, "it has %s", list_seen(t, e->name, there,
						     sizeof(there)));
		err_hint(err, "'pytrace probes FILE' lists those that there are; "
			 "distributions' builds have them, others need "
			 "./configure --with-dtrace");
		return -ENOTSUP;
	}
	return 0;
}
