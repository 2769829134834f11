/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10.  Days, months and
 * years begin by UTC. */
#include "summary.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <collector/kit/alloc.h>

#include "period.h"

#define MINUTE 60
#define HOUR 3600
#define DAY 86400

/* --- summarize ------------------------------------------------------------ */

/* One value of the values from '*at' on that are before 'time' and an interval. */
static double summarize_one(const struct curve *curve, unsigned *at, int64_t time,
			    const struct curve_grid *made, enum aggregate aggregate)
{
	const struct curve_grid *grid = &curve->grid;
	unsigned first = *at, i = *at;
	size_t known = 0;

	for (; i < grid->len; i++) {
		int64_t of_value = grid->start + (int64_t)i * grid->step;

		if (of_value >= grid->end || of_value >= time + made->step)
			break;
		if (of_value <= time)
			first = i;
		known += of_value >= time && !isnan(curve->values[i]);
	}
	*at = i;
	if (!aggregate_is_known(known, (double)made->step / (double)grid->step, curve->known_share))
		return NAN;
	return aggregate_values(aggregate, curve->values + first, i - first);
}

/* False, and failed: there would be too many points. */
static bool summarize(const struct call *call, struct curve *curve, struct curve_grid grid)
{
	enum aggregate aggregate = AGGREGATE_SUM;
	int64_t len =
		grid.end > grid.start ? (grid.end - grid.start + grid.step - 1) / grid.step : 0;
	unsigned at = 0;
	double *values;

	if (!evaluation_admits(call->evaluation, (uint64_t)len))
		return false;
	aggregate_find(call->arguments[2].text, &aggregate);
	values = mc_alloc_array((size_t)len, sizeof(*values));
	grid.len = (unsigned)len;
	for (unsigned i = 0; i < grid.len; i++)
		values[i] = summarize_one(curve, &at, grid.start + (int64_t)i * grid.step, &grid,
					  aggregate);
	curve_replace(curve, values, grid);
	return true;
}

static int64_t round_down(int64_t seconds, int64_t interval)
{
	return seconds - seconds % interval;
}

struct curve *summary_summarize(struct call *call)
{
	const struct argument *interval = &call->arguments[1];
	bool from_begin = call->arguments[3].number == 1;
	int64_t step = llabs(interval->interval);
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next) {
		struct curve_grid grid = { round_down(c->grid.start, step),
					   round_down(c->grid.end, step) + step, step, 0 };

		if (from_begin) {
			grid.start = c->grid.start;
			grid.end = grid.start + (c->grid.end - grid.start + step - 1) / step * step;
		}
		if (!summarize(call, c, grid))
			break;
		curve_become(c, "summarize(%s, \"%s\", \"%s\"%s)", c->name, interval->text,
			     call->arguments[2].text, from_begin ? ", true" : "");
	}
	return curves;
}

/* Monday is 1. */
static int64_t begin_of_week(int64_t seconds, const struct tm *date, const char *unit)
{
	char last = unit[strlen(unit) - 1];
	int first = isdigit((unsigned char)last) ? last - '0' : 1;
	int today = date->tm_wday == 0 ? 7 : date->tm_wday;
	int days = today - first;

	return round_down(seconds, DAY) - (int64_t)(days < 0 ? days + 7 : days) * DAY;
}

/* The begin of the minute, day, year, ... that 'seconds' is in; -1: the unit is unknown. */
static int64_t begin_of(int64_t seconds, const char *unit)
{
	time_t time = seconds;
	struct tm date;

	gmtime_r(&time, &date);
	if (strncmp(unit, "s", 1) == 0)
		return seconds;
	if (strncmp(unit, "min", 3) == 0)
		return round_down(seconds, MINUTE);
	if (strncmp(unit, "h", 1) == 0)
		return round_down(seconds, HOUR);
	if (strncmp(unit, "d", 1) == 0)
		return round_down(seconds, DAY);
	if (strncmp(unit, "w", 1) == 0)
		return begin_of_week(seconds, &date, unit);
	if (strncmp(unit, "mon", 3) == 0)
		return round_down(seconds, DAY) - (int64_t)(date.tm_mday - 1) * DAY;
	if (strncmp(unit, "y", 1) == 0)
		return round_down(seconds, DAY) - (int64_t)date.tm_yday * DAY;
	return -1;
}

struct curve *summary_smart(struct call *call)
{
	const struct argument *interval = &call->arguments[1], *unit = &call->arguments[3];
	struct evaluation *evaluation = call->evaluation;
	int64_t step = llabs(interval->interval), from;
	struct curve *curves = evaluation_take(call, 0);

	if (unit->text != NULL) {
		from = begin_of(evaluation->from, unit->text);
		curve_free(curves);
		if (from == -1)
			return evaluation_fail(evaluation, "%s(): 'alignTo' is no unit of time",
					       call->name);
		curves = evaluation_again(call, from, evaluation->until);
	}
	for (struct curve *c = curves; c != NULL; c = c->next) {
		struct curve_grid grid = { c->grid.start, 0, step, 0 };

		grid.end = grid.start + (c->grid.end - grid.start + step - 1) / step * step;
		if (!summarize(call, c, grid))
			break;
		curve_become(c, "smartSummarize(%s, \"%s\", \"%s\")", c->name, interval->text,
			     call->arguments[2].text);
	}
	return curves;
}

/* --- hitcount ------------------------------------------------------------- */

