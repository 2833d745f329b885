/* SPDX-License-Identifier: MIT */
/* interp: have the interpreter of a process traced. */
#include "interp.h"

#include <elf.h>

#include "elf/elfimg.h"
#include "target/find.h"

/* Where in the file the death of code objects is seen. */
static int dealloc_offset(const struct interp *in, uint64_t *offset,
			  struct err *err)
{
	struct elfimg *elf;
	int rc = elfimg_open_fd(&elf, in->fd, in->path, err);

	if (rc)
		return rc;
	rc = elfimg_offset(elf, in->pt.dealloc, PF_X, offset);
	elfimg_close(elf);
	return rc ? err_set(err, rc, "no tp_dealloc in %s", in->path) : 0;
}

static int add_probes(struct tracer *t, pid_t pid, const struct interp *in,
		      struct err *err)
{
	struct tracer_file file = {
		.fd = in->fd, .pid = pid, .version = in->pt.layout.version,
	};
	int rc = elfimg_open_fd(&file.elf, in->fd, in->path, err);

	if (rc)
		return rc;
	rc = tracer_add_file(t, &file, err);
	elfimg_close(file.elf);
	return rc;
}

static int trace(struct tracer *t, pid_t pid, const struct interp *in,
		 struct err *err)
{
	struct pt_target target = {
		.state = PT_PROC_RUNNING,
		.exec_id = PT_ANY_EXEC,
		.bias = in->bias,
	};
	struct tracer_image image = {
		.image = in->pt,
		.fd = in->fd,
		.pid = pid,
	};
	int rc;

	rc = dealloc_offset(in, &image.dealloc_offset, err);
	if (!rc)
		rc = tracer_add_image(t, &image, &target.image, err);
	if (!rc && tracer_wants_usdt(t))
		rc = add_probes(t, pid, in, err);
	return rc ? rc : tracer_set_target(t, pid, &target, err);
}

int interp_trace(struct tracer *t, pid_t pid, struct err *err)
{
	struct target found;
	int rc = target_find(pid, &found, err);

	if (rc)
		return rc;
	rc = trace(t, pid, found.main, err);
	target_fini(&found);
	return rc;
}
