/* SPDX-License-Identifier: MIT */
/*
 * sdtarg: operands of each machine, what they mean, and what cannot be read.
 *
 * Each row is an argument string and what it must be read as:
 *
 *	s4 r14.4		signed, 4 bytes: low 4 bytes of slot 14
 *	u1 r10.1>>8		%ah
 *	f8 [r19.8+112]		a double in memory; [base+index*scale+value]
 *	u8 =-1			constant;  "&sym" is a symbol, to be added
 *	u8 ?why			cannot be read
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <inttypes.h>

#include "elf/sdtarg.h"

static void put(char *out, size_t size, const char *fmt, ...)
	PT_PRINTF(3, 4);

static void put(char *out, size_t size, const char *fmt, ...)
{
	size_t len = strlen(out);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out + len, size - len, fmt, ap);
	va_end(ap);
}

static void put_reg(char *out, size_t size, const struct sdtreg *r)
{
	put(out, size, "r%d.%d", r->slot, r->size);
	if (r->shift)
		put(out, size, ">>%d", r->shift);
}

static void put_mem(char *out, size_t size, const struct sdtarg *a)
{
	put(out, size, "[");
	if (a->base.slot >= 0)
		put_reg(out, size, &a->base);
	if (a->index.slot >= 0) {
		put(out, size, "+");
		put_reg(out, size, &a->index);
		put(out, size, "%s*%d", a->index_is_signed ? "s" : "",
		    a->scale);
	}
	if (a->sym)
		put(out, size, "&%.*s", (int)a->sym_len, a->sym);
	if (a->value)
		put(out, size, "%+" PRId64, a->value);
	put(out, size, "]");
}

static void describe(const struct sdtarg *a, char *out, size_t size)
{
	put(out, size, "%c%d ", a->is_float ? 'f' : a->is_signed ? 's' : 'u',
	    a->size);
	switch (a->place) {
	case SDTARG_UNKNOWN:
		put(out, size, "?%s", a->why);
		break;
	case SDTARG_CONST:
		put(out, size, "=");
		if (a->sym)
			put(out, size, "&%.*s", (int)a->sym_len, a->sym);
		put(out, size, "%" PRId64, a->value);
		break;
	case SDTARG_REG:
		put_reg(out, size, &a->base);
		break;
	case SDTARG_MEM:
		put_mem(out, size, a);
		break;
	}
}

struct row {
	unsigned int machine;
	bool is_64;
	const char *args, *want;
};

static void check_rows(const struct row *rows, size_t nr)
{
	struct sdtarg a[SDTARG_MAX];
	char got[1024];
	size_t i, k, n;

	for (i = 0; i < nr; i++) {
		n = sdtarg_parse(rows[i].machine, rows[i].is_64, rows[i].args,
				 a, ARRAY_LEN(a));
		got[0] = '\0';
		for (k = 0; k < n && k < ARRAY_LEN(a); k++) {
			put(got, sizeof(got), "%s", k ? "; " : "");
			describe(&a[k], got, sizeof(got));
		}
		if (strcmp(got, rows[i].want))
			fail_msg("%s\n  is:     %s\n  wanted: %s",
				 rows[i].args, got, rows[i].want);
	}
}

#define FORM "this form of operand is not supported"
#define RELOC "a relocation that the assembler did not resolve"
#define VECTOR "a floating-point or vector register"

static void x86_64(void **state)
{
	static const struct row rows[] = {
#define ROW(args, want) { EM_X86_64, true, args, want }
		ROW("", ""),
		ROW("  ", ""),
		/* a displacement that is not there is 0 */
		ROW("8@(%rsp) 8@8(%rsp) -4@24(%rsp)",
		    "u8 [r19.8]; u8 [r19.8+8]; s4 [r19.8+24]"),
		ROW("-8@-8(%rdi,%rsi,8)", "s8 [r14.8+r13.8*8-8]"),
		ROW("-1@-96(%rdi,%rsi)", "s1 [r14.8+r13.8*1-96]"),
		ROW("8@0x10(,%rcx,4)", "u8 [+r11.8*4+16]"),
		/* a constant is of its argument's size and sign */
		ROW("-4@$-1 -8@$9223372036854775807 1@$-56",
		    "s4 =-1; s8 =9223372036854775807; u1 =200"),
		ROW("-8@$-9223372036854775808 2@$65535 -2@$65535",
		    "s8 =-9223372036854775808; u2 =65535; s2 =-1"),
		ROW("8@$18446744073709551615", "u8 =-1"),
		ROW("8@$18446744073709551616", "u8 ?" FORM),
		ROW("8f@%rax 4f@%edx 8f@-32(%rbp)",
		    "f8 r10.8; f4 r12.4; f8 [r4.8-32]"),
		ROW("8f@%xmm0 4f@%xmm15", "f8 ?" VECTOR "; f4 ?" VECTOR),
		ROW("-4@g(%rip) -4@st+8(%rdx) -4@8+st(%rip)",
		    "s4 [&g]; s4 [r12.8&st+8]; s4 [&st+8]"),
		ROW("8@$buf+3 8@table(,%rax,8)",
		    "u8 =&buf3; u8 [+r10.8*8&table]"),
		ROW("8@.LC0(%rip)", "u8 [&.LC0]"),
		ROW("-4@%fs:tl@tpoff 8@%fs:-8(%rax)",
		    "s4 ?thread-local; u8 ?thread-local"),
		ROW("8@x@GOTPCREL(%rip) 4@%eax",
		    "u8 ?" RELOC "; u4 r10.4"),
		ROW("8@8(%rip)", "u8 ?" FORM),
		ROW("16@%rax 0@%rax", "u16 ?its size is not 1, 2, 4 or 8 bytes;"
		    " u0 ?its size is not 1, 2, 4 or 8 bytes"),
		/* of <sys/sdt.h> of old, without sizes */
		ROW("%rax 8(%rsp, %rbx, 4) $3",
		    "u8 r10.8; u8 [r19.8+r5.8*4+8]; u8 =3"),
		/* what one cannot read spoils none of its neighbours */
		ROW("4@%edi 4@DWORD PTR [rbp-4] -4@%esi",
		    "u4 r14.4; u4 ?" FORM "; s4 r13.4"),
		ROW("8@ 8@%rax8 8@%r16 8@(%rax 8@(%rax)x 8@8(%rax,%rbx,3)",
		    "u8 ?nothing after the '@'; u8 ?" FORM "; u8 ?" FORM
		    "; u8 ?" FORM "; u8 ?" FORM "; u8 ?" FORM),
		ROW("8@*%rax 8@() 8@-(%rax) 8@a+b(%rax) 8@--8(%rax)",
		    "u8 ?" FORM "; u8 ?" FORM "; u8 ?" FORM "; u8 ?" FORM
		    "; u8 ?" FORM),
		/* gcc PR 80115: the int is in %eax */
		ROW("-4@%al", "s4 r10.4"),
		/* x86-64 code of 32-bit addresses */
		ROW("4@-4(%ebp)", "u4 [r4.4-4]"),
