/* SPDX-License-Identifier: MIT */
/* The series target_info: the attributes of what sends metrics of its own, a service or a
 * container, which users join with its metrics by job and instance.  Of several with the same job
 * and instance the first is sent, as a join needs one.  The writer's thread. */
#pragma once

#include <collector/kit/map.h>

#include "formats/prometheus/labelling.h"
#include "formats/remote_write/remote_write.h"

struct target {
	struct mc_map_node node; /* By job and instance. */
	struct remote_write_series *series;
	uint32_t users;
	const void *resource; /* The attributes, kept once: those of another one are not sent. */
	int64_t last;         /* Time of its last sample, in ms. */
	char key[];
};

/* A use of a target; NULL: it is not the first with its job and instance. */
struct targets_about {
	struct labelling *labels; /* All but the name, which is added. */
	const void *resource;     /* The attributes, kept once. */
	const char *tenant;       /* NULL: it makes no difference. */
};
struct target *targets_use(struct mc_map *targets, struct symbols *, const struct targets_about *);

void targets_release(struct mc_map *targets, struct symbols *, struct target *); /* NULL is fine. */
