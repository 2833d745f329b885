/* SPDX-License-Identifier: MIT */
/* explain: which of the many causes a refusal has, and its cure. */
#include "target/rights.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

static const struct {
	int cap;
	const char *name;
} names[] = {
	{ RIGHTS_BPF, "bpf" },
	{ RIGHTS_PERFMON, "perfmon" },
	{ RIGHTS_SYS_PTRACE, "sys_ptrace" },
	{ RIGHTS_SYS_ADMIN, "sys_admin" },
	{ RIGHTS_SYS_RESOURCE, "sys_resource" },
	{ RIGHTS_DAC_OVERRIDE, "dac_override" },
	{ RIGHTS_DAC_READ_SEARCH, "dac_read_search" },
	{ RIGHTS_CHECKPOINT_RESTORE, "checkpoint_restore" },
};

const char *rights_caps(uint64_t set, char *buf, size_t size)
{
	size_t nr = 0, len = 0;

	*buf = '\0';
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		int n;

		if (!(set >> names[i].cap & 1))
			continue;
		nr++;
		n = snprintf(buf + len, size - len, "%s%s", len ? " " : "",
			     names[i].name);
		if (n < 0 || (size_t)n >= size - len)
			break;
		len += (size_t)n;
	}
	if (!nr)
		snprintf(buf, size, "none");
	else if (nr == ARRAY_LEN(names))
		snprintf(buf, size, "all");
	return buf;
}

/* What each need asks for; CAP_SYS_ADMIN stands for bpf and perfmon, too. */
static uint64_t wanted(enum rights_need need)
{
	switch (need) {
	case RIGHTS_TO_LOAD:
		return UINT64_C(1) << RIGHTS_BPF | UINT64_C(1) << RIGHTS_PERFMON;
	case RIGHTS_TO_SAMPLE:
		return UINT64_C(1) << RIGHTS_PERFMON;
	case RIGHTS_TO_PROBE:
		return UINT64_C(1) << RIGHTS_SYS_ADMIN;
	case RIGHTS_TO_READ:
		return UINT64_C(1) << RIGHTS_SYS_PTRACE;
	case RIGHTS_TO_NAME:
		break;
	}
	return 0;
}

/* Those of `caps` that `set` lacks. */
static uint64_t lacks(uint64_t set, uint64_t caps)
{
	if (set >> RIGHTS_SYS_ADMIN & 1)
		set |= wanted(RIGHTS_TO_LOAD);
	return caps & ~set;
}

struct words {
	char caps[128];		/* "CAP_BPF and CAP_PERFMON" */
	char flags[128];	/* "cap_bpf,cap_perfmon" */
	char adds[128];		/* "BPF, PERFMON" */
};

PT_PRINTF(2, 3)
static void append(char buf[static 128], const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + len, 128 - len, fmt, ap);
	va_end(ap);
}

static void upper(char *s)
{
	for (; *s; s++)
		if (*s >= 'a' && *s <= 'z')
			*s = (char)(*s - 'a' + 'A');
}

static void name_them(uint64_t caps, struct words *w)
{
	memset(w, 0, sizeof(*w));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char name[32];

		if (!(caps >> names[i].cap & 1))
			continue;
		append(w->flags, "%scap_%s", *w->flags ? "," : "",
		       names[i].name);
		snprintf(name, sizeof(name), "%s", names[i].name);
		upper(name);
		append(w->caps, "%sCAP_%s", *w->caps ? " and " : "", name);
		append(w->adds, "%s%s", *w->adds ? ", " : "", name);
	}
}

static void not_received(const struct rights *r, uint64_t all,
			 const struct words *lack, struct err *err)
{
	struct words w;

	name_them(all, &w);
	if (!r->uid) {
		err_kind(err, ERR_NOT_PERMITTED, 0, "root without %s: it was "
			 "dropped by whoever started this", lack->caps);
		err_hint(err, "start it with %s kept", w.caps);
		return;
	}
	if (r->no_new_privs) {
		err_kind(err, ERR_NOT_PERMITTED, 0, "user %u does not receive "
			 "%s on exec, though the bounding set has them, and "
			 "no_new_privs keeps sudo and file capabilities from "
			 "giving them", (unsigned int)r->uid, lack->caps);
		err_hint(err, "either run as user 0 with only %s", w.caps);
		err_hint(err, "or setcap %s+ep on pytrace and "
			 "allowPrivilegeEscalation: true (no no_new_privs)",
			 w.flags);
		return;
	}
	err_kind(err, ERR_NOT_PERMITTED, 0, "user %u lacks %s",
		 (unsigned int)r->uid, lack->caps);
	err_hint(err, "run as root (sudo), or once: setcap %s+ep on pytrace",
		 w.flags);
}