#undef ROW
	};

	(void)state;
	check_rows(rows, ARRAY_LEN(rows));
}

static void x86_registers(void **state)
{
	/* By slot of struct pt_regs. */
	static const char *const names[][5] = {
		{ "r15", "r15d", "r15w", "r15b" },
		{ "r14", "r14d", "r14w", "r14b" },
		{ "r13", "r13d", "r13w", "r13b" },
		{ "r12", "r12d", "r12w", "r12b" },
		{ "rbp", "ebp", "bp", "bpl" },
		{ "rbx", "ebx", "bx", "bl", "bh" },
		{ "r11", "r11d", "r11w", "r11b" },
		{ "r10", "r10d", "r10w", "r10b" },
		{ "r9", "r9d", "r9w", "r9b" },
		{ "r8", "r8d", "r8w", "r8b" },
		{ "rax", "eax", "ax", "al", "ah" },
		{ "rcx", "ecx", "cx", "cl", "ch" },
		{ "rdx", "edx", "dx", "dl", "dh" },
		{ "rsi", "esi", "si", "sil" },
		{ "rdi", "edi", "di", "dil" },
		{ NULL }, { "rip", "eip", "ip" }, { NULL }, { NULL },
		{ "rsp", "esp", "sp", "spl" },
	};
	static const int sizes[] = { 8, 4, 2, 1, 1 };
	struct sdtarg a;
	char text[32];
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_LEN(names); i++) {
		for (k = 0; k < 5 && names[i][k]; k++) {
			snprintf(text, sizeof(text), "%d@%%%s", sizes[k],
				 names[i][k]);
			assert_int_equal(sdtarg_parse(EM_X86_64, true, text,
						      &a, 1), 1);
			assert_int_equal(a.place, SDTARG_REG);
			assert_int_equal(a.base.slot, i);
			assert_int_equal(a.base.size, sizes[k]);
			assert_int_equal(a.base.shift, k == 4 ? 8 : 0);
		}
	}
}

