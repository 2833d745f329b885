/* SPDX-License-Identifier: MIT */
/*
 * sdtlive: notes and operands against a program that runs.
 *
 * A breakpoint is put where a note says that the probe is, its semaphore is
 * raised where the note says it is, and each argument is read from registers
 * and memory as the operand says: it must be what the program passed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "elf/elfimg.h"
#include "elf/sdtarg.h"
#include "elf/stapsdt.h"
#include "elf_build.h"

#ifdef __x86_64__

/* The program under test and what is known of its file. */
struct prog {
	struct mem mem;
	pid_t pid;
	int fd;			/* its memory */
	uint64_t bias;
	struct elfimg *img;
	struct stapsdt sdt;
	unsigned int hits[64];	/* by note */
};

static int prog_read(const struct mem *m, uint64_t addr, void *out, size_t len)
{
	const struct prog *p = (const struct prog *)(const void *)m;

	return pread(p->fd, out, len, (off_t)addr) == (ssize_t)len ? 0 :
		-EFAULT;
}

static void poke(const struct prog *p, uint64_t addr, const void *bytes,
		 size_t len)
{
	assert_int_equal(pwrite(p->fd, bytes, len, (off_t)addr), len);
}

static void find_bias(struct prog *p, const char *path)
{
	char file[64], line[512], prot[8], name[256];
	uint64_t lo, hi, off;
	FILE *f;

	snprintf(file, sizeof(file), "/proc/%d/maps", p->pid);
	f = fopen(file, "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64
			   " %*s %*s %255s", &lo, &hi, prot, &off, name) != 5 ||
		    prot[2] != 'x' || !strstr(name, path))
			continue;
		assert_int_equal(elfimg_bias(p->img, lo, off, true, &p->bias),
				 0);
		fclose(f);
		return;
	}
	fclose(f);
	fail_msg("'%s' has no code mapped", path);
}

static void start(struct prog *p, const char *path)
{
	char mem[64];
	int status;

	*p = (struct prog){ .mem = { prog_read } };
	assert_int_equal(elfimg_open(&p->img, path, NULL), 0);
	assert_int_equal(stapsdt_init(&p->sdt, p->img, NULL), 0);
	p->pid = fork();
	if (!p->pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(98);
		execl(path, path, (char *)NULL);
		_exit(97);
	}
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 98)
		skip();
	assert_true(WIFSTOPPED(status));
	snprintf(mem, sizeof(mem), "/proc/%d/mem", p->pid);
	p->fd = open(mem, O_RDWR | O_CLOEXEC);
	assert_true(p->fd >= 0);
	find_bias(p, path);
}

/* The nop goes: what it did, the breakpoint does. */
static void arm(const struct prog *p, size_t i)
{
	const struct stapsdt_note *n = &p->sdt.notes[i];
	uint16_t one = 1;
	uint8_t nop;

	assert_int_equal(prog_read(&p->mem, n->location + p->bias, &nop, 1), 0);
	assert_int_equal(nop, 0x90);
	poke(p, n->location + p->bias, "\xcc", 1);
	if (n->semaphore)
		poke(p, n->semaphore + p->bias, &one, sizeof(one));
}

/* The next note that was hit, or NULL when the program has ended well. */
static const struct stapsdt_note *hit(struct prog *p,
				      struct user_regs_struct *regs)
{
	int status;
	size_t i;

	assert_int_equal(ptrace(PTRACE_CONT, p->pid, NULL, NULL), 0);
	assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
	if (WIFEXITED(status)) {
		assert_int_equal(WEXITSTATUS(status), 0);
		return NULL;
	}
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
	assert_int_equal(ptrace(PTRACE_GETREGS, p->pid, NULL, regs), 0);
	for (i = 0; i < p->sdt.nr; i++)
		if (p->sdt.notes[i].location + p->bias == regs->rip - 1)
			break;
	assert_true(i < p->sdt.nr);
	p->hits[i]++;
	return &p->sdt.notes[i];
}

static void stop(struct prog *p)
{
	close(p->fd);
	stapsdt_fini(&p->sdt);
	elfimg_close(p->img);
}

static const struct {
	const char *probe;
	size_t nr;
	uint64_t want[6];
} wanted[] = {
	{ "sib", 1, { (uint64_t)-7 } },
	{ "sib1", 1, { (uint64_t)-5 } },
	{ "konst", 3, { UINT64_MAX, INT64_MAX, 200 } },
	{ "flt", 2, { 0x3ff8000000000000, 0x40200000 } },	/* 1.5, 2.5f */
	{ "small", 3, { (uint64_t)-3, 250, (uint64_t)-128 } },
	{ "many", 6, { 0x8082, 0x8083, 0x8084, 0x8085, 0x8086, 0x8087 } },
	{ "glob", 3, { 1234567, (uint64_t)-42, 'd' } },
	{ "guarded", 1, { 99 } },
};

