/* SPDX-License-Identifier: MIT */
/* The names of containers, out of the files of Docker, Podman and Kubernetes.  Nothing is asked of
 * these programs, so none of them can keep a read waiting. */
#pragma once

#include <collector/kit/map.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

#include "container.h"

#define CONTAINERS_MAX 20000        /* Names that are kept; others are not known. */
#define CONTAINERS_FILE_MAX 4194304 /* Bytes of a file. */

struct containers {          /* All zero: none are known. */
	struct mc_map names; /* Of Podman and Kubernetes, by identifier. */
	uint64_t files;      /* A sum of what the files were when they were read. */
	bool is_loaded, has_failed;
	struct mc_once trouble;
};

/* Reads what has changed: before names are asked for. */
void containers_load(struct containers *, struct mc_ctx *);

/* The same in any case, before the names of all containers are asked for, and after that. */
void containers_begin(struct containers *, struct mc_ctx *);
void containers_end(struct containers *, struct mc_ctx *);

/* The name of a container; false if it is not known (yet). */
bool containers_find(struct containers *, struct mc_ctx *, enum container_kind, const char *id,
		     char name[CONTAINER_NAME_SIZE]);

void containers_done(struct containers *);
