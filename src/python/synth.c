/* SPDX-License-Identifier: MIT */
/* synth: the places of an interpreter, version by version. */
#include "python/synth.h"

#include <elf.h>
#include <errno.h>

#include "elf/elfimg.h"
#include "python/synth_code.h"
#include "python/synth_site.h"

#define EVALUATOR "_PyEval_EvalFrameDefault"

static int refuse(struct err *err, const char *why)
{
	return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP, "%s", why);
}

static int check_file(struct elfimg *img, uint16_t version, struct err *err)
{
	if (elfimg_machine(img) != EM_X86_64 || !elfimg_is_64(img) ||
	    elfimg_is_swapped(img))
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"it is made for %s, and only x86-64's machine "
				"code is understood", elfimg_machine_name(img));
	if (elfimg_is_debug_only(img))
		return refuse(err, "it has no code, only debug information");
	if (version < 0x0306 || version > 0x030f)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"the evaluator of Python %u.%u is not known",
				version >> 8, version & 0xffu);
	return 0;
}

static int find_evaluator(struct elfimg *img, uint64_t *vaddr, struct err *err)
{
	if (!elfimg_sym(img, EVALUATOR, vaddr, NULL))
		return 0;
	refuse(err, "it has no symbol " EVALUATOR);
	err_hint(err, "keep the symbols: strip with --strip-debug, or link "
		 "with -rdynamic");
	return -ENOTSUP;
}

/*
 * PyObject *_PyEval_EvalFrameDefault(PyThreadState *tstate, FRAME *frame,
 * int throwflag); without the thread state to 3.8.
 */
static int add_eval(struct synth *out, struct elfimg *img, uint64_t evaluator,
		    struct err *err)
{
	bool first = out->version < 0x0309;
	const struct synth_site like = {
		.kind = SYNTH_EVAL, .frame_at = -1, .cond = SYNTH_ALWAYS,
		.frame_reg = first ? SYNTH_RDI : SYNTH_RSI,
		.tstate_reg = first ? SYNTH_NO_REG : SYNTH_RDI,
		.throw_reg = first ? SYNTH_RSI : SYNTH_RDX,
	};

	return synth_site_function(out, img, evaluator, &like, err);
}

static int find_calls_of_evaluator(struct synth *out, struct elfimg *img,
				   uint64_t evaluator, struct err *err)
{
	struct synth_code code;
	int rc;

	out->method = SYNTH_EVALUATOR;
	rc = add_eval(out, img, evaluator, err);
	if (rc < 0)
		return rc;
	rc = synth_code_open(&code, img, evaluator, NULL, 0, err);
	if (!rc)
		rc = synth_site_ends(out, &code, err);
	synth_code_close(&code);
	return rc;
}

int synth_find(struct synth *out, struct elfimg *img, uint16_t version,
	       struct err *err)
{
	uint64_t evaluator;
	int rc;

	*out = (struct synth){ .version = version };
	rc = check_file(img, version, err);
	if (!rc)
		rc = find_evaluator(img, &evaluator, err);
	if (!rc && version >= 0x030b)
		rc = refuse(err, "its dispatch table is not looked for");
	if (!rc)
		rc = find_calls_of_evaluator(out, img, evaluator, err);
	if (rc < 0)
		return err_wrap(err, rc, "cannot tell where functions begin "
				"and end in '%s'", elfimg_name(img));
	return 0;
}

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
