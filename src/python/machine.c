/* SPDX-License-Identifier: MIT */
/* machine: what a few instructions of x86-64 refer to. */
#include "python/machine.h"

#include <stdbool.h>
#include <stddef.h>

#include <Zydis/Zydis.h>

#include "elf/elfimg.h"

enum {
	NR_REGS = 16,		/* in the order of their numbers: rax, ... */
	RAX = 0, RCX, RDX, RSI = 6, RDI, R8, R11 = 11,
	MAX_STEPS = 48,		/* instructions of one path */
	MAX_PATHS = 8,
};

enum known {
	NOTHING,
	ADDRESS,		/* the register holds `value` */
	RESULT,			/* what a call with argument `value` returned */
};

struct reg {
	enum known known;
	uint64_t value;
};

struct path {
	uint64_t ip;
	struct reg regs[NR_REGS];
};

struct machine {
	struct elfimg *img;
	int (*each)(const struct machine_event *ev, void *ctx);
	void *ctx;
	ZydisDecoder decoder;
	struct path at;		/* the path that is followed */
	struct path later[MAX_PATHS];
	size_t nr_later, nr_paths;
	/* the instruction */
	ZydisDecodedInstruction ins;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
};

static int tell(struct machine *m, enum machine_what what, uint64_t value,
		int64_t offset)
{
	const struct machine_event ev = { what, value, offset };

	return m->each(&ev, m->ctx);
}

/* Decode the instruction at m->at.ip; an end of the file may be near. */
static bool fetch(struct machine *m)
{
	uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
	size_t len = sizeof(bytes);

	while (len && elfimg_read(m->img, m->at.ip, bytes, len) < 0)
		len--;
	return len && ZYAN_SUCCESS(ZydisDecoderDecodeFull(
			&m->decoder, bytes, len, &m->ins, m->ops));
}

/* Number of the 64-bit register that `reg` is (a part of), or -1. */
static int reg_nr(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(
			ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64)
		return -1;
	return ZydisRegisterGetId(whole);
}

static struct reg *reg_of(struct machine *m, const ZydisDecodedOperand *op)
{
	int nr = op->type == ZYDIS_OPERAND_TYPE_REGISTER ?
		 reg_nr(op->reg.value) : -1;

	return nr < 0 || nr >= NR_REGS ? NULL : &m->at.regs[nr];
}

/* Address of a memory operand, if it is known. */
static bool address_of(struct machine *m, const ZydisDecodedOperand *op,
		       uint64_t *addr)
{
	uint64_t disp = op->mem.disp.has_displacement ?
			(uint64_t)op->mem.disp.value : 0;
	int nr;

	if (op->mem.index != ZYDIS_REGISTER_NONE ||
	    op->mem.segment == ZYDIS_REGISTER_FS ||
	    op->mem.segment == ZYDIS_REGISTER_GS)
		return false;
	if (op->mem.base == ZYDIS_REGISTER_RIP) {
		*addr = m->at.ip + m->ins.length + disp;
		return true;
	}
	if (op->mem.base == ZYDIS_REGISTER_NONE) {
		*addr = disp;
		return true;
	}
	nr = reg_nr(op->mem.base);
	if (nr < 0 || nr >= NR_REGS || m->at.regs[nr].known != ADDRESS)
		return false;
	*addr = m->at.regs[nr].value + disp;
	return true;
}

static int give_address(struct machine *m, struct reg *to, uint64_t value)
{
	*to = (struct reg){ ADDRESS, value };
	return tell(m, MACHINE_ADDRESS, value, 0);
}

/* 8 bytes relative to fs, or to what a call has returned? */
static int load_special(struct machine *m, const ZydisDecodedOperand *op)
{
	int64_t disp = op->mem.disp.has_displacement ? op->mem.disp.value : 0;
	int nr;

	if (op->mem.index != ZYDIS_REGISTER_NONE)
		return 0;
	if (op->mem.segment == ZYDIS_REGISTER_FS)
		return op->mem.base == ZYDIS_REGISTER_NONE ?
		       tell(m, MACHINE_FS, 0, disp) : 0;
	nr = reg_nr(op->mem.base);
	if (nr < 0 || nr >= NR_REGS || m->at.regs[nr].known != RESULT)
		return 0;
	return tell(m, MACHINE_VIA_CALL, m->at.regs[nr].value, disp);
}

