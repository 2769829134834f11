/* SPDX-License-Identifier: MIT */
/* The samples of a request that a receiver may refuse as a whole because of some: sent in halves,
 * and so on, until each bad one is alone (kit/base/bisection.h).  A histogram is one point, though
 * it is many samples.  Points of series that were refused before are in requests of their own, from
 * the first on.  Sends nothing itself.  The writer's thread. */
#pragma once

#include <collector/private/otlp.h>
#include <collector/writer.h>

#include "kit/base/bisection.h"

struct division {                      /* All zero: nothing is under way. */
	struct mc_bisection bisection; /* Of points. */
	const struct mc_sample **samples;
	size_t samples_len, samples_room;
	size_t *points; /* Where each begins; and the end of the last one. */
	size_t points_len, points_room;
	size_t suspects;              /* The first point of series that were refused before. */
	const struct mc_sample *last; /* Of the request, in its batch. */
	bool final;                   /* No other request of the batch follows. */
	mc_time old; /* Samples up to this time are too old; INT64_MIN: not known. */
};

/* Begins a request without samples. */
void division_clear(struct division *);
void division_done(struct division *);

/* Adds a sample, in the order of the batch; all suspect ones after the others. */
void division_add(struct division *, const struct mc_sample *, bool suspect);

/* All are added.  'refused': they were sent together, and refused, for that reason. */
void division_begin(struct division *, bool refused, int why);

static inline bool division_goes_on(const struct division *division)
{
	return division->bisection.len > 0;
}

/* The samples of a range. */
const struct mc_sample *const *division_samples(const struct division *,
						const struct mc_bisection_range *, size_t *len);

/* Whether all samples of a range are not younger than one that was too old. */
bool division_is_old(const struct division *, const struct mc_bisection_range *);

/* A range of one point was refused as too old. */
void division_learn_old(struct division *, const struct mc_bisection_range *);
