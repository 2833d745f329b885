/* SPDX-License-Identifier: MIT */
/* probes: gather the notes of one file, and print them as text. */
#include "cmd/probes.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>

#include "base/printable.h"
#include "elf/sdtarg.h"

/* A longer name pushes its own line only. */
#define MAX_WIDTH 48

static int order(const void *pa, const void *pb)
{
	const struct stapsdt_note *a = *(const struct stapsdt_note *const *)pa;
	const struct stapsdt_note *b = *(const struct stapsdt_note *const *)pb;
	int by = strcmp(a->provider, b->provider);

	if (!by)
		by = strcmp(a->name, b->name);
	if (!by)
		by = (a->location > b->location) - (a->location < b->location);
	return by ? by : (a > b) - (a < b);
}

static int read_notes(struct probes_file *f, struct err *err)
{
	size_t i;
	int rc;

	rc = stapsdt_init(&f->sdt, f->img, err);
	if (rc < 0)
		goto out;
	f->sorted = calloc(f->sdt.nr ? f->sdt.nr : 1, sizeof(*f->sorted));
	if (!f->sorted) {
		rc = err_set(err, -ENOMEM, "out of memory");
		goto out;
	}
	for (i = 0; i < f->sdt.nr; i++)
		f->sorted[i] = &f->sdt.notes[i];
	qsort(f->sorted, f->sdt.nr, sizeof(*f->sorted), order);
	return 0;
out:
	probes_close(f);
	return rc;
}

void probes_close(struct probes_file *f)
{
	free(f->sorted);
	stapsdt_fini(&f->sdt);
	elfimg_close(f->img);
	*f = (struct probes_file){ 0 };
}

int probes_open(struct probes_file *f, const char *path, struct err *err)
{
	int rc;

	*f = (struct probes_file){ 0 };
	rc = elfimg_open(&f->img, path, err);
	return rc < 0 ? rc : read_notes(f, err);
}

int probes_open_fd(struct probes_file *f, int fd, const char *name,
		   struct err *err)
{
	int rc;

	*f = (struct probes_file){ 0 };
	rc = elfimg_open_fd(&f->img, fd, name, err);
	return rc < 0 ? rc : read_notes(f, err);
}

bool probes_is_cpython(const struct probes_file *f, const char **lib)
{
	uint64_t vaddr;
	size_t i;

	*lib = NULL;
	/* Since 2.7 and in all libpythons. */
	if (!elfimg_sym(f->img, "Py_GetVersion", &vaddr, NULL))
		return true;
	for (i = 0; !*lib; i++) {
		const char *need = elfimg_dyn_str(f->img, DT_NEEDED, i);
		const char *slash = need ? strrchr(need, '/') : NULL;

		if (!need)
			break;
		if (!strncmp(slash ? slash + 1 : need, "libpython", 9))
			*lib = need;
	}
	return false;
}

bool probes_is_foreign(const struct probes_file *f)
{
	return !elfimg_is_native(f->img);
}

static const char *sort_of_image(const struct probes_file *f)
{
	if (elfimg_is_debug_only(f->img))
		return "debug information only";
	switch (elfimg_type(f->img)) {
	case ET_EXEC:
		return "executable at a fixed address";
	case ET_DYN:
		return elfimg_interp(f->img) ? "executable" : "shared library";
	case ET_REL:
		return "object file, not linked";
	case ET_CORE:
		return "core dump";
	default:
		return "of unknown type";
	}
}

static void print_header(FILE *out, const struct probes_file *f,
			 const struct probes_view *view)
{
	const char *id = elfimg_build_id(f->img);
	const char *name = elfimg_name(f->img);

	printable_put(out, name, strlen(name));
	if (view->subject) {
		fputs("   ", out);
		printable_put(out, view->subject, strlen(view->subject));
	}
	fprintf(out, "   %s %s", elfimg_machine_name(f->img), sort_of_image(f));
	if (id)
		fprintf(out, "   build-id %s", id);
	fputc('\n', out);
	if (probes_is_foreign(f))
		fputs("  foreign architecture: listed only\n", out);
	else if (elfimg_is_debug_only(f->img))
		fputs("  the code is in another file: listed only\n", out);
	else if (elfimg_type(f->img) == ET_REL)
		fputs("  its addresses are not final: listed only\n", out);
}

