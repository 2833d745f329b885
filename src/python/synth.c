/* SPDX-License-Identifier: MIT */
/* synth: the places of an interpreter, version by version. */
#include "python/synth.h"

#include <elf.h>
#include <errno.h>

#include "elf/elfimg.h"
#include "python/layout.h"
#include "python/synth_code.h"
#include "python/synth_frames.h"
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
		rc = synth_site_ends(out, &code, SYNTH_NO_REG, -1, err);
	synth_code_close(&code);
	return rc;
}

static int no_table(const struct synth_table *t, struct err *err)
{
	if (t->wrong >= OPCODES_NR) {
		refuse(err, "its evaluator has no dispatch table: it was built "
		       "without computed gotos, or each opcode is a function "
		       "of its own");
	} else {
		err_kind(err, ERR_UNSUPPORTED, 0, "its dispatch table is not "
			 "that of this version: %u of %d entries differ",
			 t->wrong, OPCODES_NR);
		err_hint(err, "the file may be of another version than it "
			 "says, or a fork");
	}
	return -ENOTSUP;
}

static int find_table(struct synth_table *t, struct elfimg *img,
		      const struct opcodes *ops, struct err *err)
{
	struct synth_range range;
	bool split;
	int rc;

	rc = synth_table_find(t, img, ops);
	if (rc == -ENOENT)
		return no_table(t, err);
	if (rc == -EEXIST)
		return refuse(err, "it has two dispatch tables that differ");
	if (rc == -ENOMEM)
		return err_set(err, rc, "out of memory");
	if (rc < 0)
		return refuse(err, "its data cannot be read: it is cut short "
			      "or damaged, or far larger than any CPython");
	if (!synth_fde(img, t->handler[ops->entry[0]], &range, &split) &&
	    !split && range.lo == t->handler[ops->entry[0]])
		return refuse(err, "each opcode is a function of its own "
			      "(a tail-call interpreter), which is not "
			      "understood yet");
	return 0;
}

/* From 3.11 on: places of the bytecode. */
static int find_frames(struct synth *out, struct elfimg *img,
		       uint64_t evaluator, struct err *err)
{
	const struct opcodes *ops = opcodes_for(out->version);
	struct synth_table table;
	struct synth_code code = { 0 };
	int rc;

	if (!ops || !layout_for(out->version))
		return refuse(err, "its opcodes are not known");
	rc = find_table(&table, img, ops, err);
	if (rc < 0)
		return rc;
	out->table = table.vaddr;
	rc = synth_code_open(&code, img, evaluator, table.handler, OPCODES_NR,
			     err);
	if (!rc)
		rc = synth_frames_add(out, &code, &table, ops, err);
	if (!rc)
		rc = add_eval(out, img, evaluator, err);
	synth_code_close(&code);
	return rc;
}

static int order(const void *pa, const void *pb)
{
	const struct synth_site *a = pa, *b = pb;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
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
	if (!rc)
		rc = version < 0x030b ?
		     find_calls_of_evaluator(out, img, evaluator, err) :
		     find_frames(out, img, evaluator, err);
	qsort(out->sites, out->nr, sizeof(out->sites[0]), order);
	if (rc < 0)
		return err_wrap(err, rc, "cannot tell where functions begin "
				"and end in '%s'", elfimg_name(img));
	return 0;
}
