/* SPDX-License-Identifier: MIT */
/* codes: code objects by id, put together from their parts. */
#include "stack/codes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/record.h"
#include "python/linetable.h"
#include "python/pystr.h"

#include "stack/table.h"

/* No name and no line table is longer; CPython's own library stays far below. */
#define PART_MAX ((uint32_t)16 << 20)
#define LINES_MAX 65536

struct part {
	uint8_t *bytes;
	uint32_t have;		/* from the beginning on, without a gap */
	uint32_t total;		/* as the last PT_PART says; 0: none came */
};

struct line {
	int32_t lasti;
	int32_t line;
};

struct place {
	uint64_t addr;
	uint32_t proc, pad;
};

struct code {
	uint64_t id;
	bool defined;		/* PT_CODE has come: `rec` is good */
	bool used;		/* since eviction last looked at it */
	bool resolved;		/* func, file and why are as they can be */
	struct pt_code rec;
	struct part part[PT_NR_PARTS];
	char *func, *file;	/* UTF-8, or NULL */
	size_t func_len, file_len;
	bool is_shim;		/* no function, but the interpreter's own */
	const char *why;	/* of func or file */
	const char *why_line;
	enum origin origin;
	struct line *lines;	/* looked up so far, by lasti */
	uint32_t nr_lines, cap_lines;
	struct place at;	/* of the object */
	uint64_t first;		/* the id that it had first */
	UT_hash_handle hh;
	UT_hash_handle hh_at;	/* if it is the latest there */
	struct code *prev, *next;
};

struct codes {
	struct code *by_id;
	struct code *by_place;
	struct code *oldest;	/* the list, in the order of eviction */
	size_t memory;
	uint64_t changes;
};

struct codes *codes_new(void)
{
	return calloc(1, sizeof(struct codes));
}

/* ---- memory -------------------------------------------------------------- */

static void forget_resolved(struct codes *c, struct code *code)
{
	c->changes += code->resolved;
	if (code->func)
		c->memory -= code->func_len + 1;
	if (code->file)
		c->memory -= code->file_len + 1;
	c->memory -= code->cap_lines * sizeof(*code->lines);
	free(code->func);
	free(code->file);
	free(code->lines);
	code->func = code->file = NULL;
	code->lines = NULL;
	code->nr_lines = code->cap_lines = 0;
	code->why = code->why_line = NULL;
	code->resolved = false;
}

static void forget_part(struct codes *c, struct part *part)
{
	c->memory -= part->have;
	free(part->bytes);
	*part = (struct part){ 0 };
}

static struct code *latest_at(const struct codes *c, const struct place *at)
{
	struct code *code;

	HASH_FIND(hh_at, c->by_place, at, sizeof(*at), code);
	return code;
}

static void forget(struct codes *c, struct code *code)
{
	HASH_DEL(c->by_id, code);
	if (code->defined && latest_at(c, &code->at) == code)
		HASH_DELETE(hh_at, c->by_place, code);
	DL_DELETE(c->oldest, code);
	forget_resolved(c, code);
	for (size_t i = 0; i < PT_NR_PARTS; i++)
		forget_part(c, &code->part[i]);
	c->memory -= sizeof(*code);
	free(code);
}

void codes_free(struct codes *c)
{
	if (!c)
		return;
	while (c->by_id)
		forget(c, c->by_id);
	free(c);
}

size_t codes_memory(const struct codes *c)
{
	return c->memory;
}

/*
 * Second chance: what was used since the last round goes to the end of the
 * list, what was not goes for good.
 */
size_t codes_evict(struct codes *c, size_t memory)
{
	size_t gone = 0;

	while (c->oldest && c->memory > memory) {
		struct code *code = c->oldest;

		if (code->used) {
			code->used = false;
			DL_DELETE(c->oldest, code);
			DL_APPEND(c->oldest, code);
			continue;
		}
		forget(c, code);
		gone++;
	}
	return gone;
}

static struct code *find(struct codes *c, uint64_t id)
{
	struct code *code;

	HASH_FIND(hh, c->by_id, &id, sizeof(id), code);
	return code;
}

uint64_t codes_changes(const struct codes *c)
{
	return c->changes;
}

void codes_use(struct codes *c, uint64_t id)
{
	struct code *code = find(c, id);

	if (code)
		code->used = true;
}

static struct code *find_or_add(struct codes *c, uint64_t id)
{
	struct code *code = find(c, id);

	if (code)
		return code;
	code = calloc(1, sizeof(*code));
	if (!code)
		return NULL;
	code->id = id;
	HASH_ADD(hh, c->by_id, id, sizeof(code->id), code);
	if (!code->hh.tbl) {
		free(code);
		return NULL;
	}
	DL_APPEND(c->oldest, code);
	c->memory += sizeof(*code);
	return code;
}

