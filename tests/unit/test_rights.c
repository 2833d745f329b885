/* SPDX-License-Identifier: MIT */
/* rights: each cause of a refusal is told from the others; leftovers parsed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "target/checks.h"
#include "target/drop.h"
#include "target/leftovers.h"

#define BIT(cap) (UINT64_C(1) << (cap))
#define BOTH (BIT(RIGHTS_BPF) | BIT(RIGHTS_PERFMON))

static void status(void **state)
{
	struct rights r = { 0 };

	(void)state;
	rights_parse_status(&r, "Name:\tNoNewPrivs:\t1\nUid:\t1000\t65532\t0\t0\n"
			    "CapInh:\t0000000000000000\n"
			    "CapPrm:\t000000c000000000\n"
			    "CapEff:\t0000008000000000\n"
			    "CapBnd:\t000001ffffffffff\n"
			    "NoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n");
	assert_int_equal(r.uid, 65532);
	assert_int_equal(r.permitted, BOTH);
	assert_int_equal(r.effective, BIT(RIGHTS_BPF));
	assert_int_equal(r.bounding, UINT64_C(0x1ffffffffff));
	assert_false(r.no_new_privs);
	assert_int_equal(r.seccomp, 2);
	rights_parse_status(&r, "");
	assert_int_equal(r.effective, 0);
}

static void small_files(void **state)
{
	struct rights r = { 0 };

	(void)state;
	rights_parse_uid_map(&r, "         0       1000          1\n  1  2 3\n");
	assert_string_equal(r.uid_map, "0 1000 1");
	rights_parse_uid_map(&r, "");
	assert_string_equal(r.uid_map, "");
	assert_int_equal(rights_parse_lockdown("none [integrity] confidentiality"),
			 RIGHTS_LOCKDOWN_INTEGRITY);
	assert_int_equal(rights_parse_lockdown("[none] integrity confidentiality"),
			 RIGHTS_LOCKDOWN_NONE);
	assert_int_equal(rights_parse_lockdown("none integrity [confidentiality]"),
			 RIGHTS_LOCKDOWN_CONFIDENTIALITY);
	assert_int_equal(rights_parse_lockdown("what"), RIGHTS_LOCKDOWN_UNKNOWN);
}

static void names_of_sets(void **state)
{
	char buf[160], small[8];

	(void)state;
	assert_string_equal(rights_caps(0, buf, sizeof(buf)), "none");
	assert_string_equal(rights_caps(BOTH, buf, sizeof(buf)), "bpf perfmon");
	assert_string_equal(rights_caps(UINT64_MAX, buf, sizeof(buf)), "all");
	/* cut, never overrun */
	assert_true(strlen(rights_caps(BOTH, small, sizeof(small))) < sizeof(small));
}

/* Somebody for whom all is well; each case spoils one thing. */
static struct rights well(void)
{
	return (struct rights){
		.uid = 1000, .first_userns = true, .memlock = UINT64_MAX,
		.effective = BOTH, .permitted = BOTH, .bounding = UINT64_MAX,
		.perf_paranoid = 2, .bpf_disabled = 2,
	};
}

static void says(const struct rights *r, enum rights_need need,
		 const char *sentence, const char *cure)
{
	struct err err = { 0 };

	assert_int_equal(rights_explain(r, need, -EPERM, &err), -EPERM);
	assert_int_equal(err.kind, ERR_NOT_PERMITTED);
	if (!strstr(err.text, sentence) || !strstr(err.hint, cure))
		fail_msg("\"%s\" / \"%s\" lacks \"%s\" or \"%s\"", err.text,
			 err.hint, sentence, cure);
}

static void missing(void **state)
{
	struct rights r = well();

	(void)state;
	r.effective = r.permitted = 0;
	says(&r, RIGHTS_TO_LOAD, "user 1000 lacks CAP_BPF and CAP_PERFMON",
	     "setcap cap_bpf,cap_perfmon+ep");
	r.effective = r.permitted = BIT(RIGHTS_PERFMON);
	says(&r, RIGHTS_TO_LOAD, "user 1000 lacks CAP_BPF",
	     "setcap cap_bpf,cap_perfmon+ep");
	r.no_new_privs = true;
	says(&r, RIGHTS_TO_LOAD, "no_new_privs", "allowPrivilegeEscalation");
	r.uid = 0;
	says(&r, RIGHTS_TO_LOAD, "root without CAP_BPF", "kept");
	r.bounding = ~BIT(RIGHTS_BPF) & ~BIT(RIGHTS_SYS_ADMIN);
	says(&r, RIGHTS_TO_LOAD, "the bounding set has no CAP_BPF:",
	     "add: [BPF]");
	r = well();
	r.effective = 0;
	says(&r, RIGHTS_TO_LOAD, "permitted, but not effective", "+ep");
}

static void namespaces(void **state)
{
	struct rights r = well();

	(void)state;
	r.first_userns = false;
	r.effective = UINT64_MAX;
	rights_parse_uid_map(&r, "0 1000 1\n");
	says(&r, RIGHTS_TO_LOAD, "user namespace (uid_map 0 1000 1)", "host");
}

