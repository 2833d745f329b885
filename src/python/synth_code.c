/* SPDX-License-Identifier: MIT */
/* synth_code: decode one function and know where control can come from. */
#include "python/synth_code.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>

#include <Zydis/Zydis.h>

#include "elf/elfimg.h"
#include "python/synth.h"

enum {
	MAX_CODE = 768 << 10,	/* bytes; an evaluator at -O0 has 200 KiB */
	MAX_TABLE = 512,	/* labels of one jump table */
	MAX_LABELS = 1 << 14,
	MAX_TABLES = 64,
	MAX_LEAVING = 1024,	/* jumps out of what is known of it */
	/* what a called function need not keep: psABI, 3.2.1 */
	SCRATCH = 1 << SYNTH_RAX | 1 << SYNTH_RCX | 1 << SYNTH_RDX |
		  1 << SYNTH_RSI | 1 << SYNTH_RDI | 1 << SYNTH_R8 |
		  1 << SYNTH_R9 | 1 << SYNTH_R10 | 1 << SYNTH_R11,
};

static int reg_nr(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(
			ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64)
		return SYNTH_NO_REG;
	return ZydisRegisterGetId(whole);
}

/*
 * What arch/x86/kernel/uprobes.c emulates in all kernels that pytrace runs on:
 * push_setup_xol_ops() and branch_setup_xol_ops().
 */
static bool is_emulated(const uint8_t *p, size_t len)
{
	if (len == 1)
		return (p[0] >= 0x50 && p[0] <= 0x57) || p[0] == 0x90;
	if (len == 2 && p[0] == 0x41)
		return p[1] >= 0x50 && p[1] <= 0x57;
	if (len == 2 && p[0] == 0x66)
		return p[1] == 0x90;
	if (len == 6 && p[0] == 0x0f)
		return p[1] >= 0x80 && p[1] <= 0x8f;
	return p[0] == 0xe8 || p[0] == 0xe9 || p[0] == 0xeb ||
	       (len == 2 && p[0] >= 0x70 && p[0] <= 0x7f);
}

static bool is_stop(ZydisMnemonic m)
{
	return m == ZYDIS_MNEMONIC_UD2 || m == ZYDIS_MNEMONIC_HLT ||
	       m == ZYDIS_MNEMONIC_INT3;
}