/* mov memory, register */
static int load(struct machine *m, struct reg *to)
{
	const ZydisDecodedOperand *from = &m->ops[1];
	bool is_arg = to == &m->at.regs[RDI];
	uint64_t addr, pointer;
	int rc;

	if (m->ops[0].size == 64) {
		rc = load_special(m, from);
		if (rc)
			return rc;
	}
	if (!address_of(m, from, &addr)) {
		to->known = NOTHING;
		return 0;
	}
	to->known = NOTHING;
	if (m->ops[0].size == 32 && is_arg)
		return tell(m, MACHINE_ARG32, addr, 0);
	/* a slot of the GOT, or of data that the loader fills */
	if (m->ops[0].size == 64 && !elfimg_pointer(m->img, addr, &pointer) &&
	    pointer)
		return give_address(m, to, pointer);
	return 0;
}

static int move(struct machine *m)
{
	const ZydisDecodedOperand *from = &m->ops[1];
	struct reg *to = reg_of(m, &m->ops[0]), *reg;

	if (!to)
		return 0;
	if (from->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return load(m, to);
	if (from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	    m->ops[0].size == 32)	/* clears the upper half */
		return give_address(m, to, (uint32_t)from->imm.value.u);
	if (from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	    m->ops[0].size == 64)
		return give_address(m, to, from->imm.value.u);
	reg = reg_of(m, from);
	if (reg && m->ops[0].size == 64)
		*to = *reg;
	else
		to->known = NOTHING;
	return 0;
}

static int load_address(struct machine *m)
{
	struct reg *to = reg_of(m, &m->ops[0]);
	uint64_t addr;

	if (!to)
		return 0;
	if (address_of(m, &m->ops[1], &addr))
		return give_address(m, to, addr);
	to->known = NOTHING;
	return 0;
}

/* What a called function need not keep: psABI, 3.2.1. */
static void forget_scratch(struct machine *m)
{
	for (int i = 0; i < NR_REGS; i++)
		if (i <= RDX || (i >= RSI && i <= R11))
			m->at.regs[i].known = NOTHING;
}

static int call(struct machine *m)
{
	struct reg arg = m->at.regs[RDI];
	int rc = 0;

	if (arg.known == ADDRESS)
		rc = tell(m, MACHINE_CALL, arg.value, 0);
	forget_scratch(m);
	if (arg.known == ADDRESS)
		m->at.regs[RAX] = (struct reg){ RESULT, arg.value };
	return rc;
}

/* Keep the other branch for later. */
static void fork_path(struct machine *m)
{
	struct path *p;

	if (m->nr_paths >= MAX_PATHS || !m->ops[0].imm.is_relative)
		return;
	p = &m->later[m->nr_later++];
	*p = m->at;
	p->ip += m->ins.length + m->ops[0].imm.value.u;
	m->nr_paths++;
}

/* Whatever else it does, what it writes is not known any more. */
static void forget_written(struct machine *m)
{
	for (int i = 0; i < m->ins.operand_count; i++) {
		struct reg *r = reg_of(m, &m->ops[i]);

		if (r && (m->ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			r->known = NOTHING;
	}
}

/* One instruction; `more` says whether the path goes on behind it. */
static int step(struct machine *m, bool *more)
{
	*more = true;
	if (m->ins.mnemonic == ZYDIS_MNEMONIC_MOV)
		return move(m);
	if (m->ins.mnemonic == ZYDIS_MNEMONIC_LEA)
		return load_address(m);
	if (m->ins.meta.category == ZYDIS_CATEGORY_CALL)
		return call(m);
	if (m->ins.meta.category == ZYDIS_CATEGORY_COND_BR) {
		fork_path(m);
		return 0;
	}
	if (m->ins.meta.category == ZYDIS_CATEGORY_UNCOND_BR) {
		*more = false;
		return call(m);
	}
	forget_written(m);
	*more = m->ins.meta.category != ZYDIS_CATEGORY_RET &&
		m->ins.mnemonic != ZYDIS_MNEMONIC_HLT &&
		m->ins.mnemonic != ZYDIS_MNEMONIC_UD2 &&
		m->ins.mnemonic != ZYDIS_MNEMONIC_INT3;
	return 0;
}

static int follow_path(struct machine *m)
{
	bool more = true;
	int rc = 0;

	for (int i = 0; i < MAX_STEPS && more && !rc && fetch(m); i++) {
		rc = step(m, &more);
		m->at.ip += m->ins.length;
	}
	return rc;
}

int machine_follow(struct elfimg *img, uint64_t vaddr,
		   int (*each)(const struct machine_event *ev, void *ctx),
		   void *ctx)
{
	struct machine m = { .img = img, .each = each, .ctx = ctx };
	int rc;

	if (!ZYAN_SUCCESS(ZydisDecoderInit(&m.decoder,
					   ZYDIS_MACHINE_MODE_LONG_64,
					   ZYDIS_STACK_WIDTH_64)))
		return 0;
	m.at.ip = vaddr;
	rc = follow_path(&m);
	while (!rc && m.nr_later) {
		m.at = m.later[--m.nr_later];
		rc = follow_path(&m);
	}
	return rc;
}
