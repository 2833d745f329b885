/* SPDX-License-Identifier: MIT */
/* codeobj: parts of code objects laid out as each version has them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "python/codeobj.h"
#include "python/layout.h"

#define BASE 0x10000

/* A small memory with the types str, bytes and code, and objects of them. */
enum {
	TYPE_CODE = BASE,
	TYPE_STR = BASE + 0x200,
	TYPE_BYTES = BASE + 0x400,
	CODE = BASE + 0x600,
	NAME = BASE + 0x800,
	QUALNAME = BASE + 0x900,
	FILENAME = BASE + 0xa00,
	TABLE = BASE + 0xc00,
	DATA = BASE + 0xe00,
	END = BASE + 0x1000,
};

struct image {
	struct mem mem;
	const struct pt_layout *l;
	uint64_t hole;		/* the page's worth of bytes that is not there */
	uint8_t bytes[END - BASE];
};

static int image_read(const struct mem *m, uint64_t addr, void *buf, size_t len)
{
	const struct image *i = (const struct image *)m;

	if (addr < BASE || addr > END || len > END - addr)
		return -EFAULT;
	if (i->hole && addr < i->hole + 0x100 && addr + len > i->hole)
		return -EFAULT;
	memcpy(buf, i->bytes + (addr - BASE), len);
	return 0;
}

static void *at(struct image *i, uint64_t addr)
{
	return i->bytes + (addr - BASE);
}

static void put64(struct image *i, uint64_t addr, uint64_t v)
{
	memcpy(at(i, addr), &v, sizeof(v));
}

static void put32(struct image *i, uint64_t addr, uint32_t v)
{
	memcpy(at(i, addr), &v, sizeof(v));
}

/* kind:3 compact:1 ascii:1 ready:1 above the two bits of interned */
static void put_str(struct image *i, uint64_t addr, unsigned int kind,
		    int ascii, const void *data, size_t len)
{
	put64(i, addr + (uint64_t)i->l->ob_type, TYPE_STR);
	put64(i, addr + (uint64_t)i->l->str_length, len);
	put32(i, addr + (uint64_t)i->l->str_state,
	      1 | kind << 2 | 1 << 5 | (unsigned int)ascii << 6 | 1 << 7);
	memcpy(at(i, addr + (uint64_t)(ascii ? i->l->str_ascii :
				       i->l->str_compact)), data, len * kind);
}

static void image_of(struct image *i, const struct pt_layout *l)
{
	memset(i, 0, sizeof(*i));
	i->mem.read = image_read;
	i->l = l;
	put64(i, TYPE_STR + 168, 1u << 28 | 1u << 12);
	put64(i, TYPE_BYTES + 168, 1u << 27);
	put64(i, CODE + (uint64_t)l->ob_type, TYPE_CODE);
	put32(i, CODE + (uint64_t)l->co_firstlineno, 42);
	put64(i, CODE + (uint64_t)l->co_name, NAME);
	put64(i, CODE + (uint64_t)l->co_filename, FILENAME);
	put64(i, CODE + (uint64_t)l->co_linetable, TABLE);
	if (l->co_qualname != PT_NONE)
		put64(i, CODE + (uint64_t)l->co_qualname, QUALNAME);
	put_str(i, NAME, 1, 1, "run", 3);
	put_str(i, QUALNAME, 1, 0, "\xe9t\xe9.run", 7);
	put_str(i, FILENAME, 2, 0, u"\u03b1.py", 4);
	put64(i, TABLE + (uint64_t)l->ob_type, TYPE_BYTES);
	put64(i, TABLE + (uint64_t)l->ob_size, 4);
	memcpy(at(i, TABLE + (uint64_t)l->bytes_data), "\1\2\0\3", 4);
}

static void part_is(struct image *i, const struct pt_part_ref *ref,
		    unsigned int kind, const void *bytes, size_t len)
{
	char buf[64];
	struct err e = { 0 };

	assert_int_equal(ref->state, PT_PART_LONG);
	assert_int_equal(ref->kind, kind);
	assert_int_equal(ref->len, len);
	assert_int_equal(codeobj_part_size(ref), len * kind);
	assert_int_equal(codeobj_read_part(&i->mem, ref, buf, sizeof(buf), &e),
			 0);
	assert_memory_equal(buf, bytes, len * kind);
	assert_int_equal(codeobj_read_part(&i->mem, ref, buf, len * kind - 1,
					   &e), -ENOBUFS);
}

static int look(struct image *i, struct codeobj *c)
{
	struct err e = { 0 };

	return codeobj_look(&i->mem, i->l, CODE, TYPE_CODE, c, &e);
}

static void parts_of_every_version(void **state)
{
	static struct image i;
	struct codeobj c;

	(void)state;
	for (unsigned int v = LAYOUT_OLDEST; v <= LAYOUT_NEWEST; v++) {
		image_of(&i, layout_for((uint16_t)v));
		assert_int_equal(look(&i, &c), 0);
		assert_int_equal(c.firstline, 42);
		part_is(&i, &c.part[PT_NAME], 1, "run", 3);
		assert_int_equal(c.part[PT_NAME].ascii, 1);
		part_is(&i, &c.part[PT_FILENAME], 2, u"\u03b1.py", 4);
		assert_int_equal(c.part[PT_FILENAME].ascii, 0);
		part_is(&i, &c.part[PT_LINETABLE], 1, "\1\2\0\3", 4);
		if (v < 0x030b)
			assert_int_equal(c.part[PT_QUALNAME].state,
					 PT_PART_ABSENT);
		else
			part_is(&i, &c.part[PT_QUALNAME], 1, "\xe9t\xe9.run",
				7);
	}
}