/* Why there are none; each reason is another one to act upon. */
static void print_none(FILE *out, const struct probes_file *f)
{
	const char *lib;
	bool python = probes_is_cpython(f, &lib);

	if (f->sdt.nr_bad || f->sdt.is_partial)
		fputs("  no USDT probes can be read\n", out);
	else if (!elfimg_nr_secs(f->img))
		fputs("  no section headers, so no USDT probes can be found: "
		      "their notes are not loaded\n", out);
	else if (python)
		fputs("  no .note.stapsdt: this CPython was built without "
		      "--with-dtrace\n", out);
	else if (lib)
		fprintf(out, "  no .note.stapsdt: its interpreter is in %s\n",
			lib);
	else
		fputs("  no .note.stapsdt: no USDT probes, and not a CPython\n",
		      out);
}

/* One line of the table. */
enum { PROBE, LOCATION, OFFSET, SEMAPHORE, SEM_OFFSET, NR_COLUMNS };

static const char *const titles[NR_COLUMNS] = {
	"PROBE", "LOCATION", "OFFSET", "SEMAPHORE", "SEM OFFSET",
};

struct cells {
	char text[NR_COLUMNS][24];	/* not of PROBE */
};

static bool is_shown(int column, const struct probes_view *view)
{
	return view->offsets || (column != OFFSET && column != SEM_OFFSET);
}

static void address(char *cell, bool is_there, uint64_t v, const char *no)
{
	if (is_there)
		snprintf(cell, sizeof(((struct cells *)0)->text[0]),
			 "0x%" PRIx64, v);
	else
		snprintf(cell, sizeof(((struct cells *)0)->text[0]), "%s", no);
}

static void fill_cells(struct cells *c, const struct stapsdt_note *n)
{
	c->text[PROBE][0] = '\0';
	address(c->text[LOCATION], true, n->location, "");
	address(c->text[OFFSET], n->has_offset, n->offset, "?");
	address(c->text[SEMAPHORE], n->semaphore, n->semaphore, "-");
	address(c->text[SEM_OFFSET], n->has_sem_offset, n->sem_offset,
		n->semaphore ? "?" : "-");
}

static size_t put_name(FILE *out, const struct stapsdt_note *n)
{
	size_t columns = printable_put(out, n->provider, strlen(n->provider));

	if (out)
		fputc(':', out);
	return columns + 1 + printable_put(out, n->name, strlen(n->name));
}

static void measure(const struct probes_file *f, size_t *width)
{
	struct cells c;
	size_t i, len;
	int k;

	for (k = 0; k < NR_COLUMNS; k++)
		width[k] = strlen(titles[k]);
	for (i = 0; i < f->sdt.nr; i++) {
		len = put_name(NULL, f->sorted[i]);
		if (len > width[PROBE] && len <= MAX_WIDTH)
			width[PROBE] = len;
		fill_cells(&c, f->sorted[i]);
		for (k = LOCATION; k < NR_COLUMNS; k++)
			if (strlen(c.text[k]) > width[k])
				width[k] = strlen(c.text[k]);
	}
}

static void pad(FILE *out, size_t have, size_t width)
{
	fprintf(out, "%*s  ", have < width ? (int)(width - have) : 0, "");
}

/* Arguments that cannot be read: how many, and the first of them. */
struct unread {
	size_t nr;
	struct sdtarg first;
};

