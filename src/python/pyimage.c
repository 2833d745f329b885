/* SPDX-License-Identifier: MIT */
/* pyimage: is this file an interpreter, and can its frames be walked? */
#include "python/pyimage.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>

#include "elf/elfimg.h"
#include "elf/stapsdt.h"
#include "python/gilstate.h"
#include "python/layout.h"
#include "python/pysearch.h"
#include "python/pyversion.h"

/* PyTypeObject: at the same places in all of 3.6 to 3.15. */
enum { TP_BASICSIZE = 32, TP_DEALLOC = 48 };

#define FIRST_WITH_OFFSETS 0x030d

struct search {
	struct elfimg *img;
	struct pyimage *p;
	bool stripped;		/* of CPython's symbols */
	bool free_threaded;
	uint32_t offsets_hex;	/* version in the debug offsets; 0: none */
	char fork[32];
	struct err *err;
};

/* A sentence that makes this file one that is not walked, and its hint. */
#define REFUSE(s, hint, ...) \
	(err_kind((s)->err, ERR_UNSUPPORTED, 0, __VA_ARGS__), \
	 err_hint((s)->err, "%s", hint), -ENOTSUP)

static bool has(struct elfimg *img, const char *symbol)
{
	uint64_t vaddr;

	return !elfimg_sym(img, symbol, &vaddr, NULL);
}

static bool has_probes(struct elfimg *img)
{
	struct stapsdt notes;
	bool found = false;

	if (stapsdt_init(&notes, img, NULL) < 0)
		return false;
	for (size_t i = 0; i < notes.nr && !found; i++)
		found = !strcmp(notes.notes[i].provider, "python");
	stapsdt_fini(&notes);
	return found;
}

/* By symbols; else by what strip leaves: a section, a cookie, probes. */
static bool is_cpython(struct elfimg *img, bool *stripped)
{
	struct elfsec sec;
	char word[32];
	uint64_t vaddr;

	*stripped = !has(img, "PyCode_Type") || !has(img, "Py_GetVersion");
	if (!*stripped || !elfimg_sec_named(img, ".PyRuntime", &sec))
		return true;
	/* a program may have a provider of that name for itself */
	if (has_probes(img) &&
	    !pysearch_word(img, "_frozen_import", word, sizeof(word)))
		return true;
	return elfimg_interp(img) && !pysearch_runtime(img, &vaddr);
}

static bool is_pypy(struct elfimg *img)
{
	return has(img, "pypy_execute_source") || has(img, "PyPy_GetVersion");
}

static int no_interpreter(struct elfimg *img, struct err *err)
{
	const char *lib;

	err_kind(err, ERR_NOT_PYTHON, 0, "no Python interpreter in '%s'",
		 elfimg_name(img));
	for (size_t i = 0; (lib = elfimg_dyn_str(img, DT_NEEDED, i)); i++)
		if (strstr(lib, "libpython") || strstr(lib, "libpypy"))
			err_hint(err, "it uses the one in %s", lib);
	return -ENOENT;
}

static bool is_musl(struct elfimg *img)
{
	const char *interp = elfimg_interp(img), *lib;

	if (interp && strstr(interp, "ld-musl"))
		return true;
	for (size_t i = 0; (lib = elfimg_dyn_str(img, DT_NEEDED, i)); i++)
		if (strstr(lib, "libc.musl"))
			return true;
	return false;
}

static int check_platform(struct search *s)
{
	if (!elfimg_is_native(s->img) || !elfimg_is_64(s->img))
		return REFUSE(s, "trace it on such a machine",
			      "made for %s%s", elfimg_machine_name(s->img),
			      elfimg_is_64(s->img) ? "" : ", 32 bits");
	if (is_musl(s->img))
		return REFUSE(s, "an interpreter made for glibc can be traced",
			      "made for musl, whose threads keep their thread "
			      "state elsewhere");
	return 0;
}

