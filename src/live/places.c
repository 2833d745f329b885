/* SPDX-License-Identifier: MIT */
/*
 * places: probes at places of an interpreter's own code that tell of calls,
 * where it has none that do (src/python/synth.h).
 *
 * All of a file or none, and their events count from when the last one is in:
 * half of them would make stacks that never were.
 */
#include <errno.h>

#include "live/attach.h"
#include "live/tracer_priv.h"
#include "python/synth.h"
#include "pytrace.skel.h"

_Static_assert((int)PT_PLACE_ENTRY == (int)SYNTH_ENTRY &&
	       (int)PT_PLACE_RETURN == (int)SYNTH_RETURN &&
	       (int)PT_PLACE_YIELD == (int)SYNTH_YIELD &&
	       (int)PT_PLACE_MAKES == (int)SYNTH_MAKES &&
	       (int)PT_PLACE_CLEAR == (int)SYNTH_CLEAR &&
	       (int)PT_PLACE_EVAL == (int)SYNTH_EVAL &&
	       (int)PT_PLACE_EVAL_END == (int)SYNTH_EVAL_END &&
	       (int)PT_PLACE_TRACEBACK == (int)SYNTH_TRACEBACK,
	       "both halves number the kinds alike");

/* x86-64's number of a register to its word of struct pt_regs. */
static uint8_t word_of(uint8_t reg)
{
	static const uint8_t words[] = {
		[SYNTH_RAX] = 10, [SYNTH_RCX] = 11, [SYNTH_RDX] = 12,
		[SYNTH_RBX] = 5, [SYNTH_RSP] = 19, [SYNTH_RBP] = 4,
		[SYNTH_RSI] = 13, [SYNTH_RDI] = 14, [SYNTH_R8] = 9,
		[SYNTH_R9] = 8, [SYNTH_R10] = 7, [SYNTH_R11] = 6,
		[SYNTH_R12] = 3, [SYNTH_R13] = 2, [SYNTH_R14] = 1,
		[SYNTH_R15] = 0,
	};

	return reg < ARRAY_LEN(words) ? words[reg] : PT_SITE_NONE;
}

static uint64_t cookie_of(const struct synth_site *site, uint32_t file)
{
	const struct pt_place place = {
		.kind = (uint8_t)site->kind,
		.file = (uint8_t)file,
		.frame = word_of(site->frame_reg),
		.tstate = word_of(site->tstate_reg),
		.throwing = word_of(site->throw_reg),
		.cond = site->cond,
		.frame_at = site->frame_at < 0 ? PT_PLACE_IN_REG :
			    (uint16_t)site->frame_at,
	};
	uint64_t cookie;

	memcpy(&cookie, &place, sizeof(cookie));
	return cookie;
}

/* What a step costs differs by more than ten times; on this host it is unknown. */
static int too_dear(const struct synth *s, struct err *err)
{
	err_kind(err, ERR_UNSUPPORTED, -ENOTSUP, "%zu of the %zu places that tell "
		 "of calls are on instructions that the kernel does not emulate",
		 s->nr_stepped, s->nr);
	err_hint(err, "each hit there is single-stepped: 2 us, and about 20 us in "
		 "a virtual machine; all the same: --allow single-step");
	return -ENOTSUP;
}

/* Held against an oracle that saw every call: none missed, none more. */
static bool is_exact(uint16_t version)
{
	return version >= 0x0306 && version <= 0x030f;
}

static int not_exact(uint16_t version, struct err *err)
{
	return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP, "those of Python %u.%u "
			"are not known to tell of every call", version >> 8,
			version & 0xffu);
}

int places_add(struct tracer *t, const struct tracer_file *file, uint32_t *nr,
	       struct err *err)
{
	struct synth *s = calloc(1, sizeof(*s));
	uint32_t number = t->nr_placed;
	int rc = s ? 0 : err_set(err, -ENOMEM, "out of memory");

	if (!rc && number == PT_MAX_PLACED)
		rc = err_set(err, -ENOSPC, "more than %d different interpreters",
			     PT_MAX_PLACED);
	if (!rc && !is_exact(file->version))
		rc = not_exact(file->version, err);
	if (!rc)
		rc = synth_find(s, file->elf, file->version, err);
	if (!rc && s->nr_stepped && !t->allow_step)
		rc = too_dear(s, err);
	for (size_t i = 0; !rc && i < s->nr; i++) {
		const struct probe_place at = {
			.fd = file->fd, .pid = file->pid,
			.offset = s->sites[i].offset,
		};

		rc = tracer_add_probe(t, t->skel->progs.on_place, &at,
				      cookie_of(&s->sites[i], number), err);
		if (rc)
			rc = err_wrap(err, rc, "place of calls (%s)",
				      synth_kind_name(s->sites[i].kind));
	}
	if (!rc) {
		*nr = (uint32_t)s->nr;
		t->nr_placed++;
		t->skel->bss->placed[number] = 1;
	}
	free(s);
	return rc;
}
