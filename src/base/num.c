/* SPDX-License-Identifier: MIT */
/* num: numbers, durations and sizes as people type them. */
#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

bool num_parse(const char *s, int64_t min, int64_t max, int64_t *out)
{
	char *end;
	long long v;

	if (!isdigit((unsigned char)*s) && *s != '-')
		return false;
	errno = 0;
	v = strtoll(s, &end, 10);
	if (errno || *end || v < min || v > max)
		return false;
	*out = v;
	return true;
}

/*
 * A number with at most nine decimals, in units of 10^-9; *rest is what
 * follows.  Not strtod: "inf", "0x1p3" and the decimal comma are no durations.
 */
static bool billionths(const char *s, uint64_t *out, const char **rest)
{
	uint64_t v = 0, scale = 1000000000;
	bool digits = false;

	for (; isdigit((unsigned char)*s); s++, digits = true)
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return false;
	if (__builtin_mul_overflow(v, scale, &v))
		return false;
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s) && scale > 1; s++) {
			scale /= 10;
			v += (uint64_t)(*s - '0') * scale;
			digits = true;
		}
	*out = v;
	*rest = s;
	return digits;
}

bool num_duration(const char *s, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t seconds, divide;
	} units[] = {
		{ "", 1, 1 }, { "s", 1, 1 }, { "ms", 1, 1000 },
		{ "us", 1, 1000000 }, { "ns", 1, 1000000000 },
		{ "m", 60, 1 }, { "h", 3600, 1 },
	};
	const char *unit;
	uint64_t v;

	if (!billionths(s, &v, &unit))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (strcmp(unit, units[i].unit))
			continue;
		if (__builtin_mul_overflow(v, units[i].seconds, &v))
			return false;
		*ns = v / units[i].divide;
		return true;
	}
	return false;
}

bool num_size(const char *s, uint64_t *bytes)
{
	static const char letters[] = "KMG";
	const char *letter;
	uint64_t v;
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno)
		return false;
	if (*end) {
		letter = strchr(letters, toupper((unsigned char)*end));
		if (!letter || end[1])
			return false;
		if (__builtin_mul_overflow(v, UINT64_C(1024) <<
				(10 * (letter - letters)), &v))
			return false;
	}
	*bytes = v;
	return true;
}

const char *num_duration_text(uint64_t ns, char *buf, size_t len)
{
	if (ns < 1000)
		snprintf(buf, len, "%u ns", (unsigned int)ns);
	else if (ns < 1000000)
		snprintf(buf, len, "%g us", (double)ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, len, "%g ms", (double)ns / 1e6);
	else
		snprintf(buf, len, "%g s", (double)ns / 1e9);
	return buf;
}

const char *num_grouped_text(uint64_t v, char *buf, size_t len)
{
	char digits[24];
	size_t nr = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, v);
	size_t used = 0;

	for (size_t i = 0; i < nr; i++) {
		bool comma = i && (nr - i) % 3 == 0;

		if (used + comma + 1 >= len)
			break;
		if (comma)
			buf[used++] = ',';
		buf[used++] = digits[i];
	}
	if (len)
		buf[used] = '\0';
	return buf;
}
