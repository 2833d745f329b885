/* SPDX-License-Identifier: MIT */
/*
 * gilstate: how a thread finds its thread state, out of a file's machine code.
 *
 * Every thread that runs Python has a slot with its PyThreadState.  To 3.14
 * it is a pthread key, kept in _PyRuntime (3.6: in a static variable); from
 * 3.15 a thread-local variable.  What PyGILState_GetThisThreadState() reads
 * says where: no symbol does, in a stripped file.
 */
#ifndef PT_GILSTATE_H
#define PT_GILSTATE_H

#include "base/err.h"
#include "pytrace_abi.h"

struct elfimg;

/*
 * Fill in tls, tls_kind, tls_add, and for 3.6 runtime, of an image whose
 * layout and runtime are known.  From 3.7 to 3.14 the key's place is in the
 * layout, and the code must not contradict it.  0, or -ENOTSUP
 * (ERR_UNSUPPORTED) when it does, or when nothing else tells and the code is
 * not there or not understood.
 */
int gilstate_find(struct elfimg *img, struct pt_image *image, struct err *err)
	PT_MUST_CHECK;

#endif /* PT_GILSTATE_H */