static void set_flow(struct synth_insn *i, const uint8_t *p,
		     const ZydisDecodedInstruction *ins,
		     const ZydisDecodedOperand *ops)
{
	ZydisInstructionCategory category = ins->meta.category;
	bool direct = ins->operand_count &&
		      ops[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		      ops[0].imm.is_relative;

	if (direct)
		i->target = i->vaddr + i->len + ops[0].imm.value.u;
	if (category == ZYDIS_CATEGORY_COND_BR) {
		i->flow = FLOW_JCC;
		i->cond = (p[0] == 0x0f ? p[1] : p[0]) & 0xf;
	} else if (category == ZYDIS_CATEGORY_UNCOND_BR) {
		i->flow = direct ? FLOW_JMP : FLOW_JMP_TO;
	} else if (category == ZYDIS_CATEGORY_CALL) {
		i->flow = direct ? FLOW_CALL : FLOW_CALL_TO;
		i->writes |= SCRATCH;
	} else if (category == ZYDIS_CATEGORY_RET) {
		i->flow = FLOW_RET;
	} else {
		i->flow = is_stop(ins->mnemonic) ? FLOW_STOP : FLOW_NEXT;
	}
}

/* A move of 8 bytes, of a register or 0, to memory at register + number. */
static void set_store(struct synth_insn *i, const ZydisDecodedInstruction *ins,
		      const ZydisDecodedOperand *ops)
{
	int64_t disp = ops[0].mem.disp.has_displacement ?
		       ops[0].mem.disp.value : 0;
	bool zero = ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		    !ops[1].imm.value.u;

	if (ins->mnemonic != ZYDIS_MNEMONIC_MOV ||
	    ops[0].type != ZYDIS_OPERAND_TYPE_MEMORY || ops[0].size != 64 ||
	    (ops[1].type != ZYDIS_OPERAND_TYPE_REGISTER && !zero) ||
	    ops[0].mem.index != ZYDIS_REGISTER_NONE ||
	    ops[0].mem.segment == ZYDIS_REGISTER_FS ||
	    ops[0].mem.segment == ZYDIS_REGISTER_GS ||
	    disp > INT32_MAX || disp < INT32_MIN)
		return;
	i->store_base = (uint8_t)reg_nr(ops[0].mem.base);
	i->store_zero = zero;
	i->store_at = (int32_t)disp;
}

static void set_mentioned(struct synth_insn *i, const ZydisDecodedOperand *m)
{
	uint64_t disp = (uint64_t)m->mem.disp.value;

	if (!m->mem.disp.has_displacement)
		return;
	if (m->mem.base == ZYDIS_REGISTER_RIP) {
		i->mentions = i->vaddr + i->len + disp;
		i->mentions_scale = 0;
	} else if (m->mem.base == ZYDIS_REGISTER_NONE &&
		   m->mem.index != ZYDIS_REGISTER_NONE && m->mem.scale == 8) {
		i->mentions = disp;
		i->mentions_scale = 8;
	}
}

static void set_operands(struct synth_insn *i,
			 const ZydisDecodedInstruction *ins,
			 const ZydisDecodedOperand *ops)
{
	for (int k = 0; k < ins->operand_count; k++) {
		const ZydisDecodedOperand *op = &ops[k];
		int nr;

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
			set_mentioned(i, op);
		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		nr = reg_nr(op->reg.value);
		if (nr < 16)
			i->writes |= (uint16_t)(1u << nr);
	}
}

static bool decode(const ZydisDecoder *d, const uint8_t *p, size_t len,
		   uint64_t vaddr, struct synth_insn *i)
{
	ZydisDecodedInstruction ins;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(d, p, len, &ins, ops)))
		return false;
	*i = (struct synth_insn){
		.vaddr = vaddr, .len = ins.length,
		.store_base = SYNTH_NO_REG,
		.emulated = is_emulated(p, ins.length),
	};
	set_operands(i, &ins, ops);
	set_flow(i, p, &ins, ops);
	if (ins.operand_count_visible == 2)
		set_store(i, &ins, ops);
	return true;
}

static int grow(struct synth_code *code, size_t *room, struct err *err)
{
	struct synth_insn *more;

	if (code->nr < *room)
		return 0;
	*room = *room ? *room * 2 : 4096;
	more = realloc(code->ins, *room * sizeof(*more));
	if (!more)
		return err_set(err, -ENOMEM, "out of memory");
	code->ins = more;
	return 0;
}

static int decode_bytes(struct synth_code *code, const uint8_t *bytes,
			const struct synth_range *part, struct err *err)
{
	size_t size = part->hi - part->lo, at = 0, room = code->nr;
	ZydisDecoder d;
	int rc;

	if (!ZYAN_SUCCESS(ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64,
					   ZYDIS_STACK_WIDTH_64)))
		return err_set(err, -EINVAL, "no decoder for x86-64");
	while (at < size) {
		rc = grow(code, &room, err);
		if (rc < 0)
			return rc;
		if (!decode(&d, bytes + at, size - at, part->lo + at,
			    &code->ins[code->nr]))
			return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
					"what is at %#" PRIx64 " of the "
					"evaluator is no instruction",
					part->lo + at);
		at += code->ins[code->nr++].len;
	}
	return 0;
}

static int decode_part(struct synth_code *code, const struct synth_range *part,
		       struct err *err)
{
	size_t size = part->hi - part->lo;
	uint8_t *bytes = malloc(size);
	int rc;

	if (!bytes)
		return err_set(err, -ENOMEM, "out of memory");
	if (elfimg_read(code->img, part->lo, bytes, size) < 0)
		rc = err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
			      "the code at %#" PRIx64 " is not all in the file",
			      part->lo);
	else
		rc = decode_bytes(code, bytes, part, err);
	free(bytes);
	return rc;
}

static bool in_parts(const struct synth_code *code, uint64_t vaddr)
{
	for (size_t i = 0; i < code->nr_parts; i++)
		if (vaddr >= code->parts[i].lo && vaddr < code->parts[i].hi)
			return true;
	return false;
}

static int add_part(struct synth_code *code, struct synth_range part,
		    struct err *err)
{
	uint64_t sum = part.hi - part.lo, offset;

