/* SPDX-License-Identifier: MIT */
/*
 * ldpath: where the dynamic loader would find a library.
 *
 * The order of ld.so(8): DT_RPATH of the object that needs it and of the
 * program (where they have no DT_RUNPATH), LD_LIBRARY_PATH, DT_RUNPATH, the
 * folders of /etc/ld.so.conf, the built-in ones.  Instead of the cache its
 * source is read.  Not looked at: glibc-hwcaps, LD_PRELOAD, audit.
 */
#ifndef PT_LDPATH_H
#define PT_LDPATH_H

#include "base/err.h"
#include "elf/elfimg.h"
#include "target/root.h"

struct ldpath {
	const struct root *root;
	const char *library_path;	/* LD_LIBRARY_PATH, or NULL */
	char *conf;			/* folders of ld.so.conf, ':' between */
};

/* Reads /etc/ld.so.conf; a missing one is none.  -ENOMEM. */
int ldpath_init(struct ldpath *ld, const struct root *root,
		const char *library_path) PT_MUST_CHECK;
void ldpath_fini(struct ldpath *ld);

struct ldobj {			/* who needs it */
	struct elfimg *img;
	const char *origin;	/* its folder, for $ORIGIN */
};

/*
 * A descriptor of the library `name` that `by`, a library or the program
 * itself, needs, and in *path (allocated) the name it has below the root; or
 * -ENOENT.  Files of another class or machine are passed over, as ld.so does.
 */
int ldpath_open(const struct ldpath *ld, const struct ldobj *program,
		const struct ldobj *by, const char *name,
		char **path) PT_MUST_CHECK;

#endif /* PT_LDPATH_H */
