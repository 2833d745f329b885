/* SPDX-License-Identifier: MIT */
/*
 * record: the only door from bytes to records.
 *
 * Records come from the ring, from a file, from text.  record_check() is passed
 * once by each of them; what has passed is inside its own size with all its
 * tails, so that the accessors below need no further look.
 */
#ifndef PT_RECORD_H
#define PT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pytrace_abi.h>

#include "base/compiler.h"
#include "base/err.h"

/* No record is longer; whoever writes strings or argv cuts them to fit. */
#define RECORD_MAX	(UINT32_C(1) << 20)

/* What follows the fixed part. */
enum record_tail {
	TAIL_NONE,
	TAIL_STRINGS,		/* NUL-terminated, then NULs to a whole word */
	TAIL_FRAMES,
	TAIL_BYTES,		/* of a part */
	TAIL_ARGS,
	TAIL_DATA,		/* of a tracepoint */
	TAIL_SEED,		/* frames with their addresses */
};

struct record_type {
	const char *name;	/* "syscall", as text has it */
	uint16_t size;		/* bytes of the fixed part */
	uint8_t tail;		/* enum record_tail */
	uint8_t strings;	/* how many at least */
	bool more;		/* ... and any number behind them */
};

/* NULL for a number that no record has. */
const struct record_type *record_type(uint16_t type);

/*
 * `bytes` are aligned to 8 and begin with a record; `len` of them are there.
 * 0 and *out, or
 *	-ENODATA	the record is longer than `len` (it may be cut)
 *	-EBADMSG	no record looks like this: nothing of it can be used
 *
 * Reserved fields and padding are not looked at.
 */
int record_check(const void *bytes, size_t len, const struct pt_hdr **out,
		 struct err *err) PT_MUST_CHECK;

/* The record as an event, or NULL: it is none. */
const struct pt_event *record_event(const struct pt_hdr *rec);
uint8_t record_why(const struct pt_hdr *rec);	/* enum pt_why of its stack */

/*
 * String `i` of a META (tool version, kernel release, host, with the flag
 * PT_META_BOOT_ID that of the boot, argv...), PROCESS
 * (exe, python's version, library, why not walked and, in streams of today, its
 * control group), EXEC (file name), CPUSTAT (path of the group) or NAMED (name,
 * then its fields).
 * NULL behind the last.
 */
const char *record_string(const struct pt_hdr *rec, size_t i);

/* Arguments of a system call: NULL gives the first; NULL behind the last. */
const struct pt_arg *record_next_arg(const struct pt_syscall *sys,
				     const struct pt_arg *arg);

/* The one of that index and kind, or NULL. */
const struct pt_arg *record_arg(const struct pt_syscall *sys, uint8_t index,
				enum pt_arg_kind kind);

static inline const uint8_t *record_arg_bytes(const struct pt_arg *arg)
{
	return (const void *)(arg + 1);
}

static inline const struct pt_frame *record_frames(const struct pt_stack *st)
{
	return (const void *)(st + 1);
}

static inline const struct pt_seed_frame *
record_seed_frames(const struct pt_seed *seed)
{
	return (const void *)(seed + 1);
}

static inline const uint8_t *record_part_bytes(const struct pt_part *part)
{
	return (const void *)(part + 1);
}

static inline const uint8_t *record_data(const struct pt_tracepoint *tp)
{
	return (const void *)(tp + 1);
}

/*
 * Making a record: begin, fill in the fixed part, add what follows in order,
 * end.  Adding moves the bytes: pointers into the record do not survive it.
 * A failure (no memory, longer than RECORD_MAX) is kept until recbuf_end().
 */
struct recbuf {
	uint8_t *bytes;
	size_t len, cap;
	bool failed;
};

void recbuf_free(struct recbuf *b);	/* a zeroed struct is an empty one */

/* The fixed part, zeroed but for its type; NULL without memory. */
void *recbuf_begin(struct recbuf *b, enum pt_type type);
void recbuf_add(struct recbuf *b, const void *bytes, size_t len);
void recbuf_string(struct recbuf *b, const char *s);	/* NULL: "" */
/* A frame, an argument with its bytes (sets the counts too). */
void recbuf_frame(struct recbuf *b, const struct pt_frame *frame);
void recbuf_seed_frame(struct recbuf *b, const struct pt_seed_frame *frame);
void recbuf_arg(struct recbuf *b, const struct pt_arg *arg, const void *bytes);
/* Pads and sets the size.  Valid until the next begin; NULL after a failure. */
const struct pt_hdr *recbuf_end(struct recbuf *b);

#endif /* PT_RECORD_H */