	for (size_t i = 0; i < code->nr_parts; i++) {
		const struct synth_range *p = &code->parts[i];

		if (part.lo < p->hi && p->lo < part.hi)
			return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
					"the parts of the evaluator overlap");
		sum += p->hi - p->lo;
	}
	if (code->nr_parts == SYNTH_MAX_PARTS || sum > MAX_CODE)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"the evaluator is larger than any CPython's");
	if (elfimg_offset(code->img, part.lo, PF_X, &offset) < 0)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"the evaluator is not in executable code");
	code->parts[code->nr_parts++] = part;
	return decode_part(code, &part, err);
}

/* The part that holds `vaddr`, unless it is there already. */
static int add_part_of(struct synth_code *code, uint64_t vaddr, struct err *err)
{
	struct synth_range part;
	bool split;

	if (in_parts(code, vaddr))
		return 0;
	if (synth_fde(code->img, vaddr, &part, &split) < 0)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"the unwind tables do not tell where the code "
				"at %#" PRIx64 " begins and ends", vaddr);
	return add_part(code, part, err);
}

/* Jumps that leave for a part of this function, not for another function. */
static int follow_jumps(struct synth_code *code, struct err *err)
{
	size_t leaving = 0;
	int rc = 0;

	for (size_t i = 0; i < code->nr && !rc; i++) {
		uint64_t to = code->ins[i].target;
		struct synth_range part;
		bool split;

		if ((code->ins[i].flow != FLOW_JCC &&
		     code->ins[i].flow != FLOW_JMP) || in_parts(code, to))
			continue;
		if (leaving++ == MAX_LEAVING)
			return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
					"the evaluator jumps to too many other "
					"functions");
		if (synth_fde(code->img, to, &part, &split) < 0)
			continue;
		if (split || to != part.lo)
			rc = add_part(code, part, err);
	}
	return rc;
}

static int by_vaddr(const void *pa, const void *pb)
{
	const struct synth_insn *a = pa, *b = pb;

	return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

static int by_target(const void *pa, const void *pb)
{
	const struct synth_join *a = pa, *b = pb;

	return (a->to > b->to) - (a->to < b->to);
}

static int find_joins(struct synth_code *code, struct err *err)
{
	code->joins = malloc((code->nr + 1) * sizeof(*code->joins));
	if (!code->joins)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < code->nr; i++)
		if (code->ins[i].flow == FLOW_JCC ||
		    code->ins[i].flow == FLOW_JMP)
			code->joins[code->nr_joins++] = (struct synth_join){
				code->ins[i].target, i
			};
	qsort(code->joins, code->nr_joins, sizeof(*code->joins), by_target);
	return 0;
}

/* One entry of a jump table of a compiler: absolute, or relative to it. */
static bool table_entry(struct synth_code *code, const struct synth_insn *i,
			size_t k, uint64_t *to)
{
	int32_t rel;

	if (i->mentions_scale == 8)
		return !elfimg_read(code->img, i->mentions + 8 * k, to, 8);
	if (elfimg_read(code->img, i->mentions + 4 * k, &rel, 4) < 0)
		return false;
	*to = i->mentions + (uint64_t)(int64_t)rel;
	return true;
}

static size_t add_table(struct synth_code *code, const struct synth_insn *ins)
{
	uint64_t to;
	size_t k;

	for (k = 0; k < MAX_TABLE && code->nr_labels < MAX_LABELS; k++) {
		if (!table_entry(code, ins, k, &to) || !in_parts(code, to) ||
		    !synth_code_at(code, to))
			break;
		code->labels[code->nr_labels++] = to;
	}
	return k;
}

/*
 * Whatever may be a jump table is taken for one: a label too many makes the
 * choice of places more careful, no more.
 */
static void add_tables(struct synth_code *code)
{
	uint64_t seen[MAX_TABLES];
	size_t nr = 0, k;

	for (size_t i = 0; i < code->nr && nr < MAX_TABLES; i++) {
		const struct synth_insn *ins = &code->ins[i];

		if (!ins->mentions || in_parts(code, ins->mentions))
			continue;
		for (k = 0; k < nr && seen[k] != ins->mentions; k++)
			;
		if (k == nr && add_table(code, ins))
			seen[nr++] = ins->mentions;
	}
}

