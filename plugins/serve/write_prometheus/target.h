/* SPDX-License-Identifier: MIT */
/* The metric target_info: the attributes of what was measured, a service or a container, which
 * Prometheus' users join with its metrics by job and instance.  One thread. */
#pragma once

#include "point.h"
#include "scrape.h"

#define TARGET_NAME "target_info"

/* Adds one sample for each job and instance of the points. */
void target_show(struct point *const *points, size_t len, const struct scrape_options *,
		 struct mc_map *families);