/* Adds the hits of a value, that many in a second from 'start' to 'end'. */
static void add_hits(double *values, const struct curve_grid *grid, int64_t start, int64_t end,
		     double value)
{
	int64_t last = grid->start + (int64_t)grid->len * grid->step;

	start = start > grid->start ? start : grid->start;
	end = end < last ? end : last;
	while (start < end) {
		int64_t number = (start - grid->start) / grid->step;
		int64_t next = grid->start + (number + 1) * grid->step;
		double hits = value * (double)((next < end ? next : end) - start);

		values[number] = isnan(values[number]) ? hits : values[number] + hits;
		start = next;
	}
}

static bool count_hits(const struct call *call, struct curve *curve, int64_t interval)
{
	struct curve_grid grid = { .end = curve->grid.end, .step = interval };
	int64_t len = (curve->grid.end - curve->grid.start + interval - 1) / interval;
	double *values;

	len = len > 0 ? len : 0;
	if (!evaluation_admits(call->evaluation, (uint64_t)len))
		return false;
	values = mc_alloc_array((size_t)len, sizeof(*values));
	for (int64_t i = 0; i < len; i++)
		values[i] = NAN;
	grid.len = (unsigned)len;
	grid.start = grid.end - len * interval;
	for (unsigned i = 0; i < curve->grid.len; i++) {
		int64_t start = curve->grid.start + (int64_t)i * curve->grid.step;

		if (!isnan(curve->values[i]))
			add_hits(values, &grid, start, start + curve->grid.step, curve->values[i]);
	}
	curve_replace(curve, values, grid);
	return true;
}

/* The same series from the begin of an interval on, to the end of one. */
static struct curve *align(struct call *call, struct curve *curves, int64_t interval)
{
	struct evaluation *evaluation = call->evaluation;
	int64_t from = evaluation->from;

	curve_free(curves);
	if (interval >= DAY)
		from = round_down(from, DAY);
	else if (interval >= HOUR)
		from = round_down(from, HOUR);
	else if (interval >= MINUTE)
		from = round_down(from, MINUTE);
	curves = evaluation_again(call, from, evaluation->until);
	for (struct curve *c = curves; c != NULL; c = c->next)
		c->grid.end = c->grid.start + (c->grid.end - c->grid.start) / interval * interval +
			      interval;
	return curves;
}

struct curve *summary_hitcount(struct call *call)
{
	const struct argument *text = &call->arguments[1];
	bool aligns = call->arguments[2].number == 1;
	int64_t interval = llabs(text->interval);
	struct curve *curves = evaluation_take(call, 0);

	if (aligns)
		curves = align(call, curves, interval);
	for (struct curve *c = curves; c != NULL; c = c->next) {
		if (!count_hits(call, c, interval))
			break;
		curve_become(c, "hitcount(%s, \"%s\"%s)", c->name, text->text,
			     aligns ? ", true" : "");
	}
	return curves;
}

/* --- Another time --------------------------------------------------------- */

/* "1d" is back, as is "-1d". */
static const char *sign_of(const struct argument *shift)
{
	return isdigit((unsigned char)shift->text[0]) ? "-" : "";
}

static int64_t seconds_of(const struct argument *shift)
{
	return *sign_of(shift) != '\0' ? -shift->interval : shift->interval;
}

static void move_to(struct curve *curve, const struct curve *to, bool resets_end)
{
	if (resets_end)
		curve->grid.end = to->grid.end;
	else
		curve->grid.end += to->grid.start - curve->grid.start;
	curve->grid.start = to->grid.start;
}

struct curve *summary_shift(struct call *call)
{
	const struct argument *shift = &call->arguments[1];
	const struct curve *now = call->arguments[0].curves;
	struct evaluation *evaluation = call->evaluation;
	int64_t by = seconds_of(shift);
	struct curve *curves;

	if (now == NULL)
		return NULL;
	curves = evaluation_again(call, evaluation->from + by, evaluation->until + by);
	for (struct curve *c = curves; c != NULL; c = c->next) {
		curve_rename(c, "timeShift(%s, \"%s%s\")", c->name, sign_of(shift), shift->text);
		move_to(c, now, call->arguments[2].number == 1);
	}
	return curves;
}

struct curve *summary_stack(struct call *call)
{
	const struct argument *shift = &call->arguments[1];
	const struct curve *now = call->arguments[0].curves;
	struct evaluation *evaluation = call->evaluation;
	int64_t last = (int64_t)call->arguments[3].number;
	struct curve *first = NULL, **end = &first;

	if (now == NULL)
		return NULL;
	for (int64_t i = (int64_t)call->arguments[2].number; i < last; i++) {
		int64_t by = seconds_of(shift) * i;

		*end = evaluation_again(call, evaluation->from + by, evaluation->until + by);
		for (; *end != NULL; end = &(*end)->next) {
			curve_become(*end, "timeShift(%s, %s%s, %lld)", (*end)->name,
				     sign_of(shift), shift->text, (long long)i);
			move_to(*end, now, true);
		}
		if (evaluation_failed(evaluation))
			break;
	}
	return first;
}

struct curve *summary_slice(struct call *call)
{
	struct evaluation *evaluation = call->evaluation;
	int64_t start, end;
	struct curve *curves;

	if (!period_read(call->arguments[1].text, evaluation->now, &start) ||
	    !period_read(call->arguments[2].text, evaluation->now, &end))
		return evaluation_fail(evaluation, "%s(): a time is invalid", call->name);
	curves = evaluation_take(call, 0);
	for (struct curve *c = curves; c != NULL; c = c->next) {
		int64_t now = evaluation->from;

		for (unsigned i = 0; i < c->grid.len; i++, now += c->grid.step)
			if (now < start || now > end)
				c->values[i] = NAN;
		curve_rename(c, "timeSlice(%s, %lld, %lld)", c->name, (long long)start,
			     (long long)end);
	}
	return curves;
}