static int find_labels(struct synth_code *code, const uint64_t *labels,
		       size_t nr, struct err *err)
{
	code->labels = malloc(MAX_LABELS * sizeof(*code->labels));
	if (!code->labels || nr > MAX_LABELS)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < nr; i++) {
		if (!synth_code_at(code, labels[i]))
			return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
					"the bytecode's code at %#" PRIx64
					" begins amid an instruction",
					labels[i]);
		code->labels[code->nr_labels++] = labels[i];
	}
	add_tables(code);
	qsort(code->labels, code->nr_labels, sizeof(*code->labels), by_value);
	return 0;
}

/* endbr64; bnd jmp *SLOT(%rip): psABI 5.2, and its form with IBT. */
const char *synth_code_stub(struct elfimg *img, uint64_t target)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	uint8_t p[16];
	struct elfreloc rel;
	size_t at = 0;
	int32_t disp;

	if (elfimg_read(img, target, p, sizeof(p)) < 0)
		return NULL;
	if (!memcmp(p, endbr, sizeof(endbr)))
		at += sizeof(endbr);
	if (p[at] == 0xf2)
		at++;
	if (p[at] != 0xff || p[at + 1] != 0x25)
		return NULL;
	memcpy(&disp, p + at + 2, sizeof(disp));
	target += at + 6 + (uint64_t)(int64_t)disp;
	return elfimg_reloc_at(img, target, &rel) < 0 ? NULL : rel.sym_name;
}

int synth_code_open(struct synth_code *code, struct elfimg *img,
		    uint64_t entry, const uint64_t *labels, size_t nr_labels,
		    struct err *err)
{
	int rc;

	*code = (struct synth_code){ .img = img };
	rc = add_part_of(code, entry, err);
	for (size_t i = 0; i < nr_labels && !rc; i++)
		rc = add_part_of(code, labels[i], err);
	if (!rc)
		rc = follow_jumps(code, err);
	if (rc < 0)
		return rc;
	qsort(code->ins, code->nr, sizeof(*code->ins), by_vaddr);
	rc = find_joins(code, err);
	if (!rc)
		rc = find_labels(code, labels, nr_labels, err);
	return rc;
}

void synth_code_close(struct synth_code *code)
{
	free(code->ins);
	free(code->joins);
	free(code->labels);
	*code = (struct synth_code){ 0 };
}

const struct synth_insn *synth_code_at(const struct synth_code *code,
				       uint64_t vaddr)
{
	const struct synth_insn key = { .vaddr = vaddr };

	return code->nr ? bsearch(&key, code->ins, code->nr,
				  sizeof(*code->ins), by_vaddr) : NULL;
}

const struct synth_insn *synth_code_next(const struct synth_code *code,
					 const struct synth_insn *ins)
{
	const struct synth_insn *next = ins + 1;

	return next < code->ins + code->nr &&
	       next->vaddr == ins->vaddr + ins->len ? next : NULL;
}

const struct synth_insn *synth_code_prev(const struct synth_code *code,
					 const struct synth_insn *ins)
{
	const struct synth_insn *prev = ins - 1;

	return ins > code->ins && prev->vaddr + prev->len == ins->vaddr ?
	       prev : NULL;
}

static bool is_in(const uint64_t *v, size_t nr, uint64_t value)
{
	return nr && bsearch(&value, v, nr, sizeof(*v), by_value);
}

size_t synth_code_joins(const struct synth_code *code, uint64_t vaddr,
			const struct synth_join **first)
{
	size_t a = 0, b = code->nr_joins, nr = 0;

	while (a < b) {
		size_t mid = a + (b - a) / 2;

		if (code->joins[mid].to < vaddr)
			a = mid + 1;
		else
			b = mid;
	}
	*first = code->joins + a;
	while (a + nr < code->nr_joins && code->joins[a + nr].to == vaddr)
		nr++;
	return nr;
}

bool synth_code_is_join(const struct synth_code *code, uint64_t vaddr)
{
	const struct synth_join key = { .to = vaddr };

	return code->nr_joins && bsearch(&key, code->joins, code->nr_joins,
					 sizeof(*code->joins), by_target);
}

bool synth_code_is_label(const struct synth_code *code, uint64_t vaddr)
{
	return is_in(code->labels, code->nr_labels, vaddr);
}
