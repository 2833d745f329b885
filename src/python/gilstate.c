/* SPDX-License-Identifier: MIT */
/* gilstate: how a thread finds its thread state, out of machine code. */
#include "python/gilstate.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>

#include "elf/elfimg.h"
#include "python/machine.h"

#define FUNCTION "PyGILState_GetThisThreadState"

/* _PyRuntime is smaller; what lies beyond is another variable. */
#define MAX_RUNTIME (16u << 20)

struct key_search {
	uint64_t lo, hi;	/* where it can be */
	uint64_t key;
};

/*
 * A call of PyThread_tss_get(&runtime.autoTSSkey), whose struct is {int
 * initialised; pthread_key_t key}, or the key as the argument of
 * pthread_getspecific() or PyThread_get_key_value().
 */
static int look_for_key(const struct machine_event *ev, void *ctx)
{
	struct key_search *s = ctx;

	if (ev->value < s->lo || ev->value >= s->hi)
		return 0;
	if (ev->what == MACHINE_ARG32)
		s->key = ev->value;
	else if (ev->what == MACHINE_CALL)
		s->key = ev->value + 4;
	else
		return 0;
	return 1;
}

static int not_understood(struct err *err)
{
	return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
			"cannot tell from its code where a thread keeps its "
			"thread state");
}

static int find_key(struct elfimg *img, uint64_t function,
		    struct pt_image *image, struct err *err)
{
	struct key_search s = { image->runtime, image->runtime + MAX_RUNTIME,
				0 };

	/* code that is not understood contradicts nothing */
	if (!machine_follow(img, function, look_for_key, &s))
		return 0;
	if (s.key - image->runtime == (uint64_t)image->layout.rt_key)
		return 0;
	return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
			"its _PyRuntime is not that of this version: the "
			"thread key is at %" PRIu64 ", not %" PRId32,
			s.key - image->runtime, image->layout.rt_key);
}

/* 3.6: the static variable autoTLSkey of Python/pystate.c, in data. */
static int find_static_key(struct elfimg *img, uint64_t function,
			   struct pt_image *image, struct err *err)
{
	struct key_search s = { 1, UINT64_MAX, 0 };

	image->tls_kind = PT_TLS_KEY_SYMBOL;
	if (!machine_follow(img, function, look_for_key, &s))
		return not_understood(err);
	image->runtime = s.key;
	return 0;
}

struct variable_search {
	struct elfimg *img;
	struct pt_image *image;
};

/*
 * mov %fs:OFFSET (an executable), or __tls_get_addr(&tls_index) and what lies
 * at an offset from its result: ELF Handling For Thread-Local Storage, 4.4.
 * Offsets from fs of variables are negative; 0x28 is the stack protector.
 */
static int look_for_variable(const struct machine_event *ev, void *ctx)
{
	struct variable_search *s = ctx;
	struct elfreloc rel;

	if (ev->what == MACHINE_FS && ev->offset < 0) {
		s->image->tls_kind = PT_TLS_STATIC;
		s->image->tls = ev->offset;
		return 1;
	}
	if (ev->what != MACHINE_VIA_CALL || ev->offset < 0 ||
	    ev->offset > UINT32_MAX ||
	    elfimg_reloc_at(s->img, ev->value, &rel) < 0 ||
	    rel.type != R_X86_64_DTPMOD64)
		return 0;
	s->image->tls_kind = PT_TLS_DTV;
	s->image->tls = (pt_s64)ev->value;
	s->image->tls_add = (pt_u32)ev->offset;
	return 1;
}

int gilstate_find(struct elfimg *img, struct pt_image *image, struct err *err)
{
	struct variable_search s = { img, image };
	uint16_t version = image->layout.version;
	uint64_t function = 0;

	if (elfimg_sym(img, FUNCTION, &function, NULL) < 0)
		function = 0;
	image->tls = 0;
	image->tls_add = 0;
	if (image->layout.rt_key != PT_NONE) {
		image->tls_kind = PT_TLS_KEY;
		return function ? find_key(img, function, image, err) : 0;
	}
	if (!function)
		return err_kind(err, ERR_UNSUPPORTED, -ENOTSUP,
				"it has no symbol " FUNCTION ", which would "
				"tell where a thread keeps its thread state");
	if (version < 0x0307)
		return find_static_key(img, function, image, err);
	return machine_follow(img, function, look_for_variable, &s) ? 0 :
	       not_understood(err);
}
