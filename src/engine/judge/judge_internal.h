/* SPDX-License-Identifier: MIT */
/* Shared by the files that ask judges. */
#pragma once

#include "engine/judge/judge.h"
#include "model/series.h"

#define EVERYBODY (~SAMPLE_REFUSED)

struct question { /* The state of a round of questions to judges. */
	struct judges *judges;
	const struct judge_list *list;
	struct mc_batch *batch;
	struct copies *copies; /* NULL: none are made, as of what comes from
				* the journal. */
};

struct mc_route { /* The answer of a judge in route(). */
	const struct question *question;
	const struct mc_sample *sample; /* route_sample() only. */
	uint32_t wanted;                /* Flags of those that get it, if 'chosen'. */
	bool chosen, each, reported;
};

/* The name of 'series' with other parts, as in mc_admit_as(); false: there can
 * be no series of that name. */
bool judge_name(const struct mc_series *, struct mc_id, char name[SERIES_NAME_SIZE],
		struct mc_name_parts *);

/* The series of that name; NULL if it cannot be made. */
struct mc_series *judge_make(const struct question *, const struct mc_name_parts *,
			     const struct mc_type *);
