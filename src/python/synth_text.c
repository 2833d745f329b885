/* SPDX-License-Identifier: MIT */
/* synth_text: sites in words. */
#include "python/synth.h"

#include <Zydis/Zydis.h>

#include "base/compiler.h"

const char *synth_kind_name(enum synth_kind kind)
{
	switch (kind) {
	case SYNTH_ENTRY:	return "entry";
	case SYNTH_RETURN:	return "return";
	case SYNTH_YIELD:	return "yield";
	case SYNTH_MAKES:	return "makes";
	case SYNTH_CLEAR:	return "clear";
	case SYNTH_EVAL:	return "eval";
	case SYNTH_EVAL_END:	return "eval-end";
	case SYNTH_TRACEBACK:	return "traceback";
	case SYNTH_JIT:		return "jit";
	}
	return "?";
}

const char *synth_method_name(enum synth_method method)
{
	switch (method) {
	case SYNTH_EVALUATOR:		return "evaluator";
	case SYNTH_UNWIND_TRACEBACK:	return "traceback";
	case SYNTH_UNWIND_CLEAR:	return "clear";
	}
	return "?";
}

const char *synth_reg_name(uint8_t reg)
{
	static const char *const names[] = {
		"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};

	return reg < ARRAY_LEN(names) ? names[reg] : "-";
}

const char *synth_insn_text(const struct synth_site *site, char *buf,
			    size_t size)
{
	ZydisDecodedInstruction ins;
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecoder d;
	ZydisFormatter f;

	if (!ZYAN_SUCCESS(ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64,
					   ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisFormatterInit(&f, ZYDIS_FORMATTER_STYLE_ATT)) ||
	    !ZYAN_SUCCESS(ZydisFormatterSetProperty(
			&f, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
			ZYDIS_PADDING_DISABLED)) ||
	    !ZYAN_SUCCESS(ZydisFormatterSetProperty(
			&f, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, false)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, site->bytes, site->len,
						 &ins, ops)) ||
	    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
			&f, &ins, ops, ins.operand_count_visible, buf, size,
			site->vaddr, NULL)))
		snprintf(buf, size, "?");
	return buf;
}