static int check_kind(struct search *s)
{
	const struct pyimage *p = s->p;

	if (p->kind == PYIMAGE_FORK)
		return REFUSE(s, "CPython itself can be traced",
			      "%s, a fork of CPython whose layout is not known",
			      s->fork);
	if (p->kind == PYIMAGE_DEBUG)
		return REFUSE(s, "a release build of the same version can be "
			      "traced", "debug layout unsupported: built with "
			      "Py_DEBUG");
	if (p->kind == PYIMAGE_FREE_THREADED)
		return REFUSE(s, "a build with the GIL can be traced",
			      "free-threaded build");
	return 0;
}

static int check_version(struct search *s)
{
	const struct pyimage *p = s->p;

	if (!p->hex)
		return REFUSE(s, "keep the symbols: strip with "
			      "--strip-debug, or link with -rdynamic",
			      "its version cannot be found: it has no symbols");
	if (!layout_for(p->version))
		return REFUSE(s, "versions 3.6 to 3.15 are known",
			      "the layout of Python %u.%u is not known",
			      p->version >> 8, p->version & 0xffu);
	if (!layout_is_final(p->hex))
		return REFUSE(s, "the release can be traced",
			      "a pre-release, whose layout may differ from the "
			      "release's");
	if (s->offsets_hex && s->offsets_hex >> 16 != p->version)
		return REFUSE(s, "the file is damaged, or not CPython",
			      "it says two versions of itself, %#x and %#x",
			      p->hex, s->offsets_hex);
	return 0;
}

/* _PyRuntime, from 3.7; its section from 3.11. */
static int find_runtime(struct elfimg *img, uint64_t *vaddr)
{
	struct elfsec sec;

	if (!elfimg_sym(img, "_PyRuntime", vaddr, NULL))
		return 0;
	if (!elfimg_sec_named(img, ".PyRuntime", &sec) && sec.addr) {
		*vaddr = sec.addr;
		return 0;
	}
	return pysearch_runtime(img, vaddr);
}

static int find_layout(struct search *s)
{
	struct pt_image *image = &s->p->image;
	struct elfmem m;
	int rc;

	image->layout = *layout_for(s->p->version);
	if (s->p->version < 0x0307)
		return 0;	/* has none: see gilstate_find() */
	if (!image->runtime)
		return REFUSE(s, "keep the symbols: strip with "
			      "--strip-debug, or link with -rdynamic",
			      "_PyRuntime cannot be found: no symbols");
	if (s->p->version < FIRST_WITH_OFFSETS)
		return 0;
	elfmem_init(&m, s->img, 0);
	rc = layout_from_debug_offsets(&m.mem, image->runtime, &image->layout,
				       NULL, s->err);
	return rc < 0 ? err_wrap(s->err, rc, "layout not verified") : 0;
}

/* PyCode_Type, and that its objects are those of this version. */
static int find_code_type(struct search *s)
{
	struct pt_image *image = &s->p->image;
	uint64_t basic = 0, item = 0, sizes[2];

	if (layout_code_sizes(s->p->version, &basic, &item) < 0)
		return -ENOTSUP;
	if (image->layout.co_code != PT_NONE)
		basic = (uint64_t)image->layout.co_code;
	if (elfimg_sym(s->img, "PyCode_Type", &image->code_type, NULL) < 0 &&
	    pysearch_code_type(s->img, basic, item, &image->code_type) < 0)
		return REFUSE(s, "keep the symbols: strip with "
			      "--strip-debug, or link with -rdynamic",
			      "PyCode_Type cannot be found: no symbols");
	if (elfimg_read(s->img, image->code_type + TP_BASICSIZE, sizes,
			sizeof(sizes)) < 0 ||
	    sizes[0] != basic || sizes[1] != item)
		return REFUSE(s, "it may be a fork, or built with Py_TRACE_REFS",
			      "layout not verified: its code objects are not "
			      "those of CPython %u.%u", s->p->version >> 8,
			      s->p->version & 0xff);
	if (elfimg_pointer(s->img, image->code_type + TP_DEALLOC,
			   &image->dealloc) < 0)
		image->dealloc = 0;
	if (s->p->version > 0x0308 ||
	    elfimg_sym(s->img, "_Py_CheckRecursionLimit", &image->depth_limit,
		       NULL) < 0)
		image->depth_limit = 0;
	return 0;
}

/*
 * A function that runs once when the interpreter starts: before 3.8 there is
 * no Py_InitializeFromConfig, and each sub-interpreter runs it too.
 */
