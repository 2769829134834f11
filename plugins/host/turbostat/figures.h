/* SPDX-License-Identifier: MIT */
/* figures: what two snapshots of registers say of the time between them, with the names of
 * collectd. Pure. */
#pragma once

#include <stddef.h>

#include "model.h"

struct figures_snapshot {
	uint64_t has; /* A bit for each register that was read. */
	uint64_t values[MODEL_REGISTERS];
};

struct figures_pair {
	const struct figures_snapshot *before, *now;
};

struct figure {
	const char *type, *instance; /* The instance may be NULL. */
	double value;
};

#define FIGURES_MAX 20 /* Of a processor, a core or a package. */

struct figures {
	struct figure items[FIGURES_MAX];
	size_t len;
};

/* Of a processor; 'core' is that of the first processor of its core. */
void figures_of_processor(struct figures *, struct figures_pair own, struct figures_pair core,
			  double seconds);

/* Of a core and of a package, by their first processor.  'limit' is the temperature, in degrees
 * Celsius, at which the processor slows itself down. */
void figures_of_core(struct figures *, struct figures_pair first, double limit);
void figures_of_package(struct figures *, const struct model *model, struct figures_pair first,
			double limit, double seconds);

/* The limit that a snapshot has; 0: none. */
unsigned figures_limit(const struct figures_snapshot *snapshot);