/* ---- definitions ---------------------------------------------------------- */

static bool same_object(const struct pt_code *a, const struct pt_code *b)
{
	if (a->firstline != b->firstline || a->version != b->version)
		return false;
	for (size_t i = 0; i < PT_NR_PARTS; i++)
		if (a->part[i].len != b->part[i].len ||
		    a->part[i].kind != b->part[i].kind ||
		    a->part[i].addr != b->part[i].addr)
			return false;
	return true;
}

/* It is the latest at its place, and if nothing has changed there, the same. */
static int take_place(struct codes *c, struct code *code)
{
	const struct place at = { .addr = code->rec.addr,
				  .proc = code->rec.h.proc };
	struct code *was = latest_at(c, &at);

	code->first = code->id;
	code->at = at;
	if (was && same_object(&was->rec, &code->rec))
		code->first = was->first;
	if (was)
		HASH_DELETE(hh_at, c->by_place, was);
	HASH_ADD(hh_at, c->by_place, at, sizeof(code->at), code);
	return code->hh_at.tbl ? 0 : -ENOMEM;
}

uint64_t codes_first(const struct codes *c, uint64_t code)
{
	const struct code *found;

	HASH_FIND(hh, c->by_id, &code, sizeof(code), found);
	return found && found->defined ? found->first : code;
}

/*
 * The parts come before the code object from the kernel half, and after it
 * when user space completes what the kernel half could not read.
 */
int codes_define(struct codes *c, const struct pt_code *rec)
{
	struct code *code = find_or_add(c, rec->code);

	if (!code)
		return -ENOMEM;
	if (code->defined && same_object(&code->rec, rec)) {
		/* sent again: a state may have become better */
		if (memcmp(&code->rec.part, &rec->part, sizeof(rec->part)))
			forget_resolved(c, code);
		code->rec = *rec;
		return 0;
	}
	forget_resolved(c, code);
	c->changes += !code->defined;
	if (code->defined && latest_at(c, &code->at) == code)
		HASH_DELETE(hh_at, c->by_place, code);
	code->rec = *rec;
	code->defined = true;
	return take_place(c, code);
}

int codes_part(struct codes *c, const struct pt_part *rec)
{
	struct code *code = find_or_add(c, rec->code);
	uint32_t end = rec->offset + rec->nr;
	struct part *part;
	uint8_t *bytes;

	if (!code)
		return -ENOMEM;
	part = &code->part[rec->part];
	if (rec->total > PART_MAX)
		return 0;
	if (rec->total != part->total) {	/* another, or the first */
		forget_part(c, part);
		part->total = rec->total;
	}
	forget_resolved(c, code);
	if (rec->offset > part->have)		/* what is between was lost */
		return 0;
	if (end > part->have) {
		bytes = realloc(part->bytes, end);
		if (!bytes)
			return -ENOMEM;
		part->bytes = bytes;
		c->memory += end - part->have;
		part->have = end;
	}
	if (rec->nr)
		memcpy(part->bytes + rec->offset, record_part_bytes(rec),
		       rec->nr);
	return 0;
}

/* ---- names and lines ------------------------------------------------------ */

/* NULL if the bytes of a part are all there, else why they are not. */
static const char *part_missing(const struct code *code, enum pt_part_nr nr)
{
	const struct part *part = &code->part[nr];
	const struct pt_part_ref *ref = &code->rec.part[nr];
	uint64_t want = (uint64_t)ref->len * ref->kind;
	bool is_kind = ref->kind == 1 || ref->kind == 2 || ref->kind == 4;

	if (is_kind && part->have == part->total && want == part->have &&
	    (want || ref->state == PT_PART_SENT))
		return NULL;
	switch ((enum pt_part_state)ref->state) {
	case PT_PART_ABSENT:
		return "this version has no such field";
	case PT_PART_SENT:
		if (!is_kind)
			break;
		return "part of its definition was lost";
	case PT_PART_LONG:
		return "too long to be read";
	case PT_PART_UNREAD:
		return "a page was not resident";
	case PT_PART_BAD:
		break;
	}
	return "the code object is not plausible";
}

static char *part_text(struct codes *c, const struct code *code,
		       enum pt_part_nr nr, size_t *len)
{
	const struct pt_part_ref *ref = &code->rec.part[nr];
	const struct part *part = &code->part[nr];
	size_t room = PYSTR_ROOM(ref->kind, (size_t)ref->len);
	char *text = malloc(room), *tight;

	if (!text)
		return NULL;
	*len = pystr_utf8(text, room, ref->kind, part->bytes, ref->len);
	tight = realloc(text, *len + 1);
	if (tight)
		text = tight;
	c->memory += *len + 1;
	return text;
}

/*
 * From 3.13 a specialised call of a class has a frame of its own below that of
 * __init__, which checks what that returns (CPython's _Py_InitCleanup, in
 * Python/specialize.c: file and name "__init__", first line 0).  Python's own
 * tracebacks leave it out.
 */
