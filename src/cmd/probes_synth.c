/* SPDX-License-Identifier: MIT */
/* probes_synth: where synthetic probes on calls can be put, or why not. */
#include "cmd/probes_synth.h"

#include <inttypes.h>

#include "base/printable.h"
#include "cmd/jsonline.h"
#include "python/synth.h"

/* 0 and `s`, or the reason in `why`. */
static int find(const struct probes_file *f, const struct pyimage *image,
		struct synth *s, struct err *why)
{
	if (image->walk)
		return synth_find(s, f->img, image->version, why);
	return err_kind(why, ERR_UNSUPPORTED, -1, "%s", image->why);
}

static void put_frame(char *buf, size_t size, const struct synth_site *s)
{
	if (s->frame_reg == SYNTH_NO_REG)
		snprintf(buf, size, "-");
	else if (s->frame_at < 0)
		snprintf(buf, size, "%%%s", synth_reg_name(s->frame_reg));
	else
		snprintf(buf, size, "%d(%%%s)", s->frame_at,
			 synth_reg_name(s->frame_reg));
}

static void print_place(FILE *out, const struct synth_site *s, bool offsets)
{
	char frame[24], opcode[8] = "-", insn[96];

	put_frame(frame, sizeof(frame), s);
	if (s->opcode)
		snprintf(opcode, sizeof(opcode), "%u", s->opcode);
	fprintf(out, "  %-9s  0x%-8" PRIx64 "  ", synth_kind_name(s->kind),
		s->vaddr);
	if (offsets)
		fprintf(out, "0x%-8" PRIx64 "  ", s->offset);
	fprintf(out, "%6s  %-8s  %-14s  %s\n", opcode, frame,
		s->emulated ? "emulated" : "single-stepped",
		synth_insn_text(s, insn, sizeof(insn)));
}

static void print(FILE *out, const struct synth *s, bool offsets)
{
	fprintf(out, "  synthetic probes on calls: %zu places", s->nr);
	if (s->nr_stepped)
		fprintf(out, ", %zu single-stepped (two traps a hit)",
			s->nr_stepped);
	else
		fputs(", all emulated (one trap a hit)", out);
	fprintf(out, "\n  %-9s  %-10s  ", "PLACE", "LOCATION");
	if (offsets)
		fprintf(out, "%-10s  ", "OFFSET");
	fprintf(out, "%6s  %-8s  %-14s  %s\n", "OPCODE", "FRAME", "HIT",
		"INSTRUCTION");
	for (size_t i = 0; i < s->nr; i++)
		print_place(out, &s->sites[i], offsets);
}

static void print_none(FILE *out, const struct err *why)
{
	fputs("  no synthetic probes: ", out);
	printable_put(out, why->text, strlen(why->text));
	fputc('\n', out);
}

static void put_reg(struct jsonline *j, const char *name, uint8_t reg)
{
	jsonline_str(j, name, reg == SYNTH_NO_REG ? NULL : synth_reg_name(reg));
}

static int put_place(FILE *out, const char *path, const struct synth_site *s,
		     struct err *err)
{
	char insn[96], bytes[2 * SYNTH_MAX_INSN + 1] = "";
	struct jsonline j;

	for (size_t i = 0; i < s->len; i++)
		snprintf(bytes + 2 * i, 3, "%02x", s->bytes[i]);
	jsonline_begin(&j, "place");
	jsonline_str(&j, "path", path);
	jsonline_str(&j, "kind", synth_kind_name(s->kind));
	jsonline_u64(&j, "location", s->vaddr);
	jsonline_u64(&j, "offset", s->offset);
	if (s->opcode)
		jsonline_int(&j, "opcode", s->opcode);
	else
		jsonline_null(&j, "opcode");
	put_reg(&j, "frame", s->frame_reg);
	if (s->frame_at >= 0)
		jsonline_int(&j, "frame_at", s->frame_at);
	else
		jsonline_null(&j, "frame_at");
	jsonline_bool(&j, "emulated", s->emulated);
	jsonline_int(&j, "traps", s->emulated ? 1 : 2);
	if (s->cond != SYNTH_ALWAYS)
		jsonline_int(&j, "condition", s->cond);
	else
		jsonline_null(&j, "condition");
	jsonline_str(&j, "instruction", synth_insn_text(s, insn, sizeof(insn)));
	jsonline_str(&j, "bytes", bytes);
	return jsonline_end(&j, out, err);
}

static int put_json(FILE *out, const char *path, const struct synth *s,
		    const struct err *why, struct err *err)
{
	struct jsonline j;
	int rc;

	jsonline_begin(&j, "synthetic");
	jsonline_str(&j, "path", path);
	jsonline_str(&j, "method", s ? synth_method_name(s->method) : NULL);
	jsonline_u64(&j, "places", s ? s->nr : 0);
	jsonline_u64(&j, "stepped", s ? s->nr_stepped : 0);
	if (s && s->table)
		jsonline_u64(&j, "table", s->table);
	else
		jsonline_null(&j, "table");
	jsonline_str(&j, "why", s ? NULL : why->text);
	rc = jsonline_end(&j, out, err);
	for (size_t i = 0; s && i < s->nr && !rc; i++)
		rc = put_place(out, path, &s->sites[i], err);
	return rc;
}

int probes_synth(FILE *out, const struct probes_file *f,
		 const struct pyimage *image, bool offsets, bool json,
		 struct err *err)
{
	struct err why = { 0 };
	struct synth s;
	bool found = !find(f, image, &s, &why);

	if (json)
		return put_json(out, elfimg_name(f->img), found ? &s : NULL,
				&why, err);
	if (found)
		print(out, &s, offsets);
	else
		print_none(out, &why);
	return 0;
}