static void foreign_machines(void **state)
{
	static const struct row rows[] = {
#define ARM64(args, want) { EM_AARCH64, true, args, want }
		ARM64("8@[x22] 4@[x22, 20] 8@[sp, 128] 8@x30 4@w3 8@[sp]",
		      "u8 [r22.8]; u4 [r22.8+20]; u8 [r31.8+128]; u8 r30.8; "
		      "u4 r3.4; u8 [r31.8]"),
		ARM64("8@x0 8@[x1, #:lo12:.LANCHOR0] -4@[x2, 52]",
		      "u8 r0.8; u8 ?" RELOC "; s4 [r2.8+52]"),
		ARM64("-1@[x0, x1] 8@[x0, x1, lsl 3] 4@[x0, w1, sxtw 2]",
		      "s1 [r0.8+r1.8*1]; u8 [r0.8+r1.8*8]; "
		      "u4 [r0.8+r1.4s*4]"),
		ARM64("8@[x0, w1, uxtw 3] 8@[x0,x1,lsl #3] 8@[x0, w1]",
		      "u8 [r0.8+r1.4*8]; u8 [r0.8+r1.8*8]; u8 [r0.8+r1.4*1]"),
		ARM64("8@xzr -4@wzr -4@10 4@#-1 8f@d0",
		      "u8 =0; s4 =0; s4 =10; u4 =4294967295; f8 ?" VECTOR),
		ARM64("8@[x0], 8 8@[x0, 8]! 8@[x31] 8@x31 4@w30",
		      "u8 ?" FORM "; u8 ?" FORM "; u8 ?" FORM "; u8 ?" FORM
		      "; u4 r30.4"),
		ARM64("8@[x0, -16] 8@[x29, #-16]",
		      "u8 [r0.8-16]; u8 [r29.8-16]"),
#define ARM32(args, want) { EM_ARM, false, args, want }
		ARM32("4@r0 -4@[fp, #-8] 4@#3 4@[r1, r2] 8@r2 "
		      "4@[r1, r2, lsl #2]",
		      "u4 r0.4; s4 [r11.4-8]; u4 =3; u4 [r1.4+r2.4*1]; "
		      "u8 ?in two registers, of which the note names one; "
		      "u4 [r1.4+r2.4*4]"),
		ARM32("4@.L5 4@[pc, #8]", "u4 ?" FORM "; u4 ?" FORM),
		{ EM_S390, true, "8@%r2 4@160(%r15) -4@5 8@8(%r1,%r15) 8f@%f0",
		  "u8 r2.8; u4 [r15.8+160]; s4 =5; u8 [r1.8+r15.8*1+8]; f8 ?"
		  VECTOR },
		{ EM_PPC64, true, "8@9 4@-8(31) -4@i5 8@i-1 8@0(9) 8@%r3 8@r3",
		  "u8 r9.8; u4 [r31.8-8]; s4 =5; u8 =-1; u8 [r9.8]; u8 r3.8; "
		  "u8 r3.8" },
		{ EM_386, false, "-4@-12(%ebp) 4@%eax 1@%ah 8@%eax 4@%rax "
		  "4@8(,%ecx,4) 4@%r8d",
		  "s4 [r4.4-12]; u4 r10.4; u1 r10.1>>8; "
		  "u8 ?in two registers, of which the note names one; "
		  "u4 ?" FORM "; u4 [+r11.4*4+8]; u4 ?" FORM },
		{ EM_386, false, "%eax 4(%esp)", "u4 r10.4; u4 [r19.4+4]" },
		{ EM_MIPS, false, "4@$2 4@8($sp)",
		  "u4 ?operands of this machine are not known; "
		  "u4 ?operands of this machine are not known" },
	};

	(void)state;
	check_rows(rows, ARRAY_LEN(rows));
}

