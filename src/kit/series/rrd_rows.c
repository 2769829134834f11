/* SPDX-License-Identifier: MIT */
#include "kit/series/rrd_files.h"

#include <math.h>

static bool are_of_same_times(const struct mc_rrd_rows *a, const struct mc_rrd_rows *b)
{
	return b->values != NULL && a->start == b->start && a->step == b->step &&
	       a->len == b->len && a->columns_len == b->columns_len;
}

void mc_rrd_rows_add(struct mc_history *history, unsigned source, size_t column,
		     const struct mc_rrd_fetched *fetched)
{
	const struct mc_rrd_rows *averages = &fetched->averages;
	bool maximum = are_of_same_times(averages, &fetched->maxima);
	bool minimum = are_of_same_times(averages, &fetched->minima);

	for (size_t i = 0; i < averages->len; i++) {
		int64_t start = averages->start + (int64_t)i * averages->step;
		size_t at = i * averages->columns_len + column;
		const struct mc_history_row row = {
			start * MC_SECOND,
			averages->step * MC_SECOND,
			averages->values[at],
			maximum ? fetched->maxima.values[at] : NAN,
			minimum ? fetched->minima.values[at] : NAN,
		};

		mc_history_add(history, source, &row);
	}
}