static void find_init(struct search *s)
{
	const char *name = s->p->version < 0x0308 ? "PyInterpreterState_New" :
			   "Py_InitializeFromConfig";

	if (elfimg_sym(s->img, name, &s->p->image.init, NULL) < 0)
		s->p->image.init = 0;
}

static int examine(struct search *s)
{
	int rc;

	rc = check_platform(s);
	if (!rc)
		rc = check_kind(s);
	if (!rc)
		rc = check_version(s);
	if (!rc)
		rc = find_layout(s);
	if (!rc)
		rc = find_code_type(s);
	if (!rc)
		rc = gilstate_find(s->img, &s->p->image, s->err);
	if (!rc)
		find_init(s);
	return rc;
}

/* What the interpreter says of itself, before anything is judged. */
static void identify(struct search *s)
{
	struct { char cookie[8]; uint64_t version, free_threaded; } head;
	struct pyimage *p = s->p;
	struct pyversion v;

	pyversion_find(s->img, s->stripped, &v);
	p->hex = v.hex;
	if (find_runtime(s->img, &p->image.runtime) < 0)
		p->image.runtime = 0;
	else if (!elfimg_read(s->img, p->image.runtime, &head, sizeof(head)) &&
		 !memcmp(head.cookie, "xdebugpy", 8) &&
		 head.version <= UINT32_MAX) {
		s->offsets_hex = (uint32_t)head.version;
		s->free_threaded = head.free_threaded != 0;
	}
	if (!p->hex)
		p->hex = s->offsets_hex;
	p->version = (uint16_t)(p->hex >> 16);
	if (*v.text)
		snprintf(p->text, sizeof(p->text), "%s", v.text);
	else if (p->hex)
		layout_version_text(p->hex, p->text, sizeof(p->text));
	snprintf(s->fork, sizeof(s->fork), "%s", v.fork);
	if (*s->fork)
		p->kind = PYIMAGE_FORK;
	else if (has(s->img, "_Py_RefTotal") ||
		 has(s->img, "_Py_NegativeRefcount"))
		p->kind = PYIMAGE_DEBUG;	/* both need Py_REF_DEBUG */
	else if (s->free_threaded)
		p->kind = PYIMAGE_FREE_THREADED;
}

static void look_at_pypy(struct elfimg *img, struct pyimage *p)
{
	p->kind = PYIMAGE_PYPY;
	if (pysearch_word(img, "[PyPy ", p->text, sizeof(p->text)) < 0)
		*p->text = '\0';
	snprintf(p->why, sizeof(p->why), "PyPy, whose frames are not CPython's");
	snprintf(p->hint, sizeof(p->hint), "CPython can be traced");
}

int pyimage_find(struct elfimg *img, struct pyimage *out, struct err *err)
{
	struct err e = { 0 };
	struct search s = { .img = img, .p = out, .err = &e };

	memset(out, 0, sizeof(*out));
	if (is_pypy(img)) {
		look_at_pypy(img, out);
		return 0;
	}
	if (!is_cpython(img, &s.stripped))
		return no_interpreter(img, err);
	identify(&s);
	out->walk = !examine(&s);
	if (!out->walk) {
		if (!*e.hint)
			err_hint(&e, "CPython as it is released can be traced");
		snprintf(out->why, sizeof(out->why), "%.255s", e.text);
		snprintf(out->hint, sizeof(out->hint), "%.255s", e.hint);
		memset(&out->image, 0, sizeof(out->image));
	}
	return 0;
}

const char *pyimage_describe(const struct pyimage *p, char *buf, size_t size)
{
	static const char *const what[] = {
		[PYIMAGE_CPYTHON] = "", [PYIMAGE_DEBUG] = " (debug build)",
		[PYIMAGE_FREE_THREADED] = " (free-threaded)",
		[PYIMAGE_FORK] = " (a fork)", [PYIMAGE_PYPY] = "",
	};

	snprintf(buf, size, "%s%s%s%s", p->kind == PYIMAGE_PYPY ? "PyPy" :
		 "CPython", *p->text ? " " : "", p->text, what[p->kind]);
	return buf;
}
