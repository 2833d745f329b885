/* SPDX-License-Identifier: MIT */
/* framewalk: frames laid out as each version has them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "python/framewalk.h"
#include "python/layout.h"

enum {
	BASE = 0x10000,
	RUNTIME = BASE,
	INTERP = BASE + 0x20000,
	FS = BASE + 0x30000,
	TSTATE = BASE + 0x40000,
	CFRAME = BASE + 0x50000,
	CODE = BASE + 0x58000,
	FRAMES = BASE + 0x60000,
	END = BASE + 0x100000,
	STEP = 0x100,		/* from frame to frame */
	CODES = 0x400,		/* from code object to code object */
};

struct fake {
	struct mem mem;
	struct pt_image img;
	uint64_t hole;		/* a page that is not there */
	uint8_t bytes[END - BASE];
};

static struct fake fake;

static int fake_read(const struct mem *m, uint64_t addr, void *buf, size_t len)
{
	const struct fake *f = (const struct fake *)m;

	if (addr < BASE || addr > END || len > END - addr)
		return -EFAULT;
	if (f->hole && addr < f->hole + 0x1000 && addr + len > f->hole)
		return -EFAULT;
	memcpy(buf, f->bytes + (addr - BASE), len);
	return 0;
}

static void put64(uint64_t addr, uint64_t v)
{
	memcpy(fake.bytes + (addr - BASE), &v, sizeof(v));
}

static void put32(uint64_t addr, uint32_t v)
{
	memcpy(fake.bytes + (addr - BASE), &v, sizeof(v));
}

static uint64_t code_of(uint32_t n)
{
	return CODE + CODES * (uint64_t)(n % 8);
}

/* Frame n, at its instruction 2 * n, and the one that called it. */
static void put_frame(uint32_t n, bool last)
{
	const struct pt_layout *l = &fake.img.layout;
	uint64_t at = FRAMES + (uint64_t)n * STEP, code = code_of(n);

	put64(at + (uint64_t)l->fr_code, code | (l->tagged ? 1 : 0));
	put64(at + (uint64_t)l->fr_back, last ? 0 : at + STEP);
	if (l->frames == PT_FRAMES_OBJECT)
		put32(at + (uint64_t)l->fr_lasti, 2 * n / l->lasti_scale);
	else
		put64(at + (uint64_t)l->fr_lasti,
		      code + (uint64_t)l->co_code + 2 * n);
}

static void give_frames(uint32_t nr)
{
	for (uint32_t n = 0; n < nr; n++)
		put_frame(n, n + 1 == nr);
}

/* A thread state in the slot of a key, with so many frames. */
static void set_up(uint16_t version, uint32_t nr)
{
	const struct pt_layout *l;
	uint64_t slot = TSTATE;

	memset(&fake, 0, sizeof(fake));
	fake.mem.read = fake_read;
	fake.img.layout = *layout_for(version);
	l = &fake.img.layout;
	fake.img.runtime = RUNTIME;
	if (l->rt_key != PT_NONE) {
		fake.img.tls_kind = PT_TLS_KEY;
		put32(RUNTIME + (uint64_t)l->rt_key - 4, 1);
		put32(RUNTIME + (uint64_t)l->rt_key, 5);
		put64(FS + 0x310 + 16 * 5 + 8, slot);
	} else if (version < 0x0307) {
		fake.img.tls_kind = PT_TLS_KEY_SYMBOL;
		put32(RUNTIME, 40);
		put64(FS + 0x510 + 8, FS + 0x1000);
		put64(FS + 0x1000 + 16 * 8 + 8, slot);
	} else {
		fake.img.tls_kind = PT_TLS_STATIC;
		fake.img.tls = -16;
		put64(FS - 16, slot);
	}
	if (l->rt_interpreters != PT_NONE)
		put64(RUNTIME + (uint64_t)l->rt_interpreters, INTERP);
	put64(TSTATE + (uint64_t)l->ts_thread_id, FS);
	put64(TSTATE + (uint64_t)l->ts_frame,
	      l->frames == PT_FRAMES_CFRAME ? CFRAME : FRAMES);
	if (l->frames == PT_FRAMES_CFRAME)
		put64(CFRAME + (uint64_t)l->cf_current, FRAMES);
	give_frames(nr);
}

static enum pt_why walk(struct framewalk *w)
{
	return framewalk(&fake.mem, &fake.img, 0, FS, w);
}

