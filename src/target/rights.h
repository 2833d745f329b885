/* SPDX-License-Identifier: MIT */
/*
 * rights: what we may do here, and which of the many causes a refusal has.
 *
 * "Operation not permitted" is said for a capability that was never given, that
 * was given and is not effective, that does not count in this user namespace,
 * for a seccomp filter, a sysctl, lockdown.  Each wants another cure.
 */
#ifndef PT_RIGHTS_H
#define PT_RIGHTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Numbers of <linux/capability.h>: headers of before 5.8 lack the last three. */
enum {
	RIGHTS_DAC_OVERRIDE = 1,
	RIGHTS_DAC_READ_SEARCH = 2,
	RIGHTS_SYS_PTRACE = 19,
	RIGHTS_SYS_ADMIN = 21,
	RIGHTS_SYS_RESOURCE = 24,
	RIGHTS_PERFMON = 38,
	RIGHTS_BPF = 39,
	RIGHTS_CHECKPOINT_RESTORE = 40,
};

enum rights_lockdown {
	RIGHTS_LOCKDOWN_UNKNOWN,	/* no such file, or not for us */
	RIGHTS_LOCKDOWN_NONE,
	RIGHTS_LOCKDOWN_INTEGRITY,
	RIGHTS_LOCKDOWN_CONFIDENTIALITY,
};

/* What was asked for and refused. */
enum rights_need {
	RIGHTS_TO_LOAD,		/* BPF programs and maps, tracepoints */
	RIGHTS_TO_SAMPLE,	/* perf_event_open(), any process, a CPU */
	RIGHTS_TO_PROBE,	/* a uprobe by perf_event_open() */
	RIGHTS_TO_READ,		/* memory and files of another process */
	RIGHTS_TO_NAME,		/* tracefs */
};

struct rights {
	uid_t uid;		/* effective */
	uint64_t effective, permitted, bounding;	/* bit: capability */
	bool no_new_privs;
	int seccomp;		/* 0 off, 1 strict, 2 filter */
	bool first_userns;	/* else no capability counts for the kernel */
	char uid_map[64];	/* its first line, single blanks; "" not known */
	int perf_paranoid;	/* INT_MIN: not known */
	int bpf_disabled;	/* unprivileged_bpf_disabled; INT_MIN */
	enum rights_lockdown lockdown;
	/* Tried with arguments that can only be wrong. */
	bool bpf_filtered;	/* bpf() does not reach the kernel */
	bool perf_filtered;	/* nor does perf_event_open() */
	uint64_t memlock;	/* bytes that may be locked; UINT64_MAX */
};

/* What is so of this process.  What cannot be read stays unknown. */
void rights_read(struct rights *out);
/* The parts of it that /proc/PID/status has (`text` ends with a NUL). */
void rights_parse_status(struct rights *out, const char *text);
/* "none [integrity] confidentiality" */
enum rights_lockdown rights_parse_lockdown(const char *text);
/* "         0       1000          1\n": as rights.uid_map has it */
void rights_parse_uid_map(struct rights *out, const char *text);

bool rights_has(const struct rights *r, int cap);
/*
 * All that loading a BPF program asks for, as far as we can see: what is refused
 * with EACCES then was refused by the verifier, or by a security module.
 */
bool rights_suffice(const struct rights *r);
/* "bpf perfmon", "all", "none": those that matter to us, effective. */
const char *rights_caps(uint64_t set, char *buf, size_t size);

/*
 * Why `need` was refused with `rc`, as a sentence, and one line a cure as the
 * hint; the kind is ERR_NOT_PERMITTED.  Returns `rc`.
 */
int rights_explain(const struct rights *r, enum rights_need need, int rc,
		   struct err *err);

#endif /* PT_RIGHTS_H */
