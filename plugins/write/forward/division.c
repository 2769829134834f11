/* SPDX-License-Identifier: MIT */
#include "division.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>
#include <collector/metric.h>

void division_clear(struct division *division)
{
	mc_bisection_clear(&division->bisection);
	division->samples_len = division->points_len = division->suspects = 0;
	division->old = INT64_MIN;
}

void division_done(struct division *division)
{
	mc_bisection_done(&division->bisection);
	free(division->samples);
	free(division->points);
}

/* Whether both are parts of one histogram or summary, at one time. */
static bool is_same_point(const struct mc_sample *a, const struct mc_sample *b)
{
	struct mc_metric first, second;
	bool same;

	if (a->time != b->time || a->series == b->series || !mc_get_metric(a->series, &first))
		return false;
	if (!mc_get_metric(b->series, &second)) {
		mc_release_metric(&first);
		return false;
	}
	same = first.part != MC_METRIC_VALUE && first.name[0] != '\0' &&
	       mc_metric_is_same_point(&first, &second);
	mc_release_metric(&first);
	mc_release_metric(&second);
	return same;
}

static void add_point(struct division *division, size_t begin)
{
	MC_ARRAY_GROW(division->points, division->points_len, division->points_room);
	division->points[division->points_len++] = begin;
}

void division_add(struct division *division, const struct mc_sample *sample, bool suspect)
{
	size_t len = division->samples_len;

	MC_ARRAY_GROW(division->samples, division->samples_len, division->samples_room);
	division->samples[division->samples_len++] = sample;
	if (len == 0 || !is_same_point(division->samples[len - 1], sample)) {
		if (!suspect)
			division->suspects++;
		add_point(division, len);
	}
}

void division_begin(struct division *division, bool refused, int why)
{
	struct mc_bisection_range suspects = {
		.from = division->suspects,
		.len = division->points_len - division->suspects,
		.suspect = true,
	};
	struct mc_bisection_range others = {
		.len = division->suspects,
		.refused = refused,
		.why = why,
	};

	add_point(division, division->samples_len);
	mc_bisection_push(&division->bisection, &suspects);
	mc_bisection_push(&division->bisection, &others);
}

const struct mc_sample *const *division_samples(const struct division *division,
						const struct mc_bisection_range *range, size_t *len)
{
	size_t begin = division->points[range->from];

	*len = division->points[range->from + range->len] - begin;
	return division->samples + begin;
}

bool division_is_old(const struct division *division, const struct mc_bisection_range *range)
{
	size_t len;
	const struct mc_sample *const *samples = division_samples(division, range, &len);

	for (size_t i = 0; i < len; i++)
		if (samples[i]->time > division->old)
			return false;
	return true;
}

void division_learn_old(struct division *division, const struct mc_bisection_range *range)
{
	size_t len;
	const struct mc_sample *const *samples = division_samples(division, range, &len);

	if (samples[0]->time > division->old)
		division->old = samples[0]->time;
}