static uint64_t eval(struct prog *p, struct sdtarg *a,
		     const struct user_regs_struct *regs)
{
	char sym[64];
	uint64_t v;

	if (a->sym) {
		snprintf(sym, sizeof(sym), "%.*s", (int)a->sym_len, a->sym);
		assert_int_equal(elfimg_sym(p->img, sym, &v, NULL), 0);
		sdtarg_bind(a, v + p->bias);
	}
	/* user_regs_struct begins as pt_regs does: 21 words. */
	if (sdtarg_eval(a, (const uint64_t *)(const void *)regs, 21, &p->mem,
			&v) < 0)
		fail_msg("cannot read '%.*s': %s", (int)a->len, a->text,
			 a->why ? a->why : "no such memory");
	return v;
}

static void check_args(struct prog *p, const struct stapsdt_note *n,
		       const struct user_regs_struct *regs, unsigned int nth)
{
	struct sdtarg args[SDTARG_MAX];
	size_t i, k, nr;
	uint64_t v;

	for (i = 0; i < ARRAY_LEN(wanted); i++)
		if (!strcmp(wanted[i].probe, n->name))
			break;
	assert_true(i < ARRAY_LEN(wanted));
	nr = sdtarg_parse(elfimg_machine(p->img), true, n->args, args,
			  ARRAY_LEN(args));
	assert_int_equal(nr, wanted[i].nr);
	for (k = 0; k < nr; k++) {
		v = eval(p, &args[k], regs);
		if (v != wanted[i].want[k] + nth)
			fail_msg("%s: '%.*s' is %#" PRIx64, n->name,
				 (int)args[k].len, args[k].text, v);
	}
}

static void one_build(const char *name, const char *flags)
{
	struct user_regs_struct regs;
	const struct stapsdt_note *n;
	struct prog p;
	size_t i, nr = 0;

	if (!sh("cc -o %s %s/tests/data/sdt_target.c %s", name,
		getenv("SRCDIR"), flags)) {
		print_message("# no such build here: cc %s\n", flags);
		return;
	}
	start(&p, name);
	assert_int_equal(p.sdt.nr, ARRAY_LEN(wanted));
	for (i = 0; i < p.sdt.nr; i++)
		arm(&p, i);
	while ((n = hit(&p, &regs))) {
		check_args(&p, n, &regs, p.hits[n - p.sdt.notes] - 1);
		nr++;
	}
	assert_int_equal(nr, ARRAY_LEN(wanted) + 1);	/* guarded twice */
	stop(&p);
}

static void have_compiler(void)
{
	if (!getenv("SRCDIR") ||
	    !sh("echo '#include <sys/sdt.h>' | cc -E -x c -")) {
		print_message("# needs a compiler and <sys/sdt.h> "
			      "(systemtap-sdt-dev)\n");
		skip();
	}
}

static void arguments_are_what_was_passed(void **state)
{
	(void)state;
	have_compiler();
	one_build("o0", "-O0");
	one_build("o2", "-O2");
	one_build("exec", "-O2 -fno-pie -no-pie");
	one_build("static", "-O2 -static-pie");
	one_build("lld", "-O2 -fuse-ld=lld");
	one_build("m", "-O1 -march=native -fomit-frame-pointer");
}

/* Three places of one name, each behind a semaphore of its own. */
static void every_place_has_its_semaphore(void **state)
{
	struct user_regs_struct regs;
	const struct stapsdt_note *n;
	char cmd[64] = "";
	struct prog p;
	size_t i;

	(void)state;
	have_compiler();
	for (i = 0; i < 3; i++) {
		assert_true(sh("cc -O2 -DPART=%zu -c -o p%zu.o "
			       "%s/tests/data/sdt_sites.c", i, i,
			       getenv("SRCDIR")));
		snprintf(cmd + strlen(cmd), sizeof(cmd) - strlen(cmd),
			 " p%zu.o", i);
	}
	assert_true(sh("cc -o sites%s", cmd));
	start(&p, "sites");
	assert_int_equal(p.sdt.nr, 3);
	for (i = 0; i < 3; i++) {
		n = &p.sdt.notes[i];
		assert_string_equal(n->provider, "t");
		assert_string_equal(n->name, "p");
		assert_true(n->semaphore && n->has_sem_offset);
		assert_int_not_equal(n->semaphore,
				     p.sdt.notes[(i + 1) % 3].semaphore);
		arm(&p, i);
	}
	while (hit(&p, &regs))
		;
	assert_int_equal(p.hits[0] + p.hits[1] + p.hits[2], 3 + 4 + 5);
	assert_int_equal(p.hits[0] * p.hits[1] * p.hits[2], 3 * 4 * 5);
	stop(&p);
}

#else

static void arguments_are_what_was_passed(void **state)
{
	(void)state;
	skip();
}

static void every_place_has_its_semaphore(void **state)
{
	(void)state;
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_what_was_passed),
		cmocka_unit_test(every_place_has_its_semaphore),
	};

	if (elf_dir_enter() < 0)
		return 99;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
