/* SPDX-License-Identifier: MIT */
/* The target v5upgrade: splits samples of types of collectd 4 into several of other types. */
#pragma once

#include <collector/writer.h>

#include "name.h"

enum split {
	SPLIT_NONE,    /* It goes on as it is. */
	SPLIT_INTO,    /* split_sample() makes others of it, it ends. */
	SPLIT_NOTHING, /* It is not what was expected, and ends. */
};

enum split split_of(const struct name *);

/* Adds to 'out' what is made of a sample, for whose name split_of() is SPLIT_INTO. */
void split_sample(const struct mc_sample *, const struct name *, struct mc_batch *out);