static void more_than_asked_for(void **state)
{
	struct sdtarg a[2];

	(void)state;
	memset(a, 0x55, sizeof(a));
	assert_int_equal(sdtarg_parse(EM_X86_64, true, "4@%eax 4@%ebx 4@%ecx",
				      a, 1), 3);
	assert_int_equal(a[0].base.slot, 10);
	assert_int_equal(a[1].base.slot, 0x5555);
	assert_int_equal(a[0].len, 6);
	assert_memory_equal(a[0].operand, "%eax", a[0].operand_len);
}

/* Ten bytes at 0x1000 and an address that is not there. */
struct ten {
	struct mem mem;
	uint8_t bytes[16];
};

static int ten_read(const struct mem *m, uint64_t addr, void *buf, size_t len)
{
	const struct ten *t = (const struct ten *)(const void *)m;

	if (addr < 0x1000 || addr + len > 0x1000 + sizeof(t->bytes))
		return -EFAULT;
	memcpy(buf, t->bytes + (addr - 0x1000), len);
	return 0;
}

static void values(void **state)
{
	static const struct {
		const char *arg;
		int rc;
		uint64_t want;
	} rows[] = {
		{ "8@%rax", 0, 0x1122334455667788 },
		{ "4@%eax", 0, 0x55667788 },
		{ "1@%ah", 0, 0x77 },
		{ "-1@%al", 0, 0xffffffffffffff88 },
		{ "-2@%bx", 0, 0xffffffffffffffff },
		{ "2@%bx", 0, 0xffff },
		{ "1@$-56", 0, 200 },
		{ "-4@$-1", 0, UINT64_MAX },
		{ "1@(%rdi)", 0, 0xf0 },
		{ "-1@(%rdi)", 0, 0xfffffffffffffff0 },
		{ "8@(%rdi)", 0, 0x07060504030201f0 },
		{ "4@4(%rdi)", 0, 0x07060504 },
		{ "-1@-96(%rdi,%rsi)", 0, 4 },
		{ "2@2(,%rcx,8)", 0, 0x0302 },
		{ "8@9(%rdi)", -EFAULT, 0 },
		{ "8@(%rax)", -EFAULT, 0 },
		{ "8@x(%rip)", -ENOTSUP, 0 },
		{ "8@%xmm0", -ENOTSUP, 0 },
		{ "8@%rsp", -ENOTSUP, 0 },
	};
	struct ten t = { .mem = { ten_read }, .bytes = {
		0xf0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } };
	uint64_t regs[16] = {
		[10] = 0x1122334455667788, [5] = 0xffff, [14] = 0x1000,
		[13] = 100, [11] = 0x200,
	};
	struct sdtarg a;
	uint64_t v;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		sdtarg_parse(EM_X86_64, true, rows[i].arg, &a, 1);
		if (sdtarg_eval(&a, regs, ARRAY_LEN(regs), &t.mem, &v) !=
		    rows[i].rc || (!rows[i].rc && v != rows[i].want))
			fail_msg("%s is not %" PRIx64, rows[i].arg,
				 rows[i].want);
	}
}

static void symbols_are_bound(void **state)
{
	struct ten t = { .mem = { ten_read }, .bytes = { 9, 8, 7 } };
	struct sdtarg a;
	uint64_t v;

	(void)state;
	sdtarg_parse(EM_X86_64, true, "1@x+2(%rip)", &a, 1);
	sdtarg_bind(&a, 0x1000);
	assert_int_equal(sdtarg_eval(&a, NULL, 0, &t.mem, &v), 0);
	assert_int_equal(v, 7);
	sdtarg_parse(EM_X86_64, true, "4@$x+2", &a, 1);
	sdtarg_bind(&a, 0x700001000);
	assert_int_equal(sdtarg_eval(&a, NULL, 0, &t.mem, &v), 0);
	assert_int_equal(v, 0x1002);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_64),
		cmocka_unit_test(x86_registers),
		cmocka_unit_test(foreign_machines),
		cmocka_unit_test(more_than_asked_for),
		cmocka_unit_test(values),
		cmocka_unit_test(symbols_are_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
