/* SPDX-License-Identifier: MIT */
/* err: a failure as one sentence in a buffer of the caller's. */
#include "base/err.h"

#include <stdarg.h>

static const char *const kind_names[] = {
	[ERR_NONE] = "none",
	[ERR_FAILED] = "failed",
	[ERR_USAGE] = "usage",
	[ERR_NO_TARGET] = "no-target",
	[ERR_NOT_PYTHON] = "not-python",
	[ERR_UNSUPPORTED] = "unsupported",
	[ERR_NOT_PERMITTED] = "not-permitted",
	[ERR_KERNEL] = "kernel",
	[ERR_OUTPUT] = "output",
	[ERR_INPUT] = "input",
	[ERR_INCOMPLETE] = "incomplete",
	[ERR_NOTHING] = "nothing",
	[ERR_BUDGET] = "budget",
	[ERR_CONFLICT] = "conflict",
};

const char *err_kind_name(enum err_kind kind)
{
	if ((size_t)kind >= ARRAY_LEN(kind_names))
		return "failed";
	return kind_names[kind];
}

PT_PRINTF(3, 0)
static void set(struct err *err, enum err_kind kind, const char *fmt, va_list ap)
{
	if (!err)
		return;
	err->kind = kind;
	err->hint[0] = '\0';
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int err_set(struct err *err, int rc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(err, ERR_FAILED, fmt, ap);
	va_end(ap);
	return rc;
}

int err_kind(struct err *err, enum err_kind kind, int rc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(err, kind, fmt, ap);
	va_end(ap);
	return rc;
}

int err_wrap(struct err *err, int rc, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list ap;
	int n;

	if (!err)
		return rc;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(err->text))
		snprintf(err->text + n, sizeof(err->text) - (size_t)n, ": %s",
			 old);
	return rc;
}

void err_hint(struct err *err, const char *fmt, ...)
{
	size_t len;
	va_list ap;

	if (!err)
		return;
	len = strlen(err->hint);
	if (len && len + 1 < sizeof(err->hint)) {
		err->hint[len++] = '\n';
		err->hint[len] = '\0';
	}
	va_start(ap, fmt);
	vsnprintf(err->hint + len, sizeof(err->hint) - len, fmt, ap);
	va_end(ap);
}
