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

/* The decision about a series in this generation; NULL: no judge was asked. */
static inline const struct decision *judge_find(const struct judges *judges,
						const struct mc_series *series)
{
	return decision_find(&judges->decisions,
			     atomic_load_explicit(&series->decision, memory_order_acquire));
}

static inline bool judge_is_asked(const struct judge *judge)
{
	return atomic_load_explicit(judge->started, memory_order_acquire);
}

/* Asks whether a series is taken, and under which name.  False if the series of that name cannot be
 * made. */
bool judge_ask_admission(const struct question *, struct mc_series *, struct decision *);

/* The decision about a series, with its receivers: judges are asked for these once. */
struct decision judge_know_route(const struct question *, struct mc_series *);

/* The name of 'series' with other parts, as in mc_admit_as(); false: there can
 * be no series of that name. */
bool judge_name(const struct mc_series *, struct mc_id, char name[SERIES_NAME_SIZE],
		struct mc_name_parts *);

/* The series of that name; NULL if it cannot be made. */
struct mc_series *judge_make(const struct question *, const struct mc_name_parts *,
			     const struct mc_type *);
