/* SPDX-License-Identifier: MIT */
/*
 * pyprobes: what CPython's USDT probes really do, by version.
 *
 * Include/pydtrace.d declares more than is implemented, and from 3.11 a probe
 * that is there may not fire where its name says.  Counted on Debian's 3.9,
 * 3.11 and 3.13 to 3.15; of the versions between, CPython's source says it.
 */
#include "python/pyimage.h"

#include <string.h>

#include "base/compiler.h"
#include "elf/stapsdt.h"
#include "elf/uprobedef.h"

struct row {
	const char *name;
	uint16_t from, to;
	const char *words;
};

#define V(minor) (0x0300 + (minor))

static const struct row rows[] = {
	{ "function__entry", V(6), V(10), "fires on every call and resume" },
	{ "function__entry", V(11), V(11),
	  "present, does not fire on calls (only for frames entered by throw() "
	  "or close() of a generator)" },
	{ "function__entry", V(15), V(15),
	  "fires on every call and resume, and once more when a generator or "
	  "coroutine is made; not on throw() and close(), nor in JIT code" },
	{ "function__return", V(6), V(11),
	  "fires on every return, yield and exception" },
	{ "function__return", V(15), V(15),
	  "fires on every return, yield and exception, not in JIT code; a class "
	  "called often gives one more, of file __init__" },
	{ "line", V(6), V(11), "fires on every line" },
	{ "gc__start", V(6), V(15), "fires on every collection" },
	{ "gc__done", V(6), V(15), "fires on every collection" },
	{ "import__find__load__start", V(7), V(15),
	  "fires on every import of a module not yet loaded" },
	{ "import__find__load__done", V(7), V(15),
	  "fires on every import of a module not yet loaded" },
	{ "audit", V(8), V(15), "fires on every audit event" },
};

/* In no version that was looked at, though declared: issue 125914. */
static const char *const never[] = {
	"instance__new__start", "instance__new__done", "instance__delete__start",
	"instance__delete__done", "cfunction__entry", "cfunction__return",
};

const char *pyimage_probe_verdict(uint16_t version, const char *provider,
				  const char *name)
{
	bool known = false;

	if (strcmp(provider, "python"))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strcmp(rows[i].name, name))
			continue;
		known = true;
		if (version >= rows[i].from && version <= rows[i].to)
			return rows[i].words;
	}
	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		if (!strcmp(never[i], name))
			return "not in any version of CPython known here";
	if (!known)
		return NULL;
	return version > V(15) ? "not known of this version" :
	       "not in this version of CPython";
}

bool pyimage_probes_tell_calls(uint16_t version)
{
	return (version >= V(6) && version <= V(10)) || version == V(15);
}

#define TEXT(name) { name, true }
#define NUMBER(name) { name, false }

/* Include/pydtrace.d */
static const struct {
	const char *probe;
	struct uprobedef_arg arg[3];
} known[] = {
	{ "function__entry", { TEXT("filename"), TEXT("function"),
			       NUMBER("line") } },
	{ "function__return", { TEXT("filename"), TEXT("function"),
				NUMBER("line") } },
	{ "line", { TEXT("filename"), TEXT("function"), NUMBER("line") } },
	{ "gc__start", { NUMBER("generation") } },
	{ "gc__done", { NUMBER("collected") } },
	{ "import__find__load__start", { TEXT("module") } },
	{ "import__find__load__done", { TEXT("module"), NUMBER("found") } },
	/* the second is a tuple's address */
	{ "audit", { TEXT("event") } },
};

bool pyimage_probe_arg(const struct stapsdt_note *note, size_t i,
		       struct uprobedef_arg *out)
{
	if (strcmp(note->provider, "python"))
		return false;
	for (size_t k = 0; k < ARRAY_LEN(known); k++) {
		if (strcmp(known[k].probe, note->name))
			continue;
		*out = (struct uprobedef_arg){ NULL, false };
		if (i < ARRAY_LEN(known[k].arg))
			*out = known[k].arg[i];
		return true;
	}
	return false;
}
