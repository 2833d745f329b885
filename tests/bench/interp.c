/* SPDX-License-Identifier: MIT */
/* interp: have the interpreter of a process traced. */
#include "interp.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "elf/elfimg.h"
#include "python/layout.h"
#include "target/maps.h"
#include "target/proc.h"

#define TP_DEALLOC 48		/* PyTypeObject, the same from 3.6 to 3.15 */

/* From the addresses of its symbols to what the walk needs. */
static int fill_image(struct elfimg *img, uint32_t hexversion,
		      struct tracer_image *out, struct err *err)
{
	const struct pt_layout *l = layout_for((uint16_t)(hexversion >> 16));
	struct pt_image *pt = &out->image;
	uint64_t size;

	if (!l)
		return err_set(err, -ENOTSUP, "no layout for %#x", hexversion);
	pt->layout = *l;
	if (elfimg_sym(img, "PyCode_Type", &pt->code_type, &size) ||
	    elfimg_sym(img, hexversion >> 16 == 0x0306 ? "autoTLSkey" :
		       "_PyRuntime", &pt->runtime, &size))
		return -ENOENT;
	if (elfimg_pointer(img, pt->code_type + TP_DEALLOC, &pt->dealloc) ||
	    elfimg_offset(img, pt->dealloc, PF_X, &out->dealloc_offset))
		return err_set(err, -ENOENT, "no tp_dealloc in %s",
			       elfimg_name(img));
	pt->tls_kind = PT_TLS_KEY;
	if (hexversion >> 16 == 0x0306)
		pt->tls_kind = PT_TLS_KEY_SYMBOL;
	if (hexversion >> 16 >= 0x030f) {
		pt->tls_kind = PT_TLS_STATIC;
		pt->tls = -40;
	}
	return 0;
}

static int open_mapped(const struct proc *p, const struct map *m)
{
	char name[64];

	snprintf(name, sizeof(name), "map_files/%llx-%llx",
		 (unsigned long long)m->start, (unsigned long long)m->end);
	return openat(p->dir, name, O_RDONLY | O_CLOEXEC);
}

/* Is this mapped file the interpreter?  -ENOENT: no. */
static int try_map(const struct proc *p, const struct map *m,
		   uint32_t hexversion, struct tracer_image *out,
		   uint64_t *bias, struct err *err)
{
	struct elfimg *img;
	int fd, rc;

	if (m->kind != MAPS_FILE || !m->exec || !strstr(m->path, "python"))
		return -ENOENT;
	fd = open_mapped(p, m);
	if (fd < 0)
		return -ENOENT;
	*out = (struct tracer_image){ .fd = fd, .pid = p->pid };
	rc = elfimg_open_fd(&img, fd, m->path, err);
	if (!rc) {
		rc = fill_image(img, hexversion, out, err);
		if (!rc)
			rc = elfimg_bias(img, m->start, m->offset, true, bias);
		elfimg_close(img);
	}
	if (rc)
		close(fd);
	return rc;
}

static int find(const struct proc *p, uint32_t hexversion,
		struct tracer_image *out, uint64_t *bias, struct err *err)
{
	struct maps maps;
	int rc = maps_read(&maps, p, err);

	if (rc)
		return rc;
	rc = err_set(err, -ENOENT, "no interpreter in process %d", (int)p->pid);
	for (size_t i = 0; rc == -ENOENT && i < maps.nr; i++)
		rc = try_map(p, &maps.v[i], hexversion, out, bias, err);
	maps_fini(&maps);
	return rc;
}

int interp_trace(struct tracer *t, pid_t pid, uint32_t hexversion,
		 struct err *err)
{
	struct pt_target target = {
		.state = PT_PROC_RUNNING,
		.exec_id = PT_ANY_EXEC,
	};
	struct tracer_image image;
	struct proc p;
	int rc;

	rc = proc_open(&p, pid, err);
	if (rc)
		return rc;
	rc = find(&p, hexversion, &image, &target.bias, err);
	proc_close(&p);
	if (rc)
		return rc;
	rc = tracer_add_image(t, &image, &target.image, err);
	close(image.fd);
	return rc ? rc : tracer_set_target(t, pid, &target, err);
}