static void each_version(void **state)
{
	struct framewalk w;

	(void)state;
	for (uint16_t v = LAYOUT_OLDEST; v <= LAYOUT_NEWEST; v++) {
		set_up(v, 20);
		assert_int_equal(walk(&w), PT_WHY_NONE);
		assert_int_equal(w.nr, 20);
		assert_int_equal(w.omitted, 0);
		for (uint32_t i = 0; i < w.nr; i++) {
			assert_int_equal(w.frames[i].code, code_of(i));
			assert_int_equal(w.frames[i].lasti, 2 * i);
		}
	}
}

static void deep_stacks(void **state)
{
	struct framewalk w;

	(void)state;
	set_up(0x030d, 2000);
	assert_int_equal(walk(&w), PT_WHY_NONE);
	assert_int_equal(w.nr, PT_MAX_FRAMES);
	assert_int_equal(w.omitted, 2000 - PT_MAX_FRAMES);
	assert_int_equal(w.frames[PT_INNER - 1].lasti, 2 * (PT_INNER - 1));
	assert_int_equal(w.frames[PT_INNER].lasti, 2 * (2000 - PT_OUTER));
	assert_int_equal(w.frames[PT_MAX_FRAMES - 1].lasti, 2 * 1999);
	/* a circle */
	put64(FRAMES + 1999 * (uint64_t)STEP +
	      (uint64_t)fake.img.layout.fr_back, FRAMES);
	assert_int_equal(walk(&w), PT_WHY_TOO_DEEP);
}

static void frames_of_c(void **state)
{
	struct framewalk w;

	(void)state;
	set_up(0x030c, 5);
	fake.bytes[FRAMES + 2 * STEP + fake.img.layout.fr_owner - BASE] =
		fake.img.layout.owner_c;
	assert_int_equal(walk(&w), PT_WHY_NONE);
	assert_int_equal(w.nr, 4);
	assert_int_equal(w.frames[2].lasti, 6);
	/* 3.15: nothing comes after the thread state's own */
	set_up(0x030f, 5);
	put64(TSTATE + (uint64_t)fake.img.layout.ts_frame + 8,
	      FRAMES + 3 * STEP);
	assert_int_equal(walk(&w), PT_WHY_NONE);
	assert_int_equal(w.nr, 3);
}

static void threads_without_python(void **state)
{
	struct framewalk w;

	(void)state;
	set_up(0x030b, 0);
	put64(CFRAME + (uint64_t)fake.img.layout.cf_current, 0);
	assert_int_equal(walk(&w), PT_WHY_NONE);
	assert_int_equal(w.nr, 0);
	put64(FS + 0x310 + 16 * 5 + 8, 0);
	assert_int_equal(walk(&w), PT_WHY_NONE);
	put32(RUNTIME + (uint64_t)fake.img.layout.rt_key - 4, 0);
	assert_int_equal(walk(&w), PT_WHY_NONE);
	assert_int_equal(framewalk(&fake.mem, &fake.img, 0, 0, &w),
			 PT_WHY_NONE);
	assert_int_equal(w.nr, 0);
}

static void what_is_not_known(void **state)
{
	const struct pt_layout *l = &fake.img.layout;
	struct framewalk w;

	(void)state;
	set_up(0x030b, 20);
	fake.hole = FRAMES + 0x1000;
	assert_int_equal(walk(&w), PT_WHY_PAGE);
	fake.hole = TSTATE;
	assert_int_equal(walk(&w), PT_WHY_PAGE);
	fake.hole = 0;
	put64(TSTATE + (uint64_t)l->ts_thread_id, FS + 8);
	assert_int_equal(walk(&w), PT_WHY_CHAIN);
	put64(TSTATE + (uint64_t)l->ts_thread_id, FS);
	put64(INTERP + (uint64_t)l->is_next, INTERP + 8);
	assert_int_equal(walk(&w), PT_WHY_SUBINTERPRETER);
	fake.img.layout.fr_size = 4096;
	assert_int_equal(walk(&w), PT_WHY_UNSUPPORTED);
	set_up(0x030b, 20);
	put32(RUNTIME + (uint64_t)l->rt_key, 5000);
	assert_int_equal(walk(&w), PT_WHY_CHAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_version),
		cmocka_unit_test(deep_stacks),
		cmocka_unit_test(frames_of_c),
		cmocka_unit_test(threads_without_python),
		cmocka_unit_test(what_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
