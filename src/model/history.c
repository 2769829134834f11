/* SPDX-License-Identifier: MIT */
/* A history: rows of any step become points of one step.
 *
 * A row that is no longer than a point counts for the one that its middle is in; a longer one for
 * all whose middle is in it.  So each row of the step of the points gives one of them its value,
 * whatever the phase of both, finer ones are consolidated, as RRD files do it, and coarser ones are
 * drawn as steps. */
#include "model/history.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/* The start moves down to a whole step, so there may be a point more than asked for. */
struct mc_history *history_new(const struct mc_type *type, struct mc_span span, mc_time interval)
{
	mc_time most = span.points == 0 || span.points > MC_HISTORY_POINTS ? MC_HISTORY_POINTS
									   : span.points;
	struct mc_history *history;
	mc_time start, step;
	size_t len;

	if (span.from < 0 || span.to <= span.from || span.to > MC_HISTORY_LATEST)
		return NULL;
	step = span.step > 0 ? span.step : interval > 0 ? interval : MC_SECOND;
	if ((span.to - span.from) / step >= most)
		step *= (span.to - span.from - 1) / (most * step) + 1;
	start = span.from / step * step;
	len = (size_t)((span.to - start + step - 1) / step);
	history = alloc_zero(sizeof(*history) + len * type->sources_len * sizeof(*history->points));
	*history = (struct mc_history){ .type = type,
					.start = start,
					.step = step,
					.points_len = (unsigned)len,
					.before = INT64_MAX,
					.provider = "" };
	for (size_t i = 0; i < len * type->sources_len; i++)
		history->points[i].maximum = history->points[i].minimum = NAN;
	return history;
}

void mc_history_free(struct mc_history *history)
{
	free(history);
}

static void add(struct mc_history_point *point, const struct mc_history_row *row)
{
	double maximum = isnan(row->maximum) ? row->average : row->maximum;
	double minimum = isnan(row->minimum) ? row->average : row->minimum;
	double seconds = (double)row->step * 1e-9;

	point->average += row->average * seconds; /* A sum, for now. */
	point->seconds += seconds;
	if (isnan(point->maximum) || maximum > point->maximum)
		point->maximum = maximum;
	if (isnan(point->minimum) || minimum < point->minimum)
		point->minimum = minimum;
}

/* The first point whose middle is not before 'time'. */
static mc_time first_behind(const struct mc_history *history, mc_time time)
{
	mc_time middle = history->start + history->step / 2;

	if (time <= middle)
		return 0;
	return (time - middle + history->step - 1) / history->step;
}

void mc_history_add(struct mc_history *history, unsigned source, const struct mc_history_row *row)
{
	struct mc_history_point *points;
	mc_time middle = row->start + row->step / 2, first, end;

	if (isnan(row->average) || row->step <= 0 || middle >= history->before ||
	    source >= history->type->sources_len)
		return;
	if (row->step > history->step) {
		first = first_behind(history, row->start);
		end = first_behind(history, row->start + row->step);
	} else {
		if (middle < history->start)
			return;
		first = (middle - history->start) / history->step;
		end = first + 1;
	}
	if (end > history->points_len)
		end = history->points_len;
	if (first < end && row->step > history->coarsest)
		history->coarsest = row->step;
	points = mc_history_points(history, source);
	for (; first < end; first++)
		add(&points[first], row);
}

void history_finish(struct mc_history *history)
{
	size_t len = (size_t)history->points_len * history->type->sources_len;

	for (size_t i = 0; i < len; i++) {
		struct mc_history_point *point = &history->points[i];

		point->average = point->seconds > 0 ? point->average / point->seconds : NAN;
	}
}

bool history_is_known(const struct mc_history *history)
{
	size_t len = (size_t)history->points_len * history->type->sources_len;

	for (size_t i = 0; i < len; i++)
		if (history->points[i].seconds > 0)
			return true;
	return false;
}