/* "int32 %edi, uint8 200, float64 8(%rsp)" */
static void print_arg(FILE *out, const struct sdtarg *a)
{
	fprintf(out, "%s%u ", a->is_float ? "float" : a->is_signed ? "int" :
		"uint", 8u * a->size);
	if (a->place == SDTARG_CONST && !a->sym) {
		fprintf(out, a->is_signed ? "%" PRId64 : "%" PRIu64, a->value);
		return;
	}
	printable_put(out, a->operand, a->operand_len);
	if (a->place == SDTARG_UNKNOWN)
		fputs(" (unreadable)", out);
}

static void print_args(FILE *out, const struct probes_file *f,
		       const struct stapsdt_note *n, struct unread *unread)
{
	struct sdtarg args[SDTARG_MAX];
	size_t i, nr;

	nr = sdtarg_parse(elfimg_machine(f->img), elfimg_is_64(f->img), n->args,
			  args, ARRAY_LEN(args));
	if (!nr)
		fputc('-', out);
	for (i = 0; i < nr && i < ARRAY_LEN(args); i++) {
		fputs(i ? ", " : "", out);
		print_arg(out, &args[i]);
		if (args[i].place == SDTARG_UNKNOWN && !unread->nr++)
			unread->first = args[i];
	}
	if (nr > ARRAY_LEN(args))
		fprintf(out, ", and %zu more", nr - ARRAY_LEN(args));
	fputc('\n', out);
}

static bool same_probe(const struct stapsdt_note *a,
		       const struct stapsdt_note *b)
{
	return !strcmp(a->provider, b->provider) && !strcmp(a->name, b->name);
}

static void print_row(FILE *out, const struct probes_file *f, size_t i,
		      const struct probes_view *view, const size_t *width,
		      struct unread *unread)
{
	const struct stapsdt_note *n = f->sorted[i];
	bool first = !i || !same_probe(n, f->sorted[i - 1]);
	const char *verdict = NULL;
	struct cells c;
	int k;

	fputs("  ", out);
	pad(out, first ? put_name(out, n) : 0, width[PROBE]);
	fill_cells(&c, n);
	for (k = LOCATION; k < NR_COLUMNS; k++) {
		if (!is_shown(k, view))
			continue;
		fputs(c.text[k], out);
		pad(out, strlen(c.text[k]), width[k]);
	}
	print_args(out, f, n, unread);
	if (first && view->verdict)
		verdict = view->verdict(n, view->ctx);
	if (verdict)
		fprintf(out, "    %s\n", verdict);
}

static void print_table(FILE *out, const struct probes_file *f,
			const struct probes_view *view, struct unread *unread)
{
	size_t width[NR_COLUMNS], i;
	int k;

	measure(f, width);
	fputs("  ", out);
	for (k = 0; k < NR_COLUMNS; k++) {
		if (!is_shown(k, view))
			continue;
		fputs(titles[k], out);
		pad(out, strlen(titles[k]), width[k]);
	}
	fputs("ARGUMENTS\n", out);
	for (i = 0; i < f->sdt.nr; i++)
		print_row(out, f, i, view, width, unread);
}

static void print_unread(FILE *out, const struct unread *unread)
{
	if (!unread->nr)
		return;
	fprintf(out, "  %zu argument%s cannot be read; '", unread->nr,
		unread->nr == 1 ? "" : "s");
	printable_put(out, unread->first.text, unread->first.len);
	fprintf(out, "': %s\n", unread->first.why);
}

void probes_print(FILE *out, const struct probes_file *f,
		  const struct probes_view *view)
{
	struct unread unread = { 0 };

	print_header(out, f, view);
	if (f->sdt.nr)
		print_table(out, f, view, &unread);
	else
		print_none(out, f);
	print_unread(out, &unread);
	if (f->sdt.nr_bad)
		fprintf(out, "  %zu damaged note%s left out\n", f->sdt.nr_bad,
			f->sdt.nr_bad == 1 ? "" : "s");
	if (f->sdt.is_partial)
		fputs("  some notes could not be read: an area of notes is cut "
		      "short or too large\n", out);
}