static void others(void **state)
{
	struct rights r = well();

	(void)state;
	says(&r, RIGHTS_TO_PROBE, "lacks CAP_SYS_ADMIN", "cap_sys_admin");
	says(&r, RIGHTS_TO_READ, "lacks CAP_SYS_PTRACE", "cap_sys_ptrace");
	says(&r, RIGHTS_TO_NAME, "tracefs is for root", "root");
	says(&r, RIGHTS_TO_LOAD, "capabilities are there", "security module");
	r.memlock = 65536;
	says(&r, RIGHTS_TO_LOAD, "64 KiB may be locked", "ulimit -l");
	r = well();
	r.perf_paranoid = 3;
	says(&r, RIGHTS_TO_SAMPLE, "perf_event_paranoid is 3", "sysctl");
	r.effective = UINT64_MAX;
	says(&r, RIGHTS_TO_SAMPLE, "capabilities are there", "security module");
	r = well();
	r.lockdown = RIGHTS_LOCKDOWN_CONFIDENTIALITY;
	says(&r, RIGHTS_TO_LOAD, "locked down", "lockdown=integrity");
	r = well();
	r.seccomp = 2;
	r.bpf_filtered = true;
	says(&r, RIGHTS_TO_LOAD, "bpf() is filtered by seccomp", "seccomp profile");
	r.perf_filtered = true;
	says(&r, RIGHTS_TO_SAMPLE, "perf_event_open() is filtered", "seccomp");
	/* CAP_SYS_ADMIN stands for the other two */
	r = well();
	r.effective = BIT(RIGHTS_SYS_ADMIN);
	says(&r, RIGHTS_TO_LOAD, "capabilities are there", "security module");
	assert_int_equal(rights_explain(&r, RIGHTS_TO_LOAD, -EACCES, NULL),
			 -EACCES);
}

static void rows(void **state)
{
	struct checks c = { 0 };
	struct check *row;

	(void)state;
	row = checks_add(&c, "a", "thing a");
	check_say(row, CHECK_NO, "not %d", 7);
	assert_null(checks_obstacle(&c));	/* one can do without it */
	row = checks_add(&c, "b", "thing b");
	row->needed = true;
	assert_null(checks_obstacle(&c));
	check_refused(row, CHECK_NO, &c.rights, RIGHTS_TO_LOAD, -EPERM);
	assert_ptr_equal(checks_obstacle(&c), row);
	assert_ptr_equal(checks_find(&c, "b"), row);
	assert_null(checks_find(&c, "c"));
	for (int i = 0; i < 2 * CHECKS_MAX; i++)
		checks_add(&c, "more", "more");
	assert_int_equal(c.nr, CHECKS_MAX);
}

static void free_one(struct leftover *l)
{
	free(l->group);
	free(l->event);
	free(l->file);
}

static void leftover_lines(void **state)
{
	static const char *const bad[] = {
		"", "p", "p:", "p:a", "p:a/b", "x:a/b /c:0x1", "p:a /b/c:0x1",
		"p:a/b /c", "p:a/b  ", "-:a/b",
	};
	struct leftover l;

	(void)state;
	assert_true(leftovers_parse("p:pytrace/gc__start /usr/bin/py:0x12(0x34) "
				    "arg1=%di:u64", &l));
	assert_string_equal(l.group, "pytrace");
	assert_string_equal(l.event, "gc__start");
	assert_string_equal(l.file, "/usr/bin/py");
	assert_int_equal(l.offset, 0x12);
	assert_true(l.own);
	assert_false(l.is_return);
	free_one(&l);
	assert_true(leftovers_parse("r:pytrace2/x /a:b:0x0000000000000010", &l));
	assert_string_equal(l.file, "/a:b");
	assert_int_equal(l.offset, 0x10);
	assert_false(l.own);
	assert_true(l.is_return);
	free_one(&l);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (leftovers_parse(bad[i], &l))
			fail_msg("'%s' was taken for an event", bad[i]);
}

static void what_is_kept(void **state)
{
	const uint64_t later = BOTH | BIT(RIGHTS_SYS_PTRACE) |
			       BIT(RIGHTS_DAC_READ_SEARCH) |
			       BIT(RIGHTS_CHECKPOINT_RESTORE);
	struct rights r = {
		.effective = UINT64_C(0x1ffffffffff),
		.permitted = UINT64_C(0x1ffffffffff), .perf_paranoid = 2,
	};

	(void)state;
	assert_int_equal(drop_keeps(&r, true), later);
	assert_int_equal(drop_keeps(&r, false), later | BIT(RIGHTS_SYS_ADMIN));
	r.perf_paranoid = 3;
	assert_int_equal(drop_keeps(&r, true), later | BIT(RIGHTS_SYS_ADMIN));
	r.perf_paranoid = -1;
	r.effective = r.permitted = BIT(RIGHTS_SYS_ADMIN);
	assert_int_equal(drop_keeps(&r, true), BIT(RIGHTS_SYS_ADMIN));
	r.effective = r.permitted = BOTH;
	assert_int_equal(drop_keeps(&r, true), BOTH);
	r.effective = 0;
	assert_int_equal(drop_keeps(&r, true), 0);
	assert_true(drop_has_multi("6.6.0-1-amd64"));
	assert_true(drop_has_multi("10.0"));
	assert_false(drop_has_multi("6.5.13"));
	assert_false(drop_has_multi("5.19"));
	assert_false(drop_has_multi("what"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status),
		cmocka_unit_test(small_files),
		cmocka_unit_test(names_of_sets),
		cmocka_unit_test(missing),
		cmocka_unit_test(namespaces),
		cmocka_unit_test(others),
		cmocka_unit_test(rows),
		cmocka_unit_test(leftover_lines),
		cmocka_unit_test(what_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
