/* SPDX-License-Identifier: MIT */
/* The effect of chains on all samples of a series, as far as its name decides. */
#pragma once

#include "flow.h"

struct outcome {
	bool each;          /* Samples are looked at one by one. */
	bool stopped;       /* All of them, if 'each' is false. */
	struct name *split; /* When some are, see split.h; NULL: none is. */

	/* Of those that are not stopped: */
	struct name *name; /* NULL: none, or several names. */
	bool renamed;      /* Some have another name than the series. */
	bool to_all;       /* If all end alike: the writers that get them. */
	uint32_t writers;
	bool alike; /* They go to the same writers. */
};

/* The effect of the chain before or after the cache, which exists, on the series of that name. */
struct outcome outcome_find(struct flow *, bool behind, struct mc_ctx *, struct name *);
