/* SPDX-License-Identifier: MIT */
/* Tries the rules of a chain on many samples at once.  As most samples match no rule, most of them
 * need nothing else.  A match changes nothing, so the others can begin again, one after the
 * other. */
#pragma once

#include "flow.h"

struct mc_arrivals;

#define TRIAL_MAX 64 /* Samples: each has a bit. */

struct trial { /* Before the cache. */
	struct mc_ctx *ctx;
	struct shared *shared;
	mc_time now; /* When the samples were committed. */
	struct mc_sample *const *samples;
	unsigned len;                  /* TRIAL_MAX at most, ... */
	uint64_t all;                  /* ... and a bit for each. */
	bool named;                    /* Names are known. */
	struct name *names[TRIAL_MAX]; /* trial_name() */
};

/* The next samples of 'arrivals', from one of them on. */
void trial_init(struct trial *, struct mc_ctx *, struct shared *, const struct mc_arrivals *,
		size_t from);

/* Those to which something is to be done, a bit each: they match a rule, or there are targets by
 * default.  Thread: any. */
uint64_t trial_run(struct trial *, const struct chain *);

/* The name of a sample's series.  Thread: trial_run()'s. */
struct name *trial_name(struct trial *, unsigned number);