static bool is_shim(const struct code *code)
{
	return code->rec.version >= 0x030d && code->rec.firstline <= 0 &&
	       code->file && !strcmp(code->file, "__init__") &&
	       code->func && !strcmp(code->func, "__init__");
}

/* Make func and file; 0 or -ENOMEM. */
static int resolve_names(struct codes *c, struct code *code)
{
	bool has_qualname = !part_missing(code, PT_QUALNAME);
	enum pt_part_nr name = has_qualname ? PT_QUALNAME : PT_NAME;
	const char *why_file = part_missing(code, PT_FILENAME);

	code->why = part_missing(code, name);
	if (!code->why) {
		code->func = part_text(c, code, name, &code->func_len);
		if (!code->func)
			return -ENOMEM;
	}
	if (!why_file) {
		code->file = part_text(c, code, PT_FILENAME,
				       &code->file_len);
		if (!code->file)
			return -ENOMEM;
	}
	if (!code->why)
		code->why = why_file;
	code->why_line = part_missing(code, PT_LINETABLE);
	code->origin = code->file ? origin_of(code->file) : ORIGIN_APP;
	code->is_shim = is_shim(code);
	code->resolved = true;
	return 0;
}

/* Where `lasti` is, or would be, among the lines looked up so far. */
static uint32_t line_slot(const struct code *code, int32_t lasti)
{
	uint32_t lo = 0, hi = code->nr_lines;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (code->lines[mid].lasti < lasti)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int add_line(struct codes *c, struct code *code, uint32_t at,
		    struct line line)
{
	if (code->nr_lines == code->cap_lines) {
		uint32_t cap = code->cap_lines ? code->cap_lines * 2 : 4;
		struct line *lines = realloc(code->lines,
					     cap * sizeof(*lines));

		if (!lines)
			return -ENOMEM;
		c->memory += (cap - code->cap_lines) * sizeof(*lines);
		code->lines = lines;
		code->cap_lines = cap;
	}
	memmove(&code->lines[at + 1], &code->lines[at],
		(code->nr_lines - at) * sizeof(*code->lines));
	code->lines[at] = line;
	code->nr_lines++;
	return 0;
}

/*
 * Tables are read from their beginning: each line is looked up once.  A code
 * object has as many as it has instructions, and no more are kept, whatever
 * instructions a stream claims.
 */
static int find_line(struct codes *c, struct code *code, int32_t lasti,
		     int *out)
{
	const struct part *table = &code->part[PT_LINETABLE];
	uint32_t at = line_slot(code, lasti);
	struct line line = { lasti, -1 };

	if (at < code->nr_lines && code->lines[at].lasti == lasti) {
		*out = code->lines[at].line;
		return 0;
	}
	line.line = linetable_line(code->rec.version, table->bytes,
				   table->have, code->rec.firstline, lasti);
	*out = line.line;
	if (code->nr_lines >= LINES_MAX)
		return 0;
	return add_line(c, code, at, line);
}

/* All but the line; the object, or NULL. */
static int resolve_code(struct codes *c, uint64_t id, struct frame *out,
			struct code **found)
{
	struct code *code = find(c, id);
	int rc = 0;

	*out = (struct frame){
		.line = -1, .lasti = -1, .def = -1,
		.why = "its definition was lost",
	};
	*found = NULL;
	if (!code || !code->defined)
		return 0;
	code->used = true;
	if (!code->resolved)
		rc = resolve_names(c, code);
	if (rc)
		return rc;
	*found = code;
	out->func = code->func;
	out->file = code->file;
	out->func_len = code->func_len;
	out->file_len = code->file_len;
	out->is_shim = code->is_shim;
	out->why = code->why;
	out->def = code->rec.firstline;
	out->origin = code->origin;
	return 0;
}

bool codes_is_named(struct codes *c, uint64_t id)
{
	const struct code *code = find(c, id);

	return code && code->defined && !part_missing(code, PT_NAME) &&
	       !part_missing(code, PT_FILENAME) &&
	       (code->rec.part[PT_QUALNAME].state == PT_PART_ABSENT ||
		!part_missing(code, PT_QUALNAME));
}

int codes_names(struct codes *c, uint64_t code, struct frame *out)
{
	struct code *found;

	return resolve_code(c, code, out, &found);
}

int codes_resolve(struct codes *c, const struct pt_frame *frame,
		  struct frame *out)
{
	struct code *code;
	int rc = resolve_code(c, frame->code, out, &code);

	out->lasti = frame->lasti;
	if (rc || !code)
		return rc;
	if (!out->why)
		out->why = code->why_line;
	if (code->why_line)
		return 0;
	return find_line(c, code, frame->lasti, &out->line);
}