/* Not compact: contents elsewhere; to 3.11 also with contents yet to be made. */
static void contents_elsewhere(void **state)
{
	static struct image i;
	struct codeobj c;

	(void)state;
	image_of(&i, layout_for(0x030a));
	put32(&i, NAME + (uint64_t)i.l->str_state, 2 << 2 | 1 << 7);
	put64(&i, NAME + (uint64_t)i.l->str_data, DATA);
	memcpy(at(&i, DATA), u"abc", 6);
	assert_int_equal(look(&i, &c), 0);
	assert_int_equal(c.part[PT_NAME].addr, DATA);
	part_is(&i, &c.part[PT_NAME], 2, u"abc", 3);
	put32(&i, NAME + (uint64_t)i.l->str_state, 2 << 2);
	assert_int_equal(look(&i, &c), 0);
	assert_int_equal(c.part[PT_NAME].state, PT_PART_BAD);
}

static void what_is_not_so_is_bad(void **state)
{
	static struct image i;
	struct codeobj c;
	char buf[8];

	(void)state;
	image_of(&i, layout_for(0x030d));
	put64(&i, CODE + (uint64_t)i.l->co_name, TABLE);	/* not a str */
	put64(&i, CODE + (uint64_t)i.l->co_qualname, 0);
	put64(&i, CODE + (uint64_t)i.l->co_linetable, NAME);	/* not bytes */
	put32(&i, FILENAME + (uint64_t)i.l->str_state, 3 << 2 | 1 << 5);
	assert_int_equal(look(&i, &c), 0);
	assert_int_equal(c.part[PT_NAME].state, PT_PART_BAD);
	assert_int_equal(c.part[PT_QUALNAME].state, PT_PART_UNREAD);
	assert_int_equal(c.part[PT_LINETABLE].state, PT_PART_BAD);
	assert_int_equal(c.part[PT_FILENAME].state, PT_PART_BAD);
	assert_int_equal(codeobj_read_part(&i.mem, &c.part[PT_NAME], buf,
					   sizeof(buf), NULL), -ENODATA);

	image_of(&i, layout_for(0x030d));
	put64(&i, NAME + (uint64_t)i.l->str_length, (uint64_t)-1);
	put64(&i, FILENAME + (uint64_t)i.l->str_length,
	      CODEOBJ_MAX_PART / 2 + 1);
	put64(&i, TABLE + (uint64_t)i.l->ob_size, (uint64_t)1 << 63);
	assert_int_equal(look(&i, &c), 0);
	assert_int_equal(c.part[PT_NAME].state, PT_PART_BAD);
	assert_int_equal(c.part[PT_FILENAME].state, PT_PART_BAD);
	assert_int_equal(c.part[PT_LINETABLE].state, PT_PART_BAD);
}

static void what_is_not_there_is_unread(void **state)
{
	static struct image i;
	struct codeobj c;
	struct err e = { 0 };
	char buf[8];

	(void)state;
	image_of(&i, layout_for(0x030b));
	i.hole = NAME;
	assert_int_equal(look(&i, &c), 0);
	assert_int_equal(c.part[PT_NAME].state, PT_PART_UNREAD);
	assert_int_equal(c.part[PT_FILENAME].state, PT_PART_LONG);
	i.hole = FILENAME;
	assert_int_equal(codeobj_read_part(&i.mem, &c.part[PT_FILENAME], buf,
					   sizeof(buf), &e), -EFAULT);
	i.hole = CODE;
	assert_int_equal(look(&i, &c), -EFAULT);
}

static void not_a_code_object(void **state)
{
	static struct image i;
	struct codeobj c, d;
	struct err e = { 0 };

	(void)state;
	image_of(&i, layout_for(0x030b));
	assert_int_equal(codeobj_look(&i.mem, i.l, NAME, TYPE_CODE, &c, &e),
			 -EBADMSG);
	assert_int_equal(codeobj_look(&i.mem, i.l, 0, TYPE_CODE, &c, &e),
			 -EFAULT);
	assert_int_equal(codeobj_look(&i.mem, i.l, UINT64_MAX - 4, TYPE_CODE,
				      &c, &e), -EFAULT);
	assert_int_equal(look(&i, &c), 0);
	assert_int_equal(look(&i, &d), 0);
	assert_true(codeobj_same(&c, &d));
	put64(&i, CODE + (uint64_t)i.l->co_name, QUALNAME);
	assert_int_equal(look(&i, &d), 0);
	assert_false(codeobj_same(&c, &d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_every_version),
		cmocka_unit_test(contents_elsewhere),
		cmocka_unit_test(what_is_not_so_is_bad),
		cmocka_unit_test(what_is_not_there_is_unread),
		cmocka_unit_test(not_a_code_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
