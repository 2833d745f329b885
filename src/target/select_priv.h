/* SPDX-License-Identifier: MIT */
/* select_priv: what the files of select share. */
#ifndef PT_SELECT_PRIV_H
#define PT_SELECT_PRIV_H

#include "target/select.h"

/* A group as somebody named it: a folder, or its path in the hierarchy. */
struct select_group {
	char *path;
	char *controllers;	/* as select_cgroup(); NULL: any hierarchy */
};

/* -ENOENT: the folder is in no hierarchy that `mounts` (mountinfo) tells of. */
int select_group_of(const char *mounts, const char *folder,
		    struct select_group *out) PT_MUST_CHECK;

/*
 * The id (allocated) of the container of that name in the text of podman's
 * containers.json, or of docker's config.v2.json (of one); NULL: not that one.
 */
char *select_podman_id(const char *json, const char *name);
char *select_docker_id(const char *json, const char *name);
/* Whoever has it: the id (allocated), or NULL. */
char *select_id_of_name(const char *name);

#endif /* PT_SELECT_PRIV_H */