/* A capability is missing: at which of the gates was it lost? */
static void explain_missing(const struct rights *r, uint64_t all, uint64_t lack,
			    struct err *err)
{
	struct words w;

	if (lacks(r->bounding, all)) {
		name_them(lacks(r->bounding, all), &w);
		err_kind(err, ERR_NOT_PERMITTED, 0, "the bounding set has no "
			 "%s: the container or unit that this runs in took them "
			 "away", w.caps);
		err_hint(err, "add them: docker --cap-add, Kubernetes "
			 "capabilities: add: [%s], systemd "
			 "CapabilityBoundingSet=", w.adds);
		return;
	}
	name_them(lack, &w);
	if (!lacks(r->permitted, all)) {
		err_kind(err, ERR_NOT_PERMITTED, 0, "permitted, but not "
			 "effective: %s", w.caps);
		name_them(all, &w);
		err_hint(err, "setcap %s+ep on pytrace: the e makes it so",
			 w.flags);
		return;
	}
	not_received(r, all, &w, err);
}

static void explain_userns(const struct rights *r, uint64_t all, struct err *err)
{
	struct words w;

	name_them(all, &w);
	err_kind(err, ERR_NOT_PERMITTED, 0, "in a user namespace (uid_map %s), "
		 "where %s count for nothing: only those of the first one do",
		 *r->uid_map ? r->uid_map : "empty", w.caps);
	err_hint(err, "run pytrace on the host, or in a container with no user "
		 "namespace (not rootless)");
}

static void explain_filter(const struct rights *r, const char *call,
			   struct err *err)
{
	err_kind(err, ERR_NOT_PERMITTED, 0, "%s is filtered by seccomp (mode %d)",
		 call, r->seccomp);
	err_hint(err, "allow bpf and perf_event_open in the seccomp profile of "
		 "the container, or run it with seccomp=unconfined");
}

/* All that we can see is as it should be. */
static void explain_rest(const struct rights *r, enum rights_need need, int rc,
			 struct err *err)
{
	if (r->lockdown == RIGHTS_LOCKDOWN_CONFIDENTIALITY &&
	    need != RIGHTS_TO_READ) {
		err_kind(err, ERR_NOT_PERMITTED, rc, "the kernel is locked down "
			 "(confidentiality)");
		err_hint(err, "boot with lockdown=integrity or none");
	} else if (need == RIGHTS_TO_SAMPLE && r->perf_paranoid > 2 &&
		   !rights_has(r, RIGHTS_SYS_ADMIN)) {
		err_kind(err, ERR_NOT_PERMITTED, rc, "perf_event_paranoid is "
			 "%d, which asks for CAP_SYS_ADMIN", r->perf_paranoid);
		err_hint(err, "sysctl kernel.perf_event_paranoid=2");
	} else if (need == RIGHTS_TO_LOAD && r->memlock < (64U << 20)) {
		err_kind(err, ERR_NOT_PERMITTED, rc, "%s; %" PRIu64 " KiB may be "
			 "locked, which old kernels count BPF maps against",
			 strerror(-rc), r->memlock / 1024);
		err_hint(err, "ulimit -l unlimited; else a security module "
			 "(SELinux, AppArmor) forbids it: see its log");
	} else {
		err_kind(err, ERR_NOT_PERMITTED, rc, "%s, though the "
			 "capabilities are there", strerror(-rc));
		err_hint(err, "a security module (SELinux, AppArmor, Yama) "
			 "forbids it: see its log");
	}
}

static void explain_tracefs(const struct rights *r, struct err *err)
{
	if (r->uid) {
		err_kind(err, ERR_NOT_PERMITTED, 0, "tracefs is for root only");
		err_hint(err, "run as root, or mount it with gid= and mode=");
	} else {
		err_kind(err, ERR_NOT_PERMITTED, 0, "tracefs is refused to root: "
			 "it is hidden, read-only or CAP_DAC_OVERRIDE is "
			 "missing");
		err_hint(err, "mount -t tracefs tracefs /sys/kernel/tracing");
	}
}

int rights_explain(const struct rights *r, enum rights_need need, int rc,
		   struct err *err)
{
	uint64_t all = wanted(need), lack = lacks(r->effective, all);
	struct err lost;

	err = err ? err : &lost;
	if (need == RIGHTS_TO_NAME)
		explain_tracefs(r, err);
	else if (need == RIGHTS_TO_LOAD && r->bpf_filtered)
		explain_filter(r, "bpf()", err);
	else if (need != RIGHTS_TO_READ && r->perf_filtered &&
		 need != RIGHTS_TO_LOAD)
		explain_filter(r, "perf_event_open()", err);
	else if (!r->first_userns && need != RIGHTS_TO_READ)
		explain_userns(r, all, err);
	else if (lack)
		explain_missing(r, all, lack, err);
	else
		explain_rest(r, need, rc, err);
	return rc;
}
